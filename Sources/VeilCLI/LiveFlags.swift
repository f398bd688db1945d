import VeilCore

// The flags of `veil live`.

extension Flags {
    enum Live {
        // MARK: Source

        static let input = Flag<String?>.optional(
            "input", short: "i", .text(name: "SOURCE"), otherwise: "the first camera", .source,
            "Take the picture from SOURCE: a camera (/dev/video0), FORMAT:NAME for any device of FFmpeg (x11grab::0), a "
                + "URL (rtsp, rtmp, srt, udp, http), a file, or - for standard input."
        ).common()
        static let listDevices = Flag.toggle(
            "list-devices", .source, "List cameras with formats, sizes and rates, and sound sources, and end.")
        static let size = Flag<PictureSize?>.optional(
            "size", PictureSize.kind, otherwise: "the device's own", .source, "Ask the device for this size.")
        static let rate = Flag<Double?>.optional(
            "rate", .number(1...1000, name: "FPS"), otherwise: "the device's own", .source,
            "Ask the device for so many frames a second.")
        static let inputFormat = Flag<String?>.optional(
            "input-format", .text(name: "NAME"), otherwise: "the device's own", .source,
            "Ask the camera for this format, such as mjpeg or yuyv422.")
        static let pace = Flag.toggle(
            "pace", .source,
            "Play standard input or a URL at the speed that its time stamps say. Files are always played so.")
        static let mic = Flag<String?>.optional(
            "mic", .text(name: "NAME"), otherwise: "the source's own sound", .source,
            "Take sound from NAME: alsa:default, pulse:default, or the name of an ALSA device.")
        static let reconnect = Flag.toggle(
            "reconnect", .source,
            "Wait for a source that went away, and carry on. Until it is back the last picture is shown covered.")
        static let duration = Flag<Double?>.optional(
            "duration", .number(0...1_000_000, name: "SECONDS"), otherwise: "until the source ends", .source,
            "End after this time.")

        // MARK: Output

        static let output = Flag<[String]>.list(
            "output", short: "o", .text(name: "OUT"), .output,
            "Send the covered picture to OUT: window, a file (.mp4, .mkv), a URL (rtmp, rtsp, srt, udp), FOLDER/NAME.m3u8, a video "
                + "output device (/dev/video10), or - for standard output. A window unless something else is named."
        ).common()
        static let serve = Flag<ServeAddress?>.optional(
            "serve", ServeAddress.kind, otherwise: nil, .output,
            "Show the picture to browsers at this address and port, such as 127.0.0.1:8080. Whoever can reach the address "
                + "can watch.")
        static let format = Flag<String?>.optional(
            "format", .text(name: "NAME"), otherwise: "yuv4mpegpipe", .output,
            "Write standard output in this container, such as yuv4mpegpipe, rawvideo, mpegts or matroska.")
        static let crf = Flag.value(
            "crf", .whole(0...51), default: 21, .output,
            "Set x264's constant quality for recordings and streams: lower looks better and takes more space.")
        static let preset = Flag<String>.value(
            "preset", .text(name: "NAME"), default: "superfast", .output,
            "Choose x264's speed: a slower one may not keep up.")
        static let join = Flag.toggle(
            "join", .output, "Put all takes of a recording into one file instead of files of their own.")

        // MARK: Covering

        static let maxAge = Flag.value(
            "max-age", .number(0.01...60, name: "SECONDS"), default: 0.25, .mask,
            "Cover the whole picture when the newest search is older than this.")
        static let delay = Flag.value(
            "delay", DelayChoice.kind, default: DelayChoice.seconds(0), .mask,
            "Hold frames back for this long, so that a face is covered even in the frame in which it first appears; auto "
                + "is as long as the detector needs.")
        static let failOpen = Flag.toggle(
            "fail-open", .mask,
            "Show the picture even when nothing is known of its faces. Then faces are bare at the start, after each cut, "
                + "and whenever the detector is late or fails.")
        static let linger = Flag.value(
            "linger", .number(0...60, name: "SECONDS"), default: 0.4, .mask,
            "Go on covering a face for this long after it was last seen.")
        static let maskScale = Flag.value(
            "mask-scale", .number(1...4), default: 1.4, .mask, "Make the mask this many times as large as the face.")
        static let threshold = Flag<Double?>.optional(
            "threshold", .number(0...1), otherwise: "0.15", .faces,
            "Take for a face what scores at least this much. Lower finds more faces and more that are none.")
        static let detectSize = Flag<Int?>.optional(
            "detect-size", .whole(64...2048, name: "PIXELS"), otherwise: "what the processor manages, 320 to 1280",
            .faces,
            "Search a picture whose longer side has this size. Larger finds smaller faces and takes longer.")

        static let threads = Flag.value(
            "threads", .whole(1...1024), default: 2, .general, "Search with this many threads.")

        // MARK: View

        static let crop = Flag.value(
            "crop", .choice(), default: CropChoice.full, .view, "Show the middle of the picture in this shape.")
        static let zoom = Flag.value(
            "zoom", .number(1...8), default: 1.0, .view, "Enlarge the middle of the picture so many times.")
        static let mirror = Flag.toggle("mirror", .view, "Swap left and right.")
        static let rotate = Flag.value(
            "rotate", .choice(), default: RotateChoice.none, .view, "Turn the picture clockwise by so many degrees.")
        static let show = Flag<[ShowChoice]>.list(
            "show", .choice(), .view, "Draw boxes, masks or numbers over the picture in the window.")
        static let control = Flag<String?>.optional(
            "control", .text(name: "-"), otherwise: nil, .view,
            "Read commands from standard input (-), one a line: the window's keys, or words such as record, still, "
                + "zoom 2, pan 0.5 0.")
        static let stats = Flag<StatsChoice?>.optional(
            "stats", .choice(), otherwise: nil, .general,
            "Print the numbers at the end to standard output as JSON; to standard error if - is an output.")

        static let group: [any FlagDeclaration] = [
            input, listDevices, size, rate, inputFormat, pace, mic, reconnect, duration, output, serve, format,
            Flags.force, crf, preset, join, threshold, detectSize, Flags.effect, Flags.cells, Flags.color, Flags.mask,
            maskScale, Flags.softness, Flags.hold, maxAge, delay, failOpen, linger, crop, zoom, mirror, rotate, show,
            control, stats,
        ]
    }
}

/// `--crop`.
enum CropChoice: String, CaseIterable, Sendable {
    case full
    case square = "1:1"
    case television = "4:3"
    case wide = "16:9"

    var aspect: Rational? {
        switch self {
        case .full: nil
        case .square: Rational(1, 1)
        case .television: Rational(4, 3)
        case .wide: Rational(16, 9)
        }
    }
}

/// `--rotate`.
enum RotateChoice: String, CaseIterable, Sendable {
    case none = "0"
    case right = "90"
    case half = "180"
    case left = "270"

    var quarterTurns: Int { RotateChoice.allCases.firstIndex(of: self) ?? 0 }
}

/// `--show`.
enum ShowChoice: String, CaseIterable, Sendable { case boxes, mask, numbers }

/// `--stats`.
enum StatsChoice: String, CaseIterable, Sendable { case json }

/// `--size`.
struct PictureSize: Sendable, Equatable {
    var width: Int
    var height: Int

    static let kind = ValueKind<PictureSize>(
        name: "WxH", expected: "a size such as 1280x720",
        read: { text in
            let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let width = parts[0], let height = parts[1], (1...16384).contains(width),
                (1...16384).contains(height)
            else { return nil }
            return PictureSize(width: width, height: height)
        },
        show: { "\($0.width)x\($0.height)" })
}

/// `--serve`.
struct ServeAddress: Sendable, Equatable {
    var address: String
    var port: UInt16

    /// Whether only this machine can reach it.
    var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

    static let kind = ValueKind<ServeAddress>(
        name: "ADDRESS:PORT", expected: "an address and a port such as 127.0.0.1:8080 or [::1]:8080",
        read: { text in
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
                return nil
            }
            var address = String(text[..<colon])
            if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
            if address == "localhost" { address = "127.0.0.1" }
            guard !address.isEmpty else { return nil }
            return ServeAddress(address: address, port: port)
        },
        show: { $0.address.contains(":") ? "[\($0.address)]:\($0.port)" : "\($0.address):\($0.port)" })
}

/// `--delay`.
enum DelayChoice: Sendable, Equatable {
    case seconds(Double)
    case auto

    static let kind = ValueKind<DelayChoice>(
        name: "SECONDS", expected: "a number from 0 to 1.5, or auto", limits: "0 to 1.5, or auto",
        completion: .words(["auto"]),
        read: { text in
            if text == "auto" { return .auto }
            return decimalNumber(text).flatMap { (0...1.5).contains($0) ? .seconds($0) : nil }
        },
        show: { choice in
            switch choice {
            case .seconds(let value): plainNumber(value)
            case .auto: "auto"
            }
        })
}

import CFFmpeg

/// Where a live picture comes from, as a person writes it.
public enum LiveAddress: Sendable, Hashable {
    /// A libavdevice input (or another named demuxer) and what it is to open: `x11grab::0`, `v4l2:/dev/video0`.
    case device(format: String, name: String)
    /// Anything that FFmpeg opens by its scheme: `rtsp://…`, `udp://…`.
    case url(String)
    case file(String)
    case standardInput

    /// Reads `-`, `/dev/video0`, `FORMAT:NAME`, `scheme://…` or the name of a file.
    ///
    /// A word before the first colon counts as a format only where it is the name of a device, so that file names with
    /// colons stay file names; `file:` in front says it outright.
    public init(_ text: String) {
        if text == "-" {
            self = .standardInput
        } else if text.hasPrefix("/dev/video") {
            self = .device(format: "v4l2", name: text)
        } else if text.hasPrefix("file:") {
            self = .file(String(text.dropFirst(5)))
        } else if text.firstRange(of: "://") != nil {
            self = .url(text)
        } else if let colon = text.firstIndex(of: ":"), Self.devices.contains(String(text[..<colon])) {
            self = .device(format: String(text[..<colon]), name: String(text[text.index(after: colon)...]))
        } else {
            self = .file(text)
        }
    }

    /// The names of FFmpeg 5.1's input devices (libavdevice/alldevices.c), and other common names of theirs.
    static let devices: Set<String> = [
        "alsa", "android_camera", "avfoundation", "bktr", "decklink", "dshow", "fbdev", "gdigrab", "iec61883", "jack",
        "kmsgrab", "lavfi", "libcdio", "libdc1394", "openal", "oss", "pulse", "sndio", "v4l2", "video4linux2",
        "x11grab", "xcbgrab",
    ]

    /// Whether libavdevice is needed to open it.
    public var needsDevices: Bool { if case .device = self { true } else { false } }

    /// Whether its times are those of a clock of this machine: FFmpeg's devices stamp what they take with the time of day,
    /// V4L2's drivers with the monotonic clock.
    public var isByTheMachinesClock: Bool { needsDevices && !isEndless }

    /// Whether it is read by FFmpeg's V4L2 input.
    var isV4L2: Bool {
        if case .device(let format, _) = self { format == "v4l2" || format == "video4linux2" } else { false }
    }

    /// Whether it gives as much as one takes, and has to be played in real time: files, and FFmpeg's own test pictures.
    public var isEndless: Bool {
        switch self {
        case .file: true
        case .device(let format, _): format == "lavfi"
        case .url, .standardInput: false
        }
    }

    /// A file or a pipe: opened by us, and nothing else with it.
    var isLocal: Bool {
        switch self {
        case .file, .standardInput: true
        case .device, .url: false
        }
    }

    /// As a person would be told about it.
    public var label: String {
        switch self {
        case .device(let format, let name): format == "v4l2" ? name : "\(format):\(name)"
        case .url(let url): url
        case .file(let file): file
        case .standardInput: "standard input"
        }
    }
}

/// How a live picture is to be opened.
public struct LiveInputSettings: Sendable {
    public var address: LiveAddress
    /// Asked of a device: width and height in pixels; nil for its own choice.
    public var size: (width: Int, height: Int)?
    /// Asked of a device: frames per second.
    public var rate: Double?
    /// Asked of a camera: its own pixel or stream format, "mjpeg", "yuyv422".
    public var inputFormat: String?
    /// Hand frames out at the times that their time stamps say, as a camera would.
    public var isPaced = false
    /// Hand out the source's sound too, where it has any.
    public var bringsSound = false
    /// Only sound is wanted (a microphone).
    public var isSoundOnly = false

    public init(_ address: LiveAddress) { self.address = address }
}

import CFFmpeg
import Synchronization
import VeilCore

/// An open live source: a camera, a screen, a stream from the network, a pipe, or a file that is played in real time.
///
/// Used from one thread. What it reads from the network ends when `isCancelled` says so.
public final class LiveInput {
    public enum Event: ~Copyable {
        /// A picture in a direct format, and its time in seconds by the source's clock; nil where it has none.
        case picture(Frame, time: Double?)
        /// Sound samples as decoded.
        case sound(Frame, time: Double?, rate: Int)
        /// Something that can't be decoded; the next picture may be wrong.
        case broken
    }

    private let context: UnsafeMutablePointer<AVFormatContext>
    /// Opened here for files and pipes, so that the demuxer can be kept from opening anything else.
    private var opened: UnsafeMutablePointer<AVIOContext>?
    private let interrupter: Interrupter
    private let label: String
    private var picture: Decoder?
    private var pictureIndex: Int32 = -1
    private var sound: Decoder?
    private var soundIndex: Int32 = -1
    /// Its packets lie in the driver's memory, and only as long as the device is open.
    private let lendsBuffers: Bool
    private var isDraining = false
    /// Which decoder may have more to give.
    private var pending: [Kind] = []

    private enum Kind { case picture, sound }

    /// The container's best guess, frames per second; 30 where it has none.
    public let frameRate: Double
    public var hasSound: Bool { sound != nil }

    /// Opens the source and its decoders. Devices must have been registered before.
    ///
    /// - Throws: `MediaError` `.unreadable` or `.notMedia`.
    public init(_ settings: LiveInputSettings, isCancelled: @escaping @Sendable () -> Bool) throws(MediaError) {
        _ = MediaLimits.areSet
        label = settings.address.label
        interrupter = Interrupter(isCancelled)
        lendsBuffers = settings.address.isV4L2
        guard let fresh = avformat_alloc_context() else {
            throw MediaError(.internalFailure, "opening", file: label, detail: "out of memory")
        }
        var context: UnsafeMutablePointer<AVFormatContext>? = fresh
        fresh.pointee.interrupt_callback = interrupter.callback
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        let format = try Self.describe(settings, fresh, &options, label: label)
        _ = LibraryLog.takeLast()
        var own: UnsafeMutablePointer<AVIOContext>?
        if settings.address.isLocal {
            var callback = interrupter.callback
            let code = avio_open2(&own, Self.url(settings.address), AVIO_FLAG_READ, &callback, nil)
            guard code >= 0 else {
                avformat_free_context(fresh)
                throw MediaError(.unreadable, "opening", file: label, code: code)
            }
            fresh.pointee.pb = own
        }
        let code = avformat_open_input(&context, Self.url(settings.address), format, &options)
        guard code >= 0, let context else {
            avio_closep(&own)
            throw MediaError(
                .unreadable, "opening", file: label, code: code,
                advice: settings.address.needsDevices ? "veil live --list-devices shows what there is" : nil)
        }
        var rate = 0.0
        var picture: Decoder?
        var sound: Decoder?
        do throws(MediaError) {
            try check(avformat_find_stream_info(context, nil), .notMedia, "reading the streams", file: label)
            if !settings.isSoundOnly {
                pictureIndex = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
                guard pictureIndex >= 0 else {
                    throw MediaError(.notMedia, "looking for a picture stream", file: label, detail: "there is none")
                }
                let stream = cff_stream(context, pictureIndex)
                // One thread: several would hold frames back.
                picture = try Decoder(stream: stream, file: label, threads: 1)
                rate = av_guess_frame_rate(context, stream, nil).value
            }
            if settings.bringsSound || settings.isSoundOnly {
                soundIndex = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
                if soundIndex >= 0 {
                    sound = try Decoder(stream: cff_stream(context, soundIndex), file: label, threads: 1)
                } else if settings.isSoundOnly {
                    throw MediaError(.notMedia, "looking for sound", file: label, detail: "there is none")
                }
            }
        } catch {
            var c: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&c)
            avio_closep(&own)
            throw error
        }
        self.context = context
        opened = own
        self.picture = picture
        self.sound = sound
        frameRate = rate.isFinite && rate > 0 && rate <= 1000 ? rate : 30
        for index in 0..<Int32(context.pointee.nb_streams) where index != pictureIndex && index != soundIndex {
            cff_stream(context, index).pointee.discard = AVDISCARD_ALL
        }
    }

    deinit {
        var c: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&c)
        avio_closep(&opened)
    }

    private static func url(_ address: LiveAddress) -> String {
        switch address {
        case .device(_, let name): name
        case .url(let url): url
        case .file(let file): "file:" + file
        case .standardInput: "pipe:0"
        }
    }

    /// Sets options for the demuxer; gives its descriptor where it is named.
    private static func describe(
        _ settings: LiveInputSettings, _ context: UnsafeMutablePointer<AVFormatContext>,
        _ options: inout OpaquePointer?,
        label: String
    ) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
        switch settings.address {
        case .device(let name, _):
            guard let format = av_find_input_format(name) else {
                throw MediaError(
                    .unsupported, "opening", file: label, detail: "libavdevice has no input device \(name) here")
            }
            if let size = settings.size { av_dict_set(&options, "video_size", "\(size.width)x\(size.height)", 0) }
            if let rate = settings.rate { av_dict_set(&options, "framerate", "\(rate)", 0) }
            // PulseAudio would hand out two seconds at once; 4096 bytes are 21 ms.
            if name == "pulse" { av_dict_set(&options, "fragment_size", "4096", 0) }
            if let own = settings.inputFormat { av_dict_set(&options, "input_format", own, 0) }
            return format
        case .url:
            // A stream is to be shown now, not when a buffer is full.
            context.pointee.flags |= AVFMT_FLAG_NOBUFFER
            context.pointee.probesize = 1 << 20
            context.pointee.max_analyze_duration = 1_500_000
            av_dict_set(&options, "fflags", "nobuffer", 0)
            return nil
        case .file:
            cff_refuse_references(context)
            av_dict_set(&options, "protocol_whitelist", "file", 0)
            return nil
        case .standardInput:
            cff_refuse_references(context)
            av_dict_set(&options, "protocol_whitelist", "pipe", 0)
            return nil
        }
    }

    /// How the picture is to be turned for display, by the container's word.
    public func orientation(of frame: borrowing Frame) -> Orientation {
        if let own = frame.displayMatrix, let o = DisplayMatrix(numbers: own).orientation { return o }
        guard let data = av_stream_get_side_data(cff_stream(context, pictureIndex), AV_PKT_DATA_DISPLAYMATRIX, nil)
        else { return .up }
        let numbers = data.withMemoryRebound(to: Int32.self, capacity: 9) { base in (0..<9).map { base[$0] } }
        return DisplayMatrix(numbers: numbers).orientation ?? .up
    }

    /// Width to height of one sample; nil where nobody says.
    public func sampleAspectRatio(of frame: borrowing Frame) -> Rational? {
        let r = av_guess_sample_aspect_ratio(context, cff_stream(context, pictureIndex), frame.pointer)
        return r.num > 0 && r.den > 0 ? Rational(Int(r.num), Int(r.den)) : nil
    }

    /// The next picture or piece of sound; nil at the end of the source.
    ///
    /// - Throws: `MediaError` `.unreadable` when the source goes away.
    public func next() throws(MediaError) -> Event? {
        while true {
            while let kind = pending.last {
                if let event = try receive(kind) { return event }
                pending.removeLast()
            }
            if isDraining { return nil }
            let packet = try Packet()
            let code = av_read_frame(context, packet.pointer)
            if code == cff_error_again { continue }
            if code == cff_error_eof {
                isDraining = true
                picture?.finish()
                sound?.finish()
                pending = [.sound, .picture]
                continue
            }
            if code == cff_error_invalid_data { return .broken }
            try check(code, .unreadable, "reading", file: label)
            if lendsBuffers { try packet.copyOut() }
            let isPicture = packet.pointer.pointee.stream_index == pictureIndex
            guard isPicture || packet.pointer.pointee.stream_index == soundIndex else { continue }
            let decoder = isPicture ? picture : sound
            let isCorrupt = packet.isCorrupt
            let failure = decoder?.send(packet)
            pending = [isPicture ? .picture : .sound]
            if isPicture && (failure != nil || isCorrupt) { return .broken }
        }
    }

    private func receive(_ kind: Kind) throws(MediaError) -> Event? {
        guard let decoder = kind == .picture ? picture : sound else { return nil }
        switch try decoder.receive() {
        case .frame(let frame):
            let index = kind == .picture ? pictureIndex : soundIndex
            let base = cff_stream(context, index).pointee.time_base.value
            let time = frame.pts.map { Double($0) * base }
            if kind == .picture { return .picture(frame, time: time) }
            let rate = Int(frame.pointer.pointee.sample_rate)
            return .sound(frame, time: time, rate: rate)
        case .failed: return kind == .picture ? .broken : nil
        case .needsInput: return nil
        case .end: return nil
        }
    }
}

/// Breaks off what FFmpeg waits for, once somebody has asked for it.
final class Interrupter {
    private let isCancelled: @Sendable () -> Bool

    init(_ isCancelled: @escaping @Sendable () -> Bool) { self.isCancelled = isCancelled }

    /// Valid as long as this object is.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<Interrupter>.fromOpaque(opaque).takeUnretainedValue().isCancelled() ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}

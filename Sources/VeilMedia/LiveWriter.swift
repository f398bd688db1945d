import CFFmpeg
import Glibc
import VeilCore

/// How live pictures are encoded.
public struct LiveEncoding: Sendable, Hashable {
    /// x264's quality number; 0 is lossless.
    public var crf = 21
    /// x264's speed; the picture has to be coded in a part of a frame's time.
    public var preset = "superfast"
    public var threads = 1

    public init() {}
}

/// Encodes live pictures and sound and writes them to a file, a stream, a pipe or a device.
///
/// Times are seconds on the session's clock and are kept. Used from one thread. A call may block as long as the other
/// end does, until `isCancelled` says that nobody waits any more.
public final class LiveWriter {
    private let target: LiveTarget
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let interrupter: Interrupter
    private let encoder: CodecContext
    private let picture: UnsafeMutablePointer<AVStream>
    private let packet: Packet
    private let scaler: Scaler?
    private let size: (width: Int, height: Int)
    private var resizer: Scaler?
    private var sound: LiveSoundEncoder?
    private var lastPTS = Int64.min
    private var lastSync: Double?
    private let syncDescriptor: Int32
    private var isOpen = true

    /// 90 kHz, which most containers can hold or nearly so.
    private static let timeBase = AVRational(num: 1, den: 90_000)
    /// How often what was written to a file is brought to the disk, in seconds.
    private static let syncInterval = 2.0

    /// - Parameters:
    ///   - frame: the first picture: its size is the output's.
    ///   - rate: frames per second, for rate control and headers only.
    ///   - soundRate: samples per second of the sound to come; nil where there is none.
    public init(
        _ target: LiveTarget, like frame: SharedFrame, rate: Double, soundRate: Int?, encoding: LiveEncoding,
        overwrite: Bool, isCancelled: @escaping @Sendable () -> Bool
    ) throws(MediaError) {
        self.target = target
        interrupter = Interrupter(isCancelled)
        size = (frame.width, frame.height)
        packet = try Packet()
        if target.kind == .recording, !overwrite, access(target.label, F_OK) == 0 {
            throw MediaError(
                .exists, "opening the output", file: target.label, detail: "there is such a file already",
                advice: "--force replaces it")
        }
        var made: UnsafeMutablePointer<AVFormatContext>?
        try check(
            avformat_alloc_output_context2(&made, nil, target.format, target.url), .unsupported, "opening the output",
            file: target.label)
        guard let context = made else {
            throw MediaError(.internalFailure, "opening the output", file: target.label, detail: "out of memory")
        }
        context.pointee.interrupt_callback = interrupter.callback
        context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
        context.pointee.flush_packets = 1
        // What is slow to come must not keep the rest back for long.
        context.pointee.max_interleave_delta = 500_000
        do throws(MediaError) {
            let encoder = try Self.openEncoder(target, context, frame: frame, rate: rate, encoding: encoding)
            guard let stream = avformat_new_stream(context, nil) else {
                throw MediaError(.internalFailure, "adding a stream", file: target.label, detail: "out of memory")
            }
            try check(
                avcodec_parameters_from_context(stream.pointee.codecpar, encoder.pointer), .internalFailure,
                "adding a stream", file: target.label)
            stream.pointee.time_base = encoder.pointer.pointee.time_base
            stream.pointee.avg_frame_rate = encoder.pointer.pointee.framerate
            let own = PixelFormat(encoder.pointer.pointee.pix_fmt)
            scaler = own.withoutRange == PixelFormat(AV_PIX_FMT_YUV420P) ? nil : Scaler(to: own)
            if let soundRate, target.holdsSound {
                sound = try LiveSoundEncoder(rate: soundRate, in: context, file: target.label)
            }
            if cff_format_needs_file(context.pointee.oformat) != 0 {
                var cb = interrupter.callback
                try check(
                    avio_open2(&context.pointee.pb, target.url, AVIO_FLAG_WRITE, &cb, nil), .unwritable,
                    "opening the output", file: target.label)
            }
            var options: OpaquePointer?
            defer { av_dict_free(&options) }
            for (key, value) in target.options { av_dict_set(&options, key, value, 0) }
            try check(
                avformat_write_header(context, &options), .unwritable, "writing the header", file: target.label)
            self.encoder = encoder
            picture = stream
        } catch {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
            throw error
        }
        syncDescriptor = target.kind == .recording ? open(target.label, O_RDONLY | O_CLOEXEC) : -1
        self.context = context
    }

    deinit {
        if syncDescriptor >= 0 { close(syncDescriptor) }
        // FFmpeg's V4L2 output closes the device in its trailer only. Left open after a failure, it would be busy when it
        // is tried again.
        if isOpen, target.kind == .device { av_write_trailer(context) }
        if cff_format_needs_file(context.pointee.oformat) != 0 { avio_closep(&context.pointee.pb) }
        avformat_free_context(context)
    }

    private static func openEncoder(
        _ target: LiveTarget, _ format: UnsafeMutablePointer<AVFormatContext>, frame: SharedFrame, rate: Double,
        encoding: LiveEncoding
    ) throws(MediaError) -> CodecContext {
        let name =
            switch target.format {
            case "yuv4mpegpipe": "wrapped_avframe"
            case "rawvideo", "v4l2": "rawvideo"
            case "webm": "libvpx"
            default: "libx264"
            }
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(
                .unsupported, "choosing the encoder", file: target.label, detail: "FFmpeg has no \(name) here")
        }
        let encoder = try CodecContext(codec)
        let c = encoder.pointer
        c.pointee.width = Int32(frame.width)
        c.pointee.height = Int32(frame.height)
        c.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        let properties = frame.frame.pointer.pointee
        c.pointee.color_range = AVCOL_RANGE_MPEG
        c.pointee.color_primaries = properties.color_primaries
        c.pointee.color_trc = properties.color_trc
        c.pointee.colorspace = properties.colorspace
        c.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        let framerate = av_d2q(rate, 60_000)
        c.pointee.framerate = framerate
        // Raw pictures have a rate and no times.
        c.pointee.time_base = target.isRaw ? framerate.inverted : timeBase
        c.pointee.thread_count = Int32(encoding.threads)
        c.pointee.gop_size = Int32(max(1, rate.rounded()))
        c.pointee.max_b_frames = 0
        if format.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            c.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if name == "libx264" {
            av_dict_set(&options, "preset", encoding.preset, 0)
            av_dict_set(&options, "tune", "zerolatency", 0)
            av_dict_set(&options, "crf", "\(encoding.crf)", 0)
        } else if name == "libvpx" {
            c.pointee.bit_rate = Int64(Double(frame.width * frame.height) * rate * 0.1)
            for (key, value) in [("deadline", "realtime"), ("cpu-used", "8"), ("lag-in-frames", "0")] {
                av_dict_set(&options, key, value, 0)
            }
        }
        try check(
            avcodec_open2(c, codec, &options), .unsupported, "opening the encoder \(name)", file: target.label)
        return encoder
    }

    /// Writes a picture; one of another size than the first is brought to its size.
    ///
    /// - Parameter time: in seconds, rising.
    public func write(_ shared: SharedFrame, time: Double) throws(MediaError) {
        let base = encoder.pointer.pointee.time_base
        var pts = Int64((time / base.value).rounded())
        if pts <= lastPTS { pts = lastPTS + 1 }
        lastPTS = pts
        if (shared.width, shared.height) != (size.width, size.height) {
            if resizer == nil { resizer = Scaler(to: PixelFormat(AV_PIX_FMT_YUV420P), size: size) }
            if let resizer { try send(resizer.convert(shared.frame), pts) }
        } else if let scaler {
            try send(scaler.convert(shared.frame), pts)
        } else {
            try send(shared.frame.reference(), pts)
        }
        try drain()
        try sync(time)
    }

    private func send(_ frame: consuming Frame, _ pts: Int64) throws(MediaError) {
        frame.pts = pts
        frame.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
        frame.pointer.pointee.key_frame = 0
        try check(
            avcodec_send_frame(encoder.pointer, frame.pointer), .internalFailure, "encoding", file: target.label)
    }

    private func drain() throws(MediaError) {
        while true {
            let code = avcodec_receive_packet(encoder.pointer, packet.pointer)
            if code == cff_error_again || code == cff_error_eof { return }
            try check(code, .internalFailure, "encoding", file: target.label)
            packet.pointer.pointee.stream_index = picture.pointee.index
            av_packet_rescale_ts(packet.pointer, encoder.pointer.pointee.time_base, picture.pointee.time_base)
            try check(
                sound == nil
                    ? av_write_frame(context, packet.pointer) : av_interleaved_write_frame(context, packet.pointer),
                .unwritable, "writing", file: target.label)
            av_packet_unref(packet.pointer)
        }
    }

    /// Writes sound samples, if the target holds any.
    public func write(_ sound: SharedFrame, soundTime: Double) throws(MediaError) {
        try self.sound?.write(sound, time: soundTime)
    }

    private func sync(_ time: Double) throws(MediaError) {
        guard syncDescriptor >= 0 else { return }
        if let lastSync, time - lastSync < Self.syncInterval { return }
        lastSync = time
        // Slow disks hold this output up, and its thread only.
        _ = fdatasync(syncDescriptor)
    }

    /// Writes what the encoders hold and the container's end. To be called once.
    public func finish() throws(MediaError) {
        guard isOpen else { return }
        isOpen = false
        try check(avcodec_send_frame(encoder.pointer, nil), .internalFailure, "encoding", file: target.label)
        try drain()
        try sound?.finish()
        try check(av_write_trailer(context), .unwritable, "writing the end", file: target.label)
        if let pb = context.pointee.pb {
            avio_flush(pb)
            if pb.pointee.error < 0 {
                throw MediaError(.unwritable, "writing the end", file: target.label, code: pb.pointee.error)
            }
        }
        if syncDescriptor >= 0 { _ = fdatasync(syncDescriptor) }
    }
}

import CFFmpeg

/// Re-encodes sound that a container can't hold: decodes, resamples and encodes, at the source's times.
final class SoundTranscoder {
    private let decoder: Decoder
    private let encoder: CodecContext
    private let resampler: Resampler
    private let queue: SampleQueue
    private let packet: Packet
    private let muxer: Muxer
    private let index: Int
    private let file: String
    private let timeBase: AVRational
    private let sampleTime: AVRational
    /// The time of the queue's first sample, in samples; nil before the first.
    private var next: Int64?

    /// What is lost on the way, for a person.
    let losses: [String]

    var codecName: String { String(cString: avcodec_get_name(encoder.pointer.pointee.codec_id)) }
    var sampleRate: Int32 { encoder.pointer.pointee.sample_rate }

    /// A departure from the expected time by more than this is a gap, in seconds; less is rounding.
    private static let gap = 0.05

    /// Bits per second and channel: transparent in listening tests of these codecs, or nearly so.
    private static func bitRate(_ codec: AVCodecID) -> Int64 { codec == AV_CODEC_ID_OPUS ? 80_000 : 96_000 }

    init(
        of source: UnsafeMutablePointer<AVStream>, to codec: UnsafePointer<AVCodec>, muxer: Muxer, file: String
    ) throws(MediaError) {
        self.muxer = muxer
        self.file = file
        timeBase = source.pointee.time_base
        packet = try Packet()
        decoder = try Decoder(stream: source, file: file, threads: 1)
        guard let par = source.pointee.codecpar, par.pointee.sample_rate > 0, par.pointee.ch_layout.nb_channels > 0
        else {
            throw MediaError(
                .unsupported, "re-encoding sound", file: file, stream: Int(source.pointee.index),
                detail: "neither rate nor channels are known", advice: "--audio drop leaves the sound out")
        }
        let rate = cff_codec_sample_rate(
            codec, muxer.format.rate(near: par.pointee.sample_rate, for: codec.pointee.id))
        let channels = par.pointee.ch_layout.nb_channels
        encoder = try Self.open(
            codec, like: par, rate: rate, format: cff_codec_sample_format(codec, decoder.context.pointee.sample_fmt),
            muxer: muxer, file: file, stream: Int(source.pointee.index))
        let context = encoder.pointer
        sampleTime = AVRational(num: 1, den: rate)
        resampler = try Resampler()
        queue = try SampleQueue(context.pointee.sample_fmt, context.pointee.ch_layout.nb_channels)
        var losses: [String] = []
        if rate != par.pointee.sample_rate {
            losses.append("\(par.pointee.sample_rate) samples a second become \(rate)")
        }
        if context.pointee.ch_layout.nb_channels != channels {
            losses.append("\(channels) channels become \(context.pointee.ch_layout.nb_channels)")
        } else if par.pointee.ch_layout.order != AV_CHANNEL_ORDER_UNSPEC,
            av_channel_layout_compare(&par.pointee.ch_layout, &context.pointee.ch_layout) != 0
        {
            losses.append(
                "channels as \(Self.name(par.pointee.ch_layout)) become \(Self.name(context.pointee.ch_layout))")
        }
        self.losses = losses

        let out = try muxer.addStream()
        index = Int(out.pointee.index)
        muxer.copyDescription(from: source, to: out)
        for stale in ["BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "DURATION", "_STATISTICS_TAGS", "encoder"] {
            av_dict_set(&out.pointee.metadata, stale, nil, 0)
        }
        try check(
            avcodec_parameters_from_context(out.pointee.codecpar, context), .internalFailure, "adding a stream",
            file: file)
        out.pointee.time_base = sampleTime
        if muxer.format.isMatroska { muxer.restoreCodecDelay(of: out, at: index) }
        Language.translate(in: out, for: muxer.format)
    }

    /// Opens the encoder with the channels of the source, else with the most that it takes and that all of them can be
    /// mixed into.
    ///
    /// - Throws: `MediaError` `.unsupported` when there are none: no channel is left out.
    private static func open(
        _ codec: UnsafePointer<AVCodec>, like source: UnsafeMutablePointer<AVCodecParameters>, rate: Int32,
        format: AVSampleFormat, muxer: Muxer, file: String, stream: Int
    ) throws(MediaError) -> CodecContext {
        var own = AVChannelLayout()
        defer { av_channel_layout_uninit(&own) }
        _ = cff_layout_candidate(&source.pointee.ch_layout, 0, &own)
        var words = ""
        var layout = AVChannelLayout()
        defer { av_channel_layout_uninit(&layout) }
        var candidate: Int32 = 0
        while cff_layout_candidate(&source.pointee.ch_layout, candidate, &layout) != 0 {
            candidate += 1
            guard cff_mixes_whole(&own, &layout) != 0 else { continue }
            // Encoders with a table of bit rates have none so high for few samples a second.
            for share in [3, 2, 1] as [Int64] {
                let encoder = try CodecContext(codec)
                let context = encoder.pointer
                av_channel_layout_copy(&context.pointee.ch_layout, &layout)
                context.pointee.sample_rate = rate
                context.pointee.sample_fmt = format
                context.pointee.bit_rate = bitRate(codec.pointee.id) * Int64(layout.nb_channels) * share / 3
                context.pointee.time_base = AVRational(num: 1, den: rate)
                context.pointee.strict_std_compliance = cff_compliance_experimental
                if muxer.format.needsGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
                if muxer.isReproducible { context.pointee.flags |= AV_CODEC_FLAG_BITEXACT }
                let code = avcodec_open2(context, codec, nil)
                if code >= 0 {
                    _ = LibraryLog.takeLast()
                    return encoder
                }
                words = " (\(LibraryLog.takeLast() ?? FFmpegCode(rawValue: code).description))"
            }
        }
        throw MediaError(
            .unsupported, "re-encoding sound", file: file, stream: stream,
            detail: "\(String(cString: codec.pointee.name)) takes neither \(name(own)) at \(rate) samples a second nor "
                + "fewer channels that all of them could be mixed into\(words)",
            advice: "name the output .mkv, or leave the sound out with --audio drop")
    }

    /// A channel layout's usual name, "5.1(side)".
    private static func name(_ layout: AVChannelLayout) -> String {
        var layout = layout
        var buffer = [CChar](repeating: 0, count: 128)
        guard av_channel_layout_describe(&layout, &buffer, buffer.count) > 0 else {
            return "\(layout.nb_channels) channels"
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ source: borrowing Packet) throws(MediaError) {
        // A packet that can't be decoded leaves a gap, which is kept.
        _ = decoder.send(source)
        try drainDecoder()
    }

    func finish() throws(MediaError) {
        decoder.finish()
        try drainDecoder()
        try resample(nil)
        try encode(leaving: 0, padded: false)
        try check(avcodec_send_frame(encoder.pointer, nil), .internalFailure, "encoding sound", file: file)
        try drainEncoder()
    }

    private func drainDecoder() throws(MediaError) {
        while true {
            switch try decoder.receive() {
            case .frame(let frame): try take(frame)
            case .failed: continue
            case .needsInput: return
            case .end: return
            }
        }
    }

    private func take(_ frame: borrowing Frame) throws(MediaError) {
        if let pts = frame.pts {
            let start = av_rescale_q(pts, timeBase, sampleTime)
            if let next {
                let expected = next + Int64(queue.count) + resampler.held(sampleRate)
                if abs(start - expected) > Int64(Self.gap * Double(sampleRate)) {
                    try encode(leaving: 0, padded: true)
                    self.next = max(start, self.next ?? start)
                }
            } else {
                next = start
            }
        } else if next == nil {
            next = 0
        }
        try resample(frame.pointer)
        let size = Int(encoder.pointer.pointee.frame_size)
        try encode(leaving: (size > 0 ? size : Self.anySize) - 1, padded: false)
    }

    /// How many samples at once for encoders that take any number.
    private static let anySize = 1024

    /// swr_convert_frame's word for samples of another form; both at once is a code of its own.
    private static let changed = [
        cff_error_input_changed, cff_error_output_changed, cff_error_input_changed | cff_error_output_changed,
    ]

    /// Brings a decoder's samples, or with nil what the resampler still holds, to the encoder's form.
    private func resample(_ samples: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        let result = try soundFrame()
        var code = swr_convert_frame(resampler.pointer, result.pointer, samples)
        if samples == nil && code < 0 { return }
        if samples != nil && Self.changed.contains(code) {
            // The form changed in mid-stream: what is held comes out, and the resampler is set up anew.
            let rest = try soundFrame()
            if swr_convert_frame(resampler.pointer, rest.pointer, nil) >= 0 { try queue.append(rest) }
            swr_close(resampler.pointer)
            code = swr_convert_frame(resampler.pointer, result.pointer, samples)
        }
        try check(code, .damaged, "resampling sound", file: file)
        try queue.append(result)
    }

    private func soundFrame() throws(MediaError) -> Frame {
        let frame = try Frame()
        let context = encoder.pointer
        frame.pointer.pointee.format = context.pointee.sample_fmt.rawValue
        frame.pointer.pointee.sample_rate = context.pointee.sample_rate
        try check(
            av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout), .internalFailure,
            "resampling sound", file: file)
        return frame
    }

    /// Encodes what is queued, in the encoder's frames, until at most so many samples are left.
    ///
    /// - Parameter padded: fill the last frame with silence (only at the very end may one be shorter).
    private func encode(leaving rest: Int, padded: Bool) throws(MediaError) {
        let context = encoder.pointer
        let size = context.pointee.frame_size > 0 ? Int(context.pointee.frame_size) : Self.anySize
        while queue.count > rest {
            let count = min(size, queue.count)
            let frame = try soundFrame()
            frame.pointer.pointee.nb_samples = Int32(padded ? size : count)
            try check(av_frame_get_buffer(frame.pointer, 0), .internalFailure, "encoding sound", file: file)
            if padded && count < size {
                av_samples_set_silence(
                    frame.pointer.pointee.extended_data, Int32(count), Int32(size - count),
                    context.pointee.ch_layout.nb_channels, context.pointee.sample_fmt)
            }
            queue.take(Int32(count), into: frame)
            let start = next ?? 0
            frame.pointer.pointee.pts = start
            next = start + Int64(frame.pointer.pointee.nb_samples)
            try check(avcodec_send_frame(context, frame.pointer), .internalFailure, "encoding sound", file: file)
            try drainEncoder()
        }
    }

    private func drainEncoder() throws(MediaError) {
        while true {
            let code = avcodec_receive_packet(encoder.pointer, packet.pointer)
            if code == cff_error_again || code == cff_error_eof { return }
            try check(code, .internalFailure, "encoding sound", file: file)
            try muxer.write(packet, stream: index, timeBase: sampleTime)
            av_packet_unref(packet.pointer)
        }
    }
}

/// Owns an AVCodecContext.
final class CodecContext {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    init(_ codec: UnsafePointer<AVCodec>) throws(MediaError) {
        guard let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.internalFailure, "opening a codec", detail: "out of memory")
        }
        pointer = context
    }

    deinit {
        var p: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&p)
    }
}

/// Owns an SwrContext, which sets itself up from the frames that it is given.
private final class Resampler {
    let pointer: OpaquePointer

    init() throws(MediaError) {
        guard let context = swr_alloc() else {
            throw MediaError(.internalFailure, "resampling sound", detail: "out of memory")
        }
        pointer = context
    }

    deinit {
        var p: OpaquePointer? = pointer
        swr_free(&p)
    }

    /// Samples it holds back, at a rate.
    func held(_ rate: Int32) -> Int64 { swr_is_initialized(pointer) != 0 ? swr_get_delay(pointer, Int64(rate)) : 0 }
}

/// Owns an AVAudioFifo.
final class SampleQueue {
    private let pointer: OpaquePointer

    init(_ format: AVSampleFormat, _ channels: Int32) throws(MediaError) {
        guard let fifo = av_audio_fifo_alloc(format, channels, 4096) else {
            throw MediaError(.internalFailure, "queueing sound", detail: "out of memory")
        }
        pointer = fifo
    }

    deinit { av_audio_fifo_free(pointer) }

    var count: Int { Int(av_audio_fifo_size(pointer)) }

    func append(_ frame: borrowing Frame) throws(MediaError) {
        let f = frame.pointer.pointee
        guard f.nb_samples > 0 else { return }
        try check(cff_fifo_write(pointer, frame.pointer), .internalFailure, "queueing sound", file: nil)
    }

    /// Leaves out what has waited longest; no more than there is.
    func drop(_ count: Int32) { av_audio_fifo_drain(pointer, max(0, count)) }

    func take(_ count: Int32, into frame: borrowing Frame) { cff_fifo_read(pointer, frame.pointer, count) }
}

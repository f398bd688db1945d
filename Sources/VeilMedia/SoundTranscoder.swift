import CFFmpeg

/// Re-encodes sound that a container can't hold: decodes, resamples and encodes, at the source's times.
final class SoundTranscoder {
    private let decoder: Decoder
    private let encoder: SoundEncoder
    private let timeBase: AVRational
    private let sampleTime: AVRational

    /// What is lost on the way, for a person.
    let losses: [String]

    var codecName: String { String(cString: avcodec_get_name(encoder.codec.pointer.pointee.codec_id)) }
    var sampleRate: Int32 { encoder.sampleRate }

    private var line = SoundLine()

    /// Bits per second and channel: transparent in listening tests of these codecs, or nearly so.
    private static func bitRate(_ codec: AVCodecID) -> Int64 { codec == AV_CODEC_ID_OPUS ? 80_000 : 96_000 }

    init(
        of source: UnsafeMutablePointer<AVStream>, to codec: UnsafePointer<AVCodec>, muxer: Muxer, file: String
    ) throws(MediaError) {
        timeBase = source.pointee.time_base
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
        let opened = try Self.open(
            codec, like: par, rate: rate, format: cff_codec_sample_format(codec, decoder.context.pointee.sample_fmt),
            muxer: muxer, file: file, stream: Int(source.pointee.index))
        let context = opened.pointer
        let sampleTime = AVRational(num: 1, den: rate)
        self.sampleTime = sampleTime
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
        let index = Int(out.pointee.index)
        encoder = try SoundEncoder(opened, file: file) { (packet: borrowing Packet) throws(MediaError) in
            try muxer.write(packet, stream: index, timeBase: sampleTime)
        }
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
        try encoder.finish(padded: false)
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
        var excess = 0
        if let pts = frame.pts, let start = TickTime.rescale(pts, from: timeBase, to: sampleTime) {
            if let expected = encoder.expected {
                let samples = frame.pointer.pointee
                let length = TickTime.rescale(
                    Int64(samples.nb_samples), from: AVRational(num: 1, den: max(1, samples.sample_rate)),
                    to: sampleTime)
                switch line.place(start, expected: expected, length: length ?? 0, rate: Int64(sampleRate)) {
                case .follows: break
                case .pause(let time):
                    try encoder.encode(leaving: 0, padded: true)
                    encoder.next = max(time, encoder.next ?? time)
                case .overlap(let count): excess = Int(count)
                }
            } else {
                encoder.next = start
            }
        } else if encoder.next == nil {
            encoder.next = 0
        }
        try encoder.take(frame.pointer)
        _ = encoder.leaveOut(excess)
        try encoder.encode(leaving: encoder.frameSize - 1, padded: false)
    }
}

/// Where pieces of sound go whose times don't follow from one another.
struct SoundLine {
    enum Place: Equatable {
        /// Behind the piece before.
        case follows
        /// Behind a pause, at this time.
        case pause(Int64)
        /// It is late: so many samples are left out, since their time is over.
        case overlap(Int64)
    }

    /// A departure from the expected time by more than this is a gap, in seconds; less is rounding.
    private static let gap = 0.05
    /// Sound that jumps back by more than this has begun anew (clips that were joined): leaving out what overlaps would
    /// leave nothing of it. In seconds.
    private static let longestOverlap = 1.0

    /// Taken as the beginning of a new clip, its times are moved by so much.
    private var offset: Int64 = 0
    private var isLate = false

    /// Times and lengths in samples, of which there are `rate` in a second.
    mutating func place(_ given: Int64, expected: Int64, length: Int64, rate: Int64) -> Place {
        let gap = Int64(Self.gap * Double(rate))
        // A single wrong time: what comes behind it has its own again.
        if offset > 0, given >= expected - gap { offset = 0 }
        let departure = given - expected + offset
        if departure > gap {
            isLate = false
            return TickTime.isTime(given + offset) ? .pause(given + offset) : .follows
        }
        guard departure < (isLate ? 0 : -gap) else {
            isLate = false
            return .follows
        }
        if -departure > Int64(Self.longestOverlap * Double(rate)) {
            offset -= departure
            isLate = false
            return .follows
        }
        // Until it has caught up.
        isLate = -departure > length
        return .overlap(min(-departure, max(0, length)))
    }
}

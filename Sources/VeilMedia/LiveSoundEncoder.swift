import CFFmpeg

/// Encodes live sound at the times of its capture: AAC, stereo at most.
final class LiveSoundEncoder {
    private let encoder: SoundEncoder
    private var alignment = SoundAlignment()
    /// Samples that are too many, to be left out.
    private var excess = 0

    init(rate: Int, in context: UnsafeMutablePointer<AVFormatContext>, file: String) throws(MediaError) {
        let format = String(cString: context.pointee.oformat.pointee.name)
        let name = format == "webm" ? "libopus" : "aac"
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupported, "choosing the encoder", file: file, detail: "FFmpeg has no \(name) here")
        }
        let opened = try CodecContext(codec)
        let c = opened.pointer
        c.pointee.sample_rate = cff_codec_sample_rate(codec, Int32(rate))
        c.pointee.sample_fmt = cff_codec_sample_format(codec, AV_SAMPLE_FMT_FLTP)
        av_channel_layout_default(&c.pointee.ch_layout, 2)
        c.pointee.bit_rate = 128_000
        c.pointee.time_base = AVRational(num: 1, den: c.pointee.sample_rate)
        if context.pointee.oformat.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            c.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        try check(avcodec_open2(c, codec, nil), .unsupported, "opening the encoder \(name)", file: file)
        guard let stream = avformat_new_stream(context, nil) else {
            throw MediaError(.internalFailure, "adding a stream", file: file, detail: "out of memory")
        }
        try check(
            avcodec_parameters_from_context(stream.pointee.codecpar, c), .internalFailure, "adding a stream", file: file
        )
        stream.pointee.time_base = c.pointee.time_base
        let sampleTime = c.pointee.time_base
        encoder = try SoundEncoder(opened, file: file) { (packet: borrowing Packet) throws(MediaError) in
            packet.pointer.pointee.stream_index = stream.pointee.index
            av_packet_rescale_ts(packet.pointer, sampleTime, stream.pointee.time_base)
            try check(av_interleaved_write_frame(context, packet.pointer), .unwritable, "writing", file: file)
        }
    }

    /// - Parameter time: of its first sample, in seconds.
    func write(_ sound: SharedFrame, time: Double) throws(MediaError) {
        let rate = Double(encoder.sampleRate)
        let start = Int64((time * rate).rounded())
        if let expected = encoder.expected {
            let samples = sound.frame.pointer.pointee
            let length = Double(samples.nb_samples) / Double(max(1, samples.sample_rate))
            let move = alignment.move(for: Double(start - expected) / rate, lasting: length)
            if move > 0 {
                // Sound was lost: what follows has its own time again.
                let time = expected + Int64(move * rate)
                try encoder.encode(leaving: 0, padded: true)
                encoder.next = max(time, encoder.next ?? time)
            } else {
                excess += Int(-move * rate)
            }
        } else {
            encoder.next = max(0, start)
        }
        try encoder.take(sound.frame.pointer)
        excess -= encoder.leaveOut(excess)
        try encoder.encode(leaving: encoder.frameSize - 1, padded: true)
    }

    func finish() throws(MediaError) { try encoder.finish(padded: true) }
}

/// Keeps sound at the times of its capture although these are only roughly known: devices guess them from how full their
/// buffers are, and a busy machine reads them late.
struct SoundAlignment {
    /// A mean departure by more than this is a gap or the drift of a clock, in seconds. Less isn't noticed: sound may be
    /// 45 ms early or 125 ms late before people see it (ITU-R BT.1359).
    private static let tolerance = 0.04
    /// A single departure by more than this is no jitter.
    private static let jump = 0.25
    /// The mean is taken over about so many seconds.
    private static let span = 0.5

    private var mean = 0.0

    /// By how many seconds to move the sound that comes, 0 mostly: above 0 later, by a pause; below 0 earlier, by leaving
    /// some of it out.
    ///
    /// - Parameters:
    ///   - departure: its time less the time that would follow from the sound before it.
    ///   - length: of this piece of sound.
    mutating func move(for departure: Double, lasting length: Double) -> Double {
        let weight = min(1, max(0, length) / Self.span)
        mean += weight * (departure - mean)
        let move = abs(departure) > Self.jump ? departure : mean
        guard abs(move) > Self.tolerance else { return 0 }
        mean = 0
        return move
    }
}

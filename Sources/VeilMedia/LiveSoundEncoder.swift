import CFFmpeg

/// Encodes live sound at the times of its capture: AAC, stereo at most.
final class LiveSoundEncoder {
    private let encoder: CodecContext
    private let stream: UnsafeMutablePointer<AVStream>
    private let file: String
    private let packet: Packet
    private let resampler: LiveResampler
    private let queue: SampleQueue
    /// The time of the queue's first sample, in samples.
    private var next: Int64?

    private var alignment = SoundAlignment()
    /// Samples that are too many, to be left out.
    private var excess = 0

    init(rate: Int, in context: UnsafeMutablePointer<AVFormatContext>, file: String) throws(MediaError) {
        self.file = file
        packet = try Packet()
        let format = String(cString: context.pointee.oformat.pointee.name)
        let name = format == "webm" ? "libopus" : "aac"
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupported, "choosing the encoder", file: file, detail: "FFmpeg has no \(name) here")
        }
        encoder = try CodecContext(codec)
        let c = encoder.pointer
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
        self.stream = stream
        resampler = try LiveResampler()
        queue = try SampleQueue(c.pointee.sample_fmt, c.pointee.ch_layout.nb_channels)
    }

    func write(
        _ sound: SharedFrame, time: Double, to context: UnsafeMutablePointer<AVFormatContext>
    ) throws(MediaError) {
        let c = encoder.pointer
        let rate = Double(c.pointee.sample_rate)
        let start = Int64((time * rate).rounded())
        let result = try soundFrame()
        try resampler.convert(sound.frame, into: result, file: file)
        if let next {
            let expected = next + Int64(queue.count)
            let length = Double(result.pointer.pointee.nb_samples) / rate
            let move = alignment.move(for: Double(start - expected) / rate, lasting: length)
            if move > 0 {
                // Sound was lost: what follows has its own time again.
                let time = expected + Int64(move * rate)
                try encode(to: context, leaving: 0)
                self.next = max(time, self.next ?? time)
            } else {
                excess += Int(-move * rate)
            }
        } else {
            next = max(0, start)
        }
        try queue.append(result)
        let surplus = min(excess, queue.count)
        queue.drop(Int32(surplus))
        excess -= surplus
        try encode(to: context, leaving: max(1, Int(c.pointee.frame_size)) - 1)
    }

    private func soundFrame() throws(MediaError) -> Frame {
        let frame = try Frame()
        let c = encoder.pointer
        frame.pointer.pointee.format = c.pointee.sample_fmt.rawValue
        frame.pointer.pointee.sample_rate = c.pointee.sample_rate
        try check(
            av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &c.pointee.ch_layout), .internalFailure,
            "resampling sound", file: file)
        return frame
    }

    private func encode(to context: UnsafeMutablePointer<AVFormatContext>, leaving rest: Int) throws(MediaError) {
        let c = encoder.pointer
        let size = max(1, Int(c.pointee.frame_size))
        while queue.count > rest {
            let count = min(size, queue.count)
            let frame = try soundFrame()
            frame.pointer.pointee.nb_samples = Int32(size)
            try check(av_frame_get_buffer(frame.pointer, 0), .internalFailure, "encoding sound", file: file)
            if count < size {
                av_samples_set_silence(
                    frame.pointer.pointee.extended_data, Int32(count), Int32(size - count),
                    c.pointee.ch_layout.nb_channels, c.pointee.sample_fmt)
            }
            queue.take(Int32(count), into: frame)
            let start = next ?? 0
            frame.pointer.pointee.pts = start
            next = start + Int64(size)
            try check(avcodec_send_frame(c, frame.pointer), .internalFailure, "encoding sound", file: file)
            try drain(to: context)
        }
    }

    private func drain(to context: UnsafeMutablePointer<AVFormatContext>) throws(MediaError) {
        while true {
            let code = avcodec_receive_packet(encoder.pointer, packet.pointer)
            if code == cff_error_again || code == cff_error_eof { return }
            try check(code, .internalFailure, "encoding sound", file: file)
            packet.pointer.pointee.stream_index = stream.pointee.index
            av_packet_rescale_ts(packet.pointer, encoder.pointer.pointee.time_base, stream.pointee.time_base)
            try check(av_interleaved_write_frame(context, packet.pointer), .unwritable, "writing", file: file)
        }
    }

    func finish(to context: UnsafeMutablePointer<AVFormatContext>) throws(MediaError) {
        try encode(to: context, leaving: 0)
        try check(avcodec_send_frame(encoder.pointer, nil), .internalFailure, "encoding sound", file: file)
        try drain(to: context)
    }
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

/// Owns an SwrContext that is set up anew when the form of the samples changes.
final class LiveResampler {
    private let pointer: OpaquePointer
    private static let changed = [
        cff_error_input_changed, cff_error_output_changed, cff_error_input_changed | cff_error_output_changed,
    ]

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

    func convert(_ frame: borrowing Frame, into result: borrowing Frame, file: String) throws(MediaError) {
        var code = swr_convert_frame(pointer, result.pointer, frame.pointer)
        if Self.changed.contains(code) {
            swr_close(pointer)
            code = swr_convert_frame(pointer, result.pointer, frame.pointer)
        }
        try check(code, .damaged, "resampling sound", file: file)
    }
}

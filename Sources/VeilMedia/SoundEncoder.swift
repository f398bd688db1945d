import CFFmpeg

/// Brings sound to an encoder's form and its frames, and numbers them by samples; owns the encoder.
///
/// Whoever uses it decides where on the time line sound lies: `next` is the time of the first sample that waits.
final class SoundEncoder {
    /// What takes a coded packet; its times are in samples.
    typealias Write = (borrowing Packet) throws(MediaError) -> Void

    let codec: CodecContext
    private let file: String
    private let resampler: Resampler
    private let queue: SampleQueue
    private let packet: Packet
    private let write: Write
    /// The time of the first sample that waits, in samples; nil before the first.
    var next: Int64?

    /// How many samples at once for encoders that take any number.
    private static let anySize = 1024

    /// - Parameter codec: opened.
    init(_ codec: CodecContext, file: String, write: @escaping Write) throws(MediaError) {
        self.codec = codec
        self.file = file
        self.write = write
        packet = try Packet()
        resampler = try Resampler()
        queue = try SampleQueue(codec.pointer.pointee.sample_fmt, codec.pointer.pointee.ch_layout.nb_channels)
    }

    var sampleRate: Int32 { codec.pointer.pointee.sample_rate }
    /// Samples that the encoder takes at a time.
    var frameSize: Int {
        codec.pointer.pointee.frame_size > 0 ? Int(codec.pointer.pointee.frame_size) : Self.anySize
    }
    /// Samples that wait to be encoded.
    var waiting: Int { queue.count }
    /// The time that sound has which follows what was given so far; nil before the first.
    var expected: Int64? { next.map { $0 + Int64(queue.count) + resampler.held(sampleRate) } }

    /// Takes samples in whatever form, or with nil what the resampler still holds.
    func take(_ samples: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        let result = try frame()
        var code = swr_convert_frame(resampler.pointer, result.pointer, samples)
        if samples == nil && code < 0 { return }
        if samples != nil && Resampler.changed.contains(code) {
            // The form changed in mid-stream: what is held comes out, and the resampler is set up anew.
            let rest = try frame()
            if swr_convert_frame(resampler.pointer, rest.pointer, nil) >= 0 { try queue.append(rest) }
            swr_close(resampler.pointer)
            code = swr_convert_frame(resampler.pointer, result.pointer, samples)
        }
        try check(code, .damaged, "resampling sound", file: file)
        try queue.append(result)
    }

    /// Leaves out so many of the samples that have waited longest, as far as there are so many; says how many they were.
    func leaveOut(_ count: Int) -> Int {
        let count = min(count, queue.count)
        queue.drop(Int32(count))
        return count
    }

    /// Encodes what waits, in the encoder's frames, until at most so many samples are left.
    ///
    /// - Parameter padded: fill the last frame with silence (only at the very end may one be shorter).
    func encode(leaving rest: Int, padded: Bool) throws(MediaError) {
        let context = codec.pointer
        while queue.count > rest {
            let count = min(frameSize, queue.count)
            let frame = try frame()
            frame.pointer.pointee.nb_samples = Int32(padded ? frameSize : count)
            try check(av_frame_get_buffer(frame.pointer, 0), .internalFailure, "encoding sound", file: file)
            if padded && count < frameSize {
                av_samples_set_silence(
                    frame.pointer.pointee.extended_data, Int32(count), Int32(frameSize - count),
                    context.pointee.ch_layout.nb_channels, context.pointee.sample_fmt)
            }
            queue.take(Int32(count), into: frame)
            let start = next ?? 0
            frame.pointer.pointee.pts = start
            next = start + Int64(frame.pointer.pointee.nb_samples)
            try check(avcodec_send_frame(context, frame.pointer), .internalFailure, "encoding sound", file: file)
            try drain()
        }
    }

    /// Encodes all that waits and writes what the encoder still holds.
    func finish(padded: Bool) throws(MediaError) {
        try take(nil)
        try encode(leaving: 0, padded: padded)
        try check(avcodec_send_frame(codec.pointer, nil), .internalFailure, "encoding sound", file: file)
        try drain()
    }

    /// A frame in the encoder's form, without samples.
    private func frame() throws(MediaError) -> Frame {
        let frame = try Frame()
        let context = codec.pointer
        frame.pointer.pointee.format = context.pointee.sample_fmt.rawValue
        frame.pointer.pointee.sample_rate = context.pointee.sample_rate
        try check(
            av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout), .internalFailure,
            "resampling sound", file: file)
        return frame
    }

    private func drain() throws(MediaError) {
        while true {
            let code = avcodec_receive_packet(codec.pointer, packet.pointer)
            if code == cff_error_again || code == cff_error_eof { return }
            try check(code, .internalFailure, "encoding sound", file: file)
            try write(packet)
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
    /// swr_convert_frame's word for samples of another form; both at once is a code of its own.
    static let changed = [
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

    /// Samples it holds back, at a rate.
    func held(_ rate: Int32) -> Int64 { swr_is_initialized(pointer) != 0 ? swr_get_delay(pointer, Int64(rate)) : 0 }
}

/// Owns an AVAudioFifo.
private final class SampleQueue {
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

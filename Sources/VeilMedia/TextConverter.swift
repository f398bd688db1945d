import CFFmpeg

/// Brings subtitles of text from one form to another (FFmpeg's decoders and encoders, by way of ASS).
final class TextConverter {
    private let decoder: CodecContext
    private let encoder: CodecContext
    private let muxer: Muxer
    private let index: Int
    private let file: String
    private let packet: Packet
    private let timeBase: AVRational
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    private static let microseconds = AVRational(num: 1, den: AV_TIME_BASE)

    init(
        of source: UnsafeMutablePointer<AVStream>, to codec: UnsafePointer<AVCodec>, muxer: Muxer, file: String
    ) throws(MediaError) {
        self.muxer = muxer
        self.file = file
        timeBase = source.pointee.time_base
        packet = try Packet()
        guard let par = source.pointee.codecpar, let from = avcodec_find_decoder(par.pointee.codec_id) else {
            throw MediaError(.unsupported, "converting subtitles", file: file, detail: "no decoder")
        }
        decoder = try CodecContext(from)
        encoder = try CodecContext(codec)
        try check(
            avcodec_parameters_to_context(decoder.pointer, par), .damaged, "converting subtitles", file: file)
        decoder.pointer.pointee.pkt_timebase = timeBase
        try check(avcodec_open2(decoder.pointer, from, nil), .damaged, "converting subtitles", file: file)
        // The encoder reads styles from the ASS header that the decoder makes.
        let header = decoder.pointer.pointee.subtitle_header_size
        if header > 0, let text = decoder.pointer.pointee.subtitle_header,
            let copy = av_mallocz(Int(header) + 1)
        {
            copy.copyMemory(from: text, byteCount: Int(header))
            encoder.pointer.pointee.subtitle_header = copy.assumingMemoryBound(to: UInt8.self)
            encoder.pointer.pointee.subtitle_header_size = header
        }
        encoder.pointer.pointee.time_base = Self.microseconds
        try check(avcodec_open2(encoder.pointer, codec, nil), .unsupported, "converting subtitles", file: file)

        let out = try muxer.addStream()
        index = Int(out.pointee.index)
        muxer.copyDescription(from: source, to: out)
        try check(
            avcodec_parameters_from_context(out.pointee.codecpar, encoder.pointer), .internalFailure,
            "adding a stream", file: file)
        out.pointee.time_base = Self.microseconds
        Language.translate(in: out, for: muxer.format)
    }

    func write(_ source: borrowing Packet) throws(MediaError) {
        var subtitle = AVSubtitle()
        var isThere: Int32 = 0
        let code = avcodec_decode_subtitle2(decoder.pointer, &subtitle, &isThere, source.pointer)
        guard code >= 0, isThere != 0 else { return }
        defer { avsubtitle_free(&subtitle) }
        guard subtitle.num_rects > 0, TickTime.isTime(subtitle.pts) else { return }
        let start = subtitle.pts + Int64(subtitle.start_display_time) * 1000
        var duration = Int64(subtitle.end_display_time) - Int64(subtitle.start_display_time)
        if subtitle.end_display_time == 0 || subtitle.end_display_time == .max {
            duration =
                TickTime.rescale(source.pointer.pointee.duration, from: timeBase, to: AVRational(num: 1, den: 1000))
                ?? 0
        }
        subtitle.pts = start
        subtitle.start_display_time = 0
        duration = max(0, min(duration, Int64(UInt32.max)))
        subtitle.end_display_time = UInt32(duration)
        let size = avcodec_encode_subtitle(encoder.pointer, &buffer, Int32(buffer.count), &subtitle)
        try check(size, .internalFailure, "converting subtitles", file: file)
        guard size > 0 else { return }
        try check(av_new_packet(packet.pointer, size), .internalFailure, "converting subtitles", file: file)
        packet.pointer.pointee.data.update(from: buffer, count: Int(size))
        packet.pointer.pointee.pts = start
        packet.pointer.pointee.dts = start
        packet.pointer.pointee.duration = duration * 1000
        packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
        try muxer.write(packet, stream: index, timeBase: Self.microseconds)
        av_packet_unref(packet.pointer)
    }
}

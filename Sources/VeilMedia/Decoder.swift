import CFFmpeg

/// A decoder for one picture stream; owns its AVCodecContext.
public final class Decoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    let file: String
    let streamIndex: Int

    /// - Parameter threads: 0 for as many as there are cores.
    init(stream: UnsafeMutablePointer<AVStream>, file: String, threads: Int) throws(MediaError) {
        let parameters = stream.pointee.codecpar
        let index = Int(stream.pointee.index)
        guard let parameters, var codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
            let name = String(cString: avcodec_get_name(parameters?.pointee.codec_id ?? AV_CODEC_ID_NONE))
            throw MediaError(
                .unsupported, "opening the decoder", file: file, stream: index, detail: "no decoder for \(name)")
        }
        // FFmpeg's own VP8 and VP9 decoders drop the alpha that WebM carries beside the picture.
        let isVPX = [AV_CODEC_ID_VP8.rawValue, AV_CODEC_ID_VP9.rawValue].contains(parameters.pointee.codec_id.rawValue)
        if isVPX, let mode = av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0),
            String(cString: mode.pointee.value) == "1"
        {
            let name = parameters.pointee.codec_id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9"
            if let withAlpha = avcodec_find_decoder_by_name(name) { codec = withAlpha }
        }
        guard let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.internalFailure, "opening the decoder", file: file, detail: "out of memory")
        }
        self.context = context
        self.file = file
        self.streamIndex = index
        try check(
            avcodec_parameters_to_context(context, parameters), .damaged, "opening the decoder", file: file,
            stream: index)
        context.pointee.pkt_timebase = stream.pointee.time_base
        context.pointee.max_pixels = Int64(MediaLimits.pixels)
        context.pointee.thread_count = Int32(threads)
        try check(avcodec_open2(context, codec, nil), .damaged, "opening the decoder", file: file, stream: index)
    }

    deinit {
        var c: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&c)
    }

    /// Hands a packet in; gives back FFmpeg's code where it is refused.
    func send(_ packet: borrowing Packet) -> FFmpegCode? {
        let code = avcodec_send_packet(context, packet.pointer)
        return code < 0 ? FFmpegCode(rawValue: code) : nil
    }

    /// Tells the decoder that no more packets will come; what it holds comes out of `receive`.
    func finish() { avcodec_send_packet(context, nil) }

    enum Output: ~Copyable {
        case frame(Frame)
        case needsInput
        case end
        case failed(FFmpegCode)
    }

    /// The next picture in presentation order, if there is one.
    func receive() throws(MediaError) -> Output {
        var frame = try Frame()
        let code = avcodec_receive_frame(context, frame.pointer)
        if code == cff_error_again { return .needsInput }
        if code == cff_error_eof { return .end }
        if code < 0 { return .failed(FFmpegCode(rawValue: code)) }
        frame.pts =
            frame.pointer.pointee.best_effort_timestamp == cff_no_pts
            ? nil : frame.pointer.pointee.best_effort_timestamp
        frame.isDamaged =
            frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointer.pointee.decode_error_flags != 0
        return .frame(frame)
    }
}

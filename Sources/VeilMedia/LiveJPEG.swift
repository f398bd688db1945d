import CFFmpeg

/// Makes JPEGs of live pictures, for browsers and stills. Used from one thread.
public final class LiveJPEG {
    private var encoder: CodecContext?
    private let scaler = Scaler(to: PixelFormat(AV_PIX_FMT_YUVJ420P))
    private let packet: Packet
    private let quality: Int32
    private var count: Int64 = 0

    /// - Parameter quality: the quantiser scale, 2 (best) to 31.
    public init(quality: Int = 4) throws(MediaError) {
        packet = try Packet()
        self.quality = Int32(quality)
    }

    /// The picture as a JPEG file's bytes.
    public func encode(_ picture: SharedFrame) throws(MediaError) -> [UInt8] {
        let frame = try Self.fullRange(picture, scaler)
        if encoder?.pointer.pointee.width != Int32(frame.width)
            || encoder?.pointer.pointee.height != Int32(frame.height)
        {
            encoder = try open(width: frame.width, height: frame.height)
        }
        guard let c = encoder?.pointer else { return [] }
        frame.pointer.pointee.quality = c.pointee.global_quality
        frame.pointer.pointee.pict_type = AV_PICTURE_TYPE_I
        frame.pointer.pointee.pts = count
        count += 1
        try check(avcodec_send_frame(c, frame.pointer), .internalFailure, "making a JPEG", file: nil)
        try check(avcodec_receive_packet(c, packet.pointer), .internalFailure, "making a JPEG", file: nil)
        defer { av_packet_unref(packet.pointer) }
        return Array(UnsafeBufferPointer(start: packet.pointer.pointee.data, count: packet.size))
    }

    /// JPEG knows full range only: luma 16…235 is spread out.
    private static func fullRange(_ picture: SharedFrame, _ scaler: Scaler) throws(MediaError) -> Frame {
        let frame = try scaler.convert(picture.frame, spreadsRange: true)
        frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
        return frame
    }

    private func open(width: Int, height: Int) throws(MediaError) -> CodecContext {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG) else {
            throw MediaError(.unsupported, "choosing the encoder", detail: "FFmpeg has no mjpeg here")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.width = Int32(width)
        c.pointee.height = Int32(height)
        c.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        c.pointee.color_range = AVCOL_RANGE_JPEG
        c.pointee.time_base = AVRational(num: 1, den: 25)
        c.pointee.flags |= AV_CODEC_FLAG_QSCALE
        c.pointee.global_quality = quality * Int32(FF_QP2LAMBDA)
        c.pointee.thread_count = 1
        try check(avcodec_open2(c, codec, nil), .unsupported, "opening the encoder mjpeg", file: nil)
        return context
    }
}

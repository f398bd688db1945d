import CFFmpeg
import VeilCore

/// Cover art or another attached picture that was redacted, coded anew in its own codec.
public final class RedactedStill {
    public let stream: StreamInfo
    private let encoder: Encoder
    private let packet: Packet
    private let file: String
    private var index: Int?

    /// Whether the container holds attached pictures of this kind.
    public static func fits(_ info: StreamInfo, output: String) throws(MediaError) -> Bool {
        let format = try OutputFormat(forFile: output)
        return info.isStill && ["mjpeg", "png"].contains(info.codec)
            && ["mp4", "ipod", "matroska"].contains(format.name)
    }

    /// Encodes the picture.
    ///
    /// - Parameters:
    ///   - frame: redacted, as decoded by `source`.
    ///   - output: the name of the file it goes into.
    public init(_ frame: borrowing Frame, of source: VideoSource, output: String) throws(MediaError) {
        file = output
        stream = source.stream
        let format = try OutputFormat(forFile: output)
        let par = source.demuxer.stream(stream.index).pointee.codecpar.pointee
        // What said how to turn the picture (a JPEG's Exif) isn't written anew.
        let orientation = source.orientation(of: frame)
        let sampling = Turn.canTurn(frame.format) || !orientation.swapsAxes
        let upright =
            try sampling
            ? Turn.upright(frame, orientation: orientation)
            : Turn.upright(Scaler(to: PixelFormat(AV_PIX_FMT_YUV444P)).convert(frame), orientation: orientation)
        guard
            let choice = EncoderChoice.forStill(
                par.codec_id, format: upright.format, width: upright.width, height: upright.height)
        else {
            throw MediaError(.unsupported, "encoding \(stream.label)", file: output, detail: "there is no encoder")
        }
        let settings = EncoderSettings()
        encoder = try Encoder(
            choice: choice, settings: settings, like: upright, timeBase: Rational(1, 90_000),
            frameRate: Rational(25, 1), sampleAspectRatio: Rational(0, 1),
            hdr: HDRMetadata(frame: upright, stream: source.demuxer.stream(stream.index)),
            sourceProfile: cff_profile_unknown, sourceFieldOrder: AV_FIELD_PROGRESSIVE, container: format,
            file: output)
        let kept = try Packet()
        try encoder.send(upright)
        try encoder.finish()
        try encoder.drain { (packet) throws(MediaError) in
            av_packet_unref(kept.pointer)
            try check(av_packet_ref(kept.pointer, packet.pointer), .internalFailure, "encoding", file: output)
        }
        guard kept.size > 0 else {
            throw MediaError(.internalFailure, "encoding", file: output, detail: "\(stream.label) gave no packet")
        }
        packet = kept
    }

    /// Adds the picture to the output; gives back what there is to tell.
    func add(to muxer: Muxer, like source: UnsafeMutablePointer<AVStream>) throws(MediaError) -> [String] {
        let out = try muxer.addStream()
        muxer.copyDescription(from: source, to: out)
        guard let par = out.pointee.codecpar else { return [] }
        try encoder.describe(in: par)
        if muxer.format.isMatroska {
            // An attachment's bytes stand in the header.
            par.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
            out.pointee.disposition = 0
            let size = packet.size
            guard let copy = av_mallocz(size + Int(AV_INPUT_BUFFER_PADDING_SIZE)),
                let data = packet.pointer.pointee.data
            else {
                throw MediaError(.internalFailure, "adding a stream", file: file, detail: "out of memory")
            }
            copy.copyMemory(from: data, byteCount: size)
            av_freep(&par.pointee.extradata)
            par.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
            par.pointee.extradata_size = Int32(size)
            let isPNG = par.pointee.codec_id == AV_CODEC_ID_PNG
            av_dict_set(&out.pointee.metadata, "mimetype", isPNG ? "image/png" : "image/jpeg", 0)
            av_dict_set(&out.pointee.metadata, "filename", isPNG ? "cover.png" : "cover.jpg", AV_DICT_DONT_OVERWRITE)
        } else {
            out.pointee.disposition = AV_DISPOSITION_ATTACHED_PIC
            out.pointee.time_base = encoder.timeBase
            index = Int(out.pointee.index)
        }
        return ["\(stream.label) is redacted and encoded anew"]
    }

    /// Writes the picture where it is a stream of the output. After the header.
    func write(to muxer: Muxer) throws(MediaError) {
        guard let index else { return }
        packet.pointer.pointee.pts = 0
        packet.pointer.pointee.dts = 0
        packet.pointer.pointee.flags |= AV_PKT_FLAG_KEY
        try muxer.write(packet, stream: index, timeBase: encoder.timeBase)
    }
}

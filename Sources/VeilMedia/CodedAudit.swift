import CFFmpeg

/// Keeps account of whether every picture that a stream codes was handed over as a frame.
///
/// Packets may be copied only if somebody saw all that is in them: pictures that an edit list hides, what a cropped
/// border hides and pictures that are coded but never shown are still there for whoever takes the file apart.
public struct CodedAudit: Sendable, Hashable {
    private var packets = 0
    private var frames = 0
    private var obstacle: String?
    private let codec: UInt32
    private let nalLengthSize: Int

    init(_ parameters: AVCodecParameters) {
        codec = parameters.codec_id.rawValue
        nalLengthSize = CodedLayers.lengthSize(
            UnsafeBufferPointer(start: parameters.extradata, count: Int(max(0, parameters.extradata_size))),
            isHEVC: parameters.codec_id == AV_CODEC_ID_HEVC)
        if !Self.known.contains(codec) {
            obstacle =
                "\(String(cString: avcodec_get_name(parameters.codec_id))) may code pictures that are never shown"
        }
    }

    /// Why the packets may not be copied; nil when every coded picture was seen.
    public var reasonNotToCopy: String? {
        obstacle
            ?? (packets == frames ? nil : "\(packets) packets gave \(frames) frames: some pictures are never shown")
    }

    /// Codecs of which one packet codes one picture, but for what `CodedLayers` finds. AV1 isn't among them: nearly each
    /// of its streams holds pictures that are never shown.
    private static let known: Set<UInt32> = Set(
        [
            AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
            AV_CODEC_ID_H263, AV_CODEC_ID_FLV1, AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_WMV1, AV_CODEC_ID_WMV2,
            AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_THEORA, AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG,
            AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_FFV1, AV_CODEC_ID_HUFFYUV,
            AV_CODEC_ID_FFVHUFF, AV_CODEC_ID_UTVIDEO, AV_CODEC_ID_QTRLE, AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_V210,
        ].map(\.rawValue))

    mutating func sent(_ packet: borrowing Packet) {
        packets += 1
        guard obstacle == nil else { return }
        if packet.isHidden {
            obstacle = "an edit list hides pictures"
        } else if packet.isCorrupt {
            obstacle = "a packet is broken"
        } else if av_packet_get_side_data(packet.pointer, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, nil) != nil {
            obstacle = "its packets carry further pictures (alpha, say)"
        } else if packet.holdsMore(codec: AVCodecID(rawValue: codec), nalLengthSize: nalLengthSize) {
            obstacle = "its packets hold pictures that are never shown"
        }
    }

    mutating func received(_ frame: borrowing Frame, codedWidth: Int, codedHeight: Int) {
        frames += 1
        guard obstacle == nil else { return }
        if frame.isDamaged { obstacle = "a picture is broken" }
        // Up to a block less one column or row is what a codec adds to any size; no face is that small.
        if codedWidth - frame.width >= 16 || codedHeight - frame.height >= 16 {
            obstacle = "cropped borders hide parts of its pictures"
        }
    }

    /// A frame that was made up for one that is missing.
    mutating func missed() { if obstacle == nil { obstacle = "a picture is missing" } }
}

extension Packet {
    /// Whether it holds pictures beside the one that decoders show.
    fileprivate borrowing func holdsMore(codec: AVCodecID, nalLengthSize: Int) -> Bool {
        guard let data = pointer.pointee.data, pointer.pointee.size > 0 else { return false }
        let bytes = UnsafeBufferPointer(start: data, count: Int(pointer.pointee.size))
        switch codec {
        case AV_CODEC_ID_H264, AV_CODEC_ID_HEVC:
            return CodedLayers.holdFurther(bytes, lengthSize: nalLengthSize, isHEVC: codec == AV_CODEC_ID_HEVC)
        case AV_CODEC_ID_VP9:
            // A superframe's index ends with the marker 110 in its top bits (VP9 bitstream, annex B): all but the last of
            // its frames are hidden.
            return bytes[bytes.count - 1] & 0xE0 == 0xC0
        case AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG:
            // Exif and MPF segments hold whole small pictures; coded samples never contain a picture's start.
            for at in 1..<max(1, bytes.count - 2)
            where bytes[at] == 0xFF && bytes[at + 1] == 0xD8 && bytes[at + 2] == 0xFF { return true }
            return false
        default: return false
        }
    }
}

import CFFmpeg

/// The codec families a person can ask for by name.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable {
    case h264, hevc, vp8, vp9, av1, mpeg4, mpeg2, mjpeg, prores, ffv1

    var id: AVCodecID {
        switch self {
        case .h264: AV_CODEC_ID_H264
        case .hevc: AV_CODEC_ID_HEVC
        case .vp8: AV_CODEC_ID_VP8
        case .vp9: AV_CODEC_ID_VP9
        case .av1: AV_CODEC_ID_AV1
        case .mpeg4: AV_CODEC_ID_MPEG4
        case .mpeg2: AV_CODEC_ID_MPEG2VIDEO
        case .mjpeg: AV_CODEC_ID_MJPEG
        case .prores: AV_CODEC_ID_PRORES
        case .ffv1: AV_CODEC_ID_FFV1
        }
    }
}

/// Which encoder re-encodes a picture, in which pixel format, and what differs from the source.
struct EncoderChoice {
    let codec: UnsafePointer<AVCodec>
    let format: PixelFormat
    /// The size to encode, in samples of luma: the picture's own, or more where the codec can't hold that.
    let width: Int
    let height: Int
    /// What differs from the source, for a person; empty when nothing does.
    let notices: [String]

    var encoderName: String { String(cString: codec.pointee.name) }
    var codecName: String { String(cString: avcodec_get_name(codec.pointee.id)) }

    /// Encoders by family, the preferred one first. Families not named here use FFmpeg's own encoder of the same codec.
    static func encoders(of id: AVCodecID) -> [String] {
        switch id {
        case AV_CODEC_ID_H264: ["libx264", "libx264rgb"]
        case AV_CODEC_ID_HEVC: ["libx265"]
        case AV_CODEC_ID_VP8: ["libvpx"]
        case AV_CODEC_ID_VP9: ["libvpx-vp9"]
        case AV_CODEC_ID_AV1: ["libsvtav1", "libaom-av1"]
        case AV_CODEC_ID_PRORES: ["prores_ks"]
        case AV_CODEC_ID_THEORA: ["libtheora"]
        case AV_CODEC_ID_JPEG2000: ["jpeg2000"]
        default: avcodec_find_encoder(id).map { [String(cString: $0.pointee.name)] } ?? []
        }
    }

    /// The order in which others are tried when the source's own family can't hold its pictures.
    private static let standIns: [AVCodecID] = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_FFV1, AV_CODEC_ID_MPEG4,
        AV_CODEC_ID_PRORES,
    ]

    /// Encoders that must not be taken because the source is of their family: they need settings Veil can't know,
    /// or write what few can read.
    private static let unfit: Set<UInt32> = Set(
        [AV_CODEC_ID_WRAPPED_AVFRAME, AV_CODEC_ID_BMP, AV_CODEC_ID_XFACE, AV_CODEC_ID_XBM, AV_CODEC_ID_A64_MULTI]
            .map(\.rawValue))

    /// Chooses an encoder that holds the pictures as they are, if there is one for the container.
    ///
    /// - Parameters:
    ///   - requested: the family a person asked for; taken even if something is lost, which is then said.
    /// - Throws: `MediaError` `.unsupported` when the container holds none.
    static func choose(
        source: AVCodecID, requested: VideoCodec?, format: PixelFormat, width: Int, height: Int, interlaced: Bool,
        container: OutputFormat, file: String
    ) throws(MediaError) -> EncoderChoice {
        var families: [AVCodecID]
        if let requested {
            guard container.holds(requested.id) else {
                throw MediaError(
                    .unsupported, "choosing the encoder", file: file,
                    detail: "\(container.aFile) can't hold \(requested.rawValue)",
                    advice: "choose another --codec or output extension")
            }
            families = [requested.id]
        } else {
            families = unfit.contains(source.rawValue) ? [] : [source]
            families += standIns.filter { $0 != source }
            families.append(container.raw.pointee.video_codec)
            families = families.filter { container.holds($0) }
        }
        // Ranked by what is lost, then by whether the samples stay in the very same format.
        var best: (choice: EncoderChoice, rank: (Int, Int))?
        for family in families {
            for name in encoders(of: family) {
                guard let codec = avcodec_find_encoder_by_name(name),
                    fits(name, width: width, height: height, format: format),
                    let stored = storedFormat(for: format, in: codec, name: name)
                else { continue }
                var losses = format.losses(storedAs: stored)
                let size = sizeHeld(name, stored, width, height, interlaced: interlaced)
                if size != (width, height) {
                    losses.append(
                        "\(width)×\(height) becomes \(size.width)×\(size.height), which \(name) needs; "
                            + "the edge is repeated")
                }
                let rank = (losses.count, stored.withoutRange == format.withoutRange ? 0 : 1)
                if let best, best.rank <= rank { continue }
                if name == "gif" && family != source { losses.append("a picture has at most 256 colours") }
                if requested == nil && family != source {
                    let own = String(cString: avcodec_get_name(source))
                    losses.insert("\(own) becomes \(String(cString: avcodec_get_name(family)))", at: 0)
                }
                best = (
                    EncoderChoice(
                        codec: codec, format: stored, width: size.width, height: size.height, notices: losses), rank
                )
            }
            if best?.rank.0 == 0 { break }
        }
        guard let best else {
            throw MediaError(
                .unsupported, "choosing the encoder", file: file,
                detail: "no encoder for \(format) pictures of \(width)×\(height) in \(container.aFile)",
                advice: "name the output .mkv, or choose a --codec")
        }
        return best.choice
    }

    /// The encoder of a still's own codec, whatever the container says of that codec as a moving picture; nil if there is
    /// none.
    static func forStill(_ id: AVCodecID, format: PixelFormat, width: Int, height: Int) -> EncoderChoice? {
        guard let codec = avcodec_find_encoder(id),
            let stored = storedFormat(for: format, in: codec, name: String(cString: codec.pointee.name))
        else { return nil }
        return EncoderChoice(
            codec: codec, format: stored, width: width, height: height, notices: format.losses(storedAs: stored))
    }

    /// The least size that the codec can say and the encoder takes. H.264 and HEVC crop in steps of whole chroma samples
    /// (of both fields, where H.264 codes fields), so that 4:2:0 pictures have even sides.
    private static func sizeHeld(
        _ encoder: String, _ format: PixelFormat, _ width: Int, _ height: Int, interlaced: Bool
    ) -> (width: Int, height: Int) {
        guard ["libx264", "libx264rgb", "libx265"].contains(encoder) else { return (width, height) }
        let stepX = 1 << format.chromaShiftX
        let stepY = (1 << format.chromaShiftY) * (interlaced && encoder != "libx265" ? 2 : 1)
        return ((width + stepX - 1) / stepX * stepX, (height + stepY - 1) / stepY * stepY)
    }

    /// Sizes that an encoder refuses outright.
    private static func fits(_ encoder: String, width: Int, height: Int, format: PixelFormat) -> Bool {
        switch encoder {
        // SVT-AV1 1.4: 64 to 16384 wide, 64 to 8704 high, even, 4:2:0.
        case "libsvtav1":
            width >= 64 && height >= 64 && width <= 16384 && height <= 8704 && width % 2 == 0 && height % 2 == 0
        // x265 needs a whole smallest coding tree.
        case "libx265": width >= 16 && height >= 16
        default: true
        }
    }

    /// The encoder's format that holds the samples with the least loss, the very same one if it can.
    private static func storedFormat(
        for format: PixelFormat, in codec: UnsafePointer<AVCodec>, name: String
    ) -> PixelFormat? {
        let wanted = format.withoutRange
        // swscale writes no palettes of a picture's own: Palettizer does.
        if name == "gif" { return PixelFormat(AV_PIX_FMT_PAL8) }
        guard cff_codec_has_pix_fmts(codec) != 0 else { return format }
        var list: [PixelFormat] = []
        var i: Int32 = 0
        while true {
            let raw = cff_codec_pix_fmt(codec, i)
            if raw == AV_PIX_FMT_NONE { break }
            let candidate = PixelFormat(raw)
            // What swscale can't write (palettes among them) can only be taken as it is.
            if !candidate.isHardware && (candidate == format || sws_isSupportedOutput(raw) != 0) {
                list.append(candidate)
            }
            i += 1
        }
        if list.contains(format) { return format }
        if let same = list.first(where: { $0.withoutRange == wanted }) { return same }
        func cost(_ f: PixelFormat) -> Int {
            let losses = format.losses(storedAs: f).count
            let wider =
                abs(f.depth - wanted.depth) + 4 * abs(f.chromaShiftX - wanted.chromaShiftX)
                + 4 * abs(f.chromaShiftY - wanted.chromaShiftY) + (f.hasAlpha && !wanted.hasAlpha ? 8 : 0)
                + (f.isRGB != wanted.isRGB ? 16 : 0) + (f.isDirect ? 0 : 1)
            return losses * 1000 + wider
        }
        return list.min { cost($0) < cost($1) }
    }
}

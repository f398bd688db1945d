import CFFmpeg
import VeilCore

/// One redacted picture stream on its way into the output: turned where that is needed, encoded, its times kept.
final class PictureTrack {
    let source: VideoSource
    let encoder: Encoder
    private let turn: Orientation
    private let turnScaler: Scaler?
    private let expected: (width: Int, height: Int, format: PixelFormat)
    private let hdr: HDRMetadata
    private let aspect: Rational
    private let format: OutputFormat
    private var resizer: Scaler?
    private var deinterlacer: Deinterlacer?
    private var lost: LostMetadata
    private var changes: Set<String> = []
    /// Pictures of one field each are encoded as if they were whole.
    private let fieldsBecomeWhole: Bool

    /// What differs from the source, for a person.
    private(set) var notices: [String]

    init(
        _ input: PictureInput, settings: EncoderSettings, format: OutputFormat, file: String
    ) throws(MediaError) {
        let source = input.source
        self.source = source
        self.format = format
        let stream = source.demuxer.stream(source.stream.index)
        let par = stream.pointee.codecpar.pointee
        let orientation = source.orientation(of: input.first)
        let turn: Orientation = format.holdsDisplayMatrix ? .up : orientation
        self.turn = turn
        expected = (input.first.width, input.first.height, input.first.format)
        var notices: [String] = []
        var isInterlaced = input.first.isInterlaced
        // FFmpeg 5.1's HEVC decoder marks pictures that are one field each, and no others (libavcodec/hevcdec.c).
        let isSingleField = isInterlaced && par.codec_id == AV_CODEC_ID_HEVC
        if settings.deinterlaces && isSingleField {
            throw MediaError(
                .unsupported, "deinterlacing", file: source.demuxer.file, stream: source.stream.index,
                detail: "each of its pictures is one field, and there is no way to join them here",
                advice: "without --deinterlace they are redacted one by one")
        }
        if settings.deinterlaces {
            deinterlacer = try Deinterlacer(like: input.first, timeBase: source.timeBase, file: file)
            if isInterlaced || par.field_order.rawValue > AV_FIELD_PROGRESSIVE.rawValue {
                notices.append("interlaced pictures become whole ones")
            }
            isInterlaced = false
        }

        // The picture as it will be encoded: turned if the container can't say so.
        let turnable = Turn.canTurn(input.first.format) || !turn.swapsAxes
        turnScaler = turnable ? nil : Scaler(to: PixelFormat(AV_PIX_FMT_YUV444P))
        let model = try Self.prepare(input.first, turn: turn, scaler: turnScaler)
        if settings.deinterlaces { model.markProgressive() }
        if turn != .up {
            notices.append("\(format.aFile) holds no display matrix: the pixels are turned instead")
        }
        if let decoded = input.decodedFormat { notices += decoded.losses(storedAs: input.first.format) }
        if isInterlaced && turn.swapsAxes {
            throw MediaError(
                .unsupported, "choosing the encoder", file: file, stream: source.stream.index,
                detail: "interlaced pictures can't be turned by a quarter",
                advice: "--deinterlace makes whole pictures of them; .mp4 and .mov turn when they are shown")
        }

        let choice = try EncoderChoice.choose(
            source: par.codec_id, requested: settings.codec, format: model.format, width: model.width,
            height: model.height, interlaced: isInterlaced && !isSingleField, container: format, file: file)
        notices += choice.notices
        fieldsBecomeWhole = isSingleField && choice.encoderName != "libx265"
        if fieldsBecomeWhole {
            notices.append("each picture is one field, which \(choice.encoderName) can't say: it becomes a whole one")
            model.markProgressive()
        }
        if isInterlaced && !isSingleField && !choice.keepsFields(in: format) {
            let others = [("h264", AV_CODEC_ID_H264), ("mpeg2", AV_CODEC_ID_MPEG2VIDEO)]
                .filter { format.holds($0.1) }.map { "; --codec \($0.0) keeps the fields" }
            throw MediaError(
                .unsupported, "choosing the encoder", file: file, stream: source.stream.index,
                detail: "\(choice.encoderName) in \(format.aFile) can't say that pictures are interlaced",
                advice: "--deinterlace makes whole pictures of them" + (others.first ?? ""))
        }
        var aspect = source.sampleAspectRatio(of: input.first) ?? Rational(0, 1)
        if turn.swapsAxes && aspect.num > 0 { aspect = Rational(aspect.den, aspect.num) }
        self.aspect = aspect
        let hdr = HDRMetadata(frame: input.first, stream: stream)
        self.hdr = hdr
        encoder = try Encoder(
            choice: choice, settings: settings, like: model, timeBase: source.timeBase, frameRate: source.frameRate,
            sampleAspectRatio: aspect, hdr: hdr,
            sourceProfile: par.codec_id == choice.codec.pointee.id ? source.profile : cff_profile_unknown,
            sourceFieldOrder: par.field_order, container: format, file: file)
        lost = LostMetadata(encoder: choice.encoderName)
        lost.note(stream: stream, format: format)
        lost.note(hdr, format: format)
        lost.note(input.first)
        self.notices = notices
    }

    /// Everything that there is to tell by now.
    var allNotices: [String] { notices + lost.notices }

    /// A copy of the frame as it is to be encoded.
    private static func prepare(
        _ frame: borrowing Frame, turn: Orientation, scaler: Scaler?
    ) throws(MediaError) -> Frame {
        if let scaler { return try Turn.upright(scaler.convert(frame), orientation: turn) }
        return try Turn.upright(frame, orientation: turn)
    }

    /// Encodes a picture. One of another size or format than the first is brought to the first one's.
    func write(_ frame: borrowing Frame) throws(MediaError) {
        lost.note(frame)
        if (frame.width, frame.height) == (expected.width, expected.height) && frame.format == expected.format {
            try deinterlace(frame)
        } else {
            let change =
                "the picture changes to \(frame.width)×\(frame.height) \(frame.format) in mid-stream: it is brought to "
                + "\(expected.width)×\(expected.height) \(expected.format)"
            if changes.insert(change).inserted { notices.append(change) }
            if resizer == nil { resizer = Scaler(to: expected.format, size: (expected.width, expected.height)) }
            guard let resizer else { return }
            try deinterlace(resizer.convert(frame))
        }
    }

    private func deinterlace(_ frame: borrowing Frame) throws(MediaError) {
        guard let deinterlacer else { return try encode(frame) }
        try deinterlacer.push(frame) { (frame) throws(MediaError) in try encode(frame) }
    }

    private func encode(_ frame: borrowing Frame) throws(MediaError) {
        if fieldsBecomeWhole {
            let whole = try frame.reference()
            whole.markProgressive()
            try turnAndEncode(whole)
        } else {
            try turnAndEncode(frame)
        }
    }

    private func turnAndEncode(_ frame: borrowing Frame) throws(MediaError) {
        if turn == .up {
            try encoder.send(frame)
        } else {
            try encoder.send(Self.prepare(frame, turn: turn, scaler: turnScaler))
        }
    }

    /// Tells the encoder that no more pictures will come.
    func finish() throws(MediaError) {
        if let deinterlacer { try deinterlacer.finish { (frame) throws(MediaError) in try encode(frame) } }
        try encoder.finish()
    }

    /// Puts the stream's parameters, tags and side data into the output.
    func describe(in out: UnsafeMutablePointer<AVStream>) throws(MediaError) {
        let stream = source.demuxer.stream(source.stream.index)
        guard let par = out.pointee.codecpar else { return }
        try encoder.describe(in: par)
        out.pointee.time_base = format.isAVI ? encoder.context.pointee.framerate.inverted : encoder.timeBase
        out.pointee.sample_aspect_ratio = AVRational(num: Int32(aspect.num), den: Int32(aspect.den))
        par.pointee.sample_aspect_ratio = out.pointee.sample_aspect_ratio
        // QuickTime plays HEVC under this tag only.
        if format.isISOMedia && par.pointee.codec_id == AV_CODEC_ID_HEVC { par.pointee.codec_tag = Self.fourCC("hvc1") }
        // Numbers that muxers write about the old packets, and what the matrix says better.
        for stale in [
            "rotate", "BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "DURATION", "_STATISTICS_TAGS", "encoder",
            "_STATISTICS_WRITING_APP", "_STATISTICS_WRITING_DATE_UTC", "vendor_id", "alpha_mode",
        ] {
            av_dict_set(&out.pointee.metadata, stale, nil, 0)
        }
        var kept = [AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL]
        if format.holdsDisplayMatrix { kept.append(AV_PKT_DATA_DISPLAYMATRIX) }
        for type in kept {
            var size = 0
            guard let data = av_stream_get_side_data(stream, type, &size),
                let copy = av_stream_new_side_data(out, type, size)
            else { continue }
            copy.update(from: data, count: size)
        }
        try hdr.attach(to: out)
    }

    private static func fourCC(_ text: String) -> UInt32 { text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}

/// Metadata of a picture stream that its new encoding doesn't carry, by name.
struct LostMetadata {
    private let encoder: String
    private var names: [String] = []

    init(encoder: String) { self.encoder = encoder }

    var notices: [String] { names.map { "\($0) left out: there is no way to write it here" } }

    private mutating func add(_ name: String) { if !names.contains(name) { names.append(name) } }

    /// What the source's stream carries and the container doesn't.
    mutating func note(stream: UnsafeMutablePointer<AVStream>, format: OutputFormat) {
        func has(_ type: AVPacketSideDataType) -> Bool { av_stream_get_side_data(stream, type, nil) != nil }
        if has(AV_PKT_DATA_DOVI_CONF) { add("Dolby Vision metadata is") }
        // libavformat's movenc.c writes both in MP4's mode only.
        let holdsSpace = format.isMatroska || (format.isISOMedia && format.name != "mov")
        if has(AV_PKT_DATA_SPHERICAL) && !holdsSpace { add("the description of a spherical picture is") }
        if has(AV_PKT_DATA_STEREO3D) && !holdsSpace { add("the description of a stereoscopic picture is") }
    }

    /// Static metadata that neither the encoder nor the container writes.
    mutating func note(_ hdr: HDRMetadata, format: OutputFormat) {
        let isWritten = hdr.options(for: encoder) != nil || format.isISOMedia || format.isMatroska
        if !hdr.isEmpty && !isWritten { add("HDR10 metadata (mastering display, light level) is") }
    }

    /// What a frame carries and the encoder doesn't write.
    mutating func note(_ frame: borrowing Frame) {
        guard frame.pointer.pointee.nb_side_data > 0 else { return }
        func has(_ type: AVFrameSideDataType) -> Bool { av_frame_get_side_data(frame.pointer, type) != nil }
        if has(AV_FRAME_DATA_DYNAMIC_HDR_PLUS) { add("HDR10+ metadata is") }
        if has(AV_FRAME_DATA_DOVI_METADATA) || has(AV_FRAME_DATA_DOVI_RPU_BUFFER) { add("Dolby Vision metadata is") }
        if has(AV_FRAME_DATA_A53_CC) && !["libx264", "libx264rgb", "mpeg2video"].contains(encoder) {
            add("closed captions inside the picture's data are")
        }
    }
}

extension EncoderChoice {
    /// Whether encoder and container can say that pictures are interlaced, and which field comes first.
    func keepsFields(in format: OutputFormat) -> Bool {
        if marksFields { return true }
        // These code each picture by itself and row by row: it is enough that the container says it.
        return ["ffv1", "huffyuv", "ffvhuff", "utvideo", "rawvideo", "v210", "qtrle", "png"].contains(encoderName)
            && (format.isMatroska || format.name == "mov")
    }

    /// Whether the encoder codes fields as such.
    var marksFields: Bool {
        ["libx264", "libx264rgb", "mpeg2video", "mpeg4", "prores_ks", "dvvideo"].contains(encoderName)
    }
}

extension Frame {
    /// No longer two fields.
    func markProgressive() {
        pointer.pointee.interlaced_frame = 0
        pointer.pointee.top_field_first = 0
    }
}

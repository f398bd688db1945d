import CFFmpeg
import VeilCore

/// What to do with sound.
public enum AudioPolicy: String, Sendable, Hashable, CaseIterable { case keep, drop }

/// Writes the redacted picture and copies what may ride along: the other end of `VideoSource`.
///
/// Never copies a picture: other picture streams, cover art and attachments that aren't fonts are left out, with a word.
public final class VideoSink {
    private let muxer: Muxer
    private let encoder: Encoder
    private let picture: Int
    private let copies: [Int: Int]
    private let source: VideoSource
    private let turn: Orientation
    private let turnScaler: Scaler?
    private let expected: (width: Int, height: Int, format: PixelFormat)
    private let file: String

    /// What differs from the source or was left out, for a person.
    public private(set) var notices: [String] = []

    /// The encoder's name, "libx264".
    public var encoderName: String { encoder.choice.encoderName }

    /// Opens encoder and container and writes the header.
    ///
    /// - Parameters:
    ///   - path: where the bytes go (the unfinished file), `file` its final name.
    ///   - decodedFormat: the decoder's pixel format, of which the first frame's may be a rearrangement.
    ///   - first: the source's first frame, as `VideoSource` hands it over.
    public init(
        path: String, file: String, source: VideoSource, decodedFormat: PixelFormat?, like first: borrowing Frame,
        settings: EncoderSettings,
        audio: AudioPolicy
    ) throws(MediaError) {
        self.file = file
        self.source = source
        let format = try OutputFormat(forFile: file)
        let sourceStream = source.demuxer.stream(source.stream.index)
        let par = sourceStream.pointee.codecpar.pointee
        let orientation = source.orientation(of: first)
        let turn: Orientation = format.holdsDisplayMatrix ? .up : orientation
        self.turn = turn
        expected = (first.width, first.height, first.format)
        var notices: [String] = []

        // The picture as it will be encoded: turned if the container can't say so.
        let turnable = Turn.canTurn(first.format) || !turn.swapsAxes
        turnScaler = turnable ? nil : Scaler(to: PixelFormat(AV_PIX_FMT_YUV444P))
        let model = try Self.prepare(first, turn: turn, scaler: turnScaler)
        if turn != .up {
            notices.append("a \(format.name) file holds no display matrix: the pixels are turned instead")
        }
        if let decodedFormat { notices += decodedFormat.losses(storedAs: first.format) }

        let choice = try EncoderChoice.choose(
            source: par.codec_id, requested: settings.codec, format: model.format, width: model.width,
            height: model.height, interlaced: first.isInterlaced, container: format, file: file)
        notices += choice.notices
        if first.isInterlaced
            && !["libx264", "mpeg2video", "mpeg4", "prores_ks", "libx264rgb"].contains(choice.encoderName)
        {
            notices.append("\(choice.encoderName) doesn't mark the field order of interlaced pictures")
        }
        var aspect = source.sampleAspectRatio(of: first) ?? Rational(0, 1)
        if turn.swapsAxes && aspect.num > 0 { aspect = Rational(aspect.den, aspect.num) }
        let hdr = HDRMetadata(frame: first, stream: sourceStream)
        let encoder = try Encoder(
            choice: choice, settings: settings, like: model, timeBase: source.timeBase, frameRate: source.frameRate,
            sampleAspectRatio: aspect, hdr: hdr,
            sourceProfile: par.codec_id == choice.codec.pointee.id ? source.profile : cff_profile_unknown,
            sourceFieldOrder: par.field_order, container: format, file: file)
        self.encoder = encoder

        let muxer = try Muxer(path: path, format: format, file: file)
        self.muxer = muxer
        try muxer.copyFileDescription(from: source.demuxer.context)
        var picture = 0
        var copies: [Int: Int] = [:]
        var soundRate: Int?
        for info in source.demuxer.streams {
            let stream = source.demuxer.stream(info.index)
            if info.index == source.stream.index {
                let out = try muxer.addStream()
                muxer.copyDescription(from: stream, to: out)
                try Self.describePicture(
                    out, encoder: encoder, hdr: hdr, from: stream, aspect: aspect, format: format)
                if format.isAVI { out.pointee.time_base = encoder.context.pointee.framerate.inverted }
                picture = Int(out.pointee.index)
            } else if let reason = Self.reasonToLeaveOut(info, stream: stream, format: format, audio: audio) {
                stream.pointee.discard = AVDISCARD_ALL
                if !reason.isEmpty { notices.append("\(info.label) is left out: \(reason)") }
            } else {
                copies[info.index] = try muxer.addCopy(of: stream)
                if info.type == .sound && soundRate == nil {
                    soundRate = Int(stream.pointee.codecpar.pointee.sample_rate)
                }
            }
        }
        self.picture = picture
        self.copies = copies
        self.notices = notices
        if format.isMatroska {
            for (from, to) in copies { muxer.restoreCodecDelay(of: source.demuxer.stream(from), at: to) }
        }
        // The run-in of sound lies before zero. Matroska holds that (a block's time is signed), and AVI has no times for
        // sound: there the picture must not be moved for its sake. Elsewhere all streams move by the same time.
        let start = first.pts.map(source.seconds) ?? 0
        if format.isAVI, source.demuxer.context.pointee.start_time != cff_no_pts {
            muxer.beginning = source.demuxer.context.pointee.start_time
        }
        let keepsTimes = (format.isMatroska || format.isAVI) && start >= 0
        try muxer.writeHeader(pictureTimeBase: source.timeBase, soundRate: soundRate, shiftsNegativeTimes: !keepsTimes)
    }

    /// Why a stream isn't copied; nil when it is, an empty reason when nobody needs to be told.
    private static func reasonToLeaveOut(
        _ info: StreamInfo, stream: UnsafeMutablePointer<AVStream>, format: OutputFormat, audio: AudioPolicy
    ) -> String? {
        let codec = stream.pointee.codecpar.pointee.codec_id
        switch info.type {
        case .picture:
            return info.isStill ? "a still may show faces" : "one picture stream is redacted, and none is copied"
        case .sound:
            if audio == .drop { return "" }
            return format.holds(codec) ? nil : "a \(format.name) file can't hold \(info.codec)"
        case .subtitle:
            return format.holds(codec) ? nil : "a \(format.name) file can't hold \(info.codec)"
        case .attachment:
            guard codec == AV_CODEC_ID_TTF || codec == AV_CODEC_ID_OTF else { return "an attachment may show faces" }
            return format.isMatroska ? nil : "a \(format.name) file can't hold attachments"
        // The titles of chapters in QuickTime and MP4 are a track that the demuxer reads by itself; the muxer makes it anew.
        case .data where stream.pointee.discard == AVDISCARD_ALL: return ""
        case .data, .unknown: return "timed data may say who was where"
        }
    }

    private static func describePicture(
        _ out: UnsafeMutablePointer<AVStream>, encoder: Encoder, hdr: HDRMetadata,
        from source: UnsafeMutablePointer<AVStream>, aspect: Rational, format: OutputFormat
    ) throws(MediaError) {
        guard let par = out.pointee.codecpar else { return }
        try encoder.describe(in: par)
        out.pointee.time_base = encoder.timeBase
        out.pointee.sample_aspect_ratio = AVRational(num: Int32(aspect.num), den: Int32(aspect.den))
        par.pointee.sample_aspect_ratio = out.pointee.sample_aspect_ratio
        // QuickTime plays HEVC under this tag only.
        if format.isISOMedia && par.pointee.codec_id == AV_CODEC_ID_HEVC { par.pointee.codec_tag = fourCC("hvc1") }
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
            guard let data = av_stream_get_side_data(source, type, &size),
                let copy = av_stream_new_side_data(out, type, size)
            else { continue }
            copy.update(from: data, count: size)
        }
        try hdr.attach(to: out)
    }

    private static func fourCC(_ text: String) -> UInt32 { text.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// A copy of the frame as it is to be encoded.
    private static func prepare(
        _ frame: borrowing Frame, turn: Orientation, scaler: Scaler?
    ) throws(MediaError) -> Frame {
        if let scaler { return try Turn.upright(scaler.convert(frame), orientation: turn) }
        return try Turn.upright(frame, orientation: turn)
    }

    /// Encodes a picture, and writes what comes out of the encoder.
    public func write(_ frame: borrowing Frame) throws(MediaError) {
        guard (frame.width, frame.height) == (expected.width, expected.height), frame.format == expected.format else {
            throw MediaError(
                .unsupported, "encoding", file: file, time: frame.pts.map(source.seconds),
                detail: "the picture changes from \(expected.width)×\(expected.height) \(expected.format) "
                    + "to \(frame.width)×\(frame.height) \(frame.format) in mid-stream")
        }
        if turn == .up {
            try encoder.send(frame)
        } else {
            try encoder.send(Self.prepare(frame, turn: turn, scaler: turnScaler))
        }
        try drain()
    }

    /// Copies a packet of another stream, if the stream is kept.
    public func write(_ packet: borrowing Packet) throws(MediaError) {
        guard let index = copies[packet.streamIndex] else { return }
        let timeBase = source.demuxer.stream(packet.streamIndex).pointee.time_base
        // What an edit list hides would be heard in a container without one. A decoder's run-in is less than 0.1 s
        // (AAC: 2112 samples, Opus: 80 ms) and stays.
        if packet.isHidden, !muxer.format.isISOMedia, let pts = packet.pts, Double(pts) * timeBase.value < -0.1 {
            return
        }
        try muxer.write(
            packet, stream: index, timeBase: timeBase)
    }

    private func drain() throws(MediaError) {
        let encoder = self.encoder
        let muxer = self.muxer
        let picture = self.picture
        try encoder.drain { (packet) throws(MediaError) in
            try muxer.write(packet, stream: picture, timeBase: encoder.packetTimeBase)
        }
    }

    /// Writes what encoder and container still hold, and the end of the file.
    public func finish() throws(MediaError) {
        try encoder.finish()
        try drain()
        try muxer.finish()
    }
}

extension AVRational {
    var inverted: AVRational { AVRational(num: den, den: num) }
}

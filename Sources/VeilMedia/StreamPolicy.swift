import CFFmpeg

/// Which stream of a file is the picture.
public enum StreamPolicy {
    /// The main picture: not a still; the container's default first, then the largest, then the first.
    ///
    /// Chosen by type and disposition, never by index: sound may come first. A file that holds nothing but a still
    /// (a single JPEG, say) has that as its picture.
    public static func mainPicture(of streams: [StreamInfo]) -> StreamInfo? {
        let pictures = streams.filter { $0.type == .picture }
        let moving = pictures.filter { !$0.isStill }
        return moving.max { a, b in
            let x = (a.isDefault ? 1 : 0, a.width * a.height, -a.index)
            let y = (b.isDefault ? 1 : 0, b.width * b.height, -b.index)
            return x < y
        }
    }

    /// The moving pictures beside the main one, in the file's order.
    public static func otherPictures(of streams: [StreamInfo]) -> [StreamInfo] {
        let main = mainPicture(of: streams)
        return streams.filter { $0.type == .picture && !$0.isStill && $0.index != main?.index }
    }

    /// The stills that ride along: cover art and attached pictures.
    public static func stills(of streams: [StreamInfo]) -> [StreamInfo] {
        mainPicture(of: streams) == nil ? [] : streams.filter { $0.type == .picture && $0.isStill }
    }
}

/// What to do with sound.
public enum AudioPolicy: String, Sendable, Hashable, CaseIterable { case keep, drop }

/// What a person chose about the streams that ride along with the picture.
public struct RiderPolicy: Sendable, Hashable {
    public var audio: AudioPolicy
    /// Keep timed data (positions, telemetry) where the container holds it.
    public var keepsData: Bool
    /// What of the tags is kept.
    public var metadata: MetadataPolicy

    public init(audio: AudioPolicy = .keep, keepsData: Bool = false, metadata: MetadataPolicy = .safe) {
        self.metadata = metadata
        self.audio = audio
        self.keepsData = keepsData
    }
}

/// What becomes of a stream that isn't a picture.
enum Fate {
    case copied
    /// Re-encoded, by this encoder.
    case sound(UnsafePointer<AVCodec>)
    /// Converted to another kind of text, by this encoder.
    case text(UnsafePointer<AVCodec>)
    /// Left out; the reason is empty where nobody needs to be told.
    case leftOut(String)

    private static let toldByData = "timed data may say who was where; --keep-data keeps it"

    /// - Throws: `MediaError` `.unsupported` for sound that can neither be copied nor re-encoded: a file that has sound
    ///   doesn't become a mute one.
    static func of(
        _ info: StreamInfo, stream: UnsafeMutablePointer<AVStream>, format: OutputFormat, policy: RiderPolicy,
        file: String
    ) throws(MediaError) -> Fate {
        let par = stream.pointee.codecpar.pointee
        let codec = par.codec_id
        let cantHold = "\(format.aFile) can't hold \(info.codec)"
        switch info.type {
        case .picture: return .leftOut("no picture is copied")
        case .sound:
            if policy.audio == .drop { return .leftOut("") }
            if format.holds(sound: par) { return .copied }
            if format.raw.pointee.audio_codec == AV_CODEC_ID_NONE {
                return .leftOut("\(format.aFile) holds no sound")
            }
            guard let encoder = format.soundEncoder, avcodec_find_decoder(codec) != nil else {
                throw MediaError(
                    .unsupported, "adding \(info.label)", file: file,
                    detail: "\(cantHold), and there is no way to re-encode it",
                    advice: "name the output .mkv, or leave the sound out with --audio drop")
            }
            return .sound(encoder)
        case .subtitle where !policy.keepsData && PlaceText.isCameras(stream): return .leftOut(toldByData)
        case .subtitle:
            if format.holds(codec) { return .copied }
            let isText = (avcodec_descriptor_get(codec)?.pointee.props ?? 0) & Int32(AV_CODEC_PROP_TEXT_SUB) != 0
            if isText, let encoder = format.textEncoder, avcodec_find_decoder(codec) != nil { return .text(encoder) }
            return .leftOut(cantHold)
        case .attachment:
            guard isFont(par) else { return .leftOut("an attachment may show faces") }
            return format.name == "matroska" ? .copied : .leftOut("\(format.aFile) can't hold attachments")
        // The titles of chapters in QuickTime and MP4 are a track that the demuxer reads by itself; the muxer makes it anew.
        case .data where stream.pointee.discard == AVDISCARD_ALL: return .leftOut("")
        case .data where par.codec_tag == OutputFormat.timecodeTag:
            // The muxers of QuickTime and MP4 make the track anew from the time code that the streams are tagged with;
            // Matroska and MXF hold the tag.
            if format.isISOMedia || format.isMatroska || format.name == "mxf" { return .leftOut("") }
            return .leftOut("\(format.aFile) holds no time code")
        case .data:
            if !policy.keepsData { return .leftOut(toldByData) }
            return format.holdsData(codec, tag: par.codec_tag) ? .copied : .leftOut(cantHold)
        case .unknown: return .leftOut("its kind is unknown")
        }
    }
}

extension Fate {
    /// Whether an attachment's bytes begin as a font does (OpenType 1.9, "Font file structure"), whatever its type says.
    private static func isFont(_ parameters: AVCodecParameters) -> Bool {
        guard let data = parameters.extradata, parameters.extradata_size >= 4 else { return false }
        let starts: [[UInt8]] = [[0, 1, 0, 0], Array("OTTO".utf8), Array("true".utf8), Array("ttcf".utf8)]
        return starts.contains { start in start.indices.allSatisfy { data[$0] == start[$0] } }
    }
}

extension OutputFormat {
    /// 'tmcd', as a tag is stored.
    static let timecodeTag: UInt32 = 0x6463_6D74
    /// 'gpmd', GoPro's telemetry.
    private static let telemetryTag: UInt32 = 0x646D_7067

    /// Whether FFmpeg's muxer writes chapters.
    var holdsChapters: Bool { isISOMedia || isMatroska || ["asf", "ogg", "ogv", "nut"].contains(name) }
    /// Whether it writes a title and other tags of the whole file.
    var holdsTags: Bool { !isTransportStream && !["mpeg", "vob", "svcd", "dvd", "gif"].contains(name) }

    /// What re-encodes sound for this container: what it is usual with there.
    var soundEncoder: UnsafePointer<AVCodec>? {
        let named =
            isISOMedia || isTransportStream || isMatroska && name != "webm" ? "aac" : name == "webm" ? "libopus" : nil
        if let named { return avcodec_find_encoder_by_name(named) }
        let id = raw.pointee.audio_codec
        return holds(id) ? avcodec_find_encoder(id) : nil
    }

    /// What writes text for this container.
    var textEncoder: UnsafePointer<AVCodec>? {
        let named = isISOMedia ? "mov_text" : name == "webm" ? "webvtt" : name == "matroska" ? "subrip" : nil
        return named.flatMap { avcodec_find_encoder_by_name($0) }
    }

    /// Whether timed data goes into the container in a form that says what it is.
    func holdsData(_ codec: AVCodecID, tag: UInt32) -> Bool {
        if isISOMedia { return codec == AV_CODEC_ID_BIN_DATA && tag == Self.telemetryTag }
        if isTransportStream {
            return [AV_CODEC_ID_SMPTE_KLV, AV_CODEC_ID_TIMED_ID3, AV_CODEC_ID_BIN_DATA].map(\.rawValue)
                .contains(codec.rawValue)
        }
        return name == "nut"
    }
}

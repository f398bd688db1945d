import CFFmpeg

/// A container format that FFmpeg can write, chosen by the output's name.
public struct OutputFormat: Sendable {
    // The descriptor is a constant of libavformat: never written, never freed.
    nonisolated(unsafe) let raw: UnsafePointer<AVOutputFormat>

    /// - Throws: `MediaError` `.unsupported` when the name's extension stands for no container.
    public init(forFile file: String, named name: String? = nil) throws(MediaError) {
        guard let format = av_guess_format(name, name == nil ? file : nil, nil),
            !Self.isUnfit(String(cString: format.pointee.name)), format.pointee.flags & AVFMT_NOFILE == 0,
            format.pointee.video_codec != AV_CODEC_ID_NONE
        else {
            if let name {
                throw MediaError(
                    .unsupported, "choosing the container", file: file,
                    detail: "\(name) is no container that can be written",
                    advice: "name matroska, mp4, mov, webm, avi, mpegts or another of FFmpeg's")
            }
            throw MediaError(
                .unsupported, "choosing the container", file: file, detail: "no container is known by this extension",
                advice: "name the output .mp4, .mov, .mkv, .webm, .avi, .ts or another extension FFmpeg writes")
        }
        raw = UnsafePointer(format)
    }

    public var name: String { String(cString: raw.pointee.name) }

    /// For messages: "a mp4 file", "an avi file". By the first sound when the name is read as a word.
    var aFile: String { ("aeiou".contains(name.first ?? " ") ? "an " : "a ") + name + " file" }

    /// An extension by which the format is chosen, "mkv"; nil where there is none.
    public var fileExtension: String? {
        guard let list = raw.pointee.extensions else { return nil }
        return String(cString: list).split(separator: ",").lazy.map(String.init).first { ending in
            av_guess_format(nil, "x." + ending, nil).map { $0 == UnsafePointer(raw) } ?? false
        }
    }

    /// MP4, QuickTime and their kin: edit lists, display matrices, any time scale.
    var isISOMedia: Bool { ["mov", "mp4", "ipod", "psp", "3gp", "3g2", "f4v", "ismv"].contains(name) }
    var isMatroska: Bool { ["matroska", "webm"].contains(name) }
    var isTransportStream: Bool { ["mpegts", "m2ts"].contains(name) }
    var isAVI: Bool { name == "avi" }
    var holdsDisplayMatrix: Bool { isISOMedia }
    var needsGlobalHeader: Bool { raw.pointee.flags & AVFMT_GLOBALHEADER != 0 }
    var allowsEqualDTS: Bool { raw.pointee.flags & AVFMT_TS_NONSTRICT != 0 }

    /// Whether FFmpeg's muxer takes streams of this codec.
    func holds(_ codec: AVCodecID) -> Bool {
        if isTransportStream { return Self.inTransportStreams.contains(codec.rawValue) }
        if ["mpeg", "vob", "svcd", "dvd"].contains(name) { return Self.inProgramStreams.contains(codec.rawValue) }
        // libavformat/movenc.c takes these in MP4's own mode only, and VP8 in none.
        if isISOMedia && name != "mp4" && Self.inMP4Only.contains(codec.rawValue) { return false }
        // Matroska holds what AVI does, by AVI's tags (V_MS/VFW/FOURCC and A_MS/ACM).
        if name == "matroska", Self.hasRIFFTag(codec) { return true }
        let answer = avformat_query_codec(raw, codec, Int32(FF_COMPLIANCE_NORMAL))
        if answer >= 0 { return answer == 1 }
        // The muxer doesn't say: it is sure of its own default codecs only.
        return codec == raw.pointee.video_codec || codec == raw.pointee.audio_codec
            || codec == raw.pointee.subtitle_codec
    }

    /// Whether the container takes sound as it is. FLV has room for a few rates and two channels, and its muxer writes PCM of
    /// others under a wrong one (libavformat/flvenc.c); AAC says its own.
    func holds(sound: AVCodecParameters) -> Bool {
        guard holds(sound.codec_id) else { return false }
        // FFmpeg 5.1 writes FLAC into AVI so that it can't read all of it again: none of eight channels.
        if isAVI && sound.codec_id == AV_CODEC_ID_FLAC { return false }
        guard name == "flv", sound.codec_id != AV_CODEC_ID_AAC else { return true }
        return rate(near: sound.sample_rate, for: sound.codec_id) == sound.sample_rate
            && sound.ch_layout.nb_channels <= 2
    }

    /// The rate at which sound of a codec is written, in samples a second: the next higher one that the container has.
    func rate(near wanted: Int32, for codec: AVCodecID) -> Int32 {
        guard name == "flv", codec != AV_CODEC_ID_AAC else { return wanted }
        if codec == AV_CODEC_ID_MP3 && wanted > 44100 { return 48000 }
        return [11025, 22050].first { $0 >= wanted } ?? 44100
    }

    /// Formats that write further files beside the one that is named, which then couldn't all appear at once, and formats
    /// of sound whose only picture is a cover.
    private static func isUnfit(_ names: String) -> Bool {
        let unfit: Set<Substring> = [
            "hls", "dash", "segment", "stream_segment", "ssegment", "smoothstreaming", "hds", "webm_chunk",
            "webm_dash_manifest", "image2", "tee", "fifo", "rtp", "rtp_mpegts", "rtsp", "sap", "mp3", "flac", "aiff",
        ]
        return names.split(separator: ",").contains { unfit.contains($0) }
    }

    private static func hasRIFFTag(_ codec: AVCodecID) -> Bool {
        [avformat_get_riff_video_tags(), avformat_get_riff_audio_tags()].contains { table in
            var tag: UInt32 = 0
            return av_codec_get_tag2([table, nil], codec, &tag) != 0
        }
    }

    private static let inMP4Only: Set<UInt32> = Set(
        [AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_FLAC, AV_CODEC_ID_OPUS, AV_CODEC_ID_TRUEHD]
            .map(\.rawValue))
    // libavformat/mpegtsenc.c and mpegenc.c write any codec as private data without a word; these have a stream type.
    private static let inTransportStreams: Set<UInt32> = Set(
        [
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4, AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,
            AV_CODEC_ID_CAVS, AV_CODEC_ID_DIRAC, AV_CODEC_ID_VC1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC,
            AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD,
            AV_CODEC_ID_OPUS, AV_CODEC_ID_S302M, AV_CODEC_ID_DVB_SUBTITLE, AV_CODEC_ID_DVB_TELETEXT,
            AV_CODEC_ID_HDMV_PGS_SUBTITLE,
        ].map(\.rawValue))
    private static let inProgramStreams: Set<UInt32> = Set(
        [
            AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_H264, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
            AV_CODEC_ID_AC3, AV_CODEC_ID_DTS, AV_CODEC_ID_DVD_SUBTITLE, AV_CODEC_ID_PCM_DVD,
        ].map(\.rawValue))
}

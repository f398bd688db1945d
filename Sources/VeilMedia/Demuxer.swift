import CFFmpeg
import Glibc
import VeilCore

/// What kind of stream it is.
public enum StreamType: String, Sendable, Hashable {
    case picture, sound, subtitle, data, attachment, unknown
}

/// One stream of a source file, as a person would be told about it.
public struct StreamInfo: Sendable, Hashable {
    public var index: Int
    public var type: StreamType
    public var codec: String
    public var language: String?
    /// Cover art or another still that rides along with the streams.
    public var isStill: Bool
    public var isDefault: Bool
    public var width: Int
    public var height: Int

    /// "stream 2 (subtitle, subrip, eng)"
    public var label: String {
        let kind = isStill ? "attached picture" : type.rawValue
        return "stream \(index) (" + ([kind, codec] + (language.map { [$0] } ?? [])).joined(separator: ", ") + ")"
    }
}

/// A source file opened for reading; owns its AVFormatContext and the open file.
///
/// Opens the named file only: demuxers that fetch other files or addresses (playlists, concat scripts, numbered
/// pictures) are left out, and opening of references is refused, but for what its `SourceReach` allows.
public final class Demuxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    private var input: UnsafeMutablePointer<AVIOContext>?
    /// What the file may refer to; nil where it may refer to nothing.
    private var reach: UnsafeMutablePointer<cff_reach>?
    public let file: String

    /// - Throws: `MediaError` `.unreadable` for what isn't a readable regular file, `.notMedia` for what FFmpeg doesn't know.
    ///
    /// - Parameters:
    ///   - allowed: what it may have opened besides itself.
    ///   - opensPictures: open files that are pictures, told by their first bytes, too.
    public init(file: String, reach allowed: SourceReach = [], opensPictures: Bool = false) throws(MediaError) {
        self.file = file
        _ = MediaLimits.areSet
        try Self.checkRegularFile(file)
        var context = avformat_alloc_context()
        guard let fresh = context else {
            throw MediaError(.internalFailure, "opening", file: file, detail: "out of memory")
        }
        // The file is opened here and handed over: whatever else the demuxer wants to open is refused. The protocol's
        // name keeps colons and leading dashes in file names from being read as anything else.
        var input: UnsafeMutablePointer<AVIOContext>?
        let code = avio_open2(&input, "file:" + file, AVIO_FLAG_READ, nil, nil)
        guard code >= 0 else {
            avformat_free_context(fresh)
            throw MediaError(.unreadable, "opening", file: file, code: code)
        }
        fresh.pointee.pb = input
        let reach = allowed.isEmpty ? nil : cff_reach_new(allowed.folder(of: file), allowed.contains(.network) ? 1 : 0)
        if let reach { cff_confine_references(fresh, reach) } else { cff_refuse_references(fresh) }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        for (key, value) in allowed.demuxerOptions { av_dict_set(&options, key, value, 0) }
        av_dict_set(&options, "format_whitelist", Self.allowedFormats + allowed.formats, 0)
        av_dict_set(&options, "max_streams", "\(MediaLimits.streams)", 0)
        _ = LibraryLog.takeLast()
        let opened = avformat_open_input(
            &context, "file:" + file, opensPictures ? PictureFile.demuxer(for: file) : nil, &options)
        guard opened >= 0, let context else {
            avio_closep(&input)
            defer { av_free(reach) }
            try Self.checkReferences(reach, file: file)
            if LibraryLog.last?.contains("max_streams") == true {
                throw MediaError(
                    .unsupported, "opening", file: file, detail: "it has more than \(MediaLimits.streams) streams")
            }
            throw MediaError(
                .notMedia, "opening", file: file, code: opened,
                advice: "is it a video? Playlists are opened with --allow-references or --allow-network only, "
                    + "and scripts that name other files never")
        }
        do throws(MediaError) {
            try Self.checkLimits(context, file: file)
            try Self.findStreams(context, file: file)
            try Self.checkLimits(context, file: file)
            try Self.checkReferences(reach, file: file)
            try Self.checkEnd(context, file: file)
        } catch {
            var c: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&c)
            avio_closep(&input)
            av_free(reach)
            throw error
        }
        self.context = context
        self.input = input
        self.reach = reach
    }

    /// A part that a playlist names and that can't be had would be left out without a word.
    private static func checkReferences(_ reach: UnsafeMutablePointer<cff_reach>?, file: String) throws(MediaError) {
        guard let reach, reach.pointee.failure < 0 else { return }
        let part = String(cString: cff_reach_failed(reach))
        let isRefused = reach.pointee.failure == cff_error_not_permitted
        throw MediaError(
            .unreadable, "opening a part that it names", file: file,
            detail: "\(part): \(FFmpegCode(rawValue: reach.pointee.failure))",
            advice: isRefused
                ? "--allow-references opens files in its own folder and below, --allow-network addresses" : nil)
    }

    /// A broadcast would be waited for without end, and can't be read twice.
    private static func checkEnd(_ context: UnsafeMutablePointer<AVFormatContext>, file: String) throws(MediaError) {
        guard isPlaylist(context), context.pointee.duration == cff_no_pts else { return }
        throw MediaError(
            .unsupported, "opening", file: file, detail: "it is the playlist of a broadcast, which has no end",
            advice: "record it first")
    }

    private static func isPlaylist(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        SourceReach.playlists.contains(String(cString: context.pointee.iformat.pointee.name))
    }

    /// Whether it is a list of other files.
    var isPlaylist: Bool { Self.isPlaylist(context) }

    /// Reads on until FFmpeg knows the streams; decoders that it opens for that have our limits.
    private static func findStreams(
        _ context: UnsafeMutablePointer<AVFormatContext>, file: String
    ) throws(MediaError) {
        let count = Int(context.pointee.nb_streams)
        var options: [OpaquePointer?] = Array(repeating: nil, count: count)
        for index in 0..<count { av_dict_set(&options[index], "max_pixels", "\(MediaLimits.pixels)", 0) }
        defer { for index in 0..<count { av_dict_free(&options[index]) } }
        let found = options.withUnsafeMutableBufferPointer { avformat_find_stream_info(context, $0.baseAddress) }
        try check(found, .notMedia, "reading the streams", file: file)
    }

    private static func checkLimits(
        _ context: UnsafeMutablePointer<AVFormatContext>, file: String
    ) throws(MediaError) {
        var attached = 0
        for index in 0..<Int32(context.pointee.nb_streams) {
            let par = cff_stream(context, index).pointee.codecpar.pointee
            attached += Int(par.extradata_size)
            if par.codec_type == AVMEDIA_TYPE_VIDEO, MediaLimits.refuses(width: par.width, height: par.height) {
                throw MediaError(
                    .unsupported, "opening", file: file, stream: Int(index),
                    detail: "its picture is said to be \(par.width)×\(par.height), "
                        + "and pictures have at most \(MediaLimits.pixels >> 20) × 2^20 pixels here")
            }
        }
        if attached > MediaLimits.attachments {
            throw MediaError(
                .unsupported, "opening", file: file,
                detail: "it has \(attached >> 20) MiB of attachments, "
                    + "and at most \(MediaLimits.attachments >> 20) MiB are read",
                advice: "take them out first, for example with mkvpropedit --delete-attachment")
        }
    }

    deinit {
        var c: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&c)
        avio_closep(&input)
        av_free(reach)
    }

    private static func checkRegularFile(_ file: String) throws(MediaError) {
        var info = stat()
        guard stat(file, &info) == 0 else {
            throw MediaError(.unreadable, "opening", file: file, detail: String(cString: strerror(errno)))
        }
        switch info.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw MediaError(.unreadable, "opening", file: file, detail: "it is a directory")
        default: throw MediaError(.unreadable, "opening", file: file, detail: "it is not a regular file")
        }
        guard access(file, R_OK) == 0 else {
            throw MediaError(.unreadable, "opening", file: file, detail: String(cString: strerror(errno)))
        }
        guard info.st_size > 0 else { throw MediaError(.notMedia, "opening", file: file, detail: "the file is empty") }
    }

    /// Every demuxer but those that open further files, need a network, or take any text for a picture.
    private static let allowedFormats: String = {
        let refused: Set<String> = [
            "concat", "hls", "dash", "sdp", "rtsp", "rtp", "imf", "image2", "lavfi", "tty", "webm_dash_manifest", "sap",
            "vapoursynth", "ffmetadata", "vobsub",
        ]
        var names: [String] = []
        var iterator: UnsafeMutableRawPointer?
        while let format = av_demuxer_iterate(&iterator) {
            let name = String(cString: format.pointee.name)
            if !refused.contains(name) { names.append(name) }
        }
        return names.joined(separator: ",")
    }()

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> { cff_stream(context, Int32(index)) }

    /// The container's short name, "mov,mp4,m4a,3gp,3g2,mj2".
    public var formatName: String { String(cString: context.pointee.iformat.pointee.name) }

    /// Seconds; nil where the container doesn't say.
    public var duration: Double? {
        let seconds = Double(context.pointee.duration) / Double(AV_TIME_BASE)
        return seconds > 0 && seconds < MediaLimits.duration ? seconds : nil
    }

    public private(set) lazy var streams: [StreamInfo] = (0..<Int(context.pointee.nb_streams)).map { index in
        let s = stream(index).pointee
        let par = s.codecpar.pointee
        let type: StreamType =
            switch par.codec_type {
            case AVMEDIA_TYPE_VIDEO: .picture
            case AVMEDIA_TYPE_AUDIO: .sound
            case AVMEDIA_TYPE_SUBTITLE: .subtitle
            case AVMEDIA_TYPE_DATA: .data
            case AVMEDIA_TYPE_ATTACHMENT: .attachment
            default: .unknown
            }
        let still = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS | AV_DISPOSITION_STILL_IMAGE
        return StreamInfo(
            index: index, type: type, codec: String(cString: avcodec_get_name(par.codec_id)),
            language: av_dict_get(s.metadata, "language", nil, 0).map { String(cString: $0.pointee.value) },
            isStill: s.disposition & still != 0, isDefault: s.disposition & AV_DISPOSITION_DEFAULT != 0,
            width: Int(par.width), height: Int(par.height))
    }

    /// The next packet of any stream; nil at the end of the file.
    ///
    /// - Throws: `MediaError` `.damaged` where the file breaks off or a packet is known to be incomplete.
    func read() throws(MediaError) -> Packet? {
        let packet = try Packet()
        let code = av_read_frame(context, packet.pointer)
        try Self.checkReferences(reach, file: file)
        if code == cff_error_eof {
            if let failure = context.pointee.pb, failure.pointee.error < 0, failure.pointee.error != cff_error_eof {
                throw MediaError(.damaged, "reading", file: file, code: failure.pointee.error)
            }
            return nil
        }
        if code < 0 { throw MediaError(.damaged, "reading", file: file, code: code) }
        Self.dropAbsurdTimes(of: packet.pointer)
        return packet
    }

    /// Times that no clip reaches are as good as none.
    private static func dropAbsurdTimes(of packet: UnsafeMutablePointer<AVPacket>) {
        if !TickTime.isTime(packet.pointee.pts) { packet.pointee.pts = cff_no_pts }
        if !TickTime.isTime(packet.pointee.dts) { packet.pointee.dts = cff_no_pts }
        if !TickTime.isTime(packet.pointee.duration) { packet.pointee.duration = 0 }
    }

    /// Whether the container's own index points behind the end of the file: it was cut off.
    func indexReachesBehindEnd() -> Bool {
        let size = avio_size(context.pointee.pb)
        guard size > 0 else { return false }
        for index in 0..<Int(context.pointee.nb_streams) {
            let s = stream(index)
            let count = avformat_index_get_entries_count(s)
            guard count > 0, let last = avformat_index_get_entry(s, count - 1) else { continue }
            if last.pointee.size > 0 && last.pointee.pos + Int64(last.pointee.size) > size { return true }
        }
        return false
    }

    /// Tells the demuxer not to hand over packets of these streams.
    func discard(_ indices: some Sequence<Int>) {
        for index in indices { stream(index).pointee.discard = AVDISCARD_ALL }
    }
}

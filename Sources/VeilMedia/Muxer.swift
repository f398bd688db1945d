import CFFmpeg
import VeilCore

/// Writes a container; owns its AVFormatContext and its open file.
final class Muxer {
    let context: UnsafeMutablePointer<AVFormatContext>
    let format: OutputFormat
    let isReproducible: Bool
    private let file: String
    private let packet: Packet
    private var lastDTS: [Int64] = []
    private var codecDelay: [Int64] = []
    /// Taken off all times, in microseconds: for containers that begin at zero.
    var beginning: Int64 = 0
    /// What is told of an animation's repeats, as an option of the container.
    var loop: (name: String, value: String)?
    private var tags: TagFilter
    /// What of the source's tags is left out, for a person.
    var notices: [String] { tags.notice }

    /// - Parameters:
    ///   - path: where the bytes go.
    ///   - file: the name to use in messages.
    ///   - metadata: which tags may be copied.
    ///   - isReproducible: write nothing random and no library's version.
    init(
        path: String, format: OutputFormat, file: String, metadata: MetadataPolicy = .safe, isReproducible: Bool = false
    ) throws(MediaError) {
        self.format = format
        tags = TagFilter(metadata)
        self.file = file
        self.isReproducible = isReproducible
        packet = try Packet()
        var context: UnsafeMutablePointer<AVFormatContext>?
        try check(
            avformat_alloc_output_context2(&context, format.raw, nil, "file:" + path), .unwritable,
            "opening the output",
            file: file)
        guard let context else {
            throw MediaError(.internalFailure, "opening the output", file: file, detail: "out of memory")
        }
        if isReproducible { context.pointee.flags |= AVFMT_FLAG_BITEXACT }
        self.context = context
        if cff_format_needs_file(format.raw) != 0 {
            try check(
                avio_open2(&context.pointee.pb, "file:" + path, AVIO_FLAG_WRITE, nil, nil), .unwritable,
                "opening the output", file: file)
        }
    }

    deinit {
        avio_closep(&context.pointee.pb)
        avformat_free_context(context)
    }

    /// Adds a stream and gives back its index in the output.
    func addStream() throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = avformat_new_stream(context, nil) else {
            throw MediaError(.internalFailure, "adding a stream", file: file, detail: "out of memory")
        }
        lastDTS.append(.min)
        codecDelay.append(0)
        return stream
    }

    /// Adds a stream whose packets are copied: parameters, language, title, disposition and side data as they are.
    func addCopy(of source: UnsafeMutablePointer<AVStream>) throws(MediaError) -> Int {
        let stream = try addStream()
        guard let from = source.pointee.codecpar, let to = stream.pointee.codecpar else { return 0 }
        try check(avcodec_parameters_copy(to, from), .internalFailure, "adding a stream", file: file)
        try CodecHeaders.clean(to, metadata: tags.policy, file: file, stream: Int(source.pointee.index))
        // A tag of another container means nothing here; one that this container knows for the codec stays.
        // QuickTime's muxer knows the tag of telemetry, but has it in no table.
        let isTelemetry =
            from.pointee.codec_type == AVMEDIA_TYPE_DATA && format.isISOMedia
            && format.holdsData(from.pointee.codec_id, tag: from.pointee.codec_tag)
        let known = format.raw.pointee.codec_tag
        let isKnown = known.map { av_codec_get_id($0, from.pointee.codec_tag) == from.pointee.codec_id } ?? false
        if !isKnown && !isTelemetry { to.pointee.codec_tag = 0 }
        stream.pointee.time_base = source.pointee.time_base
        copyDescription(from: source, to: stream)
        if format.name == "mov", let own = av_dict_get(stream.pointee.metadata, "language", nil, 0) {
            av_dict_set(
                &stream.pointee.metadata, "language", Language.inQuickTime(String(cString: own.pointee.value)), 0)
        }
        for i in 0..<Int(source.pointee.nb_side_data) {
            let side = source.pointee.side_data[i]
            if let data = av_stream_new_side_data(stream, side.type, side.size), side.size > 0 {
                data.update(from: side.data, count: side.size)
            }
        }
        return Int(stream.pointee.index)
    }

    /// Language, disposition, and the other tags that stay true of a stream and may stay.
    func copyDescription(from source: UnsafeMutablePointer<AVStream>, to stream: UnsafeMutablePointer<AVStream>) {
        av_dict_copy(&stream.pointee.metadata, source.pointee.metadata, 0)
        tags.applyToStream(&stream.pointee.metadata)
        stream.pointee.disposition = source.pointee.disposition
        stream.pointee.avg_frame_rate = source.pointee.avg_frame_rate
        stream.pointee.r_frame_rate = source.pointee.r_frame_rate
    }

    /// Copies the file's tags and chapters, without those that name the old container or may not stay.
    func copyFileDescription(from source: UnsafeMutablePointer<AVFormatContext>) throws(MediaError) {
        av_dict_copy(&context.pointee.metadata, source.pointee.metadata, 0)
        for stale in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
            av_dict_set(&context.pointee.metadata, stale, nil, 0)
        }
        tags.applyToFile(&context.pointee.metadata)
        try check(cff_copy_chapters(context, source), .internalFailure, "copying chapters", file: file)
        tags.applyToChapters(of: context)
    }

    /// FFmpeg's demuxers take the codec delay off the times of sound; Matroska's muxer writes the delay, but doesn't add
    /// it to the times again.
    func restoreCodecDelay(of source: UnsafeMutablePointer<AVStream>, at index: Int) {
        let par = source.pointee.codecpar.pointee
        guard par.initial_padding > 0, par.sample_rate > 0 else { return }
        codecDelay[index] =
            TickTime.rescale(
                Int64(par.initial_padding), from: AVRational(num: 1, den: par.sample_rate),
                to: source.pointee.time_base) ?? 0
    }

    /// - Parameters:
    ///   - pictureTimeBase: for containers that can take any time scale.
    ///   - soundRate: samples per second of the first sound.
    ///   - shiftsNegativeTimes: let the muxer move all streams by the same time where it can't hold negative ones.
    func writeHeader(pictureTimeBase: Rational, soundRate: Int?, shiftsNegativeTimes: Bool) throws(MediaError) {
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if format.isISOMedia {
            let scale = pictureTimeBase.den
            if scale > 0 && scale <= Int(Int32.max) { av_dict_set(&options, "video_track_timescale", "\(scale)", 0) }
            // Start offsets are counted in the movie's own time scale: one that holds picture and sound exactly.
            av_dict_set(&options, "movie_timescale", "\(Self.movieTimeScale(scale, soundRate))", 0)
        }
        if format.isMatroska {
            // Default flags as in the source instead of made up from the order of the streams.
            av_dict_set(&options, "default_mode", "passthrough", 0)
        }
        if format.isTransportStream { av_dict_set(&options, "mpegts_copyts", "1", 0) }
        if let loop { av_dict_set(&options, loop.name, loop.value, 0) }
        context.pointee.flags |= AVFMT_FLAG_AUTO_BSF
        if !shiftsNegativeTimes { context.pointee.avoid_negative_ts = 0 }
        // FLAC and Opus in MP4 are such experiments; what is copied was written by somebody before.
        context.pointee.strict_std_compliance = cff_compliance_experimental
        try check(avformat_write_header(context, &options), .unwritable, "writing the header", file: file)
    }

    static func movieTimeScale(_ picture: Int, _ sound: Int?) -> Int {
        func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }
        let sound = sound ?? 1
        let common = picture / gcd(picture, sound) * sound
        if common >= 1000 && common <= 50_000_000 { return common }
        return max(90_000, min(picture, 50_000_000))
    }

    /// Writes a packet (its data shared, not copied), its times brought from `timeBase` to the stream's own.
    func write(_ source: borrowing Packet, stream index: Int, timeBase: AVRational) throws(MediaError) {
        let p = packet.pointer
        try check(av_packet_ref(p, source.pointer), .internalFailure, "writing", file: file)
        let stream = cff_stream(context, Int32(index))
        p.pointee.stream_index = Int32(index)
        // Tags that change in mid-stream, covers among them, which NUT's muxer would write.
        _ = av_packet_shrink_side_data(p, AV_PKT_DATA_METADATA_UPDATE, 0)
        _ = av_packet_shrink_side_data(p, AV_PKT_DATA_STRINGS_METADATA, 0)
        var offset = codecDelay[index]
        if beginning > 0 {
            offset -= TickTime.rescale(beginning, from: AVRational(num: 1, den: AV_TIME_BASE), to: timeBase) ?? 0
        }
        // No times stay none, and what a file says beyond all clips becomes none.
        p.pointee.pts = TickTime.moved(p.pointee.pts, by: offset)
        p.pointee.dts = TickTime.moved(p.pointee.dts, by: offset)
        av_packet_rescale_ts(p, timeBase, stream.pointee.time_base)
        if !TickTime.isTime(p.pointee.pts) { p.pointee.pts = cff_no_pts }
        if !TickTime.isTime(p.pointee.dts) { p.pointee.dts = cff_no_pts }
        if !TickTime.isTime(p.pointee.duration) { p.pointee.duration = 0 }
        p.pointee.pos = -1
        if p.pointee.dts == cff_no_pts { p.pointee.dts = p.pointee.pts }
        if p.pointee.dts != cff_no_pts {
            // Coarser ticks can make two times one, and broken sources run backwards: muxers refuse both.
            let least = lastDTS[index] == .min ? Int64.min : lastDTS[index] + (format.allowsEqualDTS ? 0 : 1)
            if p.pointee.dts < least {
                p.pointee.dts = least
                if p.pointee.pts != cff_no_pts { p.pointee.pts = max(p.pointee.pts, least) }
            }
            lastDTS[index] = p.pointee.dts
        }
        let seconds = Double(p.pointee.dts) * stream.pointee.time_base.value
        try check(
            av_interleaved_write_frame(context, p), .unwritable, "writing", file: file, stream: index,
            time: p.pointee.dts == cff_no_pts ? nil : seconds)
    }

    /// Writes what is still held and the container's end, and closes the file.
    func finish() throws(MediaError) {
        try check(av_write_trailer(context), .unwritable, "writing the end of the file", file: file)
        if cff_format_needs_file(format.raw) != 0 {
            avio_flush(context.pointee.pb)
            if let pb = context.pointee.pb, pb.pointee.error < 0 {
                throw MediaError(.unwritable, "writing the end of the file", file: file, code: pb.pointee.error)
            }
            try check(avio_closep(&context.pointee.pb), .unwritable, "closing the output", file: file)
        }
    }
}

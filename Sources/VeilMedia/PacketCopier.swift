import CFFmpeg
import VeilCore

/// Copies a file in which nothing has to be covered stream by stream: the same packets at the same times.
///
/// The only way in which a source's pictures get into an output as they are; `reasonNotToCopy` guards it.
public final class PacketCopier {
    private let demuxer: Demuxer
    private let muxer: Muxer
    private let riders: Riders
    private let picture: StreamInfo
    private let pictureIndex: Int
    private var waiting: [Waiting] = []

    public var notices: [String] { riders.notices + muxer.notices }

    /// Why a file's packets may not be copied; nil when they may.
    ///
    /// - Parameter audit: of a reading of the whole picture stream.
    public static func reasonNotToCopy(
        _ source: VideoSource, audit: CodedAudit, to file: String, settings: EncoderSettings
    ) throws(MediaError) -> String? {
        let format = try OutputFormat(forFile: file)
        let streams = source.demuxer.streams
        let codec = source.demuxer.stream(source.stream.index).pointee.codecpar.pointee.codec_id
        if source.demuxer.isPlaylist { return "its parts lie in other files" }
        if streams.count(where: { $0.type == .picture }) > 1 { return "there is more than one picture stream" }
        guard format.isSameFamily(as: source.demuxer.formatName), format.holds(codec) else {
            return "the container changes"
        }
        if let wanted = settings.codec, wanted.id != codec { return "another codec was asked for" }
        if settings.deinterlaces { return "deinterlacing was asked for" }
        return audit.reasonNotToCopy
    }

    /// Opens both files and writes the header.
    ///
    /// - Parameters:
    ///   - path: where the bytes go (the unfinished file), `file` its final name.
    ///   - input: what is copied; its streams must have been found fit by `reasonNotToCopy`.
    ///   - isReproducible: write nothing random and no library's version.
    public init(
        path: String, file: String, input: String, riders policy: RiderPolicy, isReproducible: Bool = false
    ) throws(MediaError) {
        let demuxer = try Demuxer(file: input)
        guard let picture = StreamPolicy.mainPicture(of: demuxer.streams) else {
            throw MediaError(.notMedia, "looking for a picture stream", file: input, detail: "there is none")
        }
        self.demuxer = demuxer
        self.picture = picture
        let format = try OutputFormat(forFile: file)
        let muxer = try Muxer(
            path: path, format: format, file: file, metadata: policy.metadata, isReproducible: isReproducible)
        muxer.loop = LoopCount.option(ofFile: input, for: format)
        self.muxer = muxer
        try muxer.copyFileDescription(from: demuxer.context)
        riders = Riders(demuxer: demuxer, muxer: muxer, policy: policy, file: file)
        var index = 0
        for info in demuxer.streams {
            if info.index == picture.index {
                index = try muxer.addCopy(of: demuxer.stream(info.index))
            } else if info.type == .picture {
                // The guard lets no file with a second picture come here.
                riders.leaveOut(info, "no second picture is copied")
            } else {
                try riders.add(info)
            }
        }
        pictureIndex = index
        let timeBase = demuxer.stream(picture.index).pointee.time_base
        let start = demuxer.context.pointee.start_time
        if format.isAVI, start != cff_no_pts { muxer.beginning = start }
        let keepsTimes = (format.isMatroska || format.isAVI) && (start == cff_no_pts || start >= 0)
        try muxer.writeHeader(
            pictureTimeBase: Rational(Int(timeBase.num), Int(timeBase.den)), soundRate: riders.soundRate,
            shiftsNegativeTimes: !keepsTimes)
    }

    /// Copies the next packet; gives back whether it was one of the picture, nil at the end.
    public func step() throws(MediaError) -> Bool? {
        guard let packet = try demuxer.read() else { return nil }
        guard packet.streamIndex == picture.index else {
            try riders.write(packet)
            return false
        }
        let codec = demuxer.stream(picture.index).pointee.codecpar.pointee.codec_id
        if CodecHeaders.isHeader(packet, of: codec) { return false }
        try order(packet)
        return true
    }

    /// Gives packets without decoding times, which Matroska's first ones are, times before the first known one.
    private func order(_ packet: consuming Packet) throws(MediaError) {
        if waiting.isEmpty && packet.pointer.pointee.dts != cff_no_pts { return try write(packet) }
        let known = packet.pointer.pointee.dts
        waiting.append(Waiting(packet))
        if known != cff_no_pts || waiting.count >= Self.longestWait { try release(before: known) }
    }

    private func release(before known: Int64) throws(MediaError) {
        let shown = waiting.compactMap { $0.packet.pts }
        let rising = shown.sorted()
        let isWhole = rising.count == waiting.count
        // Without any: the presentation times in rising order, as much earlier as reordering takes.
        let delay = zip(rising, shown).map { $0 - $1 }.max() ?? 0
        for (i, held) in waiting.enumerated() where held.packet.pointer.pointee.dts == cff_no_pts {
            if known != cff_no_pts {
                held.packet.pointer.pointee.dts = known - Int64(waiting.count - 1 - i)
            } else if isWhole {
                held.packet.pointer.pointee.dts = rising[i] - delay
            }
        }
        let all = waiting
        waiting = []
        for held in all { try write(held.packet) }
    }

    private func write(_ packet: borrowing Packet) throws(MediaError) {
        try muxer.write(packet, stream: pictureIndex, timeBase: demuxer.stream(picture.index).pointee.time_base)
    }

    /// H.264 and HEVC hold back at most 16 pictures.
    private static let longestWait = 32

    /// A packet that can be kept in a list.
    private final class Waiting {
        let packet: Packet
        init(_ packet: consuming Packet) { self.packet = packet }
    }

    /// Writes what is still held, and the end of the file.
    public func finish() throws(MediaError) {
        try release(before: cff_no_pts)
        try riders.finish()
        try muxer.finish()
    }
}

extension OutputFormat {
    /// Whether the container is of the family that a demuxer reads: packets fit as they are.
    func isSameFamily(as demuxer: String) -> Bool {
        let names = Set(demuxer.split(separator: ",").map(String.init))
        if isISOMedia { return names.contains("mp4") }
        if isMatroska { return names.contains("matroska") }
        if isTransportStream { return names.contains("mpegts") }
        if ["mpeg", "vob", "svcd", "dvd"].contains(name) { return names.contains("mpeg") }
        return names.contains(name)
    }
}

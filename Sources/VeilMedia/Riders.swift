import CFFmpeg

/// The streams that ride along with the picture, on their way into the output: copied, converted or left out.
final class Riders {
    private enum Route {
        case copy(Int)
        case sound(SoundTranscoder)
        case text(TextConverter)
    }

    private let demuxer: Demuxer
    private let muxer: Muxer
    private let policy: RiderPolicy
    private let file: String
    private var routes: [Int: Route] = [:]
    /// How many packets of a subtitle stream told a place and were left out, by the stream's index.
    private var places: [Int: Int] = [:]
    private var ownNotices: [String] = []

    /// What was changed or left out, for a person; whole once everything is written.
    var notices: [String] {
        ownNotices
            + demuxer.streams.compactMap { info in
                places[info.index].map {
                    "\(info.label): \($0) of its texts tell a place and are left out; --keep-data keeps them"
                }
            }
    }
    /// Samples per second of the first sound.
    private(set) var soundRate: Int?

    init(demuxer: Demuxer, muxer: Muxer, policy: RiderPolicy, file: String) {
        self.demuxer = demuxer
        self.muxer = muxer
        self.policy = policy
        self.file = file
        if demuxer.context.pointee.nb_chapters > 0 && !muxer.format.holdsChapters {
            ownNotices.append("chapters are left out: a \(muxer.format.name) file can't hold them")
        }
        // By now the output's tags are those that stay.
        if !muxer.format.holdsTags && av_dict_count(muxer.context.pointee.metadata) > 0 && !isSameFamily {
            ownNotices.append("the title and other tags are left out: a \(muxer.format.name) file can't hold them")
        }
    }

    /// The tags that a transport stream's demuxer makes up are made up again.
    private var isSameFamily: Bool { muxer.format.isSameFamily(as: demuxer.formatName) }

    /// Adds a stream to the output, or tells why it is left out. Before the header is written.
    func add(_ info: StreamInfo) throws(MediaError) {
        let stream = demuxer.stream(info.index)
        switch try Fate.of(info, stream: stream, format: muxer.format, policy: policy, file: file) {
        case .leftOut(let reason): leaveOut(info, reason)
        case .copied:
            let index = try muxer.addCopy(of: stream)
            routes[info.index] = .copy(index)
            if muxer.format.isMatroska { muxer.restoreCodecDelay(of: stream, at: index) }
            if info.type == .sound { noteRate(stream.pointee.codecpar.pointee.sample_rate) }
        case .sound(let encoder):
            let transcoder = try SoundTranscoder(of: stream, to: encoder, muxer: muxer, file: file)
            routes[info.index] = .sound(transcoder)
            noteRate(transcoder.sampleRate)
            ownNotices.append(
                "\(info.label) becomes \(transcoder.codecName): a \(muxer.format.name) file can't hold \(info.codec)")
            ownNotices += transcoder.losses.map { "\(info.label): \($0)" }
        case .text(let encoder):
            routes[info.index] = .text(try TextConverter(of: stream, to: encoder, muxer: muxer, file: file))
            ownNotices.append(
                "\(info.label) becomes \(String(cString: encoder.pointee.name)): a \(muxer.format.name) file can't hold "
                    + "\(info.codec); the words stay, styles and places may be lost")
        }
    }

    /// Leaves a stream out, and says so unless the reason is empty.
    func leaveOut(_ info: StreamInfo, _ reason: String) {
        demuxer.discard([info.index])
        if !reason.isEmpty { ownNotices.append("\(info.label) is left out: \(reason)") }
    }

    private func noteRate(_ rate: Int32) { if soundRate == nil && rate > 0 { soundRate = Int(rate) } }

    /// Passes a packet on, if its stream is kept.
    func write(_ packet: borrowing Packet) throws(MediaError) {
        guard let route = routes[packet.streamIndex] else { return }
        let stream = demuxer.stream(packet.streamIndex)
        let timeBase = stream.pointee.time_base
        let isText = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
        if isText && !policy.keepsData && PlaceText.tellsPlace(packet) {
            places[packet.streamIndex, default: 0] += 1
            return
        }
        switch route {
        case .copy(let index):
            if CodecHeaders.isHeader(packet, of: stream.pointee.codecpar.pointee.codec_id) { return }
            // What an edit list hides would be heard in a container without one. A decoder's run-in is less than 0.1 s
            // (AAC: 2112 samples, Opus: 80 ms) and stays.
            if packet.isHidden, !muxer.format.isISOMedia, let pts = packet.pts, Double(pts) * timeBase.value < -0.1 {
                return
            }
            try muxer.write(packet, stream: index, timeBase: timeBase)
        case .sound(let transcoder): try transcoder.write(packet)
        case .text(let converter): try converter.write(packet)
        }
    }

    /// Writes what converters still hold.
    func finish() throws(MediaError) {
        for case .sound(let transcoder) in routes.values { try transcoder.finish() }
    }
}

import CFFmpeg
import VeilCore

/// What to do with pictures that can't be decoded.
public enum DamagePolicy: String, Sendable, Hashable, CaseIterable {
    /// End with an error.
    case stop
    /// Carry on; pictures that are missing or broken are handed on marked as damaged, to be covered whole.
    case cover
}

/// One picture stream of a file: demuxes and decodes, and hands frames over in presentation order.
public final class VideoSource {
    public enum Event: ~Copyable {
        case frame(Frame)
        /// A packet of another stream, untouched.
        case packet(Packet)
    }

    public let demuxer: Demuxer
    public let stream: StreamInfo
    public let timeBase: Rational
    private let decoder: Decoder
    private let policy: DamagePolicy
    private let bringsOthers: Bool

    private var scaler: Scaler?
    private var held: Frame?
    /// The one packet of an attached picture: nothing has to be read for it.
    private var still: Packet?
    private var lost = LostPictures()
    private var atEnd = false
    private var lastFrame: (format: PixelFormat, width: Int, height: Int)?
    private var lastPTS: Int64?

    /// How many pictures were handed over as damaged.
    public private(set) var damagedCount = 0
    /// The pixel format the decoder gives, known from the first frame on.
    public private(set) var decodedFormat: PixelFormat?
    /// Whether all that the packets code was handed over so far.
    public private(set) var audit: CodedAudit

    /// Opens a picture stream of a file.
    ///
    /// - Parameters:
    ///   - index: of the stream; nil for the main one (see `StreamPolicy.mainPicture`).
    ///   - bringsOthers: hand over the packets of the other streams too (for rendering).
    ///   - threads: for the decoder; 0 for as many as there are cores.
    ///   - reach: what a playlist may have opened.
    ///   - opensPictures: open files that are pictures, too.
    public init(
        file: String, stream index: Int? = nil, policy: DamagePolicy = .stop, bringsOthers: Bool = false,
        threads: Int = 0, reach: SourceReach = [], opensPictures: Bool = false
    ) throws(MediaError) {
        let demuxer = try Demuxer(file: file, reach: reach, opensPictures: opensPictures)
        let named = index.flatMap { index in demuxer.streams.first { $0.index == index && $0.type == .picture } }
        guard let stream = index == nil ? StreamPolicy.mainPicture(of: demuxer.streams) : named else {
            throw MediaError(
                .notMedia, "looking for a picture stream", file: file, detail: "there is none",
                advice: demuxer.streams.contains { $0.type == .sound } ? "it holds sound only" : nil)
        }
        self.demuxer = demuxer
        self.stream = stream
        self.policy = policy
        self.bringsOthers = bringsOthers
        let s = demuxer.stream(stream.index)
        timeBase = Rational(Int(s.pointee.time_base.num), Int(s.pointee.time_base.den))
        decoder = try Decoder(stream: s, file: file, threads: threads)
        audit = CodedAudit(s.pointee.codecpar.pointee)
        if stream.isStill, s.pointee.attached_pic.size > 0 {
            let packet = try Packet()
            try check(av_packet_ref(packet.pointer, &s.pointee.attached_pic), .internalFailure, "reading", file: file)
            still = consume packet
        }
        if !bringsOthers { demuxer.discard(demuxer.streams.map(\.index).filter { $0 != stream.index }) }
        let isCut = demuxer.indexReachesBehindEnd() || ContainerLength.isCutOff(file)
        if policy == .stop && isCut {
            throw MediaError(
                .damaged, "opening", file: file, detail: "the file is cut off: it should be longer",
                advice: "--on-error cover redacts what is there")
        }
    }

    /// How many frames the container says there are; nil where it doesn't say. Hidden ones may be counted.
    public var expectedFrames: Int? {
        let s = demuxer.stream(stream.index).pointee
        if s.nb_frames > 0 { return Int(s.nb_frames) }
        guard let duration = demuxer.duration, frameRate.value > 0 else { return nil }
        return Int((duration * frameRate.value).rounded())
    }

    /// The container's best guess, frames per second; 25 where it has none.
    public var frameRate: Rational {
        let r = av_guess_frame_rate(demuxer.context, demuxer.stream(stream.index), nil)
        return r.num > 0 && r.den > 0 ? Rational(Int(r.num), Int(r.den)) : Rational(25, 1)
    }

    /// How the frame is to be turned for display: the frame's own word first (EXIF), then the container's.
    public func orientation(of frame: borrowing Frame) -> Orientation {
        if let own = frame.displayMatrix, let o = DisplayMatrix(numbers: own).orientation { return o }
        guard let data = av_stream_get_side_data(demuxer.stream(stream.index), AV_PKT_DATA_DISPLAYMATRIX, nil) else {
            return .up
        }
        let numbers = data.withMemoryRebound(to: Int32.self, capacity: 9) { base in (0..<9).map { base[$0] } }
        return DisplayMatrix(numbers: numbers).orientation ?? .up
    }

    /// Width to height of one sample, the container's word before the stream's; nil where neither says.
    public func sampleAspectRatio(of frame: borrowing Frame) -> Rational? {
        let r = av_guess_sample_aspect_ratio(demuxer.context, demuxer.stream(stream.index), frame.pointer)
        return r.num > 0 && r.den > 0 ? Rational(Int(r.num), Int(r.den)) : nil
    }

    /// The codec's profile as the container's tag or the decoder knows it.
    var profile: Int32 {
        let par = demuxer.stream(stream.index).pointee.codecpar.pointee
        guard par.codec_id == AV_CODEC_ID_PRORES else { return decoder.context.pointee.profile }
        // The tags of Apple's ProRes white paper, in the order of prores_ks's profiles.
        let tag = withUnsafeBytes(of: par.codec_tag.littleEndian) { String(decoding: $0, as: UTF8.self) }
        return ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"].firstIndex(of: tag).map(Int32.init)
            ?? cff_profile_unknown
    }

    public func seconds(_ pts: Int64) -> Double { Double(pts) * timeBase.value }

    /// The next frame, without the other streams' packets; nil at the end.
    public func nextFrame() throws(MediaError) -> Frame? {
        while let event = try next() {
            if case .frame(let frame) = event { return frame }
        }
        return nil
    }

    /// The next frame in presentation order or packet of another stream; nil at the end.
    ///
    /// Frames are in a direct pixel format, always have a pts, and their pts rise strictly.
    public func next() throws(MediaError) -> Event? {
        while true {
            if let frame = try takeReady() { return .frame(frame) }
            if atEnd { return nil }
            switch try decoder.receive() {
            case .frame(let frame):
                held = try accept(frame)
            case .failed(let code):
                try noteFailure(code, pts: nil)
            case .end:
                atEnd = true
                lost.settleAll()
            case .needsInput:
                if let packet = try feed() { return .packet(packet) }
            }
        }
    }

    /// A lost picture that is due before the held frame, else the held frame.
    private func takeReady() throws(MediaError) -> Frame? {
        let due = held?.pts ?? (atEnd ? Int64.max : nil)
        if let due, let pts = lost.take(before: due) { return try stampMissing(pts) }
        guard let frame = held.take() else { return nil }
        return frame
    }

    /// Reads one packet and gives it to the decoder; hands back a packet of another stream.
    private func feed() throws(MediaError) -> Packet? {
        if let packet = still.take() {
            audit.sent(packet)
            if let code = decoder.send(packet) { try noteFailure(code, pts: nil) }
            decoder.finish()
            return nil
        }
        let packet: Packet?
        do {
            packet = try demuxer.read()
        } catch  where policy == .cover {
            // What comes behind a place that can't be read is lost; what was read is kept.
            lost.note()
            packet = nil
        }
        guard let packet else {
            decoder.finish()
            return nil
        }
        guard packet.streamIndex == stream.index else {
            if bringsOthers { return packet }
            return nil
        }
        if packet.isCorrupt {
            if policy == .stop { throw damage("the file breaks off inside a packet", at: packet.pts) }
            lost.note()
        }
        let pts = packet.pts
        audit.sent(packet)
        if !packet.isHidden, let pts { lost.expect(pts) }
        if let code = decoder.send(packet), code != .endOfFile { try noteFailure(code, pts: pts) }
        return nil
    }

    private func noteFailure(_ code: FFmpegCode, pts: Int64?) throws(MediaError) {
        if policy == .stop {
            throw damage((LibraryLog.takeLast().map { "\(code) (\($0))" }) ?? "\(code)", at: pts ?? lastPTS)
        }
        lost.note()
    }

    private func damage(_ detail: String, at pts: Int64?) -> MediaError {
        MediaError(
            .damaged, "decoding", file: demuxer.file, stream: stream.index, time: pts.map(seconds), detail: detail,
            advice: "--on-error cover carries on and covers the broken frames whole")
    }

    /// Gives a decoded frame its time and brings it to a format that the kernels can work on.
    private func accept(_ decoded: consuming Frame) throws(MediaError) -> Frame {
        var frame = decoded
        if frame.isDamaged {
            if policy == .stop { throw damage("the picture is broken", at: frame.pts) }
        }
        decodedFormat = frame.format
        let coded = decoder.context.pointee
        audit.received(frame, codedWidth: Int(coded.coded_width), codedHeight: Int(coded.coded_height))
        if let pts = frame.pts { lost.arrived(pts) }
        frame.pts = risingPTS(frame.pts)
        if frame.isDamaged { damagedCount += 1 }
        if frame.format.isHardware {
            throw MediaError(.unsupported, "decoding", file: demuxer.file, detail: "frames stay on a hardware device")
        }
        let target = frame.format.direct
        lastFrame = (target, frame.width, frame.height)
        if target != frame.format {
            if scaler?.to != target { scaler = Scaler(to: target) }
            if let scaler { return try scaler.convert(frame) }
        }
        return frame
    }

    /// The time as given where it is later than the frame before; else the least later time.
    ///
    /// A frame without any time comes one frame duration after the one before.
    private func risingPTS(_ pts: Int64?) -> Int64 {
        let ticks = (1 / (frameRate.value * timeBase.value)).rounded()
        let step = ticks >= 1 && ticks < Self.longestStep ? Int64(ticks) : 1
        let result: Int64
        switch (pts, lastPTS) {
        case (let pts?, let last?): result = max(pts, last + 1)
        case (let pts?, nil): result = pts
        case (nil, let last?): result = last + step
        case (nil, nil): result = 0
        }
        lastPTS = result
        return result
    }

    /// Ticks from a frame to the next that are believed: millions of such steps don't overflow.
    private static let longestStep = 0x1p40

    /// A grey picture in the place of one that could not be decoded.
    private func stampMissing(_ pts: Int64) throws(MediaError) -> Frame? {
        let par = demuxer.stream(stream.index).pointee.codecpar.pointee
        let shape =
            lastFrame
            ?? (PixelFormat(AVPixelFormat(rawValue: par.format)).direct, Int(par.width), Int(par.height))
        guard shape.1 > 0, shape.2 > 0 else { return nil }
        var frame = try Frame.allocate(width: shape.1, height: shape.2, format: shape.0)
        frame.withPlanes { view in
            for plane in view.planes {
                let middle = 1 << (view.depth - 1)
                for y in 0..<plane.height {
                    let row = plane.row(y)
                    if plane.bytesPerSample == 1 {
                        row.initializeMemory(as: UInt8.self, repeating: UInt8(middle), count: plane.width)
                    } else {
                        row.initializeMemory(as: UInt16.self, repeating: UInt16(middle), count: plane.width)
                    }
                }
            }
        }
        frame.pts = pts
        frame.isDamaged = true
        damagedCount += 1
        audit.missed()
        return frame
    }
}

/// Keeps count of the pictures that went into the decoder and never came out, after it reported an error.
struct LostPictures {
    private var pending: [Int64] = []
    private var lost: [Int64] = []
    private var sawError = false

    /// A picture went in.
    mutating func expect(_ pts: Int64) { pending.insert(pts, at: pending.firstIndex { $0 > pts } ?? pending.endIndex) }

    /// Something went wrong, with which picture is not always known.
    mutating func note() { sawError = true }

    /// A picture came out: those due before it that didn't are lost, if there was an error; else the source hides them.
    mutating func arrived(_ pts: Int64) {
        let before = pending.prefix { $0 < pts }
        if sawError { lost.append(contentsOf: before) }
        pending.removeFirst(before.count)
        if pending.first == pts { pending.removeFirst() }
        if pending.isEmpty { sawError = false }
    }

    mutating func settleAll() {
        if sawError { lost.append(contentsOf: pending) }
        pending.removeAll()
    }

    mutating func take(before pts: Int64) -> Int64? {
        guard let first = lost.first, first < pts else { return nil }
        return lost.removeFirst()
    }
}

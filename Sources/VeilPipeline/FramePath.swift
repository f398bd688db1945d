import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

/// The way of a frame. Read this file first.
///
/// `analyse` looks and never changes pixels; `render` changes pixels and never decides. Between them stands the plan.
enum FramePath {
    /// Decodes every frame, finds and follows faces, and plans what to cover.
    static func analyse(
        _ source: VideoSource, detector: any FaceDetector, settings: AnalysisSettings, observer: Observer
    ) throws(VeilError) -> Findings {
        let file = source.demuxer.file
        var analyser = try vision(file) { () throws(VisionError) in
            try Analyser(settings: settings, detector: detector)
        }
        var findings = Findings()
        let clock = Stopwatch()
        var previous: Frame?
        while true {
            if observer.isCancelled() { throw .cancelled }
            guard let frame = try media({ () throws(MediaError) in try source.nextFrame() }) else { break }
            let pts = frame.pts ?? 0
            if findings.frames.isEmpty {
                let geometry = Geometry(of: frame, source: source)
                findings.size = geometry.uprightSize
                findings.sampleAspectRatio = geometry.uprightAspect
            }
            findings.frames.append(PlannedFrame(pts: pts, coverWhole: frame.isDamaged))
            try vision(file) { () throws(VisionError) in
                let isCut = try show(frame, source) { (picture) throws(VisionError) in
                    try analyser.endsScene(before: picture)
                }
                if isCut { try lookAgain(previous, source, &analyser) }
                try show(frame, source) { (picture) throws(VisionError) in
                    try analyser.add(picture, time: source.seconds(pts))
                }
            }
            previous = consume frame
            observer.progress(
                Progress(
                    stage: .analysing, frames: findings.frames.count, expected: source.expectedFrames,
                    faces: analyser.facesNow, elapsed: clock.seconds))
        }
        try vision(file) { () throws(VisionError) in try lookAgain(previous, source, &analyser) }
        findings.tracks = analyser.finish()
        findings.cuts = analyser.cuts.map { findings.frames[$0].pts }
        findings.frames = PlanBuilder(settings: settings).frames(
            tracks: findings.tracks, frames: findings.frames, times: analyser.allTimes)
        return findings
    }

    private static func lookAgain(
        _ previous: borrowing Frame?, _ source: VideoSource, _ analyser: inout Analyser
    ) throws(VisionError) {
        switch previous {
        case .some(let frame):
            try show(frame, source) { (picture) throws(VisionError) in try analyser.lookAgain(at: picture) }
        case .none: break
        }
    }

    private static func show<R>(
        _ frame: borrowing Frame, _ source: VideoSource, _ body: (Analyser.Picture) throws(VisionError) -> R
    ) throws(VisionError) -> R {
        let geometry = Geometry(of: frame, source: source)
        return try frame.withPlanes { (view) throws(VisionError) in
            try body(
                Analyser.Picture(
                    view: view, orientation: geometry.orientation, width: geometry.uprightSize.width,
                    height: geometry.uprightSize.height, sampleAspectRatio: geometry.uprightAspect))
        }
    }

    /// Decodes every frame again, covers what the plans say, encodes, and passes the other streams on.
    ///
    /// - Parameter pictures: the file's picture streams, the main one first; it brings the other streams' packets.
    static func render(
        _ pictures: [PlannedPicture], settings: RedactionSettings, to sink: VideoSink, observer: Observer
    ) throws(VeilError) -> Rendered {
        var done = Rendered()
        let clock = Stopwatch()
        // The stream that is behind goes first, so that the container needn't hold much back.
        while let next = pictures.indices.filter({ !pictures[$0].isAtEnd }).min(by: {
            pictures[$0].reached < pictures[$1].reached
        }) {
            if observer.isCancelled() { throw .cancelled }
            let picture = pictures[next]
            let source = picture.source
            guard let event = try media({ () throws(MediaError) in try source.next() }) else {
                picture.isAtEnd = true
                continue
            }
            switch event {
            case .packet(let packet):
                try media { () throws(MediaError) in try sink.write(packet) }
            case .frame(var frame):
                try picture.cover(&frame, settings, &done)
                try media { () throws(MediaError) in try sink.write(frame, picture: next) }
                guard next == 0 else { continue }
                done.frames += 1
                observer.progress(
                    Progress(
                        stage: .rendering, frames: done.frames, expected: picture.expectedFrames, faces: done.regions,
                        elapsed: clock.seconds))
            }
        }
        try media { () throws(MediaError) in try sink.finish() }
        return done
    }

    /// Copies every packet of a file in which nothing has to be covered.
    static func copy(
        with copier: PacketCopier, expected: Int, observer: Observer
    ) throws(VeilError) -> Rendered {
        var done = Rendered()
        let clock = Stopwatch()
        while let isPicture = try media({ () throws(MediaError) in try copier.step() }) {
            if observer.isCancelled() { throw .cancelled }
            guard isPicture else { continue }
            done.frames += 1
            observer.progress(
                Progress(stage: .rendering, frames: done.frames, expected: expected, faces: 0, elapsed: clock.seconds))
        }
        try media { () throws(MediaError) in try copier.finish() }
        return done
    }
}

/// A picture stream, and what to cover in it.
final class PlannedPicture {
    let source: VideoSource
    /// Seconds up to which frames were handed over.
    fileprivate(set) var reached = -Double.infinity
    fileprivate(set) var isAtEnd = false
    var expectedFrames: Int { cursor.plan.frames.count }

    private var cursor: PlanCursor
    private let redactor: Redactor
    private let cuts: Set<Int64>

    init(_ source: VideoSource, plan: RedactionPlan, settings: RedactionSettings) throws(VeilError) {
        self.source = source
        cursor = try planned(source.demuxer.file) { () throws(PlanError) in try PlanCursor(plan) }
        do throws(FilterChainError) { redactor = try Redactor(settings.chain) } catch { throw .filters(error) }
        cuts = Set(plan.cuts)
    }

    /// Covers what the plan says in the next frame.
    func cover(_ frame: inout Frame, _ settings: RedactionSettings, _ done: inout Rendered) throws(VeilError) {
        reached = source.seconds(frame.pts ?? 0)
        let pts = frame.pts ?? 0
        // A broken frame is covered whole whatever the plan says; the plan's entry for it is used up.
        var coverage = cursor.next(pts: pts)
        if frame.isDamaged { coverage = .whole }
        try cover(&frame, coverage, Geometry(of: frame, source: source), settings, &done)
    }

    private func cover(
        _ frame: inout Frame, _ coverage: FrameCoverage, _ geometry: Geometry, _ settings: RedactionSettings,
        _ done: inout Rendered
    ) throws(VeilError) {
        let pts = frame.pts ?? 0
        let time = source.seconds(pts)
        let isCut = cuts.contains(pts)
        switch coverage {
        case .regions(let regions):
            guard !regions.isEmpty else { return }
            let masks = regions.map { geometry.mask($0, scale: settings.maskScale) }
            try writable(&frame)
            frame.withPlanes { redactor.apply(to: $0, regions: masks, time: time, cutBefore: isCut) }
            done.regions += regions.count
        case .absent where settings.onError == .stop:
            throw .media(
                MediaError(
                    .damaged, "rendering", file: source.demuxer.file, stream: source.stream.index, time: time,
                    detail: "the plan doesn't know this frame",
                    advice: "make the plan anew with veil detect, or let --on-error cover cover the frame whole"))
        case .whole, .absent:
            try writable(&frame)
            frame.withPlanes { redactor.coverWhole($0, time: time, cutBefore: isCut) }
            done.coveredWhole += 1
        }
    }

    private func writable(_ frame: inout Frame) throws(VeilError) {
        do throws(MediaError) { try frame.makeWritable() } catch { throw .media(error) }
    }
}

/// What an analysis found.
struct Findings {
    var frames: [PlannedFrame] = []
    var tracks: [Track] = []
    var cuts: [Int64] = []
    /// Of the first frame, upright.
    var size = (width: 0, height: 0)
    var sampleAspectRatio = Rational(1, 1)
}

/// What a rendering did.
struct Rendered {
    var frames = 0
    var coveredWhole = 0
    var regions = 0
}

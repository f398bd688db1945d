import Glibc
import VeilCore
import VeilDigest
import VeilMedia
import VeilPixels
import VeilVision

/// Redacts files: holds the detector, so that several files don't pay for loading it again.
///
///     let redaction = try Redaction()
///     let result = try redaction.redact("walk.mp4", to: "walk.redacted.mp4")
///     print(result.plan.tracks.count, "faces covered")
///
/// Use it from one thread at a time.
public final class Redaction {
    public let settings: RedactionSettings
    private let detector: any FaceDetector
    private let description: DetectorDescription

    /// Loads and checks the detector's models.
    ///
    /// - Throws: `VeilError` `.model` when a model is missing or altered: nothing is opened or written then.
    public init(settings: RedactionSettings = RedactionSettings()) throws(VeilError) {
        self.settings = settings
        LibraryLog.install(verbose: LibraryLog.isVerbose)
        let loaded = try DetectorLoader.load(settings)
        detector = loaded.detector
        description = loaded.description
    }

    /// With a detector of the caller's own, named so that plans say which it was. Asked to be thorough, it looks at parts
    /// and turned pictures too.
    public init(
        settings: RedactionSettings = RedactionSettings(), detector: any FaceDetector,
        named description: DetectorDescription
    ) {
        self.settings = settings
        LibraryLog.install(verbose: LibraryLog.isVerbose)
        self.detector = DetectorLoader.fit(detector, to: settings.analysis)
        self.description = description
    }

    /// Looks at a file and plans what to cover; changes nothing.
    public func analyse(_ input: String, observer: Observer = Observer()) throws(VeilError) -> RedactionPlan {
        let source = try media { () throws(MediaError) in
            try VideoSource(file: input, policy: settings.onError, threads: settings.threads)
        }
        var analysis = settings.analysis
        analysis.detectEvery = analysis.interval(frameRate: source.frameRate.value)
        let findings = try FramePath.analyse(source, detector: detector, settings: analysis, observer: observer)
        guard let first = findings.frames.first else {
            throw .media(MediaError(.damaged, "decoding", file: input, detail: "the picture stream has no frames"))
        }
        let size = findings.size
        // Each picture was looked at by its own size; the plan says what that came to for the first.
        analysis.detectSize = analysis.detectorSide(
            width: size.width, height: size.height, sampleAspectRatio: findings.sampleAspectRatio)
        var info = stat()
        stat(input, &info)
        let digest: String
        do throws(DigestError) { digest = try SHA256.hex(ofFile: input) } catch { throw .digest(error) }
        let last = findings.frames.last ?? first
        let name = input.split(separator: "/").last.map(String.init) ?? input
        return RedactionPlan(
            source: SourceDescription(
                file: name, size: Int(info.st_size), sha256: digest, width: size.width, height: size.height,
                timeBase: source.timeBase, duration: max(0, source.seconds(last.pts) - source.seconds(first.pts)),
                frames: findings.frames.count),
            detector: description, settings: analysis,
            tracks: findings.tracks.map { $0.summary(frames: findings.frames) }, manual: [], cuts: findings.cuts,
            frames: findings.frames)
    }

    /// Makes sure that a plan was made for a file: its size and SHA-256 must be the plan's.
    ///
    /// - Throws: `VeilError` `.plan` that names what differs.
    public func check(_ plan: RedactionPlan, for input: String) throws(VeilError) {
        var found = plan.source
        var info = stat()
        guard stat(input, &info) == 0 else {
            throw .media(
                MediaError(.unreadable, "opening", file: input, detail: String(cString: strerror(errno))))
        }
        found.size = Int(info.st_size)
        // A file of another size is another file: no need to read it.
        if found.size == plan.source.size {
            do throws(DigestError) { found.sha256 = try SHA256.hex(ofFile: input) } catch { throw .digest(error) }
        }
        try planned(input) { () throws(PlanError) in try plan.check(against: found) }
    }

    /// Covers in a copy of the file what the plan says. The copy appears when it is whole.
    public func render(
        _ input: String, plan: RedactionPlan, to output: String, observer: Observer = Observer()
    ) throws(VeilError) -> RedactionResult {
        try render(input, as: FileIdentity(input), plan: plan, to: output, observer: observer)
    }

    private func render(
        _ input: String, as identity: FileIdentity?, plan: RedactionPlan, to output: String, observer: Observer
    ) throws(VeilError) -> RedactionResult {
        let file = try media { () throws(MediaError) in
            try AtomicOutput(path: output, input: input, overwrite: settings.overwrite)
        }
        let clock = Stopwatch()
        // The encoder is set up like the first frame: a second, short-lived reading of the file shows it.
        let (source, sink) = try media { () throws(MediaError) in
            let peek = try VideoSource(file: input, policy: settings.onError, threads: settings.threads)
            guard let first = try peek.nextFrame() else {
                throw MediaError(.damaged, "decoding", file: input, detail: "the picture stream has no frames")
            }
            let source = try VideoSource(
                file: input, policy: settings.onError, bringsOthers: true, threads: settings.threads)
            let sink = try VideoSink(
                path: file.partPath, file: output, source: source, decodedFormat: peek.decodedFormat, like: first,
                settings: settings.encoder, audio: settings.audio)
            return (source, sink)
        }
        let done = try FramePath.render(source, plan: plan, settings: settings, to: sink, observer: observer)
        // Another file's frames would have been covered where this one's faces are.
        try media { () throws(MediaError) in
            try FileIdentity.check(input, is: identity)
            try file.commit()
        }
        return RedactionResult(
            plan: plan, framesWritten: done.frames, framesCoveredWhole: done.coveredWhole, notices: sink.notices,
            encoder: sink.encoderName, analysisSeconds: 0, renderSeconds: clock.seconds)
    }

    /// Analyses and renders.
    ///
    /// - Throws: `VeilError` before any work when the output can't be written or exists.
    public func redact(
        _ input: String, to output: String, observer: Observer = Observer()
    ) throws(VeilError) -> RedactionResult {
        // A look at the output first: nobody should wait for an analysis to learn that it exists.
        _ = try media { () throws(MediaError) in
            try AtomicOutput(path: output, input: input, overwrite: settings.overwrite)
        }
        _ = try media { () throws(MediaError) in try OutputFormat(forFile: output) }
        let clock = Stopwatch()
        let identity = FileIdentity(input)
        let plan = try analyse(input, observer: observer)
        let analysisSeconds = clock.seconds
        var result = try render(input, as: identity, plan: plan, to: output, observer: observer)
        result.analysisSeconds = analysisSeconds
        return result
    }
}

extension Track {
    func summary(frames: [PlannedFrame]) -> TrackSummary {
        TrackSummary(
            id: id, firstPTS: frames[firstFrame].pts, lastPTS: frames[min(lastFrame, frames.count - 1)].pts,
            score: bestScore, sightings: sightings.count)
    }
}

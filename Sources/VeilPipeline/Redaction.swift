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
    let detector: any FaceDetector
    /// Which detector looks, as plans name it.
    public let description: DetectorDescription
    /// The file that was read whole last: a plan is checked before the rendering and by it.
    private var lastDigest: (identity: FileIdentity, sha256: String)?

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

    private init(_ other: Redaction, settings: RedactionSettings) {
        self.settings = settings
        detector = other.detector
        description = other.description
    }

    /// The same detector, and another word on whether an output that exists is replaced.
    public func overwriting(_ overwrite: Bool) -> Redaction {
        var settings = settings
        settings.overwrite = overwrite
        return Redaction(self, settings: settings)
    }

    /// Looks at a file's main picture and plans what to cover; changes nothing.
    public func analyse(_ input: String, observer: Observer = Observer()) throws(VeilError) -> RedactionPlan {
        try analyse(input, stream: nil, observer: observer).plan
    }

    /// Looks at one picture stream; nil for the main one.
    func analyse(
        _ input: String, stream: Int?, observer: Observer
    ) throws(VeilError) -> (plan: RedactionPlan, audit: CodedAudit) {
        // The plan names the file by its digest, which is taken last: it must be that of the frames that were looked at.
        let identity = FileIdentity(input)
        let source = try media { () throws(MediaError) in
            try VideoSource(
                file: input, stream: stream, policy: settings.onError, threads: settings.threads,
                reach: settings.reach)
        }
        var analysis = settings.analysis
        analysis.detectEvery = analysis.interval(frameRate: source.frameRate.value)
        // An encoder of large pictures needs some 550 MB of its own: it gets the detector's.
        defer { detector.rest() }
        let findings = try FramePath.analyse(source, detector: detector, settings: analysis, observer: observer)
        guard let first = findings.frames.first else {
            throw .media(
                MediaError(
                    .damaged, "decoding", file: input, stream: source.stream.index,
                    detail: "the picture stream has no frames"))
        }
        let size = findings.size
        // Each picture was looked at by its own size; the plan says what that came to for the first.
        analysis.detectSize = analysis.detectorSide(
            width: size.width, height: size.height, sampleAspectRatio: findings.sampleAspectRatio)
        var info = stat()
        stat(input, &info)
        let digest = try digest(of: input)
        try media { () throws(MediaError) in try FileIdentity.check(input, is: identity) }
        let last = findings.frames.last ?? first
        // By bytes: a slash and a combining mark behind it are one character.
        let name = input.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? input
        let plan = RedactionPlan(
            source: SourceDescription(
                file: name, size: Int(info.st_size), sha256: digest, width: size.width, height: size.height,
                timeBase: source.timeBase, duration: max(0, source.seconds(last.pts) - source.seconds(first.pts)),
                frames: findings.frames.count),
            detector: description, settings: analysis,
            tracks: findings.tracks.map { $0.summary(frames: findings.frames) }, manual: [], cuts: findings.cuts,
            frames: findings.frames)
        return (plan, source.audit)
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
            found.sha256 = try digest(of: input)
        }
        try planned(input) { () throws(PlanError) in try plan.check(against: found) }
    }

    /// The SHA-256 of a file; known already if it is the file that was read last, unchanged.
    private func digest(of input: String) throws(VeilError) -> String {
        let identity = FileIdentity(input)
        if let lastDigest, lastDigest.identity == identity { return lastDigest.sha256 }
        let digest: String
        do throws(DigestError) { digest = try SHA256.hex(ofFile: input) } catch { throw .digest(error) }
        if let identity, identity == FileIdentity(input) { lastDigest = (identity, digest) }
        return digest
    }
}

extension Track {
    func summary(frames: [PlannedFrame]) -> TrackSummary {
        TrackSummary(
            id: id, firstPTS: frames[firstFrame].pts, lastPTS: frames[min(lastFrame, frames.count - 1)].pts,
            score: bestScore, sightings: sightings.count)
    }
}

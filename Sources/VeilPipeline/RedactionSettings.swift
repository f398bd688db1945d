import VeilCore
import VeilMedia
import VeilPixels

/// Which detector looks for faces.
public enum DetectorKind: String, Sendable, Hashable, CaseIterable {
    /// A small network; the default.
    case centerface
    /// Haar cascades: older, misses far more.
    case haar
}

/// What to do with a file in which nothing has to be covered.
public enum UntouchedPolicy: String, Sendable, Hashable, CaseIterable {
    /// Copy it stream by stream, if all that its pictures code was looked at; else encode it.
    case copy
    /// Encode it like any other.
    case encode
    /// Write nothing.
    case skip
}

/// Everything a person can choose about a redaction.
public struct RedactionSettings: Sendable {
    public var detector = DetectorKind.centerface
    public var analysis = AnalysisSettings()
    /// What covers the faces.
    public var chain = FilterChain()
    /// The mask's size, in sizes of the face (1…4).
    public var maskScale = 1.3
    public var encoder = EncoderSettings()
    public var audio = AudioPolicy.keep
    /// Keep timed data (positions, telemetry) where the container holds it.
    public var keepsData = false
    /// What of a file's tags and metadata is kept.
    public var metadata = MetadataPolicy.safe
    /// What to do with a file in which nothing has to be covered.
    public var untouched = UntouchedPolicy.copy
    public var onError = DamagePolicy.stop
    /// What a playlist may have opened besides itself.
    public var reach: SourceReach = []
    /// Replace an output that exists.
    public var overwrite = false
    /// The folder of models; nil for the installed ones.
    public var models: String?
    /// Threads for decoding, looking and encoding; 0 for as many as there are cores.
    public var threads = 0

    public init() {}
}

/// How far the work has come.
public struct Progress: Sendable, Hashable {
    public enum Stage: String, Sendable, Hashable { case analysing, rendering }

    public var stage: Stage
    public var frames: Int
    /// How many there will be; nil where the source doesn't say.
    public var expected: Int?
    /// Tracks in sight while analysing; regions covered so far while rendering.
    public var faces: Int
    /// Seconds since the stage began.
    public var elapsed: Double

    public init(stage: Stage, frames: Int, expected: Int?, faces: Int, elapsed: Double) {
        self.stage = stage
        self.frames = frames
        self.expected = expected
        self.faces = faces
        self.elapsed = elapsed
    }
}

/// How the work talks to whoever asked for it.
public struct Observer: Sendable {
    /// Called after each frame; must be quick.
    public var progress: @Sendable (Progress) -> Void
    /// Asked before each frame; true ends the work with `VeilError.cancelled`.
    public var isCancelled: @Sendable () -> Bool

    public init(
        progress: @escaping @Sendable (Progress) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
    }
}

/// What was done to one file.
public struct RedactionResult: Sendable {
    /// How the output came about.
    public enum Outcome: String, Sendable, Hashable {
        case encoded
        /// Stream by stream: nothing had to be covered.
        case copied
        /// There is none: nothing had to be covered, and such files were to be skipped.
        case skipped
    }

    public var outcome = Outcome.encoded
    public var plan: RedactionPlan
    public var framesWritten: Int
    /// Frames covered whole, because they could not be decoded or analysed or the plan says so.
    public var framesCoveredWhole: Int
    /// What differs from the source or was left out, for a person.
    public var notices: [String]
    public var encoder: String
    public var analysisSeconds: Double
    public var renderSeconds: Double

    /// Nothing done yet.
    public init(plan: RedactionPlan) {
        self.plan = plan
        framesWritten = 0
        framesCoveredWhole = 0
        notices = []
        encoder = ""
        analysisSeconds = 0
        renderSeconds = 0
    }
}

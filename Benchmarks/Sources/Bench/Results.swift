import LeakCounter

/// What `--json` writes.
struct Results: Codable {
    var date: String
    var machine: String
    var versions: String
    var command: String
    /// Faces with a shorter side under this many pixels aren't counted.
    var minimumFace: Double
    var clips: [ClipResult]
}

/// Everything measured on one clip.
struct ClipResult: Codable {
    var name: String
    /// As displayed, in pixels.
    var width: Int
    var height: Int
    var frames: Int
    var isLabelled: Bool
    /// `veil detect IN -o PLAN`.
    var analyse: Step
    /// `veil redact IN --plan PLAN -o OUT`.
    var render: Step
    /// `veil IN -o OUT`; its output is the one that is scored.
    var whole: Step
    var score: Score?
    /// FFmpeg's decoder and encoder at the settings that veil uses, and nothing in between.
    var transcode: Step
    /// `deface IN -o OUT`, and with `--scale 640x360`; nil where there is no deface.
    var deface: Step?
    var defaceScore: Score?
    var defaceSmall: Step?
    var defaceSmallScore: Score?

    /// Whether the shorter side has 720 pixels or more.
    var isLarge: Bool { min(width, height) >= 720 }
}

/// One run of a program.
struct Step: Codable {
    var usage: Usage?
    /// Why it failed, in the program's words.
    var failure: String?

    /// Seconds; nil if it failed.
    var cpu: Double? { failure == nil ? usage?.cpu : nil }
}

/// What came out of a redaction.
struct Score: Codable {
    /// Frames that the output shows.
    var frames: Int
    var pairing: FramePairing
    var faceFrames: Int
    var leaked: Int
    var tracks: Int
    var leakingTracks: Int
    var longestRun: Int
    var touched: Double
    var outsidePSNR: Double?
}

import VeilCore

/// Which faces were there a moment ago: gives each the same number from frame to frame.
///
/// Boxes are joined by overlap and nearness; a face that isn't seen stays where it was for the linger time.
struct FaceMemory {
    /// A face to be covered in the present frame.
    struct Face {
        var track: Int
        var box: NormalizedRect
        /// Nil where it was seen before, but not now.
        var score: Double?
        var lastSeen: Double
        /// Frames since it was last seen.
        var missed = 0
    }

    /// How far a face may move from frame to frame, in sizes of the face, beyond what the association allows anyway; and
    /// as far again for each frame in which it wasn't seen, up to the limit.
    private static let slack = 0.3
    private static let slackLimit = 1.5

    private let threshold: Double
    private let continueThreshold: Double
    private let linger: Double
    private var known: [Face] = []
    private var lastTime: Double?
    private var now: Double?
    private var nextTrack = 1

    init(_ settings: FrameRedactor.Settings) {
        threshold = settings.threshold
        continueThreshold = settings.continueThreshold
        linger = settings.linger
    }

    /// Begins a frame; says whether nothing is left of the one before.
    mutating func begin(time: Double?, isNewScene: Bool) -> Bool {
        defer { lastTime = time }
        now = time
        if !isNewScene, let time, let lastTime, time > lastTime { return false }
        known.removeAll()
        return true
    }

    /// The faces to cover, given what was found; in the order of their tracks.
    mutating func take(_ detections: [Detection]) -> [Face] {
        let time = now ?? 0
        let candidates = detections.filter { $0.score >= min(threshold, continueThreshold) }
        let result = Association.match(
            predicted: known.map(\.box),
            slack: known.map { min(Self.slackLimit, Self.slack * Double($0.missed + 1)) },
            detections: candidates, sure: threshold)
        for i in known.indices {
            known[i].score = nil
            known[i].missed += 1
        }
        for pair in result.pairs {
            let found = candidates[pair.detection]
            known[pair.track].box = found.bounds
            known[pair.track].score = found.score
            known[pair.track].lastSeen = time
            known[pair.track].missed = 0
        }
        known.removeAll { time - $0.lastSeen > linger }
        for index in result.newcomers where candidates[index].score >= threshold {
            known.append(
                Face(
                    track: nextTrack, box: candidates[index].bounds, score: candidates[index].score, lastSeen: time))
            nextTrack += 1
        }
        return known
    }
}

/// Decides whether a live frame may show anything at all: **fail closed**.
///
/// A pure state machine without clock, threads or pictures. A frame is uncovered only where a detection vouches for it:
/// one that succeeded, of the same scene, no older than `maxAge`, and newer than any that failed. Anything else is
/// covered whole.
public struct LiveGuard: Sendable {
    /// Why a frame has to be covered whole.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No detection has finished yet.
        case beforeFirst = "before the first detection"
        /// The picture changed all at once, and no detection has seen the new one yet.
        case sceneChange = "the picture changed all at once"
        /// The newest detection is too old.
        case stale = "the newest detection is too old"
        /// The picture is much sharper than the one that was searched.
        case sharper = "the picture has become much sharper"
        /// The newest detection failed.
        case failed = "looking for faces failed"
        /// The frame itself is broken.
        case damaged = "the frame is broken"
        /// A person asked for it.
        case paused = "paused"
    }

    public enum Verdict: Sendable, Hashable {
        /// Cover the faces that are known.
        case faces
        case whole(Reason)
    }

    /// A detection's frame: its number, rising, its time of capture and of its coming, in seconds.
    private struct Mark {
        var frame: Int
        var time: Double
        var arrival: Double?
        var sharpness: Double?
    }

    /// Seconds by which frames may come later than their capture says. A source whose clock runs slow, or stands still,
    /// would make an old detection look new; one that sends in bursts is no such source.
    private static let slack = 0.5

    /// Seconds.
    public let maxAge: Double
    /// Show frames that nothing vouches for, with whatever faces are known.
    public let failsOpen: Bool

    private var breaks: [Int] = []
    private var seen: [Mark] = []
    private var failed: Int?
    private var hasFinished = false

    /// Detections and breaks that are kept: more than the frames that can be held back at any time.
    private static let memory = 256

    public init(maxAge: Double, failsOpen: Bool = false) {
        self.maxAge = maxAge
        self.failsOpen = failsOpen
    }

    /// A new picture begins with this frame: nothing that was seen before counts for it.
    public mutating func breaks(at frame: Int) {
        if breaks.last != frame { breaks.append(frame) }
        if breaks.count > Self.memory { breaks.removeFirst() }
    }

    /// A look at a frame succeeded.
    ///
    /// - Parameters:
    ///   - time: of the frame's capture, in seconds.
    ///   - arrival: when the frame came, on the monotonic clock; nil where nobody knows.
    ///   - sharpness: of the frame, by any measure that is proportional to its fine detail; nil where nobody knows.
    public mutating func detected(frame: Int, time: Double, arrival: Double? = nil, sharpness: Double? = nil) {
        hasFinished = true
        if let failed, frame > failed { self.failed = nil }
        seen.append(Mark(frame: frame, time: time, arrival: arrival, sharpness: sharpness))
        if seen.count > Self.memory { seen.removeFirst() }
    }

    /// A look at a frame threw.
    public mutating func detectionFailed(frame: Int) { failed = max(failed ?? frame, frame) }

    /// What to do with a frame that is about to be shown. Frames may be asked for later than they came, and several
    /// times.
    public func verdict(
        frame: Int, time: Double, arrival: Double? = nil, sharpness: Double? = nil, isDamaged: Bool = false
    ) -> Verdict {
        if failsOpen { return .faces }
        if isDamaged { return .whole(.damaged) }
        if !hasFinished { return .whole(.beforeFirst) }
        if failed != nil { return .whole(.failed) }
        let start = breaks.last { $0 <= frame } ?? .min
        let end = breaks.first { $0 > frame } ?? .max
        let ofThisScene = seen.reversed().lazy.filter { $0.frame >= start && $0.frame < end }
        guard !ofThisScene.isEmpty else { return .whole(start == .min ? .stale : .sceneChange) }
        // Held-back frames are vouched for by what was seen after them, too.
        let recent = ofThisScene.filter { mark in
            guard abs(time - mark.time) <= maxAge else { return false }
            guard let arrival, let other = mark.arrival else { return true }
            return abs(arrival - other) <= maxAge + Self.slack
        }
        guard !recent.isEmpty else { return .whole(.stale) }
        let isVouchedFor = recent.contains { mark in
            guard let sharpness, let other = mark.sharpness else { return true }
            return sharpness <= Sharpness.jump * max(other, Sharpness.least)
        }
        return isVouchedFor ? .faces : .whole(.sharper)
    }

    /// How old the newest detection is for a frame, in seconds; nil where there is none. 0 where it is newer.
    public func age(time: Double) -> Double? { seen.last.map { max(0, time - $0.time) } }

    /// The newest frame that was seen successfully.
    public var newestSeen: Int? { seen.last?.frame }
}

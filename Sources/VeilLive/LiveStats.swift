/// What a live run did, as numbers. Takes the same memory however long it runs.
public struct LiveStats: Sendable {
    public var captured = 0
    public var shown = 0
    /// Captured, but never shown, as they came too fast.
    public var dropped = 0
    public var detections = 0
    public var failedDetections = 0
    public var broken = 0
    public var reconnects = 0
    /// Frames covered whole, by reason.
    public var whole: [LiveGuard.Reason: Int] = [:]
    /// Of these, frames after the first second.
    public var wholeLater = 0
    public var shownLater = 0
    /// Age of the newest detection, per frame shown, in seconds.
    public var age = Spread()
    /// From a frame's capture to its being handed to the outputs, in seconds.
    public var latency = Spread()
    /// Seconds from the first frame to the last, by the monotonic clock.
    public var elapsed = 0.0
    public var delay = 0.0
    public var faces = 0
    /// Frames that an output lost, and how often it failed, by its name.
    public var outputs: [String: OutputStats] = [:]

    public struct OutputStats: Sendable {
        public var written = 0
        public var dropped = 0
        public var failures = 0
    }

    public var coveredWhole: Int { whole.values.reduce(0, +) }
    public var captureRate: Double { elapsed > 0 ? Double(captured) / elapsed : 0 }
    public var shownRate: Double { elapsed > 0 ? Double(shown) / elapsed : 0 }
    public var detectionRate: Double { elapsed > 0 ? Double(detections) / elapsed : 0 }

    public init() {}
}

/// Median, percentiles and maximum of durations, to a millisecond.
public struct Spread: Sendable {
    private var counts = [Int](repeating: 0, count: 4096)
    public private(set) var count = 0
    public private(set) var maximum = 0.0

    public init() {}

    /// In seconds.
    public mutating func add(_ seconds: Double) {
        guard seconds.isFinite else { return }
        let bin = min(counts.count - 1, max(0, Int(seconds * 1000)))
        counts[bin] += 1
        count += 1
        maximum = max(maximum, seconds)
    }

    /// The duration that this share (0…1) doesn't exceed, in seconds; 0 without any.
    public func percentile(_ share: Double) -> Double {
        guard count > 0 else { return 0 }
        let wanted = Int((share * Double(count)).rounded(.up))
        var sum = 0
        for (bin, value) in counts.enumerated() {
            sum += value
            if sum >= max(1, wanted) { return min(maximum, Double(bin + 1) / 1000) }
        }
        return maximum
    }

    public var median: Double { percentile(0.5) }
}

extension LiveStats {
    /// For the picture's corner.
    var overlayLines: [String] {
        func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        func milliseconds(_ value: Double) -> String { "\(Int((value * 1000).rounded())) MS" }
        return [
            "IN \(number(captureRate)) OUT \(number(shownRate)) SEARCHES \(number(detectionRate)) /S",
            "AGE \(milliseconds(age.median)) P99 \(milliseconds(age.percentile(0.99)))",
            "FACES \(faces) DROPPED \(dropped) WHOLE \(coveredWhole)",
        ]
    }
}

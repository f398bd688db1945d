/// What the loop calls the pictures that were captured.
///
/// The detector gets pictures from the capture, while the loop may be behind: it numbers those that come to it, without
/// gaps, and some never do, as there was no room for them.
struct FrameNumbers {
    /// The number of the next picture that comes.
    private(set) var next = 0

    private var taken: [(captured: Int, frame: Int)] = []
    private var early: [DetectionReport] = []

    /// Pictures whose numbers are kept: a look that takes longer is too late anyway.
    private static let memory = LiveTracker.memory

    /// A captured picture has come to the loop, as `next`.
    ///
    /// - Returns: what was found in it before it came.
    mutating func took(_ captured: Int) -> [DetectionReport] {
        taken.append((captured, next))
        if taken.count > Self.memory { taken.removeFirst() }
        next += 1
        // Those before it won't come any more.
        defer { early.removeAll { $0.frame <= captured } }
        return early.filter { $0.frame == captured }.map(numbered)
    }

    /// A report by the loop's number; nil where its picture hasn't come yet (`took` hands it over then), or was lost.
    ///
    /// A failed look at such a picture counts for the next one, and at once: nothing is shown bare until a newer picture
    /// was searched.
    mutating func resolve(_ report: DetectionReport) -> DetectionReport? {
        let isTaken = taken.contains { $0.captured == report.frame }
        if isTaken || report.detections == nil { return numbered(report) }
        if report.frame > taken.last?.captured ?? -1 { early.append(report) }
        return nil
    }

    private func numbered(_ report: DetectionReport) -> DetectionReport {
        var report = report
        report.frame = taken.last { $0.captured == report.frame }?.frame ?? next
        return report
    }
}

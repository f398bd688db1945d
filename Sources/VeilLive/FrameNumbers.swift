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
    /// - Returns: what was found in it before it came; and failed looks at pictures before it that were lost.
    mutating func took(_ captured: Int) -> [DetectionReport] {
        taken.append((captured, next))
        if taken.count > Self.memory { taken.removeFirst() }
        next += 1
        // Those before it won't come any more.
        defer { early.removeAll { $0.frame <= captured } }
        return early.filter { $0.frame == captured || ($0.frame < captured && $0.detections == nil) }.map {
            var report = $0
            report.frame = next - 1
            return report
        }
    }

    /// A report by the loop's number; nil where its picture hasn't come yet (`took` hands it over then), or was lost.
    ///
    /// A failed look counts at once, for the next picture, and again for its own: what was found in one before it must not
    /// make up for it.
    mutating func resolve(_ report: DetectionReport) -> DetectionReport? {
        let known = taken.last { $0.captured == report.frame }
        if known == nil, report.frame > taken.last?.captured ?? -1 { early.append(report) }
        guard let frame = known?.frame ?? (report.detections == nil ? next : nil) else { return nil }
        var report = report
        report.frame = frame
        return report
    }
}

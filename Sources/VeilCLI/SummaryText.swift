import VeilCore
import VeilPipeline

/// What people are told when a file is done.
enum SummaryText {
    static func lines(_ result: RedactionResult, output: String) throws(VeilError) -> [String] {
        var lines = try self.lines(result.plan, file: output)
        if result.framesCoveredWhole > 0 {
            lines.append("\(output): \(counted(result.framesCoveredWhole, "frame")) covered whole")
        }
        return lines
    }

    static func lines(_ plan: RedactionPlan, file: String) throws(VeilError) -> [String] {
        let summary: PlanSummary
        do throws(PlanError) { summary = try PlanSummary(plan) } catch { throw .plan(error, file: file) }
        let regions = Origin.allCases.compactMap { origin in
            summary.regions[origin].flatMap { $0 > 0 ? "\($0) \(origin.rawValue)" : nil }
        }
        var lines = [
            "\(file): \(counted(summary.frames, "frame")), \(counted(summary.framesWithFaces, "frame")) with faces, "
                + "\(counted(summary.tracks, "track"))"
                + (regions.isEmpty ? "" : ": " + regions.joined(separator: ", "))
        ]
        let weak = summary.weakestByScore.prefix(3).filter { $0.score < 0.6 }
        if !weak.isEmpty {
            let places = weak.map {
                "track \($0.id) at \(ErrorText.thousandths($0.start)) s (score \(percent($0.score)))"
            }
            lines.append("\(file): look at the least sure: " + places.joined(separator: ", "))
        }
        return lines
    }

    /// Of a still: a single picture has no times and tracks.
    static func stillLines(_ result: RedactionResult, output: String) throws(VeilError) -> [String] {
        let plan = result.plan
        guard plan.frames.count == 1, let frame = plan.frames.first else { return try lines(result, output: output) }
        if result.framesCoveredWhole > 0 { return ["\(output): covered whole"] }
        let kept = Set(plan.tracks.filter { $0.action == .keep }.map(\.id))
        let count = frame.regions.count { !kept.contains($0.track) } + plan.manual.count
        let least = plan.tracks.filter { !kept.contains($0.id) && $0.sightings > 0 }.map(\.score).min()
        return ["\(output): \(counted(count, "face"))" + (least.map { ", the least sure at \(percent($0))" } ?? "")]
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}

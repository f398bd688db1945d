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

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}

import VeilBatch
import VeilPipeline

/// Words for one file of many.
enum BatchText {
    static func lines(_ details: FileDetails, input: String, output: String) -> [String] {
        var lines = details.notices.map { "veil: \(sanitised(input)): note: \(sanitised($0))" }
        guard details.outcome != RedactionResult.Outcome.skipped.rawValue else { return lines }
        func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        lines.append(
            "veil: \(sanitised(output)): \(counted(details.frames, "frame")), "
                + "\(counted(details.framesWithFaces, "frame")) with faces, \(counted(details.trackCount, "track"))")
        let weak = details.tracks.prefix(3).filter { $0.score < 0.6 }
        if !weak.isEmpty && details.frames > 1 {
            let places = weak.map {
                "track \($0.id) at \(ErrorText.thousandths($0.start)) s (score \(Int(($0.score * 100).rounded())) %)"
            }
            lines.append("veil: \(sanitised(output)): look at the least sure: " + places.joined(separator: ", "))
        }
        return lines
    }
}

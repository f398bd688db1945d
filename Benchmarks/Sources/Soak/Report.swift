import Foundation

/// One run's figures, and what is wrong with them.
struct Report {
    let name: String
    let watch: Watch
    /// In bytes.
    let limit: Int
    /// Whether the run is one stage of the work, whose memory is to stay flat; two stages need different amounts.
    let isOneStage: Bool

    /// Memory may be so much larger at the end than early on.
    private static let growth = 1.1
    /// So may the number of open files, for one that happens to be open.
    private static let files = 1

    var faults: [String] {
        var found: [String] = []
        if watch.exitCode != 0 { found.append("it ended with \(watch.exitCode)") }
        if watch.peak >= limit { found.append("its peak of \(mebibytes(watch.peak)) is not below \(mebibytes(limit))") }
        if isOneStage && watch.exitCode == 0 {
            if let memory = watch.fifths(\.memory), let files = watch.fifths(\.openFiles) {
                if Double(memory.late) > Report.growth * Double(memory.early) {
                    found.append("its memory grew from \(mebibytes(memory.early)) to \(mebibytes(memory.late))")
                }
                if files.late > files.early + Report.files {
                    found.append("its open files grew from \(files.early) to \(files.late)")
                }
            } else {
                found.append("it was too short to tell whether its memory grows: give it a longer clip")
            }
        }
        return found
    }

    var text: String {
        var parts = [
            "peak \(mebibytes(watch.peak))", "\(Int(watch.cpu.rounded())) CPU seconds",
            "\(Int(watch.elapsed.rounded())) s on the clock",
        ]
        if isOneStage, let memory = watch.fifths(\.memory), let files = watch.fifths(\.openFiles) {
            let ratio = (Double(memory.late) / Double(max(1, memory.early))).formatted(
                .number.precision(.fractionLength(3)))
            parts.insert(
                "memory \(mebibytes(memory.early)) early, \(mebibytes(memory.late)) late (\(ratio))", at: 1)
            parts.insert("open files \(files.early), \(files.late)", at: 2)
        }
        return "\(name): " + parts.joined(separator: "; ")
    }

    private func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MB" }
}

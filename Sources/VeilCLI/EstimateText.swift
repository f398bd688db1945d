import VeilPipeline

/// Tells before a long run what it will take.
enum EstimateText {
    /// Shorter runs are over before one has read it.
    private static let longRun = 60.0

    static func lines(_ estimate: Estimate, input: String) -> [String] {
        var lines: [String] = []
        if estimate.seconds >= longRun {
            lines.append(
                "\(input): \(estimate.frames) frames of \(estimate.width)×\(estimate.height): roughly "
                    + "\(duration(estimate.seconds)) and \(size(estimate.bytes))")
        }
        if let free = estimate.bytesFree, free < estimate.bytes {
            lines.append("\(input): warning: the output may need \(size(estimate.bytes)), and \(size(free)) are free")
        }
        return lines
    }

    static func duration(_ seconds: Double) -> String {
        let minutes = seconds / 60
        return minutes < 90 ? "\(max(1, Int(minutes.rounded()))) min" : "\(Int((minutes / 60).rounded())) h"
    }

    static func size(_ bytes: Double) -> String {
        bytes < 1e9 ? "\(max(1, Int((bytes / 1e6).rounded()))) MB" : "\(Int((bytes / 1e8).rounded()) / 10) GB"
    }
}

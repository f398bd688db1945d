import VeilLive

/// What people and scripts are told about a live run.
enum LiveText {
    /// One line while it runs.
    static func status(_ stats: LiveStats) -> String {
        "live: \(rate(stats.captureRate)) fps in, \(rate(stats.shownRate)) out, \(rate(stats.detectionRate)) searches/s, "
            + "age \(milliseconds(stats.age.median)) ms, \(stats.faces) faces, \(stats.coveredWhole) covered whole"
    }

    static func summary(_ stats: LiveStats) -> [String] {
        var lines = [
            "\(stats.captured) frames in, \(stats.shown) out, \(stats.dropped) dropped; \(rate(stats.captureRate)) fps in, "
                + "\(rate(stats.shownRate)) out",
            "\(rate(stats.detectionRate)) searches a second; age of the newest: median \(milliseconds(stats.age.median)) ms, "
                + "p99 \(milliseconds(stats.age.percentile(0.99))) ms, at most \(milliseconds(stats.age.maximum)) ms",
            "\(stats.coveredWhole) frames covered whole, \(stats.wholeLater) of them after the first second"
                + (reasons(stats).isEmpty
                    ? "" : ": " + reasons(stats).map { "\($0.count) \($0.words)" }.joined(separator: ", ")),
        ]
        for (name, output) in stats.outputs.sorted(by: { $0.key < $1.key })
        where output.dropped > 0 || output.failures > 0 {
            lines.append("\(name): \(output.dropped) frames left out, failed \(output.failures) times")
        }
        return lines
    }

    private static func reasons(_ stats: LiveStats) -> [(words: String, count: Int)] {
        LiveGuard.Reason.allCases.compactMap { reason in stats.whole[reason].map { (reason.rawValue, $0) } }
    }

    /// One line of JSON; seconds as they are, shares from 0 to 1.
    static func json(_ stats: LiveStats) -> String {
        func number(_ value: Double) -> String { value.isFinite ? "\((value * 1e6).rounded() / 1e6)" : "null" }
        func spread(_ spread: Spread) -> String {
            "{\"median\":\(number(spread.median)),\"p99\":\(number(spread.percentile(0.99))),"
                + "\"max\":\(number(spread.maximum))}"
        }
        let reasons = LiveGuard.Reason.allCases.map { "\"\($0)\":\(stats.whole[$0] ?? 0)" }.joined(separator: ",")
        let outputs = stats.outputs.sorted { $0.key < $1.key }.map { name, output in
            "{\"name\":\(quoted(name)),\"written\":\(output.written),\"dropped\":\(output.dropped),"
                + "\"failures\":\(output.failures)}"
        }
        let fields = [
            "\"captured\":\(stats.captured)", "\"shown\":\(stats.shown)", "\"dropped\":\(stats.dropped)",
            "\"broken\":\(stats.broken)", "\"seconds\":\(number(stats.elapsed))",
            "\"captureFPS\":\(number(stats.captureRate))", "\"outputFPS\":\(number(stats.shownRate))",
            "\"detections\":\(stats.detections)", "\"failedDetections\":\(stats.failedDetections)",
            "\"detectionsPerSecond\":\(number(stats.detectionRate))", "\"age\":\(spread(stats.age))",
            "\"latency\":\(spread(stats.latency))", "\"delay\":\(number(stats.delay))",
            "\"coveredWhole\":\(stats.coveredWhole)", "\"coveredWholeAfterFirstSecond\":\(stats.wholeLater)",
            "\"shownAfterFirstSecond\":\(stats.shownLater)", "\"reasons\":{\(reasons)}",
            "\"outputs\":[\(outputs.joined(separator: ","))]",
        ]
        return "{" + fields.joined(separator: ",") + "}"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func rate(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    private static func milliseconds(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded()))" }
}

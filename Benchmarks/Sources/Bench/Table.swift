import Foundation

/// The figures as Markdown: a line for each clip, the sums, and the ratios below.
struct Table {
    let results: Results

    private var clips: [ClipResult] { results.clips }
    private var hasDeface: Bool { clips.contains { $0.deface != nil } }

    var markdown: String {
        let titles = titles
        var lines = [
            "\(results.date), \(results.machine). \(results.versions). Made by `\(results.command)`.",
            "",
            row(titles),
            row(titles.indices.map { $0 == 0 ? "---" : "---:" }),
        ]
        lines += clips.map { row(cells($0)) }
        lines.append(row(sums))
        lines.append("")
        lines += ratios.map { "- \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    // MARK: Rows

    private var titles: [String] {
        [
            "clip", "size", "frames", "faces", "leaked", "touched", "outside dB", "analyse s", "render s", "whole s",
            "peak MiB", "transcode s", "whole ÷ transcode",
        ]
            + (hasDeface
                ? ["deface s", "leaked", "touched", "deface 640×360 s", "leaked", "touched"] : [])
    }

    private func cells(_ clip: ClipResult) -> [String] {
        let score = clip.score
        let frames = score.map { $0.frames == clip.frames ? "\($0.frames)" : "**\(clip.frames) → \($0.frames)**" }
        var result = [
            clip.name, "\(clip.width)×\(clip.height)", frames ?? "\(clip.frames)",
            number(clip.isLabelled ? score?.faceFrames : nil), number(clip.isLabelled ? score?.leaked : nil),
            touched(score, clip), score?.outsidePSNR.map { fixed($0, 1) } ?? "–", seconds(clip.analyse.cpu),
            seconds(clip.render.cpu), seconds(clip.whole.cpu),
            clip.whole.failure == nil ? number(clip.whole.usage.map { $0.peakMemory >> 20 }) : "–",
            seconds(clip.transcode.cpu), quotient(clip.whole.cpu, clip.transcode.cpu),
        ]
        if hasDeface {
            for (step, score) in [(clip.deface, clip.defaceScore), (clip.defaceSmall, clip.defaceSmallScore)] {
                result += [
                    seconds(step?.cpu), number(clip.isLabelled ? score?.leaked : nil), touched(score, clip),
                ]
            }
        }
        return result
    }

    private var sums: [String] {
        let labelled = clips.filter(\.isLabelled)
        func total(_ value: (ClipResult) -> Double?) -> String { fixed(clips.compactMap(value).reduce(0, +), 2) }
        func count(_ value: (ClipResult) -> Int?) -> String {
            let values = labelled.compactMap(value)
            return values.isEmpty ? "–" : "\(values.reduce(0, +))"
        }
        func mean(_ value: (ClipResult) -> Double?) -> String {
            let values = labelled.compactMap(value)
            return values.isEmpty ? "–" : percent(values.reduce(0, +) / Double(values.count))
        }
        var result = [
            "all", "", "\(clips.reduce(0) { $0 + $1.frames })", count { $0.score?.faceFrames },
            count { $0.score?.leaked }, mean { $0.score?.touched }, "", total { $0.analyse.cpu },
            total { $0.render.cpu }, total { $0.whole.cpu },
            number(clips.compactMap { $0.whole.usage?.peakMemory }.max().map { $0 >> 20 }), total { $0.transcode.cpu },
            ratio(clips, { $0.whole.cpu }, { $0.transcode.cpu }) ?? "–",
        ]
        if hasDeface {
            result += [
                total { $0.deface?.cpu }, count { $0.defaceScore?.leaked }, mean { $0.defaceScore?.touched },
                total { $0.defaceSmall?.cpu }, count { $0.defaceSmallScore?.leaked },
                mean { $0.defaceSmallScore?.touched },
            ]
        }
        return result.map { $0.isEmpty ? "" : "**\($0)**" }
    }

    private var ratios: [String] {
        let large = clips.filter(\.isLarge)
        var result: [String] = []
        func add(_ name: String, _ clips: [ClipResult], _ a: (ClipResult) -> Double?, _ b: (ClipResult) -> Double?) {
            if let ratio = ratio(clips, a, b) { result.append("\(name): \(ratio)") }
        }
        let among = "CPU over clips of 720 lines and more (\(large.count))"
        add("\(among), veil ÷ plain transcode", large, { $0.whole.cpu }, { $0.transcode.cpu })
        add("\(among), veil's rendering alone ÷ plain transcode", large, { $0.render.cpu }, { $0.transcode.cpu })
        add("CPU over all clips, veil ÷ deface", clips, { $0.whole.cpu }, { $0.deface?.cpu })
        add("CPU over all clips, veil ÷ deface `--scale 640x360`", clips, { $0.whole.cpu }, { $0.defaceSmall?.cpu })
        return result
    }

    /// The quotient of two sums, over the clips that have both; nil if none has.
    private func ratio(
        _ clips: [ClipResult], _ above: (ClipResult) -> Double?, _ below: (ClipResult) -> Double?
    ) -> String? {
        let pairs = clips.compactMap { clip in
            above(clip).flatMap { a in below(clip).map { (a, $0) } }
        }
        let sum = pairs.reduce((0.0, 0.0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        guard sum.1 > 0 else { return nil }
        // A failed run must not pass as a fast one.
        let note = pairs.count < clips.count ? " (\(clips.count - pairs.count) clips left out: a run failed)" : ""
        return fixed(sum.0 / sum.1, 2) + note
    }

    // MARK: Numbers

    private func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    /// Shares of the picture, in percent.
    private func percent(_ share: Double) -> String { fixed(share * 100, 2) + " %" }

    private func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "–" }

    private func seconds(_ value: Double?) -> String { value.map { fixed($0, 2) } ?? "failed" }

    private func touched(_ score: Score?, _ clip: ClipResult) -> String {
        score.flatMap { clip.isLabelled ? percent($0.touched) : nil } ?? "–"
    }

    private func quotient(_ a: Double?, _ b: Double?) -> String {
        guard let a, let b, b > 0 else { return "–" }
        return fixed(a / b, 2)
    }
}

/// A Markdown file that holds the table between two marker lines.
enum Document {
    static let begin = "<!-- bench: begin -->"
    static let end = "<!-- bench: end -->"

    /// Puts `table` between the markers in place of what is there.
    static func write(_ table: String, into file: String) throws(BenchError) {
        let url = URL(fileURLWithPath: file)
        let text: String
        do {
            text = try String(contentsOf: url, encoding: .utf8)
        } catch {
            throw .failed("\(file) can't be read: \(error.localizedDescription)")
        }
        guard let first = text.range(of: begin), let last = text.range(of: end, range: first.upperBound..<text.endIndex)
        else { throw .failed("\(file) has no lines \(begin) and \(end)") }
        let new = text[..<first.upperBound] + "\n\n" + table + "\n" + text[last.lowerBound...]
        do {
            try Data(new.utf8).write(to: url)
        } catch {
            throw .failed("\(file) can't be written: \(error.localizedDescription)")
        }
    }
}

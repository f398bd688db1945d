import VeilBatch
import VeilPipeline

// Flags of `veil check`.

extension Flags {
    static let every = Flag.value(
        "every", .interval, default: FaceAudit.Interval.frames(1), .faces,
        "Look at each Nth frame of a video, or at one every so many seconds (2s).")
    static let checkThreshold = Flag<Double?>.optional(
        "threshold", .number(0...1), otherwise: "0.5", .faces,
        "Take for a face what scores at least this much. Lower finds more faces and more that are none.")
    static let checkMinFace = Flag<MinimumFace?>.optional(
        "min-face", MinimumFace.kind, otherwise: "20 pixels wide", .faces,
        "Leave out faces smaller than this, in pixels (24) or in percent of the picture's height (2%).")
    static let checkThorough = Flag.toggle(
        "thorough", .faces, "Search harder for small and turned faces; takes many times as long."
    ).common()
    static let checkFormat = Flag.value(
        "format", .choice(), default: CheckReport.Format.text, .report,
        "How to say what was found, on standard output: lines for people, JSON, JUnit's XML, SARIF for code scanning, or "
            + "annotations of GitHub's workflows.")
    static let baseline = Flag<String?>.optional(
        "baseline", .file, otherwise: nil, .report,
        "Accept the faces that stand in FILE. A file of which a single byte has changed is looked at anew.")
    static let writeBaseline = Flag<String?>.optional(
        "write-baseline", .file, otherwise: nil, .report,
        "Write all faces that were found to FILE, to be accepted from now on. Look at them first.")

    static let checkGroup: [any FlagDeclaration] =
        [checkFormat, baseline, writeBaseline] + listGroup + [jobs]
        + [detector, checkThreshold, detectSize, checkMinFace, checkThorough, every]
}

extension ValueKind where Value == FaceAudit.Interval {
    /// `3` frames or `0.5s`.
    static let interval = ValueKind(
        name: "N|Ts", expected: "a number of frames (5) or of seconds (0.5s)",
        read: { text in
            if text.hasSuffix("s") {
                return decimalNumber(String(text.dropLast())).flatMap { $0 > 0 && $0 < 1e6 ? .seconds($0) : nil }
            }
            return Int(text).flatMap { $0 >= 1 ? .frames($0) : nil }
        },
        show: { interval in
            switch interval {
            case .frames(let count): String(count)
            case .seconds(let seconds): plainNumber(seconds) + "s"
            }
        })
}

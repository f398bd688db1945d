/// What a file's work has come to at one moment.
struct ProgressSnapshot: Sendable, Equatable {
    enum Stage: String, Sendable { case analysing, rendering }

    var stage: Stage
    /// The input's name as typed.
    var name: String
    var framesDone: Int
    /// Nil or 0 when unknown (a pipe, a container that doesn't say). May be an estimate that proves too small.
    var framesExpected: Int?
    var framesPerSecond: Double?
    /// People followed so far.
    var faces: Int
    var secondsLeft: Double?

    /// Whole percent, 0…100; nil when the number of frames is unknown.
    var percent: Int? {
        guard let framesExpected, framesExpected > 0 else { return nil }
        return min(max(framesDone, 0), framesExpected) * 100 / framesExpected
    }
}

/// Words for a snapshot; pure functions.
enum ProgressText {
    /// One line for a terminal, at most `width` columns wide. What matters less is left out as the room shrinks.
    static func status(_ snapshot: ProgressSnapshot, width: Int) -> String {
        let stage = snapshot.stage.rawValue
        let count = snapshot.percent.map { padded("\($0)%", to: 4) } ?? frames(snapshot.framesDone)
        let time = snapshot.secondsLeft.flatMap(clock).map { "\($0) left" }
        let speed = snapshot.framesPerSecond.flatMap(rate)
        let faces = counted(snapshot.faces, "face")
        let name = sanitised(snapshot.name)
        let hasBar = snapshot.percent != nil

        // (name, bar, facts), from everything to next to nothing.
        let layouts: [(name: Bool, bar: Bool, facts: [String?])] = [
            (true, hasBar, [count, faces, speed, time]),
            (true, hasBar, [count, faces, time]),
            (true, false, [count, faces, time]),
            (true, false, [count, time]),
            (false, false, [count, time]),
            (false, false, [count]),
        ]
        for layout in layouts {
            let facts = layout.facts.compactMap(\.self).joined(separator: "  ")
            var room = width - displayWidth(stage) - 1 - displayWidth(facts)
            // At least 10 cells, brackets and a space; at least 12 columns of the name and a space.
            let barLeast = layout.bar ? 13 : 0
            let nameLeast = layout.name ? min(displayWidth(name), 12) + 1 : 0
            guard room >= barLeast + nameLeast else { continue }
            var parts = [stage]
            if layout.name {
                let shown = shortened(name, columns: min(room - barLeast - 1, 40))
                parts.append(shown)
                room -= displayWidth(shown) + 1
            }
            if layout.bar { parts.append(bar(snapshot, cells: min(room - 3, 30))) }
            return (parts + [facts]).joined(separator: " ")
        }
        return fitting("\(stage) \(count)", columns: width)
    }

    /// One line for a log.
    static func logLine(_ snapshot: ProgressSnapshot) -> String {
        let done =
            if let percent = snapshot.percent, let expected = snapshot.framesExpected {
                "\(percent)% (\(snapshot.framesDone) of \(expected) frames)"
            } else {
                frames(snapshot.framesDone)
            }
        let facts = [
            done, snapshot.framesPerSecond.flatMap(rate), counted(snapshot.faces, "face"),
            snapshot.secondsLeft.flatMap(clock).map { "\($0) left" },
        ]
        return "veil: \(sanitised(snapshot.name)): \(snapshot.stage.rawValue) "
            + facts.compactMap(\.self).joined(separator: ", ")
    }

    /// `0:07`, `12:05`, `1:02:03`; nil for what isn't a time.
    static func clock(_ seconds: Double) -> String? {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return nil }
        let total = Int(seconds.rounded())
        let two = { (n: Int) in n < 10 ? "0\(n)" : "\(n)" }
        return total < 3600
            ? "\(total / 60):\(two(total % 60))"
            : "\(total / 3600):\(two(total / 60 % 60)):\(two(total % 60))"
    }

    /// `0.4 fps`, `38.2 fps`, `240 fps`; nil for what isn't a rate.
    static func rate(_ framesPerSecond: Double) -> String? {
        guard framesPerSecond.isFinite, framesPerSecond >= 0, framesPerSecond < 1e9 else { return nil }
        let tenths = Int((framesPerSecond * 10).rounded())
        return tenths >= 1000 ? "\((tenths + 5) / 10) fps" : "\(tenths / 10).\(tenths % 10) fps"
    }

    private static func bar(_ snapshot: ProgressSnapshot, cells: Int) -> String {
        let full = (snapshot.percent ?? 0) * cells / 100
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: cells - full) + "]"
    }

    private static func frames(_ count: Int) -> String { counted(count, "frame") }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

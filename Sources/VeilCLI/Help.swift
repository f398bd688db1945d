/// Help on the terminal, at most 80 columns wide.
enum Help {
    private static let width = 80
    /// Where the second column of lists begins.
    private static let column = 29

    /// Help on one verb.
    static func text(for verb: Verb) -> String {
        var lines = [verb.summary, "", "Usage: \(verb.usage)", ""]
        lines += verb.description.flatMap { wrapped($0, width: width) + [""] }
        for category in Category.allCases {
            let flags = verb.flags(in: category)
            if flags.isEmpty { continue }
            lines += ["\(category.rawValue):"] + flags.flatMap(rows) + [""]
        }
        lines += examples(verb.examples)
        return finished(lines)
    }

    /// `veil --help`: the verbs, the flags one needs most, and where to read on.
    static var overview: String {
        let redact = Verb.redact
        var lines = [
            "veil \(Version.current): finds faces in videos and pictures and covers them", "",
            "Usage: \(redact.usage)",
        ]
        lines += Verb.shown.dropFirst().map { "       \($0.usage)" }
        lines += ["", "Verbs:"]
        lines += Verb.shown.flatMap { row($0.name.rawValue + ($0.name == .redact ? " (default)" : ""), $0.summary) }
        lines += ["", "Flags used most (for all: veil redact --help):"]
        lines += redact.flags.map(\.info).filter(\.isCommon).flatMap(rows)
        lines += [""] + examples(Verb.shown.flatMap { $0.examples.prefix(2) })
        return finished(lines)
    }

    private static func examples(_ examples: [Verb.Example]) -> [String] {
        if examples.isEmpty { return [] }
        return ["Examples:"] + examples.flatMap { ["  \($0.command)", "      \($0.meaning)"] } + [""]
    }

    private static func rows(_ flag: FlagInfo) -> [String] {
        let short = flag.short.map { "-\($0), " } ?? "    "
        let value = flag.valueName.map { " \($0)" } ?? ""
        return row("\(short)--\(flag.name)\(value)", flag.help + (flag.note.map { " " + kept("[\($0)]") } ?? ""))
    }

    /// A note that fits into one line is kept in one: its spaces are not broken at.
    private static func kept(_ note: String) -> String {
        note.count > width - column ? note : String(note.map { $0 == " " ? unbroken : $0 })
    }

    private static let unbroken: Character = "\u{A0}"

    /// One entry of a two-column list; a first part that's too long has a line of its own.
    private static func row(_ left: String, _ right: String) -> [String] {
        let indent = String(repeating: " ", count: column)
        var lines = wrapped(right, width: width - column).map { indent + $0 }
        let start = "  " + left
        if start.count + 2 <= column, let first = lines.first {
            lines[0] = start + first.dropFirst(start.count)
            return lines
        }
        return [start] + lines
    }

    private static func finished(_ lines: [String]) -> String {
        let end = lines.lastIndex { !$0.isEmpty } ?? 0
        return String(lines[...end].joined(separator: "\n").map { $0 == unbroken ? " " : $0 }) + "\n"
    }
}

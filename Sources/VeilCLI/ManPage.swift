/// The man page veil(1), in the man macros of roff.
enum ManPage {
    static var text: String {
        var page = [
            ".TH VEIL 1 \"\" \"veil \(Version.current)\" \"User Commands\"",
            // No hyphenation: flags are to be found and copied as they are.
            ".nh",
            ".SH NAME", "veil \\- " + escaped("find faces in videos and pictures and cover them"),
            ".SH SYNOPSIS",
        ]
        page += Verb.shown.flatMap { synopsis($0) + [".br"] }.dropLast()
        page.append(".SH DESCRIPTION")
        page += paragraphs(Verb.redact.description)
        page += paragraphs([
            "The first argument is the verb if it is a verb's name; otherwise the verb is redact. A file that has a "
                + "verb's name is written with its directory (./detect) or after --.",
            "Flags and files may be mixed. Values follow a long flag after a space or = and a short flag after a space "
                + "or at once; short flags without values may be joined. -- ends the flags. Of a flag that is given "
                + "twice the last one holds, unless it may be repeated.",
        ])
        page.append(".SH VERBS")
        for verb in VerbName.allCases.map(\.verb) { page += section(verb) }
        page.append(".SH OPTIONS")
        for category in Category.allCases { page += options(category) }
        page.append(".SH EXIT STATUS")
        page += ExitCode.documented.flatMap { tagged(bold("\($0.rawValue)"), $0.meaning) }
        page += [
            ".P",
            escaped("Of several inputs, one that fails doesn't stop the others; the code is that of the worst."),
            ".SH ENVIRONMENT",
        ]
        page += tagged(bold("VEIL_MODELS"), "The directory of the models, unless --models is given.")
        page.append(".SH FILES")
        page += tagged(
            italic("IN.EXT.plan.json"),
            "The plan that detect writes: for every frame, by its presentation time, which regions to cover. JSON, "
                + "made to be read and changed.")
        page += tagged(
            italic("../share/veil/models"), "The installed models, seen from the directory of the program.")
        page.append(".SH EXAMPLES")
        page += Verb.shown.flatMap(\.examples).flatMap { tagged(bold($0.command), $0.meaning + ".") }
        page += [".SH SEE ALSO", "\(reference("ffmpeg", 1)), \(reference("ffprobe", 1)), \(reference("exiftool", 1))"]
        return page.joined(separator: "\n") + "\n"
    }

    private static func synopsis(_ verb: Verb) -> [String] {
        let name = bold(verb.name.rawValue)
        let operands = verb.operands.usage.map { " " + italic($0) } ?? ""
        return ["\(bold("veil")) \(verb.name == .redact ? "[\(name)]" : name) [\(italic("FLAGS"))]\(operands)"]
    }

    private static func section(_ verb: Verb) -> [String] {
        var page = [".SS " + verb.name.rawValue] + synopsis(verb)
        if verb.name == .redact {
            page += paragraphs([verb.summary + "; this is what a command line without a verb does."])
        } else {
            page += paragraphs(verb.description)
        }
        let names = verb.flags.map { "--" + $0.info.name }
        if verb.name != .redact { page += paragraphs(["Flags: " + names.joined(separator: ", ") + "."]) }
        return page
    }

    /// The flags of one category, of all verbs; one that verbs explain differently is listed for each.
    private static func options(_ category: Category) -> [String] {
        var page = [".SS " + category.rawValue]
        var seen: Set<String> = []
        for verb in VerbName.allCases.map(\.verb) {
            for flag in verb.flags(in: category) where seen.insert(flag.name + flag.help).inserted {
                let isAnother = verb.name != .redact && Verb.redact.flag(named: flag.name) != nil
                let belongs = isAnother ? " (\(verb.name.rawValue))" : ""
                let value = flag.valueName.map { " " + italic($0) } ?? ""
                let short = flag.short.map { bold("-\($0)") + ", " } ?? ""
                page += tagged(
                    short + bold("--" + flag.name) + value + belongs, flag.help + (flag.note.map { " [\($0)]" } ?? ""))
            }
        }
        return page
    }

    private static func paragraphs(_ texts: [String]) -> [String] { texts.flatMap { [".P"] + sentences($0) } }

    private static func tagged(_ tag: String, _ text: String) -> [String] { [".TP", tag] + sentences(text) }

    /// roff wants each sentence on a line of its own.
    private static func sentences(_ text: String) -> [String] {
        text.split(separator: ". ").enumerated().map { index, sentence in
            let isLast = sentence.endIndex == text.endIndex
            return escaped(String(sentence) + (isLast ? "" : "."))
        }
    }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
    private static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }
    private static func reference(_ name: String, _ section: Int) -> String { "\\fB\(name)\\fR(\(section))" }

    /// Text without meaning to roff: backslashes, hyphens that are to be typed, quotes, and a control character at the
    /// start of a line.
    static func escaped(_ text: String) -> String {
        var safe = text.first == "." || text.first == "'" ? "\\&" : ""
        for character in text {
            switch character {
            case "\\": safe += "\\(rs"
            case "-": safe += "\\-"
            case "'": safe += "\\(aq"
            case "`": safe += "\\(ga"
            case "^": safe += "\\(ha"
            case "~": safe += "\\(ti"
            default: safe.append(character)
            }
        }
        return safe
    }
}

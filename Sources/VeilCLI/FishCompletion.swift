/// Completions for fish 3 and later.
enum FishCompletion {
    static var text: String {
        let names = VerbName.allCases.map(\.rawValue).joined(separator: " ")
        var lines = [
            "# fish completion for veil", "",
            "# Whether the verb of the command line is one of the arguments.",
            "function __veil_is", "    set -l words (commandline -opc)", "    set -l verb redact",
            "    if set -q words[2]; and contains -- $words[2] \(names)", "        set verb $words[2]", "    end",
            "    contains -- $verb $argv", "end", "",
            "function __veil_at_verb", "    test (count (commandline -opc)) -eq 1", "end", "",
        ]
        for verb in Verb.shown {
            lines.append(
                "complete -c veil -n __veil_at_verb -a \(verb.name.rawValue) -d '\(quoted(verb.summary))'")
        }
        for name in VerbName.allCases {
            lines.append("")
            lines += entries(name.verb)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entries(_ verb: Verb) -> [String] {
        let start = "complete -c veil -n '__veil_is \(verb.name.rawValue)'"
        var lines = verb.flags.map(\.info).map { flag in
            let short = flag.short.map { " -s \($0)" } ?? ""
            let value = flag.takesValue ? action(flag.completion) : ""
            return "\(start)\(short) -l \(flag.name)\(value) -d '\(quoted(flag.brief))'"
        }
        switch verb.operands.completion {
        // Files are fish's default.
        case .files, .directories: break
        case .nothing: lines.append("\(start) -f")
        case .words(let words): lines.append("\(start) -f -a '\(words.joined(separator: " "))'")
        }
        return lines
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: " -x"
        case .files: " -r -F"
        case .directories: " -x -a '(__fish_complete_directories (commandline -ct))'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
    }

    private static func quoted(_ text: String) -> String {
        var safe = ""
        for character in text {
            if character == "'" || character == "\\" { safe.append("\\") }
            safe.append(character)
        }
        return safe
    }
}

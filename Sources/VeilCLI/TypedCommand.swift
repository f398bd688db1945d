/// A command line as it was typed: which flags with which texts, and what else. Nothing is checked or meant yet.
///
/// - The first argument is the verb if it is a verb's name, else the verb is `redact`.
/// - `--flag value`, `--flag=value`; `-f value`, `-fvalue`, `-f=value`; short switches may be joined (`-qv`).
/// - `--` ends the flags. A single `-` is an operand.
/// - A value may begin with a dash (`--crf -5`), unless it is spelt like one of the verb's flags; such a value needs
///   `--flag=value`.
/// - A long flag with one dash (`-output`) is refused.
/// - Nothing after `--help` or `--version` is looked at.
struct TypedCommand: Equatable {
    struct FlagUse: Equatable, Sendable {
        /// The long name, however it was typed.
        let name: String
        /// Nil for a switch.
        let value: String?
    }

    private(set) var verb = VerbName.redact
    private(set) var isVerbTyped = false
    private(set) var flags: [FlagUse] = []
    private(set) var operands: [String] = []
    /// How many of the operands came before a `--`.
    private(set) var operandsBeforeEnd = 0

    /// Splits arguments (without the program's name).
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        if let typed = rest.first.flatMap(VerbName.init(rawValue:)) {
            verb = typed
            isVerbTyped = true
            rest = rest.dropFirst()
        }
        var flagsEnded = false
        while let argument = rest.popFirst(), !asksForPrint {
            if flagsEnded || argument == "-" || !argument.hasPrefix("-") {
                operands.append(argument)
                if !flagsEnded { operandsBeforeEnd += 1 }
            } else if argument == "--" {
                flagsEnded = true
            } else if argument.hasPrefix("--") {
                try takeLong(argument, &rest)
            } else {
                try takeShort(argument, &rest)
            }
        }
    }

    /// Whether help or the version was asked for.
    private var asksForPrint: Bool {
        flags.last.map { $0.name == Flags.help.info.name || $0.name == Flags.version.info.name } ?? false
    }

    private mutating func takeLong(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let body = argument.dropFirst(2)
        let equals = body.firstIndex(of: "=")
        let name = String(body[..<(equals ?? body.endIndex)])
        let attached = equals.map { String(body[body.index(after: $0)...]) }
        guard let flag = verb.verb.flag(named: name) else {
            let known = verb.verb.flags.map(\.info.name)
            throw problem(.unknownFlag(typed: "--" + name, nearest: nearest(to: name, among: known).map { "--" + $0 }))
        }
        if flag.takesValue {
            let value = if let attached { attached } else { try nextValue(for: flag, &rest) }
            flags.append(FlagUse(name: name, value: value))
        } else if let attached {
            throw problem(.needlessValue(flag: name, value: attached))
        } else {
            flags.append(FlagUse(name: name, value: nil))
        }
    }

    private mutating func takeShort(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = argument.dropFirst()
        // One dash too few: -output would else be -o with the value "utput".
        if verb.verb.flag(named: String(letters)) != nil {
            throw problem(.unknownFlag(typed: argument, nearest: "-" + argument))
        }
        while let letter = letters.popFirst(), !asksForPrint {
            guard let flag = verb.verb.flag(short: letter) else {
                throw problem(.unknownFlag(typed: "-\(letter)", nearest: nil))
            }
            guard flag.takesValue else {
                flags.append(FlagUse(name: flag.name, value: nil))
                continue
            }
            let attached = letters.first == "=" ? letters.dropFirst() : letters
            let value = if letters.isEmpty { try nextValue(for: flag, &rest) } else { String(attached) }
            flags.append(FlagUse(name: flag.name, value: value))
            return
        }
    }

    private func nextValue(for flag: FlagInfo, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        let next = rest.first
        guard let next, !looksLikeFlag(next) else {
            throw problem(.missingValue(flag: flag.name, valueName: flag.valueName ?? "", instead: next))
        }
        rest = rest.dropFirst()
        return next
    }

    private func looksLikeFlag(_ text: String) -> Bool {
        if text == "--" { return true }
        if text.hasPrefix("--") {
            return verb.verb.flag(named: String(text.dropFirst(2).prefix { $0 != "=" })) != nil
        }
        guard text.hasPrefix("-"), let letter = text.dropFirst().first else { return false }
        return verb.verb.flag(short: letter) != nil
    }

    private func problem(_ problem: UsageError.Problem) -> UsageError { UsageError(verb: verb, problem: problem) }
}

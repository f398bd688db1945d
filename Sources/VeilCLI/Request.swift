/// What a command line asks for.
enum Request: Sendable {
    /// Print a text and be done.
    case print(Document)
    /// Do the work of `redact`, `detect` or `doctor`.
    case run(Options)

    /// Reads arguments (without the program's name).
    init(_ arguments: [String]) throws(UsageError) {
        let typed = try TypedCommand(arguments)
        switch typed.flags.last?.name {
        case Flags.help.info.name: self = .print(typed.isVerbTyped ? .help(typed.verb) : .overview)
        case Flags.version.info.name: self = .print(.version)
        default: self = try Request(typed, isBare: arguments.isEmpty)
        }
    }

    private init(_ typed: TypedCommand, isBare: Bool) throws(UsageError) {
        let options = try Options(typed)
        let operands = typed.operands
        func fail(_ problem: UsageError.Problem) -> UsageError {
            UsageError(verb: isBare ? nil : typed.verb, problem: problem)
        }
        switch typed.verb.verb.operands {
        case .none:
            if let first = operands.first { throw fail(.needlessOperand(first)) }
        case .inputsOrList where operands.isEmpty && options.isGiven(Flags.fromFile): break
        case .inputs, .inputsOrList:
            guard let first = operands.first else { throw fail(.missingOperand(what: "the file to work on")) }
            if operands.contains("") { throw fail(.refusedOperand("", expected: "the name of a file", nearest: nil)) }
            if !typed.isVerbTyped, typed.operandsBeforeEnd > 0, let verb = VerbName(rawValue: first) {
                throw fail(.verbNotFirst(verb))
            }
        case .verb, .shell:
            if operands.count > 1 { throw fail(.needlessOperand(operands[1])) }
        }
        for rule in typed.verb.verb.rules {
            if let problem = rule(options) { throw fail(problem) }
        }
        switch typed.verb {
        case .help:
            guard let word = operands.first else {
                self = .print(.overview)
                return
            }
            guard let verb = VerbName(rawValue: word) else {
                let known = VerbName.allCases.map(\.rawValue)
                throw fail(
                    .refusedOperand(word, expected: "a verb", nearest: nearest(to: word, among: known)))
            }
            self = .print(.help(verb))
        case .man: self = .print(.man)
        case .completions:
            let known = Shell.allCases.map(\.rawValue)
            guard let word = operands.first else {
                throw fail(.missingOperand(what: "the shell (\(alternatives(known)))"))
            }
            guard let shell = Shell(rawValue: word) else {
                throw fail(
                    .refusedOperand(word, expected: alternatives(known), nearest: nearest(to: word, among: known)))
            }
            self = .print(.completions(shell))
        case .redact, .detect, .check, .live, .doctor: self = .run(options)
        }
    }
}

/// A shell that completions are made for.
enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

/// A text that the program can print about itself.
enum Document: Sendable, Equatable {
    case overview
    case help(VerbName)
    case version
    case man
    case completions(Shell)

    /// The whole text, ending in a line feed.
    var text: String {
        switch self {
        case .overview: Help.overview
        case .help(let name): Help.text(for: name.verb)
        case .version: Version.text
        case .man: ManPage.text
        case .completions(.bash): BashCompletion.text
        case .completions(.zsh): ZshCompletion.text
        case .completions(.fish): FishCompletion.text
        }
    }
}

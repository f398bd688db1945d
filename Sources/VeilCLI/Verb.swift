/// The verbs; a new one is a case here, its row in `Verb`, and the code that carries it out.
enum VerbName: String, CaseIterable, Sendable {
    case redact, detect, check, live, doctor, help, man, completions

    /// The verb's row of the table.
    var verb: Verb {
        switch self {
        case .redact: .redact
        case .detect: .detect
        case .check: .check
        case .live: .live
        case .doctor: .doctor
        case .help: .help
        case .man: .man
        case .completions: .completions
        }
    }
}

/// What may follow a verb besides flags.
enum Operands: Sendable {
    case none
    /// One file or more.
    case inputs
    /// One file or folder or more, or a list of them by flag.
    case inputsOrList
    /// One verb or none.
    case verb
    /// One shell.
    case shell

    /// As shown in the usage line.
    var usage: String? {
        switch self {
        case .none: nil
        case .inputs, .inputsOrList: "IN..."
        case .verb: "[VERB]"
        case .shell: Shell.allCases.map(\.rawValue).joined(separator: "|")
        }
    }

    /// What a shell offers for them.
    var completion: Completion {
        switch self {
        case .none: .nothing
        case .inputs, .inputsOrList: .files
        case .verb: .words(VerbName.allCases.map(\.rawValue))
        case .shell: .words(Shell.allCases.map(\.rawValue))
        }
    }
}

/// One verb of the table: its flags, its operands and what help says about it.
struct Verb: Sendable {
    let name: VerbName
    /// One line without a full stop, as in a list.
    let summary: String
    /// Paragraphs.
    let description: [String]
    let operands: Operands
    let flags: [any FlagDeclaration]
    var examples: [Example] = []
    /// Whether lists of verbs leave it out (it works all the same).
    var isHidden = false
    /// What flags and operands must fulfil together.
    var rules: [@Sendable (Options) -> UsageError.Problem?] = []

    struct Example: Sendable {
        let command: String
        /// One line without a full stop.
        let meaning: String
    }

    /// The verbs that lists show.
    static var shown: [Verb] { VerbName.allCases.map(\.verb).filter { !$0.isHidden } }

    /// The flags of one category, in order.
    func flags(in category: Category) -> [FlagInfo] { flags.map(\.info).filter { $0.category == category } }

    func flag(named name: String) -> FlagInfo? { flags.lazy.map(\.info).first { $0.name == name } }

    func flag(short: Character) -> FlagInfo? { flags.lazy.map(\.info).first { $0.short == short } }

    /// "veil detect [FLAGS] IN...".
    var usage: String {
        let word = name == .redact ? "[redact]" : name.rawValue
        return ["veil", word, "[FLAGS]", operands.usage].compactMap(\.self).joined(separator: " ")
    }
}

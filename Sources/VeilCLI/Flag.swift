/// What a flag is for; help and the man page group flags by it, in this order.
enum Category: String, CaseIterable, Sendable {
    case source = "Source"
    case output = "Output"
    case folders = "Folders and many files"
    case faces = "Finding faces"
    case mask = "Covering faces"
    case view = "View and control"
    case plan = "Plan and report"
    case report = "Result"
    case general = "General"
}

/// All about a flag but the type of its value.
struct FlagInfo: Sendable {
    /// The long name without dashes.
    let name: String
    let short: Character?
    let category: Category
    /// One or more sentences; the first one alone is what a shell shows beside a completion.
    let help: String
    /// The placeholder of its value; nil for a switch.
    var valueName: String?
    /// What is accepted as its value, for error messages.
    var expected = ""
    /// The range or the choices, for help.
    var limits: String?
    /// The default as one would type it, or in words.
    var defaultText: String?
    var completion: Completion = .nothing
    var isRepeatable = false
    /// Whether the overview (`veil --help`) lists it.
    var isCommon = false
    /// Names of flags that make no sense beside it.
    var excludes: [String] = []

    var takesValue: Bool { valueName != nil }

    /// The first sentence, without its full stop.
    var brief: String {
        let sentence = help.firstRange(of: ". ").map { help[..<$0.lowerBound] } ?? help[...]
        return String(sentence.last == "." ? sentence.dropLast() : sentence)
    }

    /// "2 to 64; default: 5": what help says in brackets after the sentences. Nil when there's nothing to say.
    var note: String? {
        let parts = [
            limits, defaultText.map { "default: \($0)" }, isRepeatable ? "may be repeated" : nil,
            excludes.count == 1 ? "not with --\(excludes[0])" : nil,
        ]
        let said = parts.compactMap(\.self)
        return said.isEmpty ? nil : said.joined(separator: "; ")
    }
}

/// A flag whose value's type is not known at this place: what tables hold.
protocol FlagDeclaration: Sendable {
    var info: FlagInfo { get }
    /// Reads all that was typed for this flag, in order. Throws the text that isn't accepted.
    func read(_ typed: [String]) throws(RefusedText) -> any Reading
}

/// A value that a flag ended up with.
protocol Reading: Sendable {
    /// What to tell people about a value that is allowed but unwise.
    var caution: String? { get }
    /// The value as text: the same for the same value.
    var text: String { get }
}

/// The text that a flag doesn't accept.
struct RefusedText: Error {
    let text: String
}

/// One flag of the table, with the type of its value.
///
/// A flag that takes one value and is typed twice keeps the last value, so that a flag at the end of a line overrides
/// one from an alias or a script; the earlier values are checked all the same.
struct Flag<Value: Sendable>: FlagDeclaration {
    private(set) var info: FlagInfo
    let initial: Value
    private let take: @Sendable (inout Value, String) -> Bool
    private var cautions: @Sendable (Value) -> String? = { _ in nil }

    /// The value that was read, kept with its type.
    struct Read: Reading {
        let value: Value
        let caution: String?
        var text: String { "\(value)" }
    }

    func read(_ typed: [String]) throws(RefusedText) -> any Reading {
        var value = initial
        for text in typed {
            guard take(&value, text) else { throw RefusedText(text: text) }
        }
        return Read(value: value, caution: cautions(value))
    }

    /// The same flag, listed in the overview.
    func common() -> Flag { changed { $0.info.isCommon = true } }

    /// The same flag, refused beside the named ones.
    func excluding(_ names: [String]) -> Flag { changed { $0.info.excludes = names } }

    /// The same flag, with a warning for values that are allowed but unwise.
    func warning(_ caution: @escaping @Sendable (Value) -> String?) -> Flag { changed { $0.cautions = caution } }

    private func changed(_ change: (inout Flag) -> Void) -> Flag {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Flag where Value == Bool {
    /// A flag that takes no value: off until it is typed.
    static func toggle(_ name: String, short: Character? = nil, _ category: Category, _ help: String) -> Flag {
        Flag(
            info: FlagInfo(name: name, short: short, category: category, help: help), initial: false,
            take: { value, _ in
                value = true
                return true
            })
    }
}

extension Flag {
    /// A flag that always has a value.
    static func value(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, default initial: Value, _ category: Category,
        _ help: String
    ) -> Flag {
        Flag(
            info: FlagInfo(
                name: name, short: short, category: category, help: help, kind: kind, defaultText: kind.show(initial)),
            initial: initial,
            take: { value, text in
                guard let read = kind.read(text) else { return false }
                value = read
                return true
            })
    }

    /// A flag whose value is nil until it is typed; `otherwise` says in help what happens then.
    static func optional<Wrapped>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Wrapped>, otherwise: String?, _ category: Category,
        _ help: String
    ) -> Flag where Value == Wrapped? {
        Flag(
            info: FlagInfo(
                name: name, short: short, category: category, help: help, kind: kind, defaultText: otherwise),
            initial: nil,
            take: { value, text in
                guard let read = kind.read(text) else { return false }
                value = read
                return true
            })
    }

    /// A flag that may be typed several times; its values are kept in order.
    static func list<Element>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Element>, _ category: Category, _ help: String
    ) -> Flag where Value == [Element] {
        var info = FlagInfo(name: name, short: short, category: category, help: help, kind: kind, defaultText: nil)
        info.isRepeatable = true
        return Flag(
            info: info, initial: [],
            take: { values, text in
                guard let read = kind.read(text) else { return false }
                values.append(read)
                return true
            })
    }
}

extension FlagInfo {
    fileprivate init<Value>(
        name: String, short: Character?, category: Category, help: String, kind: ValueKind<Value>, defaultText: String?
    ) {
        self.init(
            name: name, short: short, category: category, help: help, valueName: kind.name, expected: kind.expected,
            limits: kind.limits, defaultText: defaultText, completion: kind.completion)
    }
}

/// How the text after a flag becomes a value: its name in help, what is accepted, and how it is read and shown.
///
/// Every description that people see (help, man page, error messages, completions) comes from here, so that a range is
/// written down once.
struct ValueKind<Value: Sendable>: Sendable {
    /// The placeholder in help, such as `FILE`.
    let name: String
    /// What is accepted, for error messages: "a whole number from 0 to 63".
    let expected: String
    /// The range or the choices, for help: "0 to 63". Nil when the name already says it.
    var limits: String?
    var completion: Completion = .nothing
    /// The value, or nil when the text isn't one that's accepted.
    let read: @Sendable (String) -> Value?
    /// The value as one would type it, for defaults in help.
    let show: @Sendable (Value) -> String
}

/// What a shell offers where a value is to be typed.
enum Completion: Sendable, Equatable {
    case nothing
    case files
    case directories
    case words([String])
}

extension ValueKind where Value == Int {
    /// A whole number of a range, both ends included.
    static func whole(_ range: ClosedRange<Int>, name: String = "N") -> ValueKind {
        ValueKind(
            name: name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            limits: "\(range.lowerBound) to \(range.upperBound)",
            read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }, show: { String($0) })
    }

    /// A whole number that has no upper end.
    static func whole(_ range: PartialRangeFrom<Int>, name: String = "N") -> ValueKind {
        ValueKind(
            name: name, expected: "a whole number of \(range.lowerBound) or more",
            limits: "\(range.lowerBound) or more",
            read: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }, show: { String($0) })
    }
}

extension ValueKind where Value == Double {
    /// A number of a range, both ends included.
    static func number(_ range: ClosedRange<Double>, name: String = "N") -> ValueKind {
        let low = plainNumber(range.lowerBound)
        let high = plainNumber(range.upperBound)
        return ValueKind(
            name: name, expected: "a number from \(low) to \(high)", limits: "\(low) to \(high)",
            read: { text in decimalNumber(text).flatMap { range.contains($0) ? $0 : nil } }, show: plainNumber)
    }
}

extension ValueKind where Value == String {
    /// The name of a file.
    static let file = ValueKind(
        name: "FILE", expected: "the name of a file", completion: .files, read: nonEmpty, show: { $0 })
    /// The name of a directory.
    static let directory = ValueKind(
        name: "DIR", expected: "the name of a directory", completion: .directories, read: nonEmpty, show: { $0 })

    /// Any text that isn't empty.
    static func text(name: String) -> ValueKind {
        ValueKind(name: name, expected: "a name", read: nonEmpty, show: { $0 })
    }

    private static let nonEmpty: @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a closed set of words. Without a `name` the words themselves stand in its place: `keep|drop`.
    static func choice(name: String? = nil) -> ValueKind {
        let words = Value.allCases.map(\.rawValue)
        return ValueKind(
            name: name ?? words.joined(separator: "|"), expected: alternatives(words),
            limits: name == nil ? nil : words.joined(separator: ", "), completion: .words(words),
            read: { Value(rawValue: $0) }, show: { $0.rawValue })
    }
}

/// "keep or drop", "pixellate, blur or solid".
func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

/// A number in plain decimal notation; Swift's own reader also takes "nan", "inf" and hexadecimal.
func decimalNumber(_ text: String) -> Double? {
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
    return Double(text)
}

/// A number as one would type it: `1`, `1.3`, `0.5`.
@Sendable func plainNumber(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

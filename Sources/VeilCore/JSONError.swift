/// Where in a JSON text a value is, from the top: `frames[12].regions[0].shape.radiusX`.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible, ExpressibleByArrayLiteral {
    public enum Element: Sendable, Hashable {
        case key(String)
        case index(Int)
    }

    public var elements: [Element]

    public init(_ elements: [Element] = []) { self.elements = elements }

    public init(arrayLiteral elements: Element...) { self.elements = elements }

    /// The path of a member of the object at this path.
    public func key(_ name: String) -> JSONPath { JSONPath(elements + [.key(name)]) }

    /// The path of an element of the array at this path.
    public func index(_ index: Int) -> JSONPath { JSONPath(elements + [.index(index)]) }

    /// Empty at the top of the text.
    public var description: String {
        elements.reduce(into: "") { text, element in
            switch element {
            case .key(let name): text += (text.isEmpty ? "" : ".") + name
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}

/// A place in a text, for people.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
    /// From 1; lines end with a line feed.
    public var line: Int
    /// From 1, in Unicode scalars.
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public var description: String { "line \(line), column \(column)" }
}

/// A JSON text that is malformed, too large, or not of the form its reader expects.
public struct JSONError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case tooLarge(limit: Int)
        case tooDeep(limit: Int)
        case tooManyKeys(limit: Int)
        case stringTooLong(limit: Int)
        case numberTooLong(limit: Int)
        case byteOrderMark
        case notUTF8
        case unexpectedEnd
        case unexpectedCharacter(Unicode.Scalar, expected: String)
        case trailingData
        case badEscape
        case badNumber
        case notFinite
        case wrongType(expected: String, found: String)
        case notWhole
        case numberOutOfRange
        case notOneOf(found: String, allowed: [String])
        case duplicateKey(String)
        case unknownKey(String)
        case missingKey(String)
    }

    public var reason: Reason
    public var path: JSONPath
    public var position: TextPosition

    public init(reason: Reason, path: JSONPath, position: TextPosition) {
        self.reason = reason
        self.path = path
        self.position = position
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        let place = path.elements.isEmpty ? "\(position)" : "\(path) (\(position))"
        return "\(place): \(reason)"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the text is larger than \(limit) bytes"
        case .tooDeep(let limit): "nested more than \(limit) deep"
        case .tooManyKeys(let limit): "an object with more than \(limit) keys"
        case .stringTooLong(let limit): "a string of more than \(limit) bytes"
        case .numberTooLong(let limit): "a number of more than \(limit) characters"
        case .byteOrderMark: "the text starts with a byte order mark; save it as UTF-8 without one"
        case .notUTF8: "not UTF-8"
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedCharacter(let scalar, let expected): "expected \(expected), found \(quoted(String(scalar)))"
        case .trailingData: "something follows the end of the value"
        case .badEscape:
            "a wrong escape in a string; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits"
        case .badNumber: "a number that JSON doesn't have; write it like 12, -0.5 or 1e-3"
        case .notFinite: "NaN and infinity aren't numbers in JSON"
        case .wrongType(let expected, let found): "expected \(expected), found \(found)"
        case .notWhole: "expected a whole number without a point or an exponent"
        case .numberOutOfRange: "the number is too large"
        case .notOneOf(let found, let allowed):
            "\(quoted(found)) isn't one of \(allowed.map(quoted).joined(separator: ", "))"
        case .duplicateKey(let key): "the key \(quoted(key)) appears twice"
        case .unknownKey(let key): "the key \(quoted(key)) isn't known here"
        case .missingKey(let key): "the key \(quoted(key)) is missing"
        }
    }
}

/// Text from a file made fit for a terminal: in quotes, at most 40 characters, without control or formatting characters.
func quoted(_ text: String) -> String {
    var result = "\""
    var count = 0
    for scalar in text.unicodeScalars {
        if count == 40 {
            result += "…"
            break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: result += "?"
        default: result.unicodeScalars.append(scalar)
        }
        count += 1
    }
    return result + "\""
}

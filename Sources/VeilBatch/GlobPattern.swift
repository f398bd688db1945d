/// A pattern for names and paths.
///
/// - `*` stands for any characters but `/`, `?` for one.
/// - `[abc]`, `[a-z]`: one of these; `[!a-z]`: one that is none of these. Never `/`.
/// - `**` as a whole part of a path stands for any number of folders, none included.
/// - `{mp4,mov}`: one of these texts.
/// - `\` takes the next character as it is.
///
/// Letters match in their own case only. A pattern without `/` is held against names, wherever they are; one with `/`
/// against the whole path below the folder that was named. One that ends in `/` matches folders only.
public struct GlobPattern: Sendable, Hashable {
    /// As it was typed.
    public let text: String
    private let alternatives: [[Part]]
    private let isPath: Bool
    private let wantsFolder: Bool

    enum Part: Sendable, Hashable {
        /// `**`
        case anyFolders
        case name([Token])
    }

    enum Token: Sendable, Hashable {
        case literal(Unicode.Scalar)
        case anyOne
        case anyMany
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    /// The most texts that a pattern's braces may stand for.
    private static let mostAlternatives = 1000

    /// Nil for a pattern that isn't one: an unclosed bracket or brace, a `\` at the end, nothing at all, or braces that
    /// stand for more than 1,000 texts.
    public init?(_ text: String) {
        var body = Array(text.unicodeScalars)
        wantsFolder = body.count > 1 && body.last == "/"
        while body.count > 1, body.last == "/" { body.removeLast() }
        guard !body.isEmpty, let texts = Self.expandBraces(body) else { return nil }
        isPath = body.contains("/")
        var alternatives: [[Part]] = []
        for text in texts {
            guard let parts = Self.parts(of: text) else { return nil }
            alternatives.append(parts)
        }
        self.text = text
        self.alternatives = alternatives
    }

    /// Whether a text holds what makes a pattern of it.
    public static func isPattern(_ text: String) -> Bool {
        text.unicodeScalars.contains { "*?[{".unicodeScalars.contains($0) }
    }

    /// - Parameter path: below the folder that was named, without a slash at its beginning or end.
    public func matches(_ path: String, isFolder: Bool) -> Bool {
        if wantsFolder && !isFolder { return false }
        let names = Path.parts(path).map { Array($0.unicodeScalars) }
        let held = isPath ? names[...] : names.suffix(1)
        return alternatives.contains { Self.match($0[...], held) }
    }

    /// The patterns of the parts of a path, one list for each choice of the braces; what `GlobExpansion` walks along.
    var walks: [[Part]] { alternatives }

    // MARK: Reading

    private static func expandBraces(_ text: [Unicode.Scalar]) -> [[Unicode.Scalar]]? {
        var index = 0
        while index < text.count {
            if text[index] == "\\" {
                index += 2
                continue
            }
            if text[index] == "[", let end = endOfSet(text, from: index) {
                index = end + 1
                continue
            }
            guard text[index] == "{" else {
                index += 1
                continue
            }
            guard let (choices, end) = choices(text, from: index) else { return nil }
            var all: [[Unicode.Scalar]] = []
            for choice in choices {
                guard let rest = expandBraces(choice + text[(end + 1)...]) else { return nil }
                all += rest.map { Array(text[..<index]) + $0 }
                if all.count > mostAlternatives { return nil }
            }
            return all
        }
        return [text]
    }

    /// The texts between the commas of the braces that open at `start`, and where they close.
    private static func choices(_ text: [Unicode.Scalar], from start: Int) -> ([[Unicode.Scalar]], end: Int)? {
        var choices: [[Unicode.Scalar]] = [[]]
        var depth = 0
        var index = start + 1
        while index < text.count {
            let scalar = text[index]
            if scalar == "\\" {
                guard index + 1 < text.count else { return nil }
                choices[choices.count - 1] += text[index...(index + 1)]
                index += 2
                continue
            }
            if scalar == "}" && depth == 0 { return (choices, index) }
            if scalar == "," && depth == 0 {
                choices.append([])
            } else {
                depth += scalar == "{" ? 1 : scalar == "}" ? -1 : 0
                choices[choices.count - 1].append(scalar)
            }
            index += 1
        }
        return nil
    }

    /// Where the set that opens at `start` closes. A `]` right behind the opening belongs to the set.
    private static func endOfSet(_ text: [Unicode.Scalar], from start: Int) -> Int? {
        var index = start + 1
        if index < text.count, text[index] == "!" || text[index] == "^" { index += 1 }
        if index < text.count, text[index] == "]" { index += 1 }
        while index < text.count {
            if text[index] == "]" { return index }
            index += text[index] == "\\" ? 2 : 1
        }
        return nil
    }

    private static func parts(of text: [Unicode.Scalar]) -> [Part]? {
        var parts: [Part] = []
        for piece in text.split(separator: "/") {
            if Array(piece) == ["*", "*"] {
                if parts.last != .anyFolders { parts.append(.anyFolders) }
                continue
            }
            guard let tokens = tokens(of: Array(piece)) else { return nil }
            parts.append(.name(tokens))
        }
        return parts
    }

    private static func tokens(of text: [Unicode.Scalar]) -> [Token]? {
        var tokens: [Token] = []
        var index = 0
        while index < text.count {
            switch text[index] {
            case "\\":
                index += 1
                guard index < text.count else { return nil }
                tokens.append(.literal(text[index]))
            case "*":
                if tokens.last != .anyMany { tokens.append(.anyMany) }
            case "?": tokens.append(.anyOne)
            case "[":
                guard let end = endOfSet(text, from: index) else { return nil }
                var first = index + 1
                let isNegated = text[first] == "!" || text[first] == "^"
                if isNegated { first += 1 }
                tokens.append(.set(ranges(of: text[first..<end]), isNegated: isNegated))
                index = end
            default: tokens.append(.literal(text[index]))
            }
            index += 1
        }
        return tokens
    }

    private static func ranges(of text: ArraySlice<Unicode.Scalar>) -> [ClosedRange<Unicode.Scalar>] {
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var rest = text
        while var low = rest.popFirst() {
            if low == "\\", let next = rest.popFirst() { low = next }
            if rest.count >= 2, rest.first == "-" {
                rest = rest.dropFirst()
                var high = rest.removeFirst()
                if high == "\\", let next = rest.popFirst() { high = next }
                if low <= high { ranges.append(low...high) }
            } else {
                ranges.append(low...low)
            }
        }
        return ranges
    }

    // MARK: Matching

    private static func match(_ parts: ArraySlice<Part>, _ names: ArraySlice<[Unicode.Scalar]>) -> Bool {
        var (parts, names) = (parts, names)
        while let part = parts.first {
            parts = parts.dropFirst()
            switch part {
            case .anyFolders:
                // `a/**` is all below a, not a itself.
                if parts.isEmpty { return !names.isEmpty }
                return (0...names.count).contains { match(parts, names.dropFirst($0)) }
            case .name(let tokens):
                guard let name = names.first, match(tokens, name) else { return false }
                names = names.dropFirst()
            }
        }
        return names.isEmpty
    }

    /// The well-known loop that goes back to the last `*` only: its time is at most tokens × characters.
    static func match(_ tokens: [Token], _ name: [Unicode.Scalar]) -> Bool {
        var (token, place) = (0, 0)
        var back: (token: Int, place: Int)?
        while place < name.count {
            if token < tokens.count, tokens[token] == .anyMany {
                back = (token, place)
                token += 1
            } else if token < tokens.count, fits(tokens[token], name[place]) {
                token += 1
                place += 1
            } else if let last = back {
                back = (last.token, last.place + 1)
                (token, place) = (last.token + 1, last.place + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .anyMany }
    }

    private static func fits(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .literal(let wanted): wanted == scalar
        case .anyOne: true
        case .anyMany: false
        case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }
}

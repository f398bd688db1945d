/// Reads a JSON text (RFC 8259) piece by piece, in the order of the text, and keeps track of where it is.
///
/// Made for text that nobody vouches for: size, depth, the number of keys and the length of strings and numbers are
/// bounded, and it refuses duplicate keys, NaN, anything that isn't UTF-8 and anything behind the end. It builds no tree,
/// so a small text can't take much memory.
///
///     try reader.beginObject()
///     while let key = try reader.nextKey() {
///         switch key {
///         case "pts": pts = try reader.readInt()
///         default: throw reader.unknownKey(key)
///         }
///     }
///     try reader.finish()
public struct JSONReader: Sendable {
    public struct Limits: Sendable, Hashable {
        /// In bytes. Half a gigabyte is a plan of some four million regions.
        public var size = 1 << 29
        /// Arrays and objects inside one another.
        public var depth = 16
        /// Keys of one object.
        public var keys = 64
        /// In bytes of UTF-8 before escapes are resolved.
        public var string = 8192
        /// In characters; the shortest exact form of a double has at most 24.
        public var number = 64

        public init() {}
    }

    struct Level {
        var start: Int
        var isArray: Bool
        /// Elements or members begun so far.
        var count = 0
        var key = ""
        /// Where this object's keys start in `keys`.
        var firstKey: Int
    }

    let bytes: [UInt8]
    let limits: Limits
    var offset = 0
    var levels: [Level] = []
    /// The keys of all open objects, to find duplicates.
    var keys: [String] = []
    var keyOffset = 0

    /// - Throws: when the text is larger than allowed or starts with a byte order mark.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) {
        self.bytes = bytes
        self.limits = limits
        guard bytes.count <= limits.size else { throw failure(.tooLarge(limit: limits.size)) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure(.byteOrderMark) }
    }

    // MARK: Objects and arrays

    public mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{"), isArray: false) }

    public mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "["), isArray: true) }

    private mutating func begin(_ bracket: UInt8, isArray: Bool) throws(JSONError) {
        try expectValue(isArray ? "an array" : "an object") { $0 == bracket }
        guard levels.count < limits.depth else { throw failure(.tooDeep(limit: limits.depth)) }
        levels.append(Level(start: offset, isArray: isArray, firstKey: keys.count))
        offset += 1
    }

    /// The next key of the object begun last, or nil at its end, which closes it.
    public mutating func nextKey() throws(JSONError) -> String? {
        let level = levels.count - 1
        precondition(level >= 0 && !levels[level].isArray, "nextKey without beginObject")
        levels[level].key = ""
        guard try advance(closing: UInt8(ascii: "}"), "\"}\" or \",\"") else { return nil }
        guard try peek() == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
        keyOffset = offset
        let key = try stringToken()
        if keys[levels[level].firstKey...].contains(key) { throw failure(.duplicateKey(key), at: keyOffset) }
        guard levels[level].count <= limits.keys else { throw failure(.tooManyKeys(limit: limits.keys), at: keyOffset) }
        keys.append(key)
        skipSpace()
        guard try peek() == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        offset += 1
        levels[level].key = key
        return key
    }

    /// Whether the array begun last has another element, which is to be read next; at its end closes it.
    public mutating func nextElement() throws(JSONError) -> Bool {
        precondition(levels.last?.isArray == true, "nextElement without beginArray")
        return try advance(closing: UInt8(ascii: "]"), "\"]\" or \",\"")
    }

    /// Steps over the comma, or over the end of the container and leaves it.
    private mutating func advance(closing bracket: UInt8, _ expected: String) throws(JSONError) -> Bool {
        let level = levels.count - 1
        skipSpace()
        var byte = try peek()
        if byte == bracket {
            offset += 1
            keys.removeLast(keys.count - levels[level].firstKey)
            levels.removeLast()
            return false
        }
        if levels[level].count > 0 {
            guard byte == UInt8(ascii: ",") else { throw unexpected(expected) }
            offset += 1
            skipSpace()
            byte = try peek()
            if byte == bracket { throw unexpected(levels[level].isArray ? "a value" : "a key in double quotes") }
        }
        levels[level].count += 1
        return true
    }

    /// Makes sure that nothing but white space is left.
    public mutating func finish() throws(JSONError) {
        precondition(levels.isEmpty, "finish inside a container")
        skipSpace()
        guard offset == bytes.count else { throw failure(.trailingData) }
    }

    // MARK: Values

    public mutating func readString() throws(JSONError) -> String {
        try expectValue("a string") { $0 == UInt8(ascii: "\"") }
        return try stringToken()
    }

    public mutating func readBool() throws(JSONError) -> Bool {
        try expectValue("true or false") { $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: "f") }
        let value = bytes[offset] == UInt8(ascii: "t")
        try word(value ? "true" : "false")
        return value
    }

    /// Reads a number; never NaN or infinite.
    public mutating func readDouble() throws(JSONError) -> Double {
        let start = try numberStart("a number")
        _ = try numberToken()
        // The grammar has been checked; Double(_:) alone would also take hexadecimal and "inf".
        guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)), value.isFinite else {
            throw failure(.numberOutOfRange, at: start)
        }
        return value
    }

    /// Reads a whole number of 64 bits.
    public mutating func readInt() throws(JSONError) -> Int {
        let start = try numberStart("a whole number")
        guard try numberToken() else { throw failure(.notWhole, at: start) }
        guard let value = Int(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            throw failure(.numberOutOfRange, at: start)
        }
        return value
    }

    /// Reads a string that has to be one of an enumeration's raw values.
    public mutating func readChoice<Choice>(_: Choice.Type) throws(JSONError) -> Choice
    where Choice: RawRepresentable<String> & CaseIterable {
        skipSpace()
        let start = offset
        let text = try readString()
        guard let choice = Choice(rawValue: text) else {
            throw failure(.notOneOf(found: text, allowed: Choice.allCases.map(\.rawValue)), at: start)
        }
        return choice
    }

    /// Reads over one value of any kind.
    public mutating func skipValue() throws(JSONError) {
        skipSpace()
        switch try peek() {
        case UInt8(ascii: "{"):
            try beginObject()
            while try nextKey() != nil { try skipValue() }
        case UInt8(ascii: "["):
            try beginArray()
            while try nextElement() { try skipValue() }
        case UInt8(ascii: "\""): _ = try stringToken()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try readBool()
        case UInt8(ascii: "n"): try word("null")
        default: _ = try readDouble()
        }
    }

    // MARK: Errors

    /// The error for a key that the object begun last doesn't have.
    public func unknownKey(_ key: String) -> JSONError {
        var error = failure(.unknownKey(key), at: keyOffset)
        if error.path.elements.last == .key(key) { error.path.elements.removeLast() }
        return error
    }

    /// The value, or the error that its key is missing in the object that starts at `start` (see `nextOffset`).
    public func require<Value>(_ value: Value?, _ key: String, objectAt start: Int) throws(JSONError) -> Value {
        guard let value else {
            var error = failure(.missingKey(key), at: start)
            error.path = error.path.key(key)
            throw error
        }
        return value
    }

    /// Where the next value starts, in bytes.
    public mutating func nextOffset() -> Int {
        skipSpace()
        return offset
    }

    /// An error at an offset (by default the current one) and the current path.
    public func failure(_ reason: JSONError.Reason, at offset: Int? = nil) -> JSONError {
        JSONError(reason: reason, path: path, position: position(at: offset ?? self.offset))
    }

    var path: JSONPath {
        JSONPath(
            levels.compactMap { level in
                if level.isArray { return level.count > 0 ? .index(level.count - 1) : nil }
                return level.key.isEmpty ? nil : .key(level.key)
            })
    }

    func position(at offset: Int) -> TextPosition {
        var line = 1
        var lineStart = 0
        let end = min(offset, bytes.count)
        for index in 0..<end where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        // Continuation bytes of UTF-8 (0b10…) don't start a scalar.
        let column = bytes[lineStart..<end].count { $0 & 0xC0 != 0x80 }
        return TextPosition(line: line, column: column + 1)
    }
}

extension JSONReader {
    /// Where the value at a path starts; nil where the text has no such value.
    public static func position(
        of path: JSONPath, in bytes: [UInt8], limits: Limits = Limits()
    ) -> TextPosition? {
        guard var reader = reader(at: path, in: bytes, limits: limits) else { return nil }
        return reader.position(at: reader.nextOffset())
    }

    /// A reader that stands before the value at a path; nil where the text has no such value.
    static func reader(at path: JSONPath, in bytes: [UInt8], limits: Limits = Limits()) -> JSONReader? {
        do throws(JSONError) {
            var reader = try JSONReader(bytes, limits: limits)
            for element in path.elements {
                switch element {
                case .key(let name):
                    try reader.beginObject()
                    while let key = try reader.nextKey(), key != name { try reader.skipValue() }
                    guard reader.levels.last?.key == name else { return nil }
                case .index(let index):
                    try reader.beginArray()
                    var position = 0
                    while try reader.nextElement() {
                        if position == index { break }
                        position += 1
                        try reader.skipValue()
                    }
                    guard reader.levels.last?.isArray == true, position == index else { return nil }
                }
            }
            return reader
        } catch {
            return nil
        }
    }
}

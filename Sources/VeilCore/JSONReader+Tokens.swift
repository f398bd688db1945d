/// Tokens of JSON: white space, strings, numbers, words.
extension JSONReader {
    mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    func peek() throws(JSONError) -> UInt8 {
        guard offset < bytes.count else { throw failure(.unexpectedEnd) }
        return bytes[offset]
    }

    /// The error for what stands at the current offset.
    func unexpected(_ expected: String) -> JSONError {
        guard offset < bytes.count else { return failure(.unexpectedEnd) }
        guard let length = scalarLength(at: offset),
            let scalar = String(decoding: bytes[offset..<offset + length], as: UTF8.self).unicodeScalars.first
        else { return failure(.notUTF8) }
        return failure(.unexpectedCharacter(scalar, expected: expected))
    }

    /// Goes to the next value and makes sure that it starts as expected.
    mutating func expectValue(_ expected: String, _ starts: (UInt8) -> Bool) throws(JSONError) {
        skipSpace()
        let byte = try peek()
        if starts(byte) { return }
        let found: String
        switch byte {
        case UInt8(ascii: "{"): found = "an object"
        case UInt8(ascii: "["): found = "an array"
        case UInt8(ascii: "\""): found = "a string"
        case UInt8(ascii: "t"): found = "true"
        case UInt8(ascii: "f"): found = "false"
        case UInt8(ascii: "n"): found = "null"
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): found = "a number"
        case UInt8(ascii: "N"), UInt8(ascii: "I"): throw failure(.notFinite)
        case UInt8(ascii: "+"), UInt8(ascii: "."): throw failure(.badNumber)
        default: throw unexpected(expected)
        }
        throw failure(.wrongType(expected: expected, found: found))
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        let start = offset
        for index in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[index] else { throw unexpected("\(word)") }
            offset += 1
        }
        if offset < bytes.count, Self.isWordByte(bytes[offset]) {
            offset = start
            throw unexpected("\(word)")
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    // MARK: Numbers

    mutating func numberStart(_ expected: String) throws(JSONError) -> Int {
        try expectValue(expected) { $0 == UInt8(ascii: "-") || Self.isDigit($0) }
        return offset
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Steps over a number of JSON's grammar: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
    ///
    /// - Returns: whether it has neither a fraction nor an exponent.
    mutating func numberToken() throws(JSONError) -> Bool {
        let start = offset
        var end = offset
        while end < bytes.count, Self.isWordByte(bytes[end]) {
            end += 1
            guard end - start <= limits.number else { throw failure(.numberTooLong(limit: limits.number), at: start) }
        }
        var index = start
        func digits() -> Bool {
            let first = index
            while index < end, Self.isDigit(bytes[index]) { index += 1 }
            return index > first
        }
        var isWhole = true
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        if index < end, bytes[index] == UInt8(ascii: "I") { throw failure(.notFinite, at: start) }
        let first = index
        guard digits(), index == first + 1 || bytes[first] != UInt8(ascii: "0") else {
            throw failure(.badNumber, at: start)
        }
        if index < end, bytes[index] == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            guard digits() else { throw failure(.badNumber, at: start) }
        }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            index += 1
            if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
            guard digits() else { throw failure(.badNumber, at: start) }
        }
        guard index == end else { throw failure(.badNumber, at: start) }
        offset = end
        return isWhole
    }

    // MARK: Strings

    /// Reads a string from its opening quote to behind its closing one.
    mutating func stringToken() throws(JSONError) -> String {
        let open = offset
        offset += 1
        var start = offset
        var unescaped: [UInt8]?
        while true {
            let byte = try peek()
            guard offset - open - 1 <= limits.string else {
                throw failure(.stringTooLong(limit: limits.string), at: open)
            }
            switch byte {
            case UInt8(ascii: "\""):
                let end = offset
                offset += 1
                guard var text = unescaped else { return String(decoding: bytes[start..<end], as: UTF8.self) }
                text += bytes[start..<end]
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                var text = unescaped ?? []
                text += bytes[start..<offset]
                text += Array(String(try escape()).utf8)
                unescaped = text
                start = offset
            case 0..<0x20: throw unexpected("a string without control characters")
            case 0x20..<0x80: offset += 1
            default:
                guard let length = scalarLength(at: offset) else { throw failure(.notUTF8) }
                offset += length
            }
        }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        let byte = try peek()
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let high = try hexUnit(of: start)
            guard (0xD800..<0xDC00).contains(high) else {
                guard let scalar = Unicode.Scalar(high) else { throw failure(.badEscape, at: start) }
                return scalar
            }
            // The first half of a surrogate pair: the second has to follow.
            guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
            else { throw failure(.badEscape, at: start) }
            offset += 2
            let low = try hexUnit(of: start)
            guard (0xDC00..<0xE000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
            else { throw failure(.badEscape, at: start) }
            return scalar
        default: throw failure(.badEscape, at: start)
        }
    }

    private mutating func hexUnit(of start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = try peek()
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw failure(.badEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    /// Bytes of the well-formed UTF-8 sequence at an offset (Unicode 15, table 3-7), or nil if it isn't one.
    func scalarLength(at offset: Int) -> Int? {
        func isIn(_ range: ClosedRange<UInt8>, _ ahead: Int) -> Bool {
            offset + ahead < bytes.count && range.contains(bytes[offset + ahead])
        }
        let any: ClosedRange<UInt8> = 0x80...0xBF
        return switch bytes[offset] {
        case 0x00...0x7F: 1
        case 0xC2...0xDF: isIn(any, 1) ? 2 : nil
        case 0xE0: isIn(0xA0...0xBF, 1) && isIn(any, 2) ? 3 : nil
        case 0xED: isIn(0x80...0x9F, 1) && isIn(any, 2) ? 3 : nil
        case 0xE1...0xEF: isIn(any, 1) && isIn(any, 2) ? 3 : nil
        case 0xF0: isIn(0x90...0xBF, 1) && isIn(any, 2) && isIn(any, 3) ? 4 : nil
        case 0xF1...0xF3: isIn(any, 1) && isIn(any, 2) && isIn(any, 3) ? 4 : nil
        case 0xF4: isIn(0x80...0x8F, 1) && isIn(any, 2) && isIn(any, 3) ? 4 : nil
        default: nil
        }
    }
}

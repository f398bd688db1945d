import Testing
import VeilCore

@Suite struct JSONTests {
    /// Reads any value and the end behind it.
    private func skip(_ text: [UInt8], limits: JSONReader.Limits = JSONReader.Limits()) throws(JSONError) {
        var reader = try JSONReader(text, limits: limits)
        try reader.skipValue()
        try reader.finish()
    }

    @Test(arguments: [
        "0", "-0", "1.5e-3", "1E+2", "true", "false", "null", "\"\"", "[]", "{}", " [ 1 , 2 ] ",
        "{\"a\":{\"b\":[1,{}]}}",
        "\"\\u00e9\\ud83c\\udfac\\n\\/\"", "\"日本語🎬\"", "\t\r\n1\n",
    ])
    func `well-formed text is read`(_ text: String) throws {
        try skip(text.bytes)
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd), (" ", .unexpectedEnd), ("[", .unexpectedEnd), ("[1", .unexpectedEnd),
            ("{\"a\"", .unexpectedEnd), ("\"abc", .unexpectedEnd), ("tru", .unexpectedEnd),
            ("01", .badNumber), ("-", .badNumber), ("1.", .badNumber), (".5", .badNumber), ("+1", .badNumber),
            ("1e", .badNumber), ("0x10", .badNumber), ("1_000", .badNumber), ("--1", .badNumber), ("1.5.2", .badNumber),
            ("NaN", .notFinite), ("Infinity", .notFinite), ("-Infinity", .notFinite), ("1e999", .numberOutOfRange),
            ("1 2", .trailingData), ("{} x", .trailingData), ("[]]", .trailingData),
            ("\"\\x\"", .badEscape), ("\"\\u12g4\"", .badEscape), ("\"\\ud800\"", .badEscape),
            ("\"\\udc00\"", .badEscape),
            ("\"\\ud800\\u0041\"", .badEscape), ("{\"a\":1,\"a\":2}", .duplicateKey("a")),
            ("{\"a\":1,\"\\u0061\":2}", .duplicateKey("a")), ("\u{FEFF}1", .byteOrderMark),
            ("[1,]", .unexpectedCharacter("]", expected: "a value")),
            ("[1 2]", .unexpectedCharacter("2", expected: "\"]\" or \",\"")),
            ("{a:1}", .unexpectedCharacter("a", expected: "a key in double quotes")),
            ("{\"a\" 1}", .unexpectedCharacter("1", expected: "\":\"")),
            ("{\"a\":1,}", .unexpectedCharacter("}", expected: "a key in double quotes")),
            ("\"a\nb\"", .unexpectedCharacter("\n", expected: "a string without control characters")),
            ("truex", .unexpectedCharacter("t", expected: "true")),
            ("// c", .unexpectedCharacter("/", expected: "a number")),
        ] as [(String, JSONError.Reason)])
    func `malformed text is refused`(_ text: String, _ reason: JSONError.Reason) {
        #expect(throws: JSONError.self) { try skip(text.bytes) }
        do throws(JSONError) { try skip(text.bytes) } catch { #expect(error.reason == reason) }
    }

    @Test(
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE0, 0x9F, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82],
            [0x22, 0xFF],
            [0xFF, 0xFE],
        ] as [[UInt8]])
    func `text that is not UTF-8 is refused`(_ text: [UInt8]) {
        do throws(JSONError) {
            try skip(text)
            Issue.record("was read")
        } catch { #expect(error.reason == .notUTF8) }
    }

    @Test func `size, depth, keys, strings and numbers are bounded`() {
        var limits = JSONReader.Limits()
        limits.size = 1000
        func reason(_ text: String) -> JSONError.Reason? {
            do throws(JSONError) {
                try skip(text.bytes, limits: limits)
                return nil
            } catch { return error.reason }
        }
        let (open, close) = (String(repeating: "[", count: 16), String(repeating: "]", count: 16))
        #expect(reason(open + close) == nil)
        #expect(reason(open + "[" + close + "]") == .tooDeep(limit: 16))
        #expect(reason(String(repeating: "[", count: 900)) == .tooDeep(limit: 16))
        #expect(reason(String(repeating: " ", count: 1001)) == .tooLarge(limit: 1000))
        let keys = (0..<65).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(reason("{\(keys)}") == .tooManyKeys(limit: 64))
        limits.string = 10
        #expect(reason("\"0123456789\"") == nil)
        #expect(reason("\"01234567890\"") == .stringTooLong(limit: 10))
        #expect(reason(String(repeating: "9", count: 64)) == nil)
        #expect(reason(String(repeating: "9", count: 65)) == .numberTooLong(limit: 64))
    }

    @Test func `escapes and surrogate pairs become their characters`() throws {
        var reader = try JSONReader(#""a\"\\\/\b\f\n\r\t\u00e9\ud83c\udfac\u0000b""#.bytes)
        let text = try reader.readString()
        #expect(text == "a\"\\/\u{8}\u{C}\n\r\té🎬\u{0}b")
    }

    @Test(arguments: [
        ("9223372036854775807", Int.max), ("-9223372036854775808", .min), ("-0", 0), ("12", 12),
    ])
    func `whole numbers of 64 bits are read exactly`(_ text: String, _ value: Int) throws {
        var reader = try JSONReader(text.bytes)
        let read = try reader.readInt()
        #expect(read == value)
    }

    @Test(
        arguments: [
            ("9223372036854775808", .numberOutOfRange), ("1.0", .notWhole), ("1e3", .notWhole),
            ("\"1\"", .wrongType(expected: "a whole number", found: "a string")),
            ("null", .wrongType(expected: "a whole number", found: "null")),
        ] as [(String, JSONError.Reason)])
    func `what is not a whole number of 64 bits is refused`(_ text: String, _ reason: JSONError.Reason) throws {
        var reader = try JSONReader(text.bytes)
        do throws(JSONError) {
            _ = try reader.readInt()
            Issue.record("was read")
        } catch { #expect(error.reason == reason) }
    }

    @Test func `any double and any string is read as it was written`() throws {
        var random = SeededGenerator(1)
        var doubles: [Double] = [
            0, -0.0, 1, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-5, 1e16, 123_456_789.125,
        ]
        while doubles.count < 2000 {
            let value = Double(bitPattern: random.next())
            if value.isFinite { doubles.append(value) }
        }
        let strings = ["", "a\"b\\c", "\u{0}\u{1F}\u{7F}", "é🎬\u{2028}", "\n\r\t/"]
        var writer = JSONWriter()
        writer.beginArray(.lines)
        for value in doubles { writer.value(value) }
        for text in strings { writer.value(text) }
        writer.endArray()
        var reader = try JSONReader(writer.finish())
        try reader.beginArray()
        for value in doubles {
            #expect(try reader.nextElement())
            let read = try reader.readDouble()
            #expect(read.bitPattern == value.bitPattern)
        }
        for text in strings {
            #expect(try reader.nextElement())
            let read = try reader.readString()
            #expect(Array(read.utf8) == Array(text.utf8))
        }
        let more = try reader.nextElement()
        #expect(!more)
        try reader.finish()
    }

    @Test func `the layout is by line where asked for`() {
        var writer = JSONWriter()
        writer.beginObject(.lines)
        writer.key("a")
        writer.beginArray(.lines)
        writer.beginObject()
        writer.key("b")
        writer.value(1)
        writer.key("c")
        writer.null()
        writer.endObject()
        writer.value(.nan)
        writer.endArray()
        writer.key("d")
        writer.beginArray(.lines)
        writer.endArray()
        writer.endObject()
        let text = String(decoding: writer.finish(), as: UTF8.self)
        #expect(text == "{\n  \"a\": [\n    {\"b\": 1, \"c\": null},\n    null\n  ],\n  \"d\": []\n}\n")
    }

    @Test func `a path's place in the text is found`() {
        let text = "{\n \"a\": [1,\n  {\"é\": 0, \"b\": 5}]}".bytes
        #expect(JSONReader.position(of: ["a", 1, "b"], in: text) == TextPosition(line: 3, column: 17))
        #expect(JSONReader.position(of: [], in: text) == TextPosition(line: 1, column: 1))
        #expect(JSONReader.position(of: ["a", 2], in: text) == nil)
        #expect(JSONReader.position(of: ["b"], in: text) == nil)
        #expect(JSONPath(["frames", 12, "regions", 0, "shape"]).description == "frames[12].regions[0].shape")
    }

    @Test func `no bytes whatever make the reader crash`() throws {
        // Valid text with bytes changed, removed and added at random.
        let text = try RedactionPlan.random(3).encoded()
        var random = SeededGenerator(2)
        var read = 0
        for _ in 0..<3000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(index..<min(bytes.count, index + 5))
                default: bytes.insert(contentsOf: "{}[]\",:0-eE.".utf8.shuffled(using: &random).prefix(2), at: index)
                }
            }
            do throws(PlanError) {
                let plan = try RedactionPlan(json: bytes)
                // What is read is valid, so it can be written.
                _ = try plan.encoded()
                read += 1
            } catch { #expect(!error.description.isEmpty) }
        }
        #expect(read > 0 && read < 3000)
    }
}

import Testing

@testable import VeilCLI

@Suite struct SanitisedTests {
    @Test(arguments: [
        ("plain name.mp4", "plain name.mp4"), ("\u{1B}[31mred", "\\x1B[31mred"), ("a\nb\tc\r", "a\\x0Ab\\x09c\\x0D"),
        ("\u{7F}\0", "\\x7F\\x00"), ("\u{9B}2J", "\\xC2\\x9B2J"), ("\u{202E}4pm.exe", "\\xE2\\x80\\xAE4pm.exe"),
        ("\u{2066}a\u{2069}", "\\xE2\\x81\\xA6a\\xE2\\x81\\xA9"), ("a\u{2028}b", "a\\xE2\\x80\\xA8b"),
        ("\u{FEFF}a\u{200B}", "\\xEF\\xBB\\xBFa\\xE2\\x80\\x8B"), ("\u{E0041}", "\\xF3\\xA0\\x81\\x81"),
        ("Zoë 日本 שלום", "Zoë 日本 שלום"), ("👩‍👧.mp4", "👩‍👧.mp4"), ("e\u{301}", "e\u{301}"), ("", ""),
        ("\u{0378}", "\\xCD\\xB8"),
    ])
    func `what could act on a terminal becomes visible`(text: String, expected: String) {
        #expect(Array(sanitised(text).unicodeScalars) == Array(expected.unicodeScalars))
        #expect(Array(sanitised(Array(text.utf8)).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(
        arguments: [
            ([0x61, 0xFF, 0x62], "a\\xFFb"), ([0xC3], "\\xC3"), ([0xE2, 0x82], "\\xE2\\x82"),
            ([0xC0, 0xAF], "\\xC0\\xAF"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0x80, 0x41], "\\x80A"),
            ([0xF0, 0x9F, 0x41], "\\xF0\\x9FA"), ([], ""),
        ] as [([UInt8], String)])
    func `bytes that aren't UTF-8 become visible one by one`(bytes: [UInt8], expected: String) {
        #expect(sanitised(bytes) == expected)
    }

    @Test func `no byte of any value passes as a control character`() {
        for byte in UInt8.min...UInt8.max {
            for scalar in sanitised([0x41, byte, 0x42]).unicodeScalars {
                #expect((0x20..<0x7F).contains(scalar.value), "byte \(byte)")
            }
        }
    }

    @Test(arguments: [
        ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("👩‍👧", 2), ("한국", 4), ("ｆ", 2), ("ｱ", 1), ("Zoë", 3), ("🇨🇭", 2),
    ])
    func `a text's width counts columns`(text: String, expected: Int) {
        #expect(displayWidth(text) == expected)
    }

    @Test func `a name that is too long keeps both ends`() {
        #expect(shortened("short.mp4", columns: 9) == "short.mp4")
        #expect(shortened("a-long-name-of-a-file.mp4", columns: 15) == "a-long...le.mp4")
        #expect(displayWidth(shortened("日本語日本語日本語.mp4", columns: 12)) <= 12)
        #expect(shortened("abcdefgh", columns: 4) == "abcd")
        #expect(shortened("abcdefgh", columns: 0) == "")
    }
}

import Testing

@testable import VeilCLI

@Suite struct HelpTests {
    @Test(arguments: [
        (Document.overview, Golden.overview), (.help(.redact), Golden.redact), (.help(.detect), Golden.detect),
        (.help(.check), Golden.check), (.help(.live), Golden.live), (.help(.doctor), Golden.doctor),
        (.help(.completions), Golden.completions),
    ])
    func `help reads as agreed`(document: Document, expected: String) {
        #expect(document.text == expected)
    }

    @Test(arguments: VerbName.allCases)
    func `help fits into 80 columns and ends in one line feed`(name: VerbName) {
        for text in [Help.text(for: name.verb), Help.overview] {
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
            for line in text.split(separator: "\n") {
                #expect(line.count <= 80 && line.last != " ", "\(line)")
                #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)")
            }
        }
    }

    @Test func `the version has its own line, and so have the libraries and models`() {
        let lines = Document.version.text.split(separator: "\n")
        #expect(lines[0] == "veil \(Version.current)")
        #expect(lines[1].hasPrefix("FFmpeg ") && lines[2].hasPrefix("OpenCV ") && lines.count > 3)
        #expect(lines[3...].allSatisfy { $0.hasPrefix("model") })
    }

    @Test func `text breaks at spaces and a long word has its own line`() {
        #expect(wrapped("one two three", width: 7) == ["one two", "three"])
        #expect(wrapped("one two three", width: 3) == ["one", "two", "three"])
        #expect(wrapped("a incomprehensible b", width: 5) == ["a", "incomprehensible", "b"])
        #expect(wrapped("", width: 5) == [])
    }
}

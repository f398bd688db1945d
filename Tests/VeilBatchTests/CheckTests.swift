import Glibc
import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct CheckTests {
    private static let face = FaceFinding(
        start: 1.28, end: 2.4, time: 1.5, frames: 29, x: 120, y: 56, width: 34, height: 41, score: 0.84)

    private func file(_ path: String, _ faces: [FaceFinding] = [CheckTests.face], frames: Int = 60) -> CheckedFile {
        var file = CheckedFile(path: path)
        file.faces = faces
        file.frames = frames
        file.sha256 = "ab"
        return file
    }

    @Test func `a line says where, when, how large and how sure`() {
        #expect(
            file("a.mp4").line(Self.face)
                == "a.mp4:1.500: face 34×41 at 120,56, shown from 1.280 to 2.400 s (29 frames), score 84 %")
        var still = Self.face
        still.frames = 1
        #expect(file("a.jpg", [still], frames: 1).line(still) == "a.jpg: face 34×41 at 120,56, score 84 %")
    }

    @Test func `a baseline accepts the same face in the same contents, whatever the name`() throws {
        var baseline = Baseline()
        baseline.add(file("old/a.mp4"))
        baseline = try Baseline(json: baseline.encoded())
        #expect(baseline.marking(file("new/b.mp4")).showing.isEmpty)
        var moved = Self.face
        moved.x += 30
        #expect(baseline.marking(file("a.mp4", [Self.face, moved])).showing == [moved])
        var later = Self.face
        (later.start, later.end) = (9, 10)
        #expect(baseline.marking(file("a.mp4", [later])).showing == [later])
        var changed = file("old/a.mp4")
        changed.sha256 = "cd"
        #expect(baseline.marking(changed).showing.count == 1)
        #expect(baseline.encoded() == (try Baseline(json: baseline.encoded()).encoded()))
    }

    @Test(arguments: ["", "[]", "{\"version\": 2}", "{\"files\": [{\"faces\": 3}]}"])
    func `what isn't a baseline is an error, not an empty one`(text: String) {
        #expect(throws: (any Error).self) { try Baseline(json: Array(text.utf8)) }
    }

    private static let nasty = "a <b>&\"'\n,:%\u{1B}.jpg"

    private var report: CheckReport {
        var broken = CheckedFile(path: "broken.jpg")
        broken.failure = "it is <empty>"
        return CheckReport(files: [file(Self.nasty), file("clean.png", []), broken], version: "1.2.3")
    }

    /// What Python's own reader makes of it.
    private func python(_ script: String, _ text: String) throws -> String {
        let folder = try TemporaryFolder()
        try FileBytes.write(Array(text.utf8), to: folder.file("report"))
        return try Tool.need(["python3", "-c", script, folder.file("report")]).text
    }

    @Test func `the XML can be read, whatever a file's name`() throws {
        let script = """
            import sys, xml.etree.ElementTree as e
            s = e.parse(sys.argv[1]).getroot()
            c = s.find('testsuite').findall('testcase')
            print(s.get('tests'), s.get('failures'), s.get('errors'), [len(x) for x in c], c[0][0].tag, c[2][0].tag)
            print(c[2][0].get('message'))
            """
        #expect(
            try python(script, report.text(.junit)) == "3 1 1 [1, 0, 1] failure error\nit is <empty>\n")
    }

    @Test func `SARIF and JSON can be read, and name the file as a URI and as it is`() throws {
        let script = """
            import sys, json
            r = json.load(open(sys.argv[1]))['runs'][0]
            print(len(r['results']), r['results'][0]['ruleId'], r['invocations'][0]['executionSuccessful'])
            print(r['results'][0]['locations'][0]['physicalLocation']['artifactLocation']['uri'])
            """
        #expect(
            try python(script, report.text(.sarif))
                == "1 face-shows False\na%20%3Cb%3E%26%22%27%0A%2C%3A%25%1B.jpg\n")
        let plain =
            "import sys, json; r = json.load(open(sys.argv[1])); print(r['facesShowing'], r['filesFailed'], "
            + "[f['path'] for f in r['files']][1:], r['files'][0]['path'] == \(pythonText(Self.nasty)))"
        #expect(try python(plain, report.text(.json)) == "1 1 ['clean.png', 'broken.jpg'] True\n")
    }

    private func pythonText(_ text: String) -> String {
        "bytes(\(Array(text.utf8))).decode()"
    }

    @Test func `an annotation is one line and its file's name can't end it`() {
        let lines = report.text(.github).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::error file=a <b>&\"'%0A%2C%3A%25\u{1B}.jpg,title=A face shows::"))
        #expect(lines[1] == "::error file=broken.jpg,title=Not checked::it is <empty>")
    }
}

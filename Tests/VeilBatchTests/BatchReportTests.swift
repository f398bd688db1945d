import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct BatchReportTests {
    private static let nasty = "<script>alert('x')</script>&\"\u{202E}\u{1B}.mp4"

    private var report: BatchReport {
        var row = BatchReport.Row(input: Self.nasty, output: "out/" + Self.nasty, status: .done)
        row.details.duration = 10
        row.details.frames = 250
        row.details.trackCount = 3
        row.details.notices = ["<b>note</b>"]
        row.details.tracks = [
            .init(id: 1, start: 0, end: 5, score: 0.4, share: 0.2, isKept: false),
            .init(id: 2, start: 5, end: 10, score: 0.9, share: 1, isKept: false),
        ]
        row.thumbnails = [.init(file: "1-1.bmp", time: 2.5)]
        var failed = BatchReport.Row(input: "b.mp4", output: "", status: .failed)
        failed.failure = "it is <broken>"
        var report = BatchReport()
        report.rows = [row, failed]
        report.settings = ["--color <red>"]
        return report
    }

    @Test func `nothing that came from a file's name or inside becomes markup`() throws {
        let page = report.html()
        #expect(
            !page.contains("<script") && !page.contains("<b>note") && !page.contains("<red>")
                && !page.contains("<broken>"))
        #expect(page.contains("&lt;script&gt;") && page.contains("it is &lt;broken&gt;"))
        #expect(!page.unicodeScalars.contains("\u{1B}"))
        // No address at all: nothing can be fetched.
        #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("//"))
        #expect(page.contains("src=\"1-1.bmp\"") && page.contains("track 1 at 0.000 s (score 40 %"))
        #expect(!page.contains("track 2 at"))
    }

    @Test func `the page's tags are closed and its JSON can be read`() throws {
        let folder = try TemporaryFolder()
        try FileBytes.write(Array(report.html().utf8), to: folder.file("index.html"))
        try FileBytes.write(report.json(), to: folder.file("report.json"))
        let script = """
            import sys, json, html.parser
            class P(html.parser.HTMLParser):
                void = {'meta', 'br', 'img'}; open = []
                def handle_starttag(self, t, a):
                    if t not in self.void: self.open.append(t)
                def handle_endtag(self, t): assert self.open.pop() == t, t
            p = P(); p.feed(open(sys.argv[1]).read()); p.close()
            print(p.open, [f['status'] for f in json.load(open(sys.argv[2]))['files']])
            """
        let text = try Tool.need(["python3", "-c", script, folder.file("index.html"), folder.file("report.json")]).text
        #expect(text == "[] ['done', 'failed']\n")
    }

    @Test func `a thumbnail is a picture that others can read`() throws {
        let folder = try TemporaryFolder()
        let samples = (0..<35).map { UInt8($0 * 7) }
        let bytes = try #require(BatchReport.bitmap(width: 7, height: 5, samples: samples))
        try FileBytes.write(bytes, to: folder.file("a.bmp"))
        try Tool.ffmpeg(["-i", folder.file("a.bmp"), "-f", "rawvideo", "-pix_fmt", "gray", folder.file("raw")])
        let read = try FileBytes.read(folder.file("raw"))
        #expect(zip(read, samples).allSatisfy { abs(Int($0) - Int($1)) <= 1 } && read.count == 35)
        #expect(BatchReport.bitmap(width: 7, height: 5, samples: []) == nil)
    }
}

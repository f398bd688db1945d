import Testing
import VeilTestSupport

@Suite struct NameTests {
    static let names = [
        "a b.mp4", "it's \"quoted\".mp4", "-dash.mp4", "--force.mp4", "a:b.mp4", "%03d.mp4", "100%.mp4",
        "new\nline.mp4",
        "Ünïcödé 名前 🎥.mp4", "concat:x.mp4", "file:x.mp4", "pipe:1.mp4", "$(touch x)`y`.mp4", "*.mp4",
        "\u{1B}[31mred.mp4",
        " leading.mp4", "back\\slash.mp4", "[x]{y}.mp4", "a,b;c|d&e.mp4", "two..dots.mp4", "UPPER.MP4", "tab\there.mp4",
        "async:cache:x.mp4", "http:x.mp4", String(repeating: "n", count: 240) + ".mp4",
    ]

    @Test(arguments: names)
    func `any file name will do, for input and output`(name: String) throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(in: folder, "plain.mkv", frames: 2)
        try Tool.ffmpeg(["-i", plain, "-c", "copy", "-f", "mp4", "file:" + folder.file(name)])
        let output = "out " + name
        let isLong = name.utf8.count > 240
        let out = isLong ? "o" + name.dropFirst(1) : output
        let run = try BuiltVeil.run(
            ["redact", "-o", out, "--preset", "ultrafast"] + Redacted.quick + ["--", name], in: folder.path)
        #expect(run.status == 0, "\(run)")
        #expect(folder.names.sorted() == [name, out, "plain.mkv"].sorted())
        // No control character of a name reaches the terminal.
        #expect(!run.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }

    @Test(arguments: ["walk.mp4", "-walk.mov", "a.b.mkv", "Ünï 名.mp4", "new\nline.mp4"])
    func `the copy lies beside the input when no name is given`(name: String) throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, name, frames: 2)
        let run = try BuiltVeil.run(["--preset", "ultrafast"] + Redacted.quick + ["--", name], in: folder.path)
        #expect(run.status == 0, "\(run)")
        let dot = try #require(name.lastIndex(of: "."))
        #expect(folder.names.sorted() == [name, name[..<dot] + ".redacted" + name[dot...]].sorted())
    }

    @Test func `the longest name that a file can have`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        let name = String(repeating: "ü", count: 125) + ".mp4"
        let run = try BuiltVeil.run(
            ["redact", input, "-o", folder.file(name), "--preset", "ultrafast"] + Redacted.quick)
        #expect(run.status == 0, "\(run)")
        #expect(folder.names.contains(name) && folder.leftovers.isEmpty)
    }
}

import Glibc
import Testing
import VeilTestSupport

/// `veil check` as a CI runs it.
@Suite struct CheckCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        mkdir(folder.file("media"), 0o700)
        try FileBytes.write(FileBytes.read(Places.portrait), to: folder.file("media/face.jpg"))
        try Clip.make(in: folder, "media/clip.mp4", frames: 6)
        try Tool.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=320x180", "-frames:v", "1", folder.file("media/none.png")])
    }

    private func check(_ arguments: [String]) throws -> ToolResult {
        try BuiltVeil.run(["check"] + arguments, in: folder.path)
    }

    @Test func `sources fail, what Veil made of them passes`() throws {
        let sources = try check(["media"])
        #expect(sources.status == 3, "\(sources)")
        let lines = sources.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[0].hasPrefix("media/clip.mp4:0."), "\(lines)")
        #expect(lines[1].hasPrefix("media/face.jpg: face ") && lines[1].contains(" at "), "\(lines)")
        for effect in ["pixellate", "blur", "solid"] {
            let flags = Redacted.quick + ["--preset", "ultrafast", "-q", "--effect", effect]
            #expect(try BuiltVeil.run(["media/clip.mp4", "-o", effect + ".mp4"] + flags, in: folder.path).status == 0)
            let run = try check([effect + ".mp4"])
            #expect(run.status == 0 && run.output.isEmpty, "\(run) \(run.text)")
        }
    }

    @Test(arguments: StillKind.all)
    func `a picture of each kind fails until it is covered`(kind: StillKind) throws {
        let input = try kind.make(in: folder)
        #expect(try check([input]).status == 3)
        let output = folder.file("out-" + kind.name)
        #expect(try BuiltVeil.run([input, "-o", output, "-q", "--detect-size", "320"]).status == 0)
        let run = try check([output])
        #expect(run.status == 0 && run.output.isEmpty, "\(run) \(run.text)")
    }

    @Test(arguments: ["a.webp", "a.png", "a.gif"])
    func `a face in one frame of an animation is found`(name: String) throws {
        let animation = folder.file(name)
        // Gray, then the portrait in the third frame of four.
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:s=240x240:r=5:d=0.8", "-i", Places.portrait, "-filter_complex",
            "[1]scale=240:240[p];[0][p]overlay=enable='eq(n,2)',format=rgb24", "-frames:v", "4", folder.file("f%d.png"),
        ])
        let frames = (1...4).map { folder.file("f\($0).png") }
        switch name {
        case "a.webp": try Tool.need(["img2webp", "-d", "200"] + frames + ["-o", animation])
        default:
            try Tool.ffmpeg(
                ["-framerate", "5", "-i", folder.file("f%d.png"), "-f", name == "a.png" ? "apng" : "gif", animation])
        }
        let run = try check([animation])
        #expect(run.status == 3, "\(run)")
        #expect(run.text.hasPrefix("\(animation):0.4"), "\(run.text)")
    }

    @Test func `a baseline lets known faces pass until their file changes`() throws {
        #expect(try check(["media", "--write-baseline", "known.json", "-q"]).status == 0)
        let known = try check(["media", "--baseline", "known.json"])
        #expect(known.status == 0 && known.output.isEmpty && known.errors.contains("2 accepted"), "\(known)")
        try FileBytes.write(FileBytes.read(Places.portrait) + [0], to: folder.file("media/face.jpg"))
        let changed = try check(["media", "--baseline", "known.json"])
        #expect(changed.status == 3 && changed.text.split(separator: "\n").count == 1, "\(changed)")
        #expect(try check(["media", "--baseline", "absent.json"]).status == 1)
    }

    @Test func `what can't be looked through is no clean bill`() throws {
        try FileBytes.write([], to: folder.file("media/empty.jpg"))
        try FileBytes.write(FileBytes.read(Places.portrait).prefix(20_000), to: folder.file("media/cut.jpg"))
        try FileBytes.write(Array("text".utf8), to: folder.file("media/text.mp4"))
        let run = try check(["media", "--exclude", "clip.mp4", "--exclude", "face.jpg"])
        #expect(run.status == 1, "\(run)")
        for name in ["empty.jpg", "text.mp4"] {
            #expect(run.errorLines.filter { $0.hasPrefix("veil: media/\(name): ") }.count == 1, "\(run)")
        }
    }

    @Test func `pictures are told by what they hold, and each form can be asked for`() throws {
        try FileBytes.write(FileBytes.read(Places.portrait), to: folder.file("upload"))
        #expect(try check(["upload"]).status == 3)
        for (format, words) in [
            ("json", "\"facesShowing\": 1"), ("junit", "<failure"), ("sarif", "face-shows"),
            ("github", "::error file=upload"),
        ] {
            let run = try check(["upload", "--format", format, "-q"])
            #expect(run.status == 3 && run.text.contains(words), "\(run) \(run.text)")
        }
    }

    @Test func `videos are looked at as seldom as asked`() throws {
        let json = try check(["media/clip.mp4", "--every", "0.08s", "--format", "json"])
        #expect(json.text.contains("\"frames\": 3,"), "\(json.text)")
        #expect(try check(["media/clip.mp4", "--every", "6", "--format", "json"]).text.contains("\"frames\": 1,"))
    }
}

import Testing
import VeilTestSupport

@Suite struct MannersTests {
    @Test func `quiet says nothing`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 4, tones: 1, Clip.h264 + Clip.sound)
        let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out.webm"), "-q"] + Redacted.quick)
        #expect(run.status == 0 && run.errors.isEmpty && run.output.isEmpty, "\(run)")
    }

    @Test func `progress in a pipe is plain lines`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 4)
        let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out.mp4")] + Redacted.quick)
        #expect(run.status == 0 && run.output.isEmpty, "\(run)")
        #expect(run.errorLines.contains { $0.contains("analysing") })
        #expect(run.errorLines.allSatisfy { $0.hasPrefix("veil: ") }, "\(run)")
        #expect(!run.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(run.errorLines.contains { $0.contains("4 frames with faces") }, "\(run)")
    }

    @Test func `libraries don't write to standard error by themselves`() throws {
        let folder = try TemporaryFolder()
        for (name, video) in [
            ("in.mp4", Look.x265), ("in.mkv", ["-c:v", "libsvtav1", "-preset", "10"]), ("a.webm", Kind.vp9),
            ("b.mkv", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "30"]),
        ] {
            let input = try Clip.make(in: folder, name, frames: 2, video)
            let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out." + name), "-q"] + Redacted.quick)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
        }
    }

    @Test func `one input that fails doesn't keep the others from being done`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "a.mp4", frames: 2)
        try FileBytes.write("no video".utf8, to: folder.file("b.mp4"))
        try Clip.make(in: folder, "c.mp4", frames: 2)
        let run = try BuiltVeil.run(
            ["a.mp4", "b.mp4", "none.mp4", "c.mp4", "-q", "--preset", "ultrafast"] + Redacted.quick, in: folder.path)
        #expect(run.status == 1 && run.errorLines.count == 2, "\(run)")
        #expect(folder.names == ["a.mp4", "a.redacted.mp4", "b.mp4", "c.mp4", "c.redacted.mp4"])
    }

    @Test(
        arguments: [
            ["--no-such-flag", "a.mp4"], [], ["redact"], ["a.mp4", "b.mp4", "-o", "c.mp4"], ["a.mp4", "--crf", "high"],
            ["a.mp4", "--codec", "theora2"], ["a.mp4", "--mask-scale", "0.5"], ["a.mp4", "--audio"], ["-q"],
        ])
    func `wrong usage ends with 2 before anything is done`(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let run = try BuiltVeil.run(arguments, in: folder.path)
        #expect(run.status == 2 && !run.errors.isEmpty, "\(run)")
        #expect(folder.names.isEmpty)
    }

    @Test func `an encoder that doesn't know what it is asked says so`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        for extra in [
            ["--encoder-option", "nonsense=1"], ["--preset", "warp"], ["--codec", "ffv1", "--crf", "20"],
            ["--codec", "mpeg4", "--preset", "slow"], ["--codec", "vp8"],
        ] {
            let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out.mp4"), "-q"] + Redacted.quick + extra)
            #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
            #expect(folder.names == ["in.mp4"])
        }
    }

    @Test func `help and version print to standard output`() throws {
        for arguments in [["--help"], ["--version"], ["redact", "--help"], ["help", "detect"], ["doctor"]] {
            let run = try BuiltVeil.run(arguments)
            #expect(run.status == 0 && !run.output.isEmpty && run.errors.isEmpty, "\(run)")
        }
        #expect(try BuiltVeil.run(["--version"]).text.contains("FFmpeg"))
    }

    @Test func `without its model it stops before the output is opened`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out.mp4"), "--models", folder.path, "-q"])
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
        #expect(folder.names == ["in.mp4"])
    }
}

@Suite struct PlanTests {
    @Test(arguments: ["in.mp4", "in.mkv"])
    func `a plan made first gives the same picture as one run`(name: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, name, tones: 1, Clip.h264 + Clip.sound)
        // Without loss, so that the pictures can be compared bit by bit.
        let flags = ["-q", "--codec", "ffv1"]
        let (once, twice, plan) = (folder.file("once.mkv"), folder.file("twice.mkv"), folder.file("plan.json"))
        #expect(try BuiltVeil.run(["redact", input, "-o", once] + flags + Redacted.quick).status == 0)
        let detect = try BuiltVeil.run(["detect", input, "-o", plan, "-q"] + Redacted.quick)
        #expect(detect.status == 0 && detect.errors.isEmpty, "\(detect)")
        #expect(FileBytes.mode(plan) == 0o600)
        let render = try BuiltVeil.run(["redact", input, "--plan", plan, "-o", twice] + flags)
        #expect(render.status == 0, "\(render)")
        let hashes = { (file: String) in try Tool.ffmpeg(["-i", file, "-map", "0:v", "-f", "framehash", "-"]).text }
        #expect(try hashes(once) == hashes(twice))
        #expect(try hashes(once) != hashes(input))
    }

    @Test func `a plan made for another file is refused`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4")
        let other = try Clip.make(in: folder, "other.mp4", filter: "hflip,format=yuv420p")
        let plan = folder.file("plan.json")
        #expect(try BuiltVeil.run(["detect", other, "-o", plan, "-q"] + Redacted.quick).status == 0)
        let run = try BuiltVeil.run(["redact", input, "--plan", plan, "-o", folder.file("out.mp4"), "-q"])
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
        #expect(!FileBytes.exists(folder.file("out.mp4")))
    }

    @Test(arguments: ["", "{}", "[1, 2]", "no json", "{\"version\": 99}"])
    func `a plan that can't be read is refused`(text: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        let plan = folder.file("plan.json")
        try FileBytes.write(text.utf8, to: plan)
        let run = try BuiltVeil.run(["redact", input, "--plan", plan, "-o", folder.file("out.mp4"), "-q"])
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("plan.json"), "\(run)")
        #expect(folder.names == ["in.mp4", "plan.json"])
    }
}

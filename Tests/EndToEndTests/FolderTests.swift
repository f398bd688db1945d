import Glibc
import Testing
import VeilTestSupport

/// Folders in, folders out.
@Suite struct FolderTests {
    private static let flags = ["--reproducible"] + Redacted.quick + ["--preset", "ultrafast"]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["in", "in/cam 1", "in/cam2"] { mkdir(folder.file(name), 0o700) }
        try Clip.make(in: folder, "in/cam 1/a.mp4", frames: 4, tones: 1, Clip.h264 + Clip.sound)
        try Clip.make(in: folder, "in/cam2/b.mkv", frames: 3)
        try Clip.make(in: folder, "in/c.mov", frames: 2)
        try FileBytes.write(Array("no video".utf8), to: folder.file("in/cam2/bad.mp4"))
        try FileBytes.write(Array("notes".utf8), to: folder.file("in/notes.txt"))
        try FileBytes.write(FileBytes.read(Places.portrait), to: folder.file("in/cam2/preview.thm"))
    }

    private func veil(_ arguments: [String]) throws -> ToolResult {
        try BuiltVeil.run(arguments + Self.flags, in: folder.path)
    }

    /// All files below a folder but manifests, with their contents.
    private func tree(_ name: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let list = try Tool.need(["find", name, "-type", "f", "-not", "-name", ".veil-manifest*"], in: folder.path).text
        for path in list.split(separator: "\n") {
            files[String(path.dropFirst(name.count + 1))] = try FileBytes.read(folder.file(String(path)))
        }
        return files
    }

    @Test func `a tree is mirrored, one bad file stops nothing, and a second run does nothing`() throws {
        let sources = try tree("in")
        let first = try veil(["in", "-o", "out", "--copy-others"])
        #expect(first.status == 1, "\(first)")
        #expect(first.errorLines.filter { $0.contains("bad.mp4") }.count == 1, "\(first)")
        #expect(first.errorLines.last == "veil: 4 files: 3 done, 1 failed", "\(first)")
        let made = try tree("out")
        #expect(made.keys.sorted() == ["c.mov", "cam 1/a.mp4", "cam2/b.mkv", "notes.txt"])
        #expect(try tree("in") == sources)
        for (name, bytes) in made where name != "notes.txt" { #expect(bytes != sources[name], "\(name)") }
        #expect(FileBytes.mode(folder.file("out/.veil-manifest.jsonl")) == 0o600)

        let before = try Tool.need(["stat", "-c", "%n %Z %i", "out/c.mov", "out/cam2/b.mkv"], in: folder.path).text
        let second = try veil(["in", "-o", "out", "--copy-others"])
        #expect(second.status == 1 && second.errorLines.filter { $0.contains("bad.mp4") }.count == 1, "\(second)")
        #expect(second.errorLines.last == "veil: 4 files: 0 done, 3 were done before, 1 failed", "\(second)")
        #expect(
            try Tool.need(["stat", "-c", "%n %Z %i", "out/c.mov", "out/cam2/b.mkv"], in: folder.path).text == before)

        // Missing, changed, and changed settings: no more than that is done again.
        unlink(folder.file("out/c.mov"))
        try FileBytes.write([1], to: folder.file("out/cam2/b.mkv"))
        let third = try veil(["in", "-o", "out", "--exclude", "bad.*"])
        #expect(third.status == 0 && third.errorLines.last == "veil: 3 files: 2 done, 1 were done before", "\(third)")
        #expect(try tree("out") == made)
        // The same size at the same time is no longer the same file.
        var bytes = try #require(sources["cam2/b.mkv"])
        bytes[bytes.count - 5] ^= 1
        let path = folder.file("in/cam2/b.mkv")
        try Tool.need(["touch", "-r", path, folder.file("time")])
        try FileBytes.write(bytes, to: path)
        try Tool.need(["touch", "-r", folder.file("time"), path])
        let fourth = try veil(["in", "-o", "out", "--exclude", "bad.*", "--jobs", "1"])
        #expect(fourth.errorLines.last == "veil: 3 files: 1 done, 2 were done before", "\(fourth)")
        let fifth = try veil(["in", "-o", "out", "--include", "*.mov", "--effect", "solid"])
        #expect(fifth.errorLines.last == "veil: 1 file: 1 done", "\(fifth)")
        #expect(try tree("out")["c.mov"] != made["c.mov"])
    }

    @Test func `raw files and files with previews in them are never copied`() throws {
        let jpeg = try FileBytes.read(Places.portrait)
        try FileBytes.write(
            Array("FUJIFILMCCD-RAW ".utf8) + [UInt8](repeating: 0, count: 132) + jpeg, to: folder.file("in/x.odd"))
        try FileBytes.write([UInt8](repeating: 0x41, count: 3000) + jpeg, to: folder.file("in/cam2/y.dat"))
        try FileBytes.write(Array("as good as empty".utf8), to: folder.file("in/cam2/z.RAF"))
        let run = try veil(["in", "-o", "out", "--copy-others", "--exclude", "bad.*"])
        #expect(run.status == 0, "\(run)")
        for name in ["x.odd", "y.dat", "z.RAF", "preview.thm"] {
            #expect(run.errorLines.filter { $0.contains(name) && $0.contains("is not copied") }.count == 1, "\(run)")
        }
        #expect(try tree("out").keys.sorted() == ["c.mov", "cam 1/a.mp4", "cam2/b.mkv", "notes.txt"])
    }

    @Test func `what somebody put where a failed file's output would be stays`() throws {
        #expect(try veil(["in/cam2", "-o", "out"]).status == 1)
        try FileBytes.write([7], to: folder.file("out/bad.mp4"))
        // Now the file is a good one.
        try FileBytes.write(FileBytes.read(folder.file("in/cam 1/a.mp4")), to: folder.file("in/cam2/bad.mp4"))
        let refused = try veil(["in/cam2", "-o", "out"])
        #expect(refused.status == 1 && refused.errors.contains("--force"), "\(refused)")
        #expect(try FileBytes.read(folder.file("out/bad.mp4")) == [7])
        #expect(try veil(["in/cam2", "-o", "out", "--force"]).status == 0)
        #expect(FileBytes.size(folder.file("out/bad.mp4")) > 1)
    }

    @Test func `each worker is shut in, whatever is loaded before`() throws {
        let run = try veil(["in/c.mov", "in/cam2/b.mkv", "-o", "out", "-v"])
        #expect(run.status == 0, "\(run)")
        #expect(
            run.errorLines.filter {
                $0.contains("sandbox: ") && !$0.contains("only its own") && !$0.contains("shut off")
            }.isEmpty)
        let trace = folder.file("trace")
        let traced = try BuiltVeil.run(
            ["in/c.mov", "in/cam2/b.mkv", "-o", "other", "-q"] + Self.flags, tracedTo: trace,
            ["clone", "clone3", "seccomp"],
            in: folder.path)
        #expect(traced.status == 0, "\(traced)")
        // The process that forks has no threads: all of them are started behind the filter.
        let lines = String(decoding: try FileBytes.read(trace), as: UTF8.self).split(separator: "\n")
        let parent = lines.first?.split(separator: " ").first
        #expect(
            parent != nil && !lines.contains { $0.split(separator: " ").first == parent && $0.contains("CLONE_THREAD") }
        )
    }

    @Test func `an output that isn't veil's is not replaced without force, a foreign input never`() throws {
        mkdir(folder.file("out"), 0o700)
        try FileBytes.write([7], to: folder.file("out/c.mov"))
        let refused = try veil(["in/c.mov", "-o", "out/"])
        #expect(refused.status == 1 && refused.errors.contains("--force"), "\(refused)")
        #expect(try FileBytes.read(folder.file("out/c.mov")) == [7])
        let forced = try veil(["in/c.mov", "-o", "out/", "--force"])
        #expect(forced.status == 0 && FileBytes.size(folder.file("out/c.mov")) > 1, "\(forced)")
        let onto = try veil(["in", "-o", "in"])
        #expect(onto.status == 1 && onto.errors.contains("would replace an input"), "\(onto)")
        let twice = try veil(["in/c.mov", "in/../in/c.mov", "-o", "out2"])
        #expect(twice.status == 1 && !FileBytes.exists(folder.file("out2")), "\(twice)")
    }

    @Test func `a folder for the output may lie in the input's`() throws {
        #expect(try veil(["in/cam2", "-o", "in/cam2/out", "--exclude", "bad*"]).status == 0)
        let again = try veil(["in/cam2", "-o", "in/cam2/out", "--exclude", "bad*"])
        #expect(again.errorLines.last == "veil: 1 file: 0 done, 1 were done before", "\(again)")
    }

    @Test func `names come from a list, with NUL behind them too, and shards split them`() throws {
        try FileBytes.write(Array("in/cam 1/a.mp4\0in/cam2/b.mkv\0in/c.mov\0".utf8), to: folder.file("list"))
        for index in 1...2 {
            let run = try BuiltVeil.shell(
                "JOB_COMPLETION_INDEX=\(index - 1) $VEIL --from-file - -0 -o out --shard auto/2 "
                    + (Self.flags + ["<list"]).joined(separator: " "), in: folder.path)
            #expect(run.status == 0, "\(run)")
        }
        let made = try tree("out")
        #expect(made.keys.sorted() == ["in/c.mov", "in/cam 1/a.mp4", "in/cam2/b.mkv"])
        // Each was done by one machine, and a run over all knows.
        let all = try veil(["--from-file", "list", "-0", "-o", "out"])
        #expect(all.errorLines.last == "veil: 3 files: 0 done, 3 were done before", "\(all)")
    }

    @Test func `in place, originals are kept for their owner's eyes and the next run does nothing`() throws {
        let original = try FileBytes.read(folder.file("in/c.mov"))
        chmod(folder.file("in/c.mov"), 0o644)
        let run = try veil(["in", "--in-place", "--backup-suffix", ".orig", "--exclude", "bad*", "-q"])
        #expect(run.status == 0 && run.errorLines.count == 1 && run.errors.contains(".orig"), "\(run)")
        #expect(try FileBytes.read(folder.file("in/c.mov.orig")) == original)
        #expect(
            FileBytes.mode(folder.file("in/c.mov.orig")) == 0o600 && FileBytes.mode(folder.file("in/c.mov")) == 0o644)
        let made = try tree("in")
        #expect(made["c.mov"] != original && made.keys.count { $0.hasSuffix(".orig") } == 3)
        let again = try veil(["in", "--in-place", "--backup-suffix", ".orig", "--exclude", "bad*"])
        #expect(again.errorLines.last == "veil: 3 files: 0 done, 3 were done before", "\(again)")
        #expect(try tree("in") == made)
        // Other settings go back to the original.
        let solid = try veil(["in/c.mov", "--in-place", "--backup-suffix", ".orig", "--effect", "solid"])
        #expect(solid.status == 0, "\(solid)")
        #expect(try FileBytes.read(folder.file("in/c.mov.orig")) == original)
        let direct = try veil(["in/c.mov.orig", "-o", "x/", "--effect", "solid"])
        #expect(direct.status == 1, "an ending that says nothing: \(direct)")
    }

    @Test func `a report is a page with the results, for its owner only`() throws {
        let run = try veil(["in", "-o", "out", "--report", "report", "-q"])
        #expect(run.status == 1, "\(run)")
        let page = String(decoding: try FileBytes.read(folder.file("report/index.html")), as: UTF8.self)
        #expect(page.contains("in/cam 1/a.mp4") && page.contains("in/cam2/bad.mp4") && page.contains("<rect"))
        #expect(
            FileBytes.mode(folder.file("report")) == 0o700 && FileBytes.mode(folder.file("report/index.html")) == 0o600)
        let pictures = try Tool.need(["find", "report", "-name", "*.bmp"], in: folder.path).text.split(separator: "\n")
        #expect(pictures.count >= 3, "\(pictures)")
        // A run that has nothing to do reports the same.
        #expect(try veil(["in", "-o", "out", "--report", "again", "-q"]).status == 1)
        let again = String(decoding: try FileBytes.read(folder.file("again/index.html")), as: UTF8.self)
        #expect(again.contains("done before") && again.contains("<rect") && again.contains("1-1.bmp"))
    }

    @Test func `two runs over one folder come to the same as one`() throws {
        let runs = try (0..<2).map { _ in
            try BuiltVeil.start(["in", "-o", "out", "--exclude", "bad*"] + Self.flags, in: folder.path)
        }
        let results = try runs.map { try $0.finish() }
        #expect(results.allSatisfy { $0.status == 0 }, "\(results)")
        #expect(
            results.compactMap(\.errorLines.last).sorted() == [
                "veil: 3 files: 0 done, 3 were done before", "veil: 3 files: 3 done",
            ])
        #expect(try veil(["in", "-o", "once", "--exclude", "bad*"]).status == 0)
        #expect(try tree("out") == tree("once"))
    }

    /// `VEIL_KILLS` says how often; `make soak` has 100.
    @Test func `killed at any moment and run again, the tree is the same byte for byte`() throws {
        let arguments = ["in", "-o", "out", "-q", "--exclude", "bad*"] + Self.flags
        let start = ContinuousClock.now
        #expect(try veil(["in", "-o", "once", "-q", "--exclude", "bad*"]).status == 0)
        let whole = ContinuousClock.now - start
        let most = Double(whole.components.attoseconds) / 1e12 + Double(whole.components.seconds) * 1e6
        let wanted = try tree("once")
        var random = Numbers(5)
        var killed = 0
        let kills = getenv("VEIL_KILLS").flatMap { Int(String(cString: $0)) } ?? 6
        for kill in 0..<kills {
            if kill % 3 == 0 { try Tool.need(["rm", "-rf", folder.file("out")]) }
            let run = try BuiltVeil.start(arguments, in: folder.path)
            usleep(UInt32(Double.random(in: 0.1...1, using: &random) * most))
            run.send([SIGKILL, SIGTERM, SIGKILL][kill % 3])
            if try run.finish(timeout: 30).status != 0 { killed += 1 }
            // Nothing under its final name is half made.
            if FileBytes.exists(folder.file("out")) {
                for (name, bytes) in try tree("out") where !name.hasSuffix(".veil-part") {
                    #expect(bytes == wanted[name], "\(name)")
                }
            }
            if kill % 3 == 2 {
                let again = try BuiltVeil.run(arguments, in: folder.path)
                #expect(again.status == 0, "\(again)")
                #expect(try tree("out") == wanted)
            }
        }
        #expect(killed > 0)
    }
}

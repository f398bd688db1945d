import Glibc
import Testing
import VeilTestSupport

/// Disks and files that fail under the program's hands.
@Suite struct DamageTests {
    private static let hasTracer = (try? Tool.run(["strace", "-V"]).status) == 0

    /// One line that names the file; nothing is left.
    private func expectFailed(
        _ run: ToolResult, saying words: String, left names: [String], in folder: TemporaryFolder,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == 1 && !run.timedOut, "\(run)", sourceLocation: location)
        #expect(run.errorLines.count == 1 && run.errors.contains(words), "\(run)", sourceLocation: location)
        #expect(folder.names == names, sourceLocation: location)
    }

    @Test(
        .enabled(if: SmallDisk.isPossible, "no file system can be mounted"),
        arguments: ["out.mp4", "out.mkv", "out.ts"])
    func `a disk that is full`(name: String) throws {
        let folder = try TemporaryFolder()
        let disk = try #require(try SmallDisk(megabytes: 1))
        let input = try Clip.make(
            in: folder, "in.mp4", frames: 20, ["-c:v", "libx264", "-qp", "0", "-preset", "ultrafast"])
        // All but a few pages are taken.
        try FileBytes.write([UInt8](repeating: 1, count: 960 << 10), to: disk.file("filler"))
        let run = try BuiltVeil.run(
            ["redact", input, "-o", disk.file(name), "-q", "--crf", "1", "--preset", "ultrafast"] + Redacted.quick)
        expectFailed(run, saying: "No space left", left: ["in.mp4"], in: folder)
        #expect(run.errors.contains(disk.file(name)))
        #expect(disk.names == ["filler"])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "no file system can be mounted"))
    func `an output on another file system`() throws {
        let folder = try TemporaryFolder()
        let disk = try #require(try SmallDisk(megabytes: 20))
        let input = try Clip.make(in: folder, "in.mp4", frames: 4)
        let run = try BuiltVeil.run(["redact", input, "-o", disk.file("out.mp4"), "-q"] + Redacted.quick)
        #expect(run.status == 0, "\(run)")
        #expect(disk.names == ["out.mp4"])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "no file system can be mounted"))
    func `a place that can only be read`() throws {
        let folder = try TemporaryFolder()
        let disk = try #require(try SmallDisk(megabytes: 20))
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        try Tool.need(["cp", input, disk.file("in.mp4")])
        try disk.makeReadOnly()
        let run = try BuiltVeil.run(["redact", disk.file("in.mp4"), "-q"] + Redacted.quick)
        expectFailed(run, saying: "Read-only file system", left: ["in.mp4"], in: folder)
        let elsewhere = try BuiltVeil.run(
            ["redact", disk.file("in.mp4"), "-o", folder.file("out.mp4"), "-q"] + Redacted.quick)
        #expect(elsewhere.status == 0, "\(elsewhere)")
    }

    /// The kernel's answer to some system calls is replaced by an input/output error.
    @Test(
        .enabled(if: hasTracer, "strace isn't installed"),
        arguments: [
            ("read:error=EIO:when=3+", true), ("read:error=EIO:when=9+", true), ("fsync:error=EIO", false),
            ("fsync:error=ENOSPC", false), ("fsync:error=EDQUOT", false),
        ])
    func `a disk that fails`(fault: String, isRead: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 20, ["-c:v", "libx264", "-qp", "4", "-preset", "ultrafast"])
        let trace = try TemporaryFolder()
        let run = try BuiltVeil.run(
            ["redact", input, "-o", folder.file("out.mp4"), "-q", "--preset", "ultrafast"] + Redacted.quick,
            tracedTo: trace.file("trace"), [String(fault.prefix { $0 != ":" })],
            with: (isRead ? ["-P", input] : []) + ["-e", "inject=" + fault], in: folder.path)
        let words = fault.contains("EIO") ? "Input/output error" : fault.contains("ENOSPC") ? "No space left" : "quota"
        expectFailed(run, saying: words, left: ["in.mkv"], in: folder)
        #expect(run.errors.contains(isRead ? "in.mkv" : "out.mp4"), "\(run)")
    }

    @Test(.enabled(if: hasTracer, "strace isn't installed"), arguments: ["out.mp4", "out.mkv", "out.ts"])
    func `a disk that fails once while the output is written`(name: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 20)
        let trace = try TemporaryFolder()
        // The first write is to the output: nothing is said before the end.
        let run = try BuiltVeil.run(
            ["redact", input, "-o", folder.file(name), "-q", "--preset", "ultrafast"] + Redacted.quick,
            tracedTo: trace.file("trace"), ["write"], with: ["-e", "inject=write:error=EIO:when=1"], in: folder.path)
        expectFailed(run, saying: "Input/output error", left: ["in.mp4"], in: folder)
    }

    @Test func `a socket, a FIFO and a device as output`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        mkfifo(folder.file("fifo.mp4"), 0o600)
        symlink("/dev/null", folder.file("null.mp4"))
        for name in ["fifo.mp4", "null.mp4"] {
            let run = try BuiltVeil.run(
                ["redact", input, "-o", folder.file(name), "-q", "--force"] + Redacted.quick)
            expectFailed(run, saying: "not a regular file", left: ["fifo.mp4", "in.mp4", "null.mp4"], in: folder)
        }
        var info = stat()
        #expect(stat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func `a socket as input`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s.mp4")
        let socket = try UnixSocket(path)
        let run = try BuiltVeil.run(["redact", path, "-o", folder.file("out.mp4"), "-q"])
        expectFailed(run, saying: "not a regular file", left: ["s.mp4"], in: folder)
        withExtendedLifetime(socket) {}
    }

    /// While the program looks at it, the file becomes longer, shorter or another one.
    @Test(arguments: ["grow", "shrink", "replace"])
    func `a file that changes while it is read`(change: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.ts", frames: 40, tones: 1, Clip.h264 + Clip.sound)
        let other = try Clip.make(in: folder, "other.ts", frames: 40, filter: "hflip,format=yuv420p")
        let bytes = try FileBytes.read(input)
        let run = try BuiltVeil.start(
            ["redact", input, "-o", folder.file("out.mp4"), "--preset", "veryslow", "--detect-every", "1"])
        #expect(run.waits(seconds: 120) { run.errorsSoFar.contains("analysing") })
        switch change {
        case "grow": try FileBytes.write(bytes + bytes.prefix(188 * 40), to: input)
        case "shrink": truncate(input, off_t(bytes.count / 2 / 188 * 188))
        default: rename(other, input)
        }
        let result = try run.finish()
        #expect(result.status == 1 && result.errors.contains("in.ts"), "\(result)")
        #expect(!FileBytes.exists(folder.file("out.mp4")) && folder.leftovers.isEmpty)
    }

    @Test func `escape sequences in tags don't reach the terminal`() throws {
        let folder = try TemporaryFolder()
        let evil = "\u{1B}]0;owned\u{07}\u{1B}[31m\u{202E}x\ny"
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 2, tones: 2,
            Clip.h264 + Clip.sound + [
                "-map", "0:v", "-map", "1:a", "-map", "2:a", "-metadata", "title=\(evil)", "-metadata:s:a:0",
                "title=\(evil)", "-metadata:s:a:0", "language=\u{1B}[2J", "-metadata:s:a:1", "language=\u{07}",
            ])
        for extra in [["-v"], []] {
            let run = try BuiltVeil.run(
                ["redact", input, "-o", folder.file("out.webm"), "--codec", "vp9", "--force"] + Redacted.quick + extra)
            #expect(!run.errors.isEmpty)
            for scalar in run.errors.unicodeScalars where scalar != "\n" {
                #expect(
                    scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) && scalar.value != 0x202E, "\(run)")
            }
        }
    }

    @Test func `a name that isn't UTF-8 is refused`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.mp4", frames: 2)
        let run = try BuiltVeil.shell("n=$'a\\377.mp4'; mv in.mp4 \"$n\"; \"$VEIL\" \"$n\"", in: folder.path)
        #expect(run.status == 2 && run.errorLines.count == 1 && run.errors.contains("\\xFF"), "\(run)")
    }
}

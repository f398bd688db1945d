import Glibc
import Testing
import VeilTestSupport

/// Runs the program in a pipeline of a shell, where `$VEIL` is the program.
private func shell(_ script: String, in folder: TemporaryFolder, environment: [String: String] = [:]) throws
    -> ToolResult
{
    try BuiltVeil.shell("set -o pipefail; " + script, in: folder.path, environment: environment)
}

private let quick = (Redacted.quick + ["--preset", "ultrafast", "-q"]).joined(separator: " ")

/// A hash of every frame and of every packet of sound.
private func hashes(_ file: String) throws -> String {
    try Tool.ffmpeg(["-i", file, "-map", "0", "-c:a", "copy", "-f", "framehash", "-"]).text
}

@Suite struct StandardStreamTests {
    @Test(arguments: ["ts", "mp4", "mkv", "avi"])
    func `from a pipe comes the same as from a file`(container: String) throws {
        let folder = try TemporaryFolder()
        let kind = try #require(Kind.all.first { $0.name == "a." + container })
        try Clip.make(in: folder, "in." + container, frames: 12, tones: 1, kind.video + kind.sound)
        let preset = container == "avi" ? quick.replacing("--preset ultrafast", with: "") : quick
        let file = try shell("\"$VEIL\" in.\(container) -o file.mkv \(preset)", in: folder)
        #expect(file.status == 0, "\(file)")
        let pipe = try shell("cat in.\(container) | \"$VEIL\" - -o pipe.mkv \(preset)", in: folder)
        #expect(pipe.status == 0 && pipe.errors.isEmpty && pipe.output.isEmpty, "\(pipe)")
        let redirected = try shell("\"$VEIL\" - -o redirected.mkv \(preset) <in.\(container)", in: folder)
        #expect(redirected.status == 0, "\(redirected)")
        let expected = try hashes(folder.file("file.mkv"))
        #expect(try hashes(folder.file("pipe.mkv")) == expected)
        #expect(try hashes(folder.file("redirected.mkv")) == expected)
    }

    @Test(arguments: [("matroska", "mkv"), ("mp4", "mp4"), ("mpegts", "ts"), ("mov", "mov"), ("avi", "avi")])
    func `to a pipe goes the same as to a file`(format: String, ending: String) throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.mp4", frames: 12, tones: 1, Clip.h264 + Clip.sound)
        let file = try shell("\"$VEIL\" in.mp4 -o file.\(ending) \(quick)", in: folder)
        #expect(file.status == 0, "\(file)")
        let spool = try TemporaryFolder()
        let pipe = try shell(
            "\"$VEIL\" in.mp4 -o - --format \(format) \(quick) | cat >pipe.\(ending)", in: folder,
            environment: ["TMPDIR": spool.path])
        #expect(pipe.status == 0 && pipe.errors.isEmpty, "\(pipe)")
        #expect(try hashes(folder.file("pipe." + ending)) == hashes(folder.file("file." + ending)))
        #expect(spool.names.isEmpty)
    }

    @Test func `between two programs`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.ts", frames: 12, tones: 1, Clip.h264 + Clip.sound)
        let run = try shell(
            "cat in.ts | \"$VEIL\" - -o - --format matroska \(quick.replacing("-q", with: "")) | ffprobe -v error -count_frames "
                + "-show_entries stream=nb_read_frames,codec_type -of csv=p=0 -", in: folder)
        #expect(run.status == 0 && run.text.contains("video,12"), "\(run) \(run.text)")
        // Progress and summary stay out of the data, and no name of a spool file is told.
        #expect(run.errors.contains("veil: standard input: analysing"), "\(run)")
        #expect(run.errors.contains("veil: standard output: 12 frames"), "\(run)")
        #expect(!run.errors.contains("/proc") && !run.errors.contains("tmp"), "\(run)")
    }

    @Test func `a plan from a pipe`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.ts", frames: 8)
        let flags = Redacted.quick.joined(separator: " ")
        let run = try shell("cat in.ts | \"$VEIL\" detect - -o plan.json -q \(flags)", in: folder)
        #expect(run.status == 0, "\(run)")
        let text = try String(decoding: FileBytes.read(folder.file("plan.json")), as: UTF8.self)
        #expect(text.contains("\"standard input\"") && !text.contains("/proc"))
        // It is the plan of the file that was led there.
        let render = try shell("\"$VEIL\" in.ts --plan plan.json -o out.mp4 -q --preset ultrafast", in: folder)
        #expect(render.status == 0, "\(render)")
    }

    @Test func `damage in a pipe is told as that of standard input`() throws {
        let folder = try TemporaryFolder()
        for source in ["printf ''", "printf 'no video at all'"] {
            let run = try shell("\(source) | \"$VEIL\" - -o out.mp4 -q", in: folder)
            #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
            #expect(run.errors.hasPrefix("veil: standard input: "), "\(run)")
            #expect(folder.names.isEmpty)
        }
    }

    @Test func `a reader that goes away is an error`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.mp4", frames: 20, ["-c:v", "libx264", "-qp", "4", "-preset", "ultrafast"])
        let spool = try TemporaryFolder()
        let run = try shell(
            "\"$VEIL\" in.mp4 -o - --format matroska --crf 2 \(quick) | head -c 10 >/dev/null", in: folder,
            environment: ["TMPDIR": spool.path])
        #expect(run.status == 1 && run.errors.contains("standard output: sending the output: Broken pipe"), "\(run)")
        #expect(run.errorLines.count == 1 && spool.names.isEmpty)
    }

    @Test func `formats that standard output can't have`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.mp4", frames: 2)
        for format in ["nonsense", "hls", "image2", "mp3", "rtp"] {
            let run = try shell("\"$VEIL\" in.mp4 -o - --format \(format) \(quick)", in: folder)
            #expect(run.status == 1 && run.errorLines.count == 1 && run.output.isEmpty, "\(run)")
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "no file system can be mounted"))
    func `a disk without room for standard input`() throws {
        let folder = try TemporaryFolder()
        try Clip.make(in: folder, "in.ts", frames: 2)
        let disk = try #require(try SmallDisk(megabytes: 1))
        let run = try shell(
            "cat in.ts | \"$VEIL\" - -o out.mp4 -q", in: folder, environment: ["TMPDIR": disk.path])
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
        #expect(run.errors.contains("keeping standard input") && run.errors.contains("TMPDIR"), "\(run)")
        #expect(folder.names == ["in.ts"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `waiting for standard input can be interrupted`(signal: Int32) throws {
        let folder = try TemporaryFolder()
        // The writer never writes, and ends by itself only when the test has long been over.
        let run = try BuiltVeil.startShell(
            "mkfifo p; sleep 120 >p & exec \"$VEIL\" - -o out.mp4 -q <p", in: folder.path)
        let isWaiting = run.waits(seconds: 120) { run.handles(signal) }
        #expect(isWaiting)
        usleep(200_000)
        run.send(signal)
        let result = try run.finish()
        #expect(result.status == 130 && !result.timedOut, "\(result)")
        #expect(folder.names == ["p"])
    }
}

import Glibc
import Testing
import VeilTestSupport

/// `veil live` on files that are played in real time. How soon the detector is ready depends on the machine: nothing here
/// does.
@Suite(.serialized) struct LiveTests {
    /// A detector that takes little of the machine, where it doesn't matter what it finds.
    private static let light = ["--threads", "1", "--detect-size", "128"]

    /// The portrait for some seconds: twenty frames again and again.
    private func clip(in folder: TemporaryFolder, seconds: Int = 6) throws -> String {
        let file = folder.file("loop.mkv")
        try Tool.ffmpeg(
            ["-stream_loop", "-1", "-i", try Portrait.base.get(), "-f", "lavfi", "-i", "sine=f=440:r=48000", "-t"]
                + ["\(seconds)", "-vf", "format=yuv420p"] + Clip.h264 + Clip.sound + [file])
        return file
    }

    private func frames(_ file: String) throws -> Int {
        let result = try Tool.run([
            "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
            "stream=nb_read_frames", "-of", "csv=p=0", file,
        ])
        return Int(result.text.filter(\.isNumber)) ?? 0
    }

    @Test func `records one covered frame for each that comes, and the sound`() throws {
        let folder = try TemporaryFolder()
        let source = try Clip.make(in: folder, "in.mkv", frames: 20, tones: 1, Clip.h264 + Clip.sound)
        let output = folder.file("out.mp4")
        let result = try BuiltVeil.run(["live", "-i", source, "-o", output, "--stats", "json"])
        #expect(result.status == 0, "\(result)")
        #expect(result.text.contains("\"captured\":20,\"shown\":20,\"dropped\":0"), "\(result.text)")
        let before = try RawPictures(source)
        let after = try RawPictures(output)
        #expect(after.count == 20)
        for frame in 0..<min(20, after.count) {
            #expect(before.detailLeft(in: after, frame: frame, box: Portrait.face(frame)) < 0.35, "frame \(frame)")
        }
        let streams = try Tool.run([
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", output,
        ])
        #expect(streams.text.split(separator: "\n").contains("aac"))
    }

    @Test func `refuses to replace a recording unless it is told to`() throws {
        let folder = try TemporaryFolder()
        let source = try Clip.make(in: folder, "in.mkv", frames: 8)
        try FileBytes.write([1, 2, 3], to: folder.file("out.mkv"))
        let result = try BuiltVeil.run(["live", "-i", source, "-o", folder.file("out.mkv")])
        #expect(result.errors.contains("there is such a file already"))
        #expect(try FileBytes.read(folder.file("out.mkv")) == [1, 2, 3])
    }

    @Test(arguments: ["mp4", "mkv"])
    func `a recording can be played after its program was killed`(ending: String) throws {
        let folder = try TemporaryFolder()
        let source = try clip(in: folder, seconds: 20)
        let output = folder.file("out.\(ending)")
        let running = try BuiltVeil.start(["live", "-i", source, "-o", output] + Self.light)
        let end = time(nil) + 60
        while FileBytes.size(output) < 100_000, time(nil) < end, !running.hasEnded() { usleep(50_000) }
        running.send(SIGKILL)
        _ = try running.finish(timeout: 10)
        let played = try Tool.run(["ffmpeg", "-v", "error", "-i", output, "-f", "null", "-"])
        #expect(played.status == 0)
        #expect(try frames(output) > 10)
    }

    @Test func `ends a recording in good order when it is interrupted`() throws {
        let folder = try TemporaryFolder()
        let source = try clip(in: folder, seconds: 20)
        let output = folder.file("out.mkv")
        let running = try BuiltVeil.start(["live", "-i", source, "-o", output, "--stats", "json"] + Self.light)
        let end = time(nil) + 60
        while FileBytes.size(output) < 50_000, time(nil) < end, !running.hasEnded() { usleep(50_000) }
        running.send(SIGTERM)
        let result = try running.finish(timeout: 30)
        #expect(result.status == 0 && result.text.contains("\"captured\""), "\(result)")
        // Only a file that was ended knows how long it is.
        let length = try Tool.run([
            "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", output,
        ])
        #expect(Double(length.text.filter { $0 != "\n" }) ?? 0 > 0.2, "\(length)")
    }

    @Test func `takes picture and sound from two devices`() throws {
        let folder = try TemporaryFolder()
        let output = folder.file("out.mkv")
        let result = try BuiltVeil.run(
            [
                "live", "-i", "lavfi:testsrc2=size=320x240:rate=25", "--mic", "lavfi:sine=f=440", "--duration", "2",
                "-o",
                output, "-q",
            ] + Self.light)
        #expect(result.status == 0, "\(result)")
        let lengths = try ["v:0", "a:0"].map { stream in
            let packets = try Tool.run([
                "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of",
                "csv=p=0", output,
            ])
            return packets.text.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.max() ?? 0
        }
        // In step: both end at nearly the same time. A busy machine may keep some of the last packets back.
        #expect(lengths[0] > 1 && abs(lengths[0] - lengths[1]) < 1, "\(lengths)")
    }

    @Test func `writes raw frames to standard output`() throws {
        let folder = try TemporaryFolder()
        let source = try Clip.make(in: folder, "in.mkv", frames: 12)
        let result = try BuiltVeil.run(["live", "-i", source, "-o", "-", "-q"])
        #expect(result.status == 0 && result.errors == "", "\(result)")
        #expect(result.output.starts(with: Array("YUV4MPEG2 W320 H180 F25:1".utf8)))
        #expect(result.output.count > 12 * 320 * 180 * 3 / 2)
    }

    @Test func `reads standard input`() throws {
        let folder = try TemporaryFolder()
        _ = try Clip.make(in: folder, "in.mkv", frames: 12)
        let result = try BuiltVeil.shell(
            "\"$VEIL\" live -i - --pace -o out.mkv --stats json <in.mkv", in: folder.path)
        #expect(result.status == 0 && result.text.contains("\"captured\":12,\"shown\":12"), "\(result)")
    }

    @Test func `does what lines on standard input say`() throws {
        let folder = try TemporaryFolder()
        _ = try clip(in: folder, seconds: 30)
        let script = """
            wait_for() { for _ in $(seq 600); do if [ -s "$1" ]; then return; fi; sleep 0.1; done; }
            { wait_for out.mkv; sleep 0.5; echo record; sleep 0.5; echo nonsense; echo record; wait_for out-2.mkv
              sleep 0.5; echo still; wait_for veil-still-1.jpg; echo zoom 2; echo effect; echo pause; sleep 0.3; echo quit
            } | "$VEIL" live -i loop.mkv -o out.mkv --control - \(Self.light.joined(separator: " "))
            """
        let result = try BuiltVeil.shell(script, in: folder.path)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("'nonsense' is no command"))
        for name in ["out.mkv", "out-2.mkv", "veil-still-1.jpg"] {
            #expect(folder.names.contains(name), "\(folder.names)")
        }
        #expect(try frames(folder.file("out.mkv")) > 0)
        #expect(try frames(folder.file("out-2.mkv")) > 0)
    }

    @Test func `a failed output doesn't hold up the others`() throws {
        let folder = try TemporaryFolder()
        let source = try clip(in: folder, seconds: 1)
        let result = try BuiltVeil.run(
            [
                "live", "-i", source, "-o", folder.file("no/such/folder.mkv"), "-o", "rtmp://127.0.0.1:9/none", "-o",
                folder.file("out.mkv"), "--stats", "json",
            ] + Self.light)
        #expect(result.status == 0 && result.errors.contains("trying again"), "\(result)")
        #expect(result.text.contains("\"captured\":25"), "\(result.text)")
        #expect(try frames(folder.file("out.mkv")) == 25)
    }

    @Test func `fails where no output works`() throws {
        let folder = try TemporaryFolder()
        let source = try clip(in: folder, seconds: 20)
        let result = try BuiltVeil.run(["live", "-i", source, "-o", folder.file("no/such/folder.mkv")] + Self.light)
        #expect(result.status == 1 && result.errors.contains("no output works"), "\(result)")
    }

    @Test func `shows, turns and cuts the picture as it is told`() throws {
        let folder = try TemporaryFolder()
        let source = try Clip.make(in: folder, "in.mkv", frames: 5)
        let result = try BuiltVeil.run([
            "live", "-i", source, "-o", "-", "-q", "--rotate", "90", "--crop", "1:1", "--mirror", "--zoom", "2",
        ])
        #expect(result.output.starts(with: Array("YUV4MPEG2 W180 H180".utf8)), "\(result)")
    }

    @Test(arguments: [
        (["--control", "x"], "is not - (standard input)"), (["--control", "-", "-i", "-"], "can't be used with"),
        (["--size", "big"], "is not a size"), (["--serve", "nowhere"], "is not an address"),
        (["--delay", "9"], "or auto"),
    ])
    func `refuses what makes no sense`(flags: [String], words: String) throws {
        let result = try BuiltVeil.run(["live"] + flags)
        #expect(result.status == 2 && result.errors.contains(words), "\(result)")
    }

    @Test func `says so where there is no such source`() throws {
        let result = try BuiltVeil.run(["live", "-i", "/no/such/clip.mp4", "-o", "-"])
        #expect(result.status == 1 && result.errors.contains("/no/such/clip.mp4"), "\(result)")
        #expect(result.output.isEmpty)
    }
}

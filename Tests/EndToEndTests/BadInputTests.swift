import Glibc
import Testing
import VeilTestSupport

/// Refused in one line that names the file; nothing is written.
private func expectRefused(
    _ run: ToolResult, naming file: String, output: String, in folder: TemporaryFolder,
    _ location: SourceLocation = #_sourceLocation
) {
    #expect(run.status == 1 && !run.timedOut, "\(run)", sourceLocation: location)
    #expect(run.errorLines.count == 1, "\(run)", sourceLocation: location)
    #expect(run.output.isEmpty, "\(run)", sourceLocation: location)
    let line = run.errorLines.last ?? ""
    #expect(line.hasPrefix("veil: ") && line.contains(file), "\(run)", sourceLocation: location)
    #expect(line.components(of: file) <= 1, "named twice: \(line)", sourceLocation: location)
    #expect(!line.contains("@ 0x") && !line.contains("veil-part"), "\(line)", sourceLocation: location)
    #expect(!FileBytes.exists(output), sourceLocation: location)
    #expect(folder.leftovers.isEmpty, sourceLocation: location)
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}

private func refuse(_ input: String, to name: String = "out.mp4", in folder: TemporaryFolder, _ extra: [String] = [])
    throws
    -> ToolResult
{
    try BuiltVeil.run(["redact", input, "-o", folder.file(name), "--quiet"] + Redacted.quick + extra)
}

@Suite struct BadInputTests {
    @Test(arguments: ["tga", "m3u8"])
    func `a format that isn't opened is refused in a line that one can read`(ending: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("in.\(ending)")
        if ending == "m3u8" {
            try FileBytes.write("#EXTM3U\n#EXTINF:1,\nother.ts\n".utf8, to: file)
        } else {
            #expect(try Tool.ffmpeg(["-f", "lavfi", "-i", "testsrc", "-frames:v", "1", file]).status == 0)
        }
        let run = try refuse(file, in: folder)
        expectRefused(run, naming: "in.\(ending)", output: folder.file("out.mp4"), in: folder)
        #expect(run.errors.count < 400, "\(run.errors)")
    }

    @Test func `a file that isn't there`() throws {
        let folder = try TemporaryFolder()
        let run = try refuse(folder.file("none.mp4"), in: folder)
        expectRefused(run, naming: "none.mp4", output: folder.file("out.mp4"), in: folder)
        #expect(run.errors.contains("No such file"))
    }

    @Test func `a directory`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.file("clips.mp4"), 0o700)
        let run = try refuse(folder.file("clips.mp4"), in: folder)
        // A folder's results need a folder, and out.mp4 is hardly meant to be one.
        #expect(run.status == 2 && run.errorLines.count == 1 && run.errors.contains("folder"), "\(run)")
        #expect(folder.names == ["clips.mp4"])
    }

    @Test func `a pipe and a device`() throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.file("pipe.mp4"), 0o600)
        for file in [folder.file("pipe.mp4"), "/dev/zero"] {
            let run = try refuse(file, in: folder)
            expectRefused(run, naming: file, output: folder.file("out.mp4"), in: folder)
        }
    }

    @Test(arguments: [
        "mp4", "mov", "mkv", "webm", "avi", "ts", "mpg", "flv", "gif", "jpg", "png", "txt", "m3u8", "nut", "mxf", "ogv",
        "wmv",
    ])
    func `text, nothing, zeroes and noise under every extension`(ending: String) throws {
        let folder = try TemporaryFolder()
        var noise = SystemRandomNumberGenerator()
        let contents: [(String, [UInt8])] = [
            ("text", Array(String(repeating: "This is not a video.\n", count: 300).utf8)), ("empty", []),
            ("zero", Array(repeating: 0, count: 5000)),
            ("noise", (0..<20000).map { _ in UInt8.random(in: 0...255, using: &noise) }),
        ]
        for (name, bytes) in contents {
            let file = folder.file("\(name).\(ending)")
            try FileBytes.write(bytes, to: file)
            let run = try refuse(file, in: folder)
            expectRefused(run, naming: "\(name).\(ending)", output: folder.file("out.mp4"), in: folder)
        }
    }

    @Test func `sound alone`() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("song.mp4")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "sine=d=0.5", "-c:a", "aac", file])
        let run = try refuse(file, in: folder)
        expectRefused(run, naming: "song.mp4", output: folder.file("out.mp4"), in: folder)
        #expect(run.errors.contains("sound only"))
    }

    /// Containers that say how long they are or where their frames lie.
    @Test(
        arguments: [
            ("a.mp4", ["-movflags", "+faststart"]), ("a.mp4", []), ("a.mov", []), ("a.mkv", []), ("a.webm", []),
            ("a.avi", []),
            ("b.avi", []),
            ("a.mp4", ["-movflags", "+frag_keyframe+empty_moov", "-g", "4"]),
        ], [1, 10, 50, 90, 99])
    func `a file that was cut off is refused`(form: (String, [String]), percent: Int) throws {
        let folder = try TemporaryFolder()
        let kind = try #require(Kind.all.first { $0.name == form.0 })
        let whole = try Clip.make(in: folder, form.0, frames: 16, tones: 1, kind.video + kind.sound + form.1)
        let bytes = try FileBytes.read(whole)
        let file = folder.file("cut." + form.0)
        try FileBytes.write(bytes.prefix(bytes.count * percent / 100), to: file)
        let run = try refuse(file, to: "out." + form.0, in: folder)
        expectRefused(run, naming: "cut." + form.0, output: folder.file("out." + form.0), in: folder)
    }

    @Test func `a transport stream that ends inside a packet is refused`() throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "a.ts", frames: 16, tones: 1, Clip.h264 + Clip.sound)
        let bytes = try FileBytes.read(whole)
        let file = folder.file("cut.ts")
        try FileBytes.write(bytes.prefix(bytes.count / 2 / 188 * 188 + 100), to: file)
        let run = try refuse(file, to: "out.ts", in: folder)
        expectRefused(run, naming: "cut.ts", output: folder.file("out.ts"), in: folder)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that may not be read, and a folder that may not be written`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 2)
        chmod(file, 0)
        expectRefused(
            try refuse(file, in: folder), naming: "in.mp4", output: folder.file("out.mp4"), in: folder)
        chmod(file, 0o600)
        mkdir(folder.file("locked"), 0o500)
        let run = try BuiltVeil.run(["redact", file, "-o", folder.file("locked/out.mp4"), "-q"])
        expectRefused(run, naming: "locked/out.mp4", output: folder.file("locked/out.mp4"), in: folder)
    }

    @Test func `an output folder that isn't there`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 2)
        let run = try refuse(file, to: "none/out.mp4", in: folder)
        expectRefused(run, naming: "none/out.mp4", output: folder.file("none/out.mp4"), in: folder)
    }

    @Test(arguments: ["out.mp4", "out.mkv", "out.ts", "out.avi"])
    func `a full disk`(name: String) throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 8, tones: 1, Clip.h264 + Clip.sound)
        // A limit on file size gives the same refusal to write as a full disk does; the signal it comes with is ignored.
        let run = try BuiltVeil.run(
            ["redact", file, "-o", folder.file(name), "-q"] + Redacted.quick, under: "trap '' XFSZ; ulimit -f 8")
        expectRefused(run, naming: name, output: folder.file(name), in: folder)
    }

    @Test func `the input as output under another name, a link or a symbolic link`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 2)
        let before = try FileBytes.read(file)
        link(file, folder.file("hard.mp4"))
        symlink("in.mp4", folder.file("soft.mp4"))
        let names = [
            file, folder.file("./in.mp4"), folder.file("../\(folder.path.split(separator: "/").last ?? "")/in.mp4"),
            folder.file("hard.mp4"), folder.file("soft.mp4"),
        ]
        for output in names {
            for force in [[], ["--force"]] {
                let run = try BuiltVeil.run(["redact", file, "-o", output, "-q"] + force)
                #expect(
                    run.status == 1 && run.errorLines.count == 1 && run.errors.contains("the input itself"), "\(run)")
            }
        }
        let run = try BuiltVeil.run(["redact", folder.file("soft.mp4"), "-o", file, "-q", "--force"])
        #expect(run.status == 1, "\(run)")
        #expect(try FileBytes.read(file) == before)
        #expect(folder.names == ["hard.mp4", "in.mp4", "soft.mp4"])
    }

    @Test func `an output that exists is replaced only by force`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 2)
        try FileBytes.write("mine".utf8, to: folder.file("out.mp4"))
        let run = try refuse(file, in: folder)
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("--force"), "\(run)")
        #expect(try FileBytes.read(folder.file("out.mp4")) == Array("mine".utf8))
        #expect(try refuse(file, in: folder, ["--force", "--preset", "ultrafast"]).status == 0)
        #expect(try Probe(folder.file("out.mp4")).picture("width") == "320")
        #expect(folder.leftovers.isEmpty)
    }

    @Test func `an output name that no container is known by`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 2)
        for name in ["out.xyz", "none", "out.txt", "out.m3u8", "out.mpd", "out.jpg", "out.mp3", "out.wav"] {
            let run = try refuse(file, to: name, in: folder)
            expectRefused(run, naming: name, output: folder.file(name), in: folder)
        }
    }

    @Test func `playlists and scripts that name other files are not followed`() throws {
        let folder = try TemporaryFolder()
        let clip = try Clip.make(in: folder, "clip.ts", frames: 2)
        let texts = [
            "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(clip)\n#EXT-X-ENDLIST\n",
            "b.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://\(clip)\n#EXT-X-ENDLIST\n",
            "c.txt": "ffconcat version 1.0\nfile '\(clip)'\n",
            "d.mp4": "ffconcat version 1.0\nfile 'clip.ts'\n",
            "e.mpd":
                "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period><AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\" bandwidth=\"1\"><BaseURL>\(clip)</BaseURL></Representation></AdaptationSet></Period></MPD>",
            "f.sdp":
                "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
        ]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            try FileBytes.write(text.utf8, to: folder.file(name))
            let run = try refuse(folder.file(name), in: folder)
            expectRefused(run, naming: name, output: folder.file("out.mp4"), in: folder)
        }
        // Names that FFmpeg's command line would take for protocols or patterns are names of files here.
        for name in [
            "concat:\(clip)", "subfile,,start,0,end,0,,:\(clip)", "http://127.0.0.1:9/x.mp4", folder.file("%03d.ts"),
        ] {
            let run = try refuse(name, in: folder)
            #expect(run.status == 1 && run.errors.contains("No such file"), "\(run)")
        }
    }

    @Test(arguments: ["mkv", "mp4", "ts", "avi"])
    func `broken frames are covered whole when that is asked for`(container: String) throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(
            in: folder, "whole." + container, frames: 20, tones: 1,
            (container == "avi" ? ["-c:v", "mpeg4", "-q:v", "2", "-c:a", "libmp3lame"] : Clip.h264 + Clip.sound) + [
                "-g", "5",
            ])
        var bytes = try FileBytes.read(whole)
        // Noise over a stretch in the middle of the media data.
        var random = Numbers(7)
        let middle = bytes.count / 2
        for index in middle..<middle + bytes.count / 20 where !(container == "ts" && index % 188 < 12) {
            bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
        let file = folder.file("broken." + container)
        try FileBytes.write(bytes, to: file)
        let stopped = try refuse(file, to: "out." + container, in: folder)
        expectRefused(stopped, naming: "broken." + container, output: folder.file("out." + container), in: folder)

        let redacted = try Redacted(
            file, to: "out." + container, in: folder, ["--on-error", "cover"],
            preset: container == "avi" ? nil : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let expected = try Probe.packets(whole, stream: "V:0").count
        let picture = try RawPictures(redacted.output)
        if container == "mp4" { #expect(picture.count == expected) }
        #expect(abs(picture.count - expected) <= 5)
        #expect(redacted.run.errors.contains("covered whole"), "\(redacted.run)")
        // Whatever was shown, the face is in no frame.
        let times = try Probe.times(redacted.output)
        let original = try RawPictures(whole)
        for (index, time) in times.enumerated() where index < picture.count {
            let frame = Int((time.seconds - times[0].seconds) * 25 + 0.5)
            guard frame < original.count else { continue }
            #expect(
                original.detailLeft(in: picture, frame: frame, otherFrame: index, box: Portrait.face(frame)) < 0.15,
                "frame \(frame)")
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func `a file whose first frames are broken is covered from its first frame on`(container: String) throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "whole." + container, frames: 16, Clip.h264 + ["-g", "4", "-bf", "0"])
        let places = try Tool.ffprobe([
            "-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "csv=p=0", whole,
        ])
        .split(separator: "\n").map { $0.split(separator: ",").compactMap { Int($0) } }
        var bytes = try FileBytes.read(whole)
        var random = Numbers(3)
        // The first two pictures, but for the lengths before their parts.
        for place in places.prefix(2) where place.count == 2 {
            let (size, start) = (place[0], place[1])
            for index in start + 40..<start + size { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        let file = folder.file("broken." + container)
        try FileBytes.write(bytes, to: file)
        #expect(try refuse(file, to: "out." + container, in: folder).status == 1)
        let redacted = try Redacted(file, to: "out." + container, in: folder, ["--on-error", "cover"])
        redacted.expectDone()
        #expect(redacted.run.errors.contains("covered whole"), "\(redacted.run)")
        let (before, after) = (try RawPictures(whole), try RawPictures(redacted.output))
        #expect(after.count == before.count)
        for frame in 0..<min(before.count, after.count) {
            #expect(before.detailLeft(in: after, frame: frame, box: Portrait.face(frame)) < 0.12, "frame \(frame)")
        }
    }

    @Test func `a picture of no size`() throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "whole.avi", frames: 2, ["-c:v", "rawvideo"])
        var bytes = try FileBytes.read(whole)
        // Width and height in the stream's format and in the file's head.
        for mark in [[64, 1, 0, 0, 180, 0, 0, 0]] as [[UInt8]] {
            for index in 0..<600 where Array(bytes[index..<index + 8]) == mark {
                for offset in 0..<8 { bytes[index + offset] = 0 }
            }
        }
        try FileBytes.write(bytes, to: folder.file("none.avi"))
        let run = try refuse(folder.file("none.avi"), to: "out.avi", in: folder)
        expectRefused(run, naming: "none.avi", output: folder.file("out.avi"), in: folder)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal leaves no output behind`(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let long = folder.file("long.mp4")
        try Tool.ffmpeg([
            "-stream_loop", "30", "-i", Portrait.base.get(), "-vf", "format=yuv420p,setpts=N/25/TB", "-c:v", "libx264",
            "-preset", "ultrafast", long,
        ])
        // While it analyses, and while it renders.
        for waits in [0.2, 0] {
            let run = try BuiltVeil.start(
                ["redact", long, "-o", folder.file("out.mp4")] + Redacted.quick + ["--preset", "veryslow"])
            let isUnderWay =
                waits > 0
                ? run.waits(seconds: 120) { run.errorsSoFar.contains("analysing") }
                : run.waits(seconds: 120) { !folder.leftovers.isEmpty && run.errorsSoFar.contains("rendering") }
            #expect(isUnderWay, "\(run.errorsSoFar)")
            run.send(signal)
            let result = try run.finish()
            #expect(result.status == 130 && !result.timedOut, "\(result)")
            #expect(folder.names == ["long.mp4"])
        }
    }

    @Test func `a killed run leaves nothing under the output's name`() throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 150, before: ["-stream_loop", "-1"])
        let run = try BuiltVeil.start(
            ["redact", file, "-o", folder.file("out.mp4"), "--preset", "veryslow"] + Redacted.quick)
        let isUnderWay = run.waits(seconds: 120) { run.errorsSoFar.contains("analysing") && !folder.leftovers.isEmpty }
        #expect(isUnderWay, "\(run.errorsSoFar)")
        run.send(SIGKILL)
        #expect(try run.finish().status == 137)
        #expect(!FileBytes.exists(folder.file("out.mp4")))
    }
}

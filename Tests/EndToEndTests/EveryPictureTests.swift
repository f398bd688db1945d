import Testing
import VeilTestSupport

/// Nothing in an output shows the face: not a second stream, not a cover, not an attachment.
@Suite struct EveryPictureTests {
    private static let coverSide = 256
    /// The face in the whole portrait, scaled to the cover's size.
    private static let coverFace = Box(x: 152, y: 66, width: 52, height: 68).scaled(0.64, 0.64)

    /// A file with two moving pictures, sound, a cover, a font and a note.
    private func crowded(in folder: TemporaryFolder, _ container: String, cover: String) throws -> String {
        let art = folder.file("cover." + (cover == "png" ? "png" : "jpg"))
        try Tool.ffmpeg([
            "-i", Places.portrait, "-vf", "scale=\(Self.coverSide):\(Self.coverSide)", "-q:v", "2", "-frames:v", "1",
            art,
        ])
        let plain = try Clip.make(
            in: folder, "plain." + container, frames: 6, tones: 1,
            [
                "-map", "0:v", "-map", "0:v", "-map", "1:a", "-filter:v:1", "scale=240:136,format=yuv420p",
                "-disposition:v:0", "default",
            ]
                + Clip.h264 + Clip.sound)
        let input = folder.file("in." + container)
        if container == "mkv" {
            let (font, note) = (folder.file("a.ttf"), folder.file("note.txt"))
            try FileBytes.write([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: font)
            try FileBytes.write("who was there".utf8, to: note)
            try Tool.ffmpeg([
                "-i", plain, "-map", "0", "-c", "copy", "-attach", art, "-attach", font, "-attach", note,
                "-metadata:s:t:0", "mimetype=image/\(cover == "png" ? "png" : "jpeg")", "-metadata:s:t:0",
                "filename=cover", "-metadata:s:t:1", "mimetype=application/x-truetype-font", "-metadata:s:t:2",
                "mimetype=text/plain", input,
            ])
        } else {
            try Tool.ffmpeg([
                "-i", plain, "-i", art, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:2", "attached_pic",
                input,
            ])
        }
        return input
    }

    /// Reads every picture of the output that can be decoded, and compares it with the source's of that size.
    private func expectNoFaceAnywhere(_ redacted: Redacted, _ location: SourceLocation = #_sourceLocation) throws {
        let (before, after) = (try Probe(redacted.input), try Probe(redacted.output))
        let sources = before.indices("video")
        for index in after.indices("video") {
            let width = after.stream(index, "width")
            let source = try #require(sources.first { before.stream($0, "width") == width }, sourceLocation: location)
            let (a, b) = (
                try RawPictures(redacted.input, stream: "0:\(source)"),
                try RawPictures(redacted.output, stream: "0:\(index)")
            )
            #expect(b.count > 0 && a.count == b.count, "stream \(index)", sourceLocation: location)
            for frame in 0..<min(a.count, b.count) {
                let isCover = width == "\(Self.coverSide)"
                let box =
                    isCover
                    ? Self.coverFace
                    : Portrait.face(frame).scaled(Double(a.width) / 320, Double(a.height) / 180)
                let left = a.detailLeft(in: b, frame: frame, box: box)
                #expect(left < 0.15, "stream \(index), frame \(frame)", sourceLocation: location)
            }
        }
        // Not a packet and not an attachment is the source's.
        let old = Set(try sources.flatMap { try Probe.packets(redacted.input, stream: "\($0)").map(\.hash) })
        let new = Set(
            try after.indices("video").flatMap { try Probe.packets(redacted.output, stream: "\($0)").map(\.hash) })
        #expect(!old.isEmpty && !new.isEmpty && old.isDisjoint(with: new), sourceLocation: location)
        for index in after.indices("attachment") {
            #expect(["ttf", "otf"].contains(after.stream(index, "codec_name")), sourceLocation: location)
        }
        let bytes = String(decoding: try FileBytes.read(redacted.output), as: UTF8.self)
        #expect(!bytes.contains("who was there"), sourceLocation: location)
    }

    @Test(arguments: ["mkv", "mp4", "m4v"], ["mp4", "mov", "mkv", "webm", "avi", "ts", "m4v"])
    func `no picture of an output shows the face`(from: String, to: String) throws {
        let folder = try TemporaryFolder()
        let input = try crowded(in: folder, from, cover: from == "mkv" ? "jpeg" : "png")
        let redacted = try Redacted(input, to: "out." + to, in: folder, preset: to == "webm" ? "8" : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        try expectNoFaceAnywhere(redacted)
        let after = try Probe(redacted.output)
        let holdsCovers = ["mp4", "mkv", "m4v"].contains(to)
        #expect(after.indices("video").count == (holdsCovers ? 3 : 2))
        #expect(redacted.says("attached picture") && redacted.says(holdsCovers ? "is redacted" : "is left out"))
        if holdsCovers {
            let art = after.indices("video").filter { after.stream($0, "disposition.attached_pic") == "1" }
            #expect(art.count == 1)
        }
        if from == "mkv" {
            #expect(after.indices("attachment").count == (to == "mkv" ? 1 : 0))
            #expect(redacted.notes.contains { $0.contains("attachment") && $0.contains("left out") })
        }
    }

    /// Two moving pictures keep their own times and sizes, and the plan of one isn't the other's.
    @Test(arguments: ["mp4", "mkv", "ts"])
    func `a second moving picture is redacted too`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, tones: 1,
            [
                "-map", "0:v", "-map", "0:v", "-map", "1:a", "-filter:v:1",
                "setpts=PTS+0.2/TB,hflip,scale=240:136,format=yuv420p",
            ] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        for stream in ["v:0", "v:1"] {
            #expect(try Probe.times(input, stream: stream) == Probe.times(redacted.output, stream: stream))
        }
        try redacted.expectCopied("a:0", as: "a:0")
        try redacted.expectFaceGone()
        let (a, b) = (
            try RawPictures(input, stream: "0:v:1"), try RawPictures(redacted.output, stream: "0:v:1")
        )
        #expect(a.count == b.count)
        for frame in 0..<min(a.count, b.count) {
            let face = Portrait.face(frame)
            let flipped = Box(x: 320 - face.x - face.width, y: face.y, width: face.width, height: face.height)
            #expect(a.detailLeft(in: b, frame: frame, box: flipped.scaled(0.75, 136.0 / 180)) < 0.15)
        }
    }

    @Test func `a plan is for the main picture, and others are searched anew`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 4, ["-map", "0:v", "-map", "0:v", "-s:v:1", "240x136"] + Clip.h264)
        let plan = folder.file("plan.json")
        #expect(try BuiltVeil.run(["detect", input, "-o", plan] + Redacted.quick).status == 0)
        let output = folder.file("out.mkv")
        let run = try BuiltVeil.run(["redact", input, "-o", output, "--plan", plan, "--preset", "ultrafast"])
        #expect(run.status == 0 && run.errors.contains("isn't in the plan: it was searched anew"), "\(run)")
        try expectNoFaceAnywhere(Redacted(input: input, output: output, run: run))
    }

    @Test func `the largest picture is the main one, not the first`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv",
            ["-map", "0:v", "-map", "0:v", "-s:v:0", "240x136", "-disposition:v:0", "0"] + Clip.h264)
        let plan = folder.file("plan.json")
        #expect(try BuiltVeil.run(["detect", input, "-o", plan] + Redacted.quick).status == 0)
        #expect(String(decoding: try FileBytes.read(plan), as: UTF8.self).contains("320"))
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        try expectNoFaceAnywhere(redacted)
    }
}

extension Redacted {
    init(input: String, output: String, run: ToolResult) {
        self.input = input
        self.output = output
        self.run = run
    }
}

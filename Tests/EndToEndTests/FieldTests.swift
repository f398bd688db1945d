import Testing
import VeilTestSupport

/// Streams whose fields are pictures of their own: two packets or halves of one make a frame.
@Suite struct FieldTests {
    private static let frames = 6

    struct Form: Sendable, CustomTestStringConvertible {
        var codec: String
        var container: String
        var topFirst = true
        var testDescription: String { "\(codec) in \(container), \(topFirst ? "top" : "bottom") first" }
    }

    private func make(_ form: Form, in folder: TemporaryFolder) throws -> String {
        let raw = folder.file(form.codec == "h264" ? "raw.h264" : "raw.m2v")
        try FileBytes.write(
            form.codec == "h264"
                ? FieldStreams.h264(frames: Self.frames, topFirst: form.topFirst)
                : FieldStreams.mpeg2(frames: Self.frames, topFirst: form.topFirst, in: folder), to: raw)
        if raw.hasSuffix("." + form.container) { return raw }
        let input = folder.file("in." + form.container)
        try Tool.ffmpeg(["-fflags", "+genpts", "-i", raw, "-c", "copy", input])
        return input
    }

    @Test(arguments: [
        Form(codec: "h264", container: "mp4"), Form(codec: "h264", container: "mkv"),
        Form(codec: "h264", container: "ts"), Form(codec: "h264", container: "ts", topFirst: false),
        Form(codec: "h264", container: "h264"), Form(codec: "mpeg2", container: "ts"),
        Form(codec: "mpeg2", container: "mkv"), Form(codec: "mpeg2", container: "mp4"),
        Form(codec: "mpeg2", container: "mpg", topFirst: false),
    ])
    func `a frame of two field pictures stays one frame, covered in both`(form: Form) throws {
        let folder = try TemporaryFolder()
        let input = try make(form, in: folder)
        let source = try Probe.firstFrame(input, packets: 4)
        try #require(source["interlaced_frame"] == "1" && source["top_field_first"] == (form.topFirst ? "1" : "0"))
        // A raw stream has no times: it gets a container.
        let container = form.container == "h264" ? "mkv" : form.container
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, preset: form.codec == "h264" ? "ultrafast" : nil)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        if form.container != "h264" { try redacted.expectSameTimes() }
        let frame = try Probe.firstFrame(redacted.output)
        #expect(frame["interlaced_frame"] == "1" && frame["top_field_first"] == source["top_field_first"])
        expectSame(try Probe(input), try Probe(redacted.output), ["width", "height", "pix_fmt", "codec_name"])
        let (before, after) = (try RawPictures(input), try RawPictures(redacted.output))
        #expect(before.count == Self.frames && after.count == Self.frames && after.height == FieldStreams.height)
        // Each field by itself: half as high, and the face of its own moment.
        for parity in 0...1 {
            let filter = "il=l=d:c=d,crop=iw:\(FieldStreams.height / 2):0:\(parity * FieldStreams.height / 2)"
            let (a, b) = (
                try RawPictures(input, filter: filter), try RawPictures(redacted.output, filter: filter)
            )
            for n in 0..<min(a.count, b.count) {
                let box = Portrait.face(2 * n + parity).scaled(1, 0.5)
                #expect(a.detailLeft(in: b, frame: n, box: box) < 0.12, "frame \(n), field \(parity)")
                let around = Portrait.surroundings(2 * n).scaled(1, 0.5)
                #expect(a.psnr(n, b, n) { x, y in !around.contains(x, y) } > 34, "frame \(n), field \(parity)")
            }
        }
    }

    /// HEVC knows fields only as pictures of their own: half as high, one behind the other.
    private func fieldsOfHEVC(in folder: TemporaryFolder, topFirst: Bool) throws -> String {
        let order = topFirst ? "tff" : "bff"
        return try Clip.make(
            in: folder, "in.mkv", frames: 2 * Self.frames,
            filter:
                "tinterlace=interleave_\(topFirst ? "top" : "bottom"),setfield=\(order),separatefields,format=yuv420p",
            [
                "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                "log-level=none:crf=12:bframes=0:interlace=\(order)",
            ])
    }

    @Test(arguments: [true, false])
    func `HEVC's fields stay fields`(topFirst: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try fieldsOfHEVC(in: folder, topFirst: topFirst)
        let source = try Probe.firstFrame(input)
        try #require(source["interlaced_frame"] == "1" && source["height"] == "\(FieldStreams.height / 2)")
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        try redacted.expectSameTimes()
        let frame = try Probe.firstFrame(redacted.output)
        for key in ["interlaced_frame", "top_field_first", "height"] { #expect(frame[key] == source[key], "\(key)") }
        try redacted.expectFaceGone(
            quality: 34, face: { Portrait.face($0).scaled(1, 0.5) },
            around: { Portrait.surroundings($0).scaled(1, 0.5) })
    }

    @Test func `HEVC's fields become whole pictures where no codec can say it, and are never deinterlaced`() throws {
        let folder = try TemporaryFolder()
        let input = try fieldsOfHEVC(in: folder, topFirst: true)
        let redacted = try Redacted(input, to: "out.mkv", in: folder, ["--codec", "h264"])
        redacted.expectDone()
        #expect(redacted.says("each picture is one field, which libx264 can't say: it becomes a whole one"))
        try redacted.expectSameTimes()
        #expect(try Probe.firstFrame(redacted.output)["interlaced_frame"] == "0")
        let refused = try Redacted(input, to: "b.mkv", in: folder, ["--deinterlace"])
        #expect(refused.run.status == 1 && refused.run.errors.contains("each of its pictures is one field"))
        #expect(!FileBytes.exists(refused.output) && folder.leftovers.isEmpty)
    }
}

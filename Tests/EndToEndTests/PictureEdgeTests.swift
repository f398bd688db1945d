import Testing
import VeilTestSupport

/// Pictures of unusual sizes and kinds, and pictures that change.
@Suite struct PictureEdgeTests {
    /// A raw H.264 stream in which the picture changes, in a container that lets it.
    private func joined(in folder: TemporaryFolder, _ filters: [String], _ name: String) throws -> String {
        var bytes: [UInt8] = []
        for (index, filter) in filters.enumerated() {
            let part = try Clip.make(in: folder, "part\(index).h264", filter: filter)
            bytes += try FileBytes.read(part)
        }
        try FileBytes.write(bytes, to: folder.file("all.h264"))
        try Tool.ffmpeg(["-r", "25", "-i", folder.file("all.h264"), "-c", "copy", folder.file(name)])
        return folder.file(name)
    }

    @Test(arguments: [
        ("format=yuv420p", "scale=240:136,format=yuv420p"), ("scale=240:136,format=yuv420p", "format=yuv420p"),
        ("format=yuv420p", "format=yuv422p"), ("format=yuv420p", "scale=640:360,format=yuv444p"),
    ])
    func `a picture that changes in mid-stream is covered and brought to the first one's form`(
        change: (first: String, second: String)
    ) throws {
        let folder = try TemporaryFolder()
        let input = try joined(in: folder, [change.first, change.second], "in.ts")
        let redacted = try Redacted(input, to: "out.ts", in: folder)
        redacted.expectDone()
        #expect(redacted.says("in mid-stream: it is brought to"))
        let first = try Clip.make(in: folder, "first.mkv", filter: change.first, Look.ffv1)
        let (before, after) = (try RawPictures(first), try RawPictures(redacted.output))
        #expect(after.count == 16 && (after.width, after.height) == (before.width, before.height))
        guard after.count == 16 else { return }
        let scale = (Double(before.width) / 320, Double(before.height) / 180)
        for frame in 0..<16 {
            let box = Portrait.face(frame % 8).scaled(scale.0, scale.1)
            let left = before.detailLeft(in: after, frame: frame % 8, otherFrame: frame, box: box)
            #expect(left < 0.15, "frame \(frame)")
        }
    }

    @Test(arguments: [
        ("2×2", "scale=2:2", "mkv"), ("2×2", "scale=2:2", "mp4"), ("1×1", "scale=1:1,format=yuv444p", "mkv"),
        ("16×2", "scale=16:2", "mkv"), ("ultra-wide", "pad=8192:64:4000:0", "mp4"),
        ("ultra-high", "scale=64:36,pad=64:8192:0:4000", "mkv"),
    ])
    func `tiny and drawn-out pictures keep their size`(
        form: (name: String, filter: String, container: String)
    ) throws {
        let folder = try TemporaryFolder()
        let filter = "crop=64:64:0:0," + form.filter + (form.filter.contains("444") ? "" : ",format=yuv420p")
        let input = try Clip.make(
            in: folder, "in." + form.container, frames: 3, filter: filter,
            form.container == "mkv" ? Look.ffv1 : Clip.h264)
        let redacted = try Redacted(
            input, to: "out." + form.container, in: folder, ["--untouched", "encode"],
            preset: form.container == "mkv" ? nil : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        expectSame(try Probe(input), try Probe(redacted.output), ["width", "height", "pix_fmt", "codec_name"])
        try redacted.expectSameTimes()
        #expect(try RawPictures(redacted.output).count == 3)
    }

    /// One frame; memory stays within some pictures of its size (50 MB each).
    @Test func `a picture of 7680×4320 is covered within a gigabyte`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 1, filter: "scale=7680:4320,format=yuv420p")
        let output = folder.file("out.mp4")
        let run = try BuiltVeil.run(
            ["redact", input, "-o", output, "--preset", "ultrafast"] + Redacted.quick, under: "ulimit -v 4000000")
        #expect(run.status == 0, "\(run)")
        let (before, after) = (
            try RawPictures(input, filter: "scale=320:180"), try RawPictures(output, filter: "scale=320:180")
        )
        #expect(before.detailLeft(in: after, frame: 0, box: Portrait.face(0)) < 0.12)
    }

    /// The colours of what is fully transparent are in the file, too.
    @Test(arguments: [
        ("mkv", ["-c:v", "ffv1"], "bgra"), ("mkv", ["-c:v", "ffv1"], "yuva420p"), ("mov", ["-c:v", "png"], "rgba"),
        ("webm", Kind.vp9 + ["-auto-alt-ref", "0"], "yuva420p"),
        ("mov", ["-c:v", "prores_ks", "-profile:v", "4444"], "yuva444p10le"), ("mov", ["-c:v", "qtrle"], "argb"),
    ])
    func `alpha is kept, and the colours that it hides are covered`(
        form: (container: String, video: [String], format: String)
    ) throws {
        let folder = try TemporaryFolder()
        let face = Portrait.face(0)
        let inside = "between(X,\(face.x - 30),\(face.x + face.width + 10))*between(Y,20,170)"
        let input = try Clip.make(
            in: folder, "in." + form.container, frames: 4,
            filter: "format=gbrap,geq=r='p(X,Y)':g='p(X,Y)':b='p(X,Y)':a='255*(1-\(inside))',format=\(form.format)",
            form.video + (form.container == "webm" ? ["-metadata:s:v:0", "alpha_mode=1"] : []))
        let keeps = form.video[1] == "prores_ks" ? ["--codec", "prores"] : []
        let redacted = try Redacted(
            input, to: "out." + form.container, in: folder, keeps, preset: form.container == "webm" ? "8" : nil)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let decoder = form.container == "webm" ? ["-c:v", "libvpx-vp9"] : []
        func pictures(_ file: String, _ filter: String) throws -> RawPictures {
            let plain = folder.file("plain.mkv")
            try Tool.ffmpeg(decoder + ["-i", file, "-vf", filter, "-c:v", "ffv1", plain])
            return try RawPictures(plain)
        }
        let (a, b) = (
            try pictures(input, "alphaextract,format=gray"), try pictures(redacted.output, "alphaextract,format=gray")
        )
        #expect(a.count == 4 && b.count == 4)
        for frame in 0..<4 { #expect(a.psnr(frame, b, frame) { _, _ in true } > 40) }
        // Alpha thrown away instead of applied.
        let drop =
            form.format.hasPrefix("yuva") ? "format=\(form.format.replacing("yuva", with: "yuv"))" : "format=gbrp"
        let (before, after) = (try pictures(input, drop), try pictures(redacted.output, drop))
        for frame in 0..<4 {
            #expect(before.detailLeft(in: after, frame: frame, box: Portrait.face(frame)) < 0.12, "frame \(frame)")
        }
    }

    @Test func `a GIF stays a GIF with its colours and its times`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.gif", frames: 6, filter: "split[a][b];[a]palettegen[p];[b][p]paletteuse", ["-c:v", "gif"])
        let redacted = try Redacted(input, to: "out.gif", in: folder, preset: nil)
        redacted.expectDone()
        #expect(redacted.notes.isEmpty)
        try redacted.expectSameTimes()
        try redacted.expectFaceGone(quality: 34)
    }

    @Test(arguments: ["gray", "gray10le"])
    func `gray stays gray in H.264`(format: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 3, filter: "format=\(format)")
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        expectSame(try Probe(input), try Probe(redacted.output), ["pix_fmt", "codec_name"])
        try redacted.expectFaceGone()
    }

    /// Two fields of which one is a frame later than the other.
    private func interlaced(in folder: TemporaryFolder, _ name: String, _ output: [String]) throws -> String {
        try Clip.make(
            in: folder, name, frames: 12, filter: "tinterlace=interleave_top,setfield=tff,format=yuv420p",
            ["-flags", "+ildct+ilme", "-top", "1"] + output)
    }

    private static let mpeg2 = ["-c:v", "mpeg2video", "-q:v", "2"]

    /// How much each row departs from the mean of its neighbours.
    private func combing(_ pictures: RawPictures, _ frame: Int, _ box: Box) -> Double {
        var sum = 0
        for y in box.y..<box.y + box.height {
            for x in box.x..<box.x + box.width {
                sum += abs(2 * pictures[frame, x, y] - pictures[frame, x, y - 1] - pictures[frame, x, y + 1])
            }
        }
        return Double(sum) / 2 / Double(box.width * box.height)
    }

    @Test(arguments: [("ts", mpeg2), ("mp4", Clip.h264 + ["-x264-params", "tff=1"])])
    func `masks cover both fields alike`(form: (container: String, video: [String])) throws {
        let folder = try TemporaryFolder()
        let input = try interlaced(in: folder, "in." + form.container, form.video)
        let redacted = try Redacted(
            input, to: "out." + form.container, in: folder, preset: form.container == "mp4" ? "ultrafast" : nil)
        redacted.expectDone()
        let frame = try Probe.firstFrame(redacted.output)
        #expect(frame["interlaced_frame"] == "1" && frame["top_field_first"] == "1")
        let (before, after) = (try RawPictures(input), try RawPictures(redacted.output))
        #expect(before.count == 6 && after.count == 6)
        for n in 0..<min(before.count, after.count) {
            let box = Portrait.face(2 * n)
            #expect(before.detailLeft(in: after, frame: n, box: box) < 0.12, "frame \(n)")
            #expect(combing(before, n, box) > 2.5 && combing(after, n, box) < 1.5, "frame \(n)")
        }
    }

    @Test(arguments: ["vp9", "hevc", "av1"])
    func `a codec without fields is refused, or gets whole pictures when that is asked for`(codec: String) throws {
        let folder = try TemporaryFolder()
        let input = try interlaced(in: folder, "in.ts", Self.mpeg2)
        let refused = try Redacted(input, to: "a.mkv", in: folder, ["--codec", codec], preset: preset(for: codec))
        #expect(refused.run.status == 1 && refused.run.errors.contains("--deinterlace"))
        #expect(!FileBytes.exists(refused.output))
        let whole = try Redacted(
            input, to: "b.mkv", in: folder, ["--codec", codec, "--deinterlace"], preset: preset(for: codec))
        whole.expectDone()
        #expect(whole.says("interlaced pictures become whole ones"))
        #expect(try Probe.firstFrame(whole.output)["interlaced_frame"] == "0")
        try whole.expectSameTimes(exactly: false)
        let (before, after) = (try RawPictures(input), try RawPictures(whole.output))
        let edge = Box(x: 200, y: 20, width: 80, height: 120)
        for n in 0..<min(before.count, after.count) {
            #expect(before.detailLeft(in: after, frame: n, box: Portrait.face(2 * n)) < 0.12, "frame \(n)")
            #expect(combing(after, n, edge) < combing(before, n, edge), "frame \(n)")
        }
    }

    @Test(arguments: [1, 2, 3])
    func `short clips are deinterlaced whole`(count: Int) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.ts", frames: count * 2, filter: "tinterlace=interleave_top,setfield=tff,format=yuv420p",
            ["-flags", "+ildct+ilme", "-top", "1"] + Self.mpeg2)
        let redacted = try Redacted(input, to: "out.ts", in: folder, ["--deinterlace"], preset: nil)
        redacted.expectDone()
        try redacted.expectSameTimes()
    }

    /// FFV1 codes row by row: the container says which field comes first.
    @Test func `fields stay in FFV1`() throws {
        let folder = try TemporaryFolder()
        let input = try interlaced(in: folder, "in.ts", Self.mpeg2)
        let redacted = try Redacted(input, to: "out.mkv", in: folder, ["--codec", "ffv1"], preset: nil)
        redacted.expectDone()
        #expect(try Probe(redacted.output).picture("field_order") == "tt")
    }
}

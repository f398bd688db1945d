import Testing
import VeilTestSupport

@Suite struct CodecTests {
    @Test(
        arguments: [
            ("mp4", Clip.h264, "h264"), ("mp4", Look.x265, "hevc"),
            ("webm", ["-c:v", "libvpx", "-b:v", "4M", "-cpu-used", "8", "-deadline", "realtime"], "vp8"),
            ("webm", Kind.vp9, "vp9"), ("mp4", ["-c:v", "libsvtav1", "-preset", "10", "-crf", "20"], "av1"),
            ("avi", ["-c:v", "mpeg4", "-q:v", "2"], "mpeg4"),
            ("mpg", ["-c:v", "mpeg2video", "-q:v", "2"], "mpeg2video"),
            ("mpg", ["-c:v", "mpeg1video", "-q:v", "2"], "mpeg1video"),
            ("mov", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj422p"], "mjpeg"),
            ("mov", ["-c:v", "prores_ks", "-profile:v", "lt"], "prores"), ("mkv", ["-c:v", "ffv1"], "ffv1"),
            ("mkv", ["-c:v", "huffyuv"], "huffyuv"), ("mkv", ["-c:v", "utvideo"], "utvideo"),
            ("avi", ["-c:v", "msmpeg4", "-q:v", "2"], "msmpeg4v3"),
            ("flv", ["-c:v", "flv", "-q:v", "2"], "flv1"), ("mov", ["-c:v", "qtrle"], "qtrle"),
            ("avi", ["-c:v", "rawvideo"], "rawvideo"),
            ("mov", ["-c:v", "png"], "png"), ("mkv", ["-c:v", "libtheora", "-q:v", "9"], "theora"),
            ("mov", ["-c:v", "jpeg2000", "-pix_fmt", "yuv420p"], "jpeg2000"), ("mov", ["-c:v", "v210"], "v210"),
            ("mov", ["-c:v", "dnxhd", "-profile:v", "dnxhr_hq", "-pix_fmt", "yuv422p"], "dnxhd"),
        ])
    func `a clip stays in its codec family`(container: String, video: [String], codec: String) throws {
        let folder = try TemporaryFolder()
        let wide = codec == "dnxhd" ? "scale=640:360," : ""
        let format =
            ["prores", "v210"].contains(codec)
            ? "yuv422p10le" : codec == "qtrle" || codec == "png" ? "rgb24" : "yuv420p"
        let input = try Clip.make(in: folder, "in." + container, frames: 4, filter: "\(wide)format=\(format)", video)
        #expect(try Probe(input).picture("codec_name") == codec)
        let redacted = try Redacted(input, to: "out." + container, in: folder, preset: preset(for: codec))
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        expectSame(before, after, ["codec_name", "profile", "pix_fmt", "width", "height", "color_range"])
        // QuickTime plays HEVC under hvc1 only; FFmpeg's own default is hev1.
        if codec != "hevc" { expectSame(before, after, ["codec_tag_string"]) }
        try redacted.expectSameTimes()
        if wide.isEmpty { try redacted.expectFaceGone(quality: codec == "mpeg1video" ? 37 : 38) }
        #expect(redacted.notes.isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `the profile of ProRes stays`(profile: Int) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mov", frames: 2, filter: "format=yuv422p10le",
            ["-c:v", "prores_ks", "-profile:v", "\(profile)"])
        let redacted = try Redacted(input, to: "out.mov", in: folder, preset: nil)
        redacted.expectDone()
        expectSame(try Probe(input), try Probe(redacted.output), ["profile", "codec_tag_string"])
    }

    @Test(
        arguments: [
            ("h264", "mp4", "h264"), ("hevc", "mp4", "hevc"), ("vp8", "webm", "vp8"), ("vp9", "webm", "vp9"),
            ("av1", "mkv", "av1"),
            ("mpeg4", "avi", "mpeg4"), ("mpeg2", "ts", "mpeg2video"), ("mjpeg", "mov", "mjpeg"),
            ("prores", "mov", "prores"),
            ("ffv1", "mkv", "ffv1"),
        ])
    func `a codec can be asked for`(codec: String, container: String, name: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 3)
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, ["--codec", codec], preset: preset(for: name))
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        #expect(try Probe(redacted.output).picture("codec_name") == name)
        try redacted.expectFaceGone()
        try redacted.expectSameTimes(exactly: false)
    }

    @Test func `quality, preset and options reach the encoder`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 12)
        let fine = try Redacted(input, to: "fine.mp4", in: folder, ["--crf", "10"])
        let coarse = try Redacted(input, to: "coarse.mp4", in: folder, ["--crf", "40"])
        fine.expectDone()
        coarse.expectDone()
        #expect(try FileBytes.read(fine.output).count > 2 * FileBytes.read(coarse.output).count)
        let keyed = try Redacted(
            input, to: "keyed.mp4", in: folder,
            ["--encoder-option", "g=3", "--encoder-option", "x264-params=scenecut=0"])
        keyed.expectDone()
        let flags = try Tool.ffprobe([
            "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", keyed.output,
        ])
        #expect(flags.split(separator: "\n").filter { $0.hasPrefix("K") }.count == 4)
        let settings = String(decoding: try FileBytes.read(keyed.output), as: UTF8.self)
        #expect(settings.contains("subme=0") && settings.contains("scenecut=0"))
    }

    /// ProRes 4444 decodes to 12 bits, and the encoder there is takes 10.
    @Test func `ProRes 4444 keeps its depth in HEVC, or its codec when that is asked for`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mov", frames: 2, filter: "format=yuv444p10le", ["-c:v", "prores_ks", "-profile:v", "4444"])
        let deep = try Redacted(input, to: "deep.mov", in: folder)
        deep.expectDone()
        #expect(try Probe(deep.output).picture("pix_fmt") == "yuv444p12le")
        #expect(deep.says("prores becomes hevc"))
        let same = try Redacted(input, to: "same.mov", in: folder, ["--codec", "prores"], preset: nil)
        same.expectDone()
        expectSame(try Probe(input), try Probe(same.output), ["profile", "codec_tag_string"])
        #expect(same.says("12-bit samples become 10-bit"))
    }

    @Test func `a loss that a codec asked for brings is said`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mkv", frames: 2, filter: "format=yuv444p12le", Look.x265)
        let redacted = try Redacted(input, to: "out.mkv", in: folder, ["--codec", "mpeg2"], preset: nil)
        redacted.expectDone()
        #expect(redacted.says("12-bit samples become 8-bit") && redacted.says("chroma is subsampled"))
    }

    @Test func `12-bit H.264 goes where its depth can stay`() throws {
        let folder = try TemporaryFolder()
        // Nothing here writes 12-bit H.264: FFV1 of 12 bits into MP4 stands for it.
        let input = try Clip.make(in: folder, "in.mkv", frames: 2, filter: "format=yuv420p12le", Look.ffv1)
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        #expect(try Probe(redacted.output).picture("pix_fmt") == "yuv420p12le")
        #expect(redacted.says("ffv1 becomes"))
    }
}

import Testing
import VeilTestSupport

/// A coded picture that isn't everyday 8-bit 4:2:0.
struct Look: Sendable, CustomTestStringConvertible {
    var format: String
    var video: [String]
    var name = "a.mkv"
    var stored: String?
    var codec: String?
    var preset: String? = "ultrafast"
    /// A word on what changes; nil where nothing does.
    var notice: String?
    var quality = 38.0
    var testDescription: String { "\(format) \(video[1]) in \(name)" }

    static let x265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:crf=12"]
    static let ffv1 = ["-c:v", "ffv1"]

    static let all: [Look] = [
        Look(format: "yuv420p10le", video: Clip.h264),
        Look(format: "yuv422p", video: Clip.h264),
        Look(format: "yuv422p10le", video: Clip.h264),
        Look(format: "yuv444p", video: Clip.h264),
        Look(format: "yuv444p10le", video: Clip.h264, name: "a.mp4"),
        Look(format: "rgb24", video: ["-c:v", "libx264rgb", "-preset", "ultrafast", "-crf", "10"], stored: "gbrp"),
        Look(format: "yuv420p10le", video: x265, name: "a.mp4"),
        Look(format: "yuv420p12le", video: x265),
        Look(format: "yuv422p12le", video: x265),
        Look(format: "yuv444p12le", video: x265),
        Look(format: "gray", video: x265),
        Look(format: "gray10le", video: x265),
        Look(format: "gray12le", video: x265),
        Look(format: "gbrp", video: x265),
        Look(format: "gbrp10le", video: x265),
        Look(format: "yuv410p", video: ffv1, preset: nil),
        Look(format: "yuv411p", video: ffv1, preset: nil),
        Look(format: "yuv440p", video: ffv1, preset: nil),
        Look(format: "yuv444p16le", video: ffv1, preset: nil),
        Look(format: "gray16le", video: ffv1, preset: nil),
        Look(format: "bgr0", video: ffv1, preset: nil),
        Look(format: "gbrp12le", video: ffv1, preset: nil),
        Look(format: "gbrp16le", video: ffv1, preset: nil),
        Look(format: "bgra", video: ffv1, preset: nil),
        Look(format: "yuva444p10le", video: ffv1, preset: nil),
        Look(format: "yuv422p10le", video: ["-c:v", "prores_ks", "-profile:v", "hq"], name: "a.mov", preset: nil),
        Look(
            format: "yuva444p10le", video: ["-c:v", "prores_ks", "-profile:v", "4444"], name: "a.mov",
            stored: "yuva444p12le", preset: nil, notice: "12-bit samples become 10-bit"),
        Look(format: "yuvj420p", video: ["-c:v", "mjpeg", "-q:v", "2"], name: "a.mov", preset: nil),
        Look(format: "yuvj444p", video: ["-c:v", "mjpeg", "-q:v", "2"], preset: nil),
        Look(format: "yuv422p", video: ["-c:v", "mpeg2video", "-q:v", "2"], preset: nil),
        Look(format: "yuv444p", video: Kind.vp9, preset: "8"),
        Look(format: "yuv420p10le", video: Kind.vp9, preset: "8"),
        Look(format: "yuv422p12le", video: Kind.vp9, preset: "8"),
        Look(format: "gbrp", video: Kind.vp9, preset: "8"),
        Look(format: "yuv420p10le", video: ["-c:v", "libsvtav1", "-preset", "10", "-crf", "20"], preset: "10"),
        Look(format: "yuv444p", video: ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "20"], preset: "8"),
        Look(format: "gray", video: ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "20"], preset: "8"),
    ]
}

@Suite struct PictureTests {
    @Test(arguments: Look.all)
    func `depth, chroma and colour model stay what they are`(look: Look) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, look.name, frames: 5, filter: "format=\(look.format)", look.video)
        let before = try Probe(input)
        let stored = before.picture("pix_fmt")
        if let named = look.stored { #expect(stored == named) } else { #expect(stored == look.format) }
        let redacted = try Redacted(input, to: "out." + look.name, in: folder, preset: look.preset)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let after = try Probe(redacted.output)
        expectSame(before, after, ["codec_name", "pix_fmt", "width", "height", "color_range", "bits_per_raw_sample"])
        try redacted.expectFaceGone(quality: look.quality)
        #expect(redacted.notes.count == (look.notice == nil ? 0 : 1))
        if let notice = look.notice { #expect(redacted.says(notice)) }
    }

    /// Sizes that chroma or blocks don't divide.
    @Test(
        arguments: [
            ("a.mkv", "vp9"), ("a.webm", "vp8"), ("a.mkv", "ffv1"), ("a.mkv", "av1"), ("a.mp4", "av1"),
            ("a.avi", "mpeg4"),
            ("a.mkv", "mpeg2"), ("a.mov", "mjpeg"), ("a.mkv", ""), ("a.mp4", ""),
        ], [(319, 179), (320, 177)])
    func `odd sizes stay what they are`(form: (String, String), size: (Int, Int)) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3, filter: "crop=\(size.0):\(size.1):0:0:exact=1,format=yuv420p", Look.ffv1)
        let redacted = try Redacted(
            input, to: "out." + form.0, in: folder, form.1.isEmpty ? [] : ["--codec", form.1],
            preset: preset(for: form.1))
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let after = try Probe(redacted.output)
        #expect(after.picture("width") == "\(size.0)" && after.picture("height") == "\(size.1)")
        #expect(after.picture("pix_fmt") == "yuv420p")
        let picture = try RawPictures(redacted.output)
        #expect((picture.width, picture.height, picture.count) == (size.0, size.1, 3))
        try redacted.expectFaceGone()
    }

    /// H.264 and HEVC can't say an odd size in 4:2:0: nothing is cut off, and what is added is said.
    @Test(arguments: ["a.mp4", "a.mkv", "a.ts", "a.avi", "a.flv"], ["h264", "hevc"])
    func `odd sizes grow where the codec asked for needs even ones, and that is said`(
        name: String, codec: String
    ) throws {
        guard codec == "h264" || !["a.flv", "a.avi"].contains(name) else { return }
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3, filter: "crop=319:179:0:0:exact=1,format=yuv420p", Look.ffv1)
        let redacted = try Redacted(input, to: "out." + name, in: folder, ["--codec", codec])
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        #expect(redacted.says("319×179 becomes 320×180"))
        let (before, after) = (try RawPictures(input), try RawPictures(redacted.output))
        try #require((after.width, after.height, after.count) == (320, 180, 3))
        for frame in 0..<3 {
            let box = Portrait.surroundings(frame)
            #expect(before.psnr(frame, after, frame) { x, y in !box.contains(x, y) } > 38)
            // What was added repeats the edge, but for what the encoder makes of it.
            let right = (0..<180).reduce(0) { $0 + abs(after[frame, 319, $1] - after[frame, 318, $1]) }
            let below = (0..<320).reduce(0) { $0 + abs(after[frame, $1, 179] - after[frame, $1, 178]) }
            #expect(right < 6 * 180 && below < 6 * 320, "\(right) \(below)")
        }
    }

    @Test(arguments: ["yuv444p", "yuv422p"])
    func `H.264 holds odd sizes where chroma isn't halved`(format: String) throws {
        let folder = try TemporaryFolder()
        let size = format == "yuv444p" ? "319:179" : "318:179"
        let input = try Clip.make(
            in: folder, "in.mp4", frames: 3, filter: "crop=\(size):0:0:exact=1,format=\(format)", Clip.h264)
        for name in ["out.mp4", "out.ts", "out.mkv"] {
            let redacted = try Redacted(input, to: name, in: folder)
            redacted.expectDone()
            expectSame(try Probe(input), try Probe(redacted.output), ["width", "height", "pix_fmt"])
            #expect(redacted.notes.isEmpty)
        }
    }

    @Test(
        arguments: zip(
            [
                ("bt709", "bt709", "bt709", "tv"), ("bt470bg", "gamma28", "bt470bg", "pc"),
                ("smpte170m", "smpte170m", "smpte170m", "tv"), ("bt2020", "smpte2084", "bt2020nc", "tv"),
                ("bt2020", "arib-std-b67", "bt2020nc", "tv"), ("smpte432", "iec61966-2-1", "bt709", "pc"),
                ("bt709", "bt709", "bt709", "pc"), ("bt2020", "smpte2084", "bt2020nc", "tv"),
                ("smpte170m", "smpte170m", "smpte170m", "tv"), ("bt2020", "arib-std-b67", "bt2020nc", "pc"),
                ("bt709", "bt709", "bt709", "tv"), ("bt470bg", "gamma28", "bt470bg", "pc"),
            ],
            [
                ("a.mp4", "libx264", "left"), ("a.mkv", "libx264", "topleft"), ("a.mov", "libx264", "center"),
                ("a.mp4", "libx265", "topleft"), ("a.ts", "libx265", "left"), ("a.mkv", "libx265", "left"),
                ("a.mkv", "libvpx-vp9", ""), ("a.webm", "libvpx-vp9", ""), ("a.mkv", "ffv1", ""),
                ("a.ts", "libx264", "left"), ("a.mkv", "ffv1", ""), ("a.mp4", "libx264", "topleft"),
            ]))
    func `colour tags, range and chroma location carry over`(
        color: (String, String, String, String), form: (String, String, String)
    ) throws {
        let folder = try TemporaryFolder()
        var video = ["-c:v", form.1, "-pix_fmt", "yuv420p10le"]
        switch form.1 {
        case "libx264": video += ["-preset", "ultrafast", "-crf", "12"]
        case "libx265": video += ["-preset", "ultrafast", "-x265-params", "log-level=none:crf=12"]
        case "libvpx-vp9": video += ["-cpu-used", "8", "-deadline", "realtime", "-crf", "10", "-b:v", "0"]
        default: break
        }
        video += [
            "-color_primaries", color.0, "-color_trc", color.1, "-colorspace", color.2, "-color_range", color.3,
        ]
        if !form.2.isEmpty { video += ["-chroma_sample_location", form.2] }
        let input = try Clip.make(in: folder, form.0, frames: 2, filter: "", video)
        let redacted = try Redacted(
            input, to: "out." + form.0, in: folder,
            preset: form.1 == "ffv1" ? nil : form.1 == "libvpx-vp9" ? "8" : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        expectSame(
            try Probe(input), try Probe(redacted.output),
            ["color_primaries", "color_transfer", "color_space", "color_range", "chroma_location", "pix_fmt"])
        let (a, b) = (try Probe.firstFrame(input), try Probe.firstFrame(redacted.output))
        for key in ["color_primaries", "color_transfer", "color_space", "color_range", "chroma_location"] {
            #expect(a[key] == b[key], "\(key) of the frame")
        }
    }

    @Test(arguments: ["a.mp4", "a.mkv", "a.ts"], ["16/15", "4/3", "8/9"])
    func `the sample aspect ratio carries over`(name: String, aspect: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, name, frames: 4, filter: "setsar=\(aspect),format=yuv420p")
        let redacted = try Redacted(input, to: "out." + name, in: folder)
        redacted.expectDone()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        #expect(before.picture("sample_aspect_ratio") == aspect.replacing("/", with: ":"))
        expectSame(before, after, ["sample_aspect_ratio", "display_aspect_ratio", "width", "height"])
    }

    @Test func `an unknown sample aspect ratio stays unknown`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "a.mp4", frames: 2, filter: "setsar=0,format=yuv420p")
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        expectSame(try Probe(input), try Probe(redacted.output), ["sample_aspect_ratio", "display_aspect_ratio"])
    }

    @Test(
        arguments: [
            ("a.mkv", ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-flags", "+ildct+ilme"]),
            ("a.mp4", ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-flags", "+ildct+ilme"]),
            ("a.ts", ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-flags", "+ildct+ilme"]),
            ("a.ts", ["-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ildct+ilme"]),
            ("a.mpg", ["-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ildct+ilme"]),
            ("a.mov", ["-c:v", "prores_ks", "-flags", "+ildct"]),
        ], ["tff", "bff"])
    func `field order carries over`(form: (String, [String]), order: String) throws {
        let folder = try TemporaryFolder()
        let isH264 = form.1[1] == "libx264"
        let flags = isH264 ? ["-x264-params", order + "=1"] : ["-top", order == "tff" ? "1" : "0"]
        let input = try Clip.make(
            in: folder, form.0, frames: 4,
            filter: "setfield=\(order),format=\(form.1[1] == "prores_ks" ? "yuv422p10le" : "yuv420p")",
            form.1 + flags)
        let redacted = try Redacted(input, to: "out." + form.0, in: folder, preset: isH264 ? "ultrafast" : nil)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let (a, b) = (try Probe.firstFrame(input), try Probe.firstFrame(redacted.output))
        #expect(a["interlaced_frame"] == "1")
        for key in ["interlaced_frame", "top_field_first"] { #expect(a[key] == b[key], "\(key)") }
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        expectSame(before, after, ["width", "height", "field_order"])
        try redacted.expectFaceGone()
        try redacted.expectSameTimes()
    }

    /// Fields of 4:2:0 need a height that four divides in H.264; MPEG-2 takes any.
    @Test(arguments: [("a.ts", "mpeg2"), ("a.mp4", "h264")], [178, 180])
    func `interlaced pictures of any height keep their fields`(form: (String, String), height: Int) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.ts", frames: 4, filter: "crop=320:\(height):0:0:exact=1,setfield=tff,format=yuv420p",
            ["-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ildct+ilme", "-top", "1"])
        let redacted = try Redacted(
            input, to: "out." + form.0, in: folder, ["--codec", form.1], preset: form.1 == "h264" ? "ultrafast" : nil)
        redacted.expectDone()
        let grows = form.1 == "h264" && height == 178
        let after = try Probe(redacted.output)
        #expect(after.picture("height") == "\(grows ? 180 : height)")
        #expect(redacted.says("becomes 320×180") == grows)
        let frame = try Probe.firstFrame(redacted.output)
        #expect(frame["interlaced_frame"] == "1" && frame["top_field_first"] == "1")
        if !grows { try redacted.expectFaceGone() }
    }

    @Test(arguments: ["a.mp4", "a.mkv", "a.mov", "a.ts"])
    func `HDR10 metadata carries over`(name: String) throws {
        let folder = try TemporaryFolder()
        let display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
        let video = ["-x265-params", "log-level=none:crf=12:master-display=\(display):max-cll=1000,400"]
        let input = try Clip.make(
            in: folder, name, frames: 3, filter: "format=yuv420p10le",
            [
                "-c:v", "libx265", "-preset", "ultrafast", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
                "-colorspace", "bt2020nc",
            ] + video)
        let redacted = try Redacted(input, to: "out." + name, in: folder)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let (a, b) = (try Probe.firstFrame(input), try Probe.firstFrame(redacted.output))
        let side = a.filter { $0.key.contains("side_data") }.map {
            "\($0.key.split(separator: ".").last ?? ""): \($0.value)"
        }
        let kept = b.filter { $0.key.contains("side_data") }.map {
            "\($0.key.split(separator: ".").last ?? ""): \($0.value)"
        }
        #expect(side.contains { $0 == "max_content: 1000" })
        #expect(side.contains { $0.hasPrefix("max_luminance") })
        for value in side where !value.hasPrefix("side_data_type: H.26") { #expect(kept.contains(value), "\(value)") }
    }

    @Test(arguments: ["libvpx-vp9", "libvpx"])
    func `transparency stays, and nothing of the face hides beneath it`(encoder: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "a.webm", frames: 4,
            filter: "format=yuva420p,geq=lum='p(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='X*255/W'",
            [
                "-c:v", encoder, "-auto-alt-ref", "0", "-cpu-used", "8", "-deadline", "realtime", "-crf", "10", "-b:v",
                "4M",
            ])
        let redacted = try Redacted(input, to: "out.webm", in: folder, preset: "8")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let name = encoder == "libvpx" ? "libvpx" : "libvpx-vp9"
        let alpha = { (file: String) throws in
            try Tool.ffmpeg([
                "-c:v", name, "-i", file, "-vf", "format=yuva420p,alphaextract,format=gray", "-f", "rawvideo", "-",
            ]).output
        }
        let (before, after) = (try alpha(input), try alpha(redacted.output))
        let isKept = before.count == after.count && zip(before, after).allSatisfy { abs(Int($0) - Int($1)) < 16 }
        #expect(isKept)
        try redacted.expectFaceGone()
    }

    @Test(arguments: [("a.gif", "out.mp4"), ("a.gif", "out.gif"), ("a.apng", "out.mkv"), ("a.apng", "out.apng")])
    func `moving pictures of the web are clips too`(name: String, out: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, name, frames: 4, filter: "", [])
        let redacted = try Redacted(
            input, to: out, in: folder, preset: out == "out.mp4" || out == "out.mkv" ? "ultrafast" : nil)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        try redacted.expectSameTimes(exactly: false)
        try redacted.expectFaceGone(quality: out == "out.gif" ? 15 : 34)
    }
}

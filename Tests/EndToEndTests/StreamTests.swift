import Testing
import VeilTestSupport

@Suite struct StreamTests {
    @Test(arguments: ["mp4", "mov", "mkv", "ts"])
    func `every sound track is kept with its language and disposition`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, tones: 3,
            [
                "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:a", "-metadata:s:a:0", "language=eng",
                "-metadata:s:a:1", "language=deu", "-metadata:s:a:2", "language=fra", "-disposition:a:0", "0",
                "-disposition:a:1", "default", "-disposition:a:2", "hearing_impaired",
            ] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        #expect(after.indices("audio").count == 3 && after.indices("video").count == 1)
        for (a, b) in zip(before.indices("audio"), after.indices("audio")) {
            let keys = [
                "codec_name", "tags.language", "disposition.default", "disposition.hearing_impaired", "channels",
                "sample_rate", "channel_layout", "bits_per_raw_sample", "profile",
            ]
            for key in keys { #expect(before.stream(a, key) == after.stream(b, key), "\(key)") }
        }
        for track in 0..<3 { try redacted.expectCopied("a:\(track)", as: "a:\(track)") }
        #expect(redacted.notes.isEmpty)
    }

    @Test func `sound can be left out`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", tones: 2, ["-map", "0", "-map", "1", "-map", "2"] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out.mp4", in: folder, ["--audio", "drop"])
        redacted.expectDone()
        #expect(try Probe(redacted.output).streamCount == 1)
        try redacted.expectSameTimes()
    }

    @Test(arguments: ["mp4", "mkv", "ts"])
    func `the picture is found behind the sound`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, tones: 1, ["-map", "1:a", "-map", "0:v"] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        #expect(try Probe(redacted.output).stream(0, "codec_type") == "audio")
        try redacted.expectSameTimes()
        try redacted.expectCopied("a:0", as: "a:0")
        try redacted.expectFaceGone()
    }

    private static let lines = """
        1
        00:00:00,000 --> 00:00:00,200
        <i>Hello</i>

        2
        00:00:00,210 --> 00:00:00,300
        there


        """

    @Test(
        arguments: [
            ("mkv", "subrip", "mkv"), ("mkv", "ass", "mkv"), ("mp4", "mov_text", "mp4"), ("mov", "mov_text", "mov"),
            ("mkv", "webvtt", "mkv"),
        ])
    func `subtitles are copied with their language`(from: String, codec: String, to: String) throws {
        let folder = try TemporaryFolder()
        let text = folder.file("lines.srt")
        try FileBytes.write(Self.lines.utf8, to: text)
        let input = try Clip.make(
            in: folder, "in." + from, frames: 8, tones: 1, inputs: ["-i", text],
            [
                "-map", "0:v", "-map", "1:a", "-map", "2:s", "-c:s", codec, "-metadata:s:s:0", "language=deu",
                "-disposition:s:0", "default+forced",
            ] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + to, in: folder)
        redacted.expectDone()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        let (a, b) = (try #require(before.indices("subtitle").first), try #require(after.indices("subtitle").first))
        for key in ["codec_name", "tags.language", "disposition.default", "disposition.forced"] {
            #expect(before.stream(a, key) == after.stream(b, key), "\(key)")
        }
        try redacted.expectCopied("s:0", as: "s:0")
        #expect(redacted.notes.isEmpty)
    }

    /// QuickTime knows the older of two codes for a language.
    @Test func `languages aren't lost on the way from MP4 to QuickTime`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", tones: 3,
            [
                "-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:a", "-metadata:s:a:0", "language=deu",
                "-metadata:s:a:1", "language=fre", "-metadata:s:a:2", "language=eng",
            ] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out.mov", in: folder)
        redacted.expectDone()
        let after = try Probe(redacted.output)
        #expect(after.indices("audio").map { after.stream($0, "tags.language") } == ["ger", "fra", "eng"])
    }

    @Test(arguments: ["mp4", "mov", "mkv"], ["keep", "safe", "none"])
    func `chapters are kept, and titles as --metadata says`(container: String, policy: String) throws {
        let folder = try TemporaryFolder()
        let list = folder.file("chapters.txt")
        try FileBytes.write(
            ";FFMETADATA1\ntitle=A walk\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=120\ntitle=First\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=120\nEND=320\ntitle=Zwei – 二\n"
                .utf8, to: list)
        let input = try Clip.make(
            in: folder, "in." + container, tones: 1, inputs: ["-i", list],
            ["-map", "0:v", "-map", "1:a", "-map_metadata", "2", "-map_chapters", "2"] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + container, in: folder, ["--metadata", policy])
        redacted.expectDone()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        let keys = before.values.keys.filter {
            $0.hasPrefix("chapters.") && !$0.hasSuffix(".id") && (policy != "none" || !$0.hasSuffix(".title"))
        }
        #expect(keys.count >= (policy == "none" ? 8 : 10))
        for key in keys where !key.hasSuffix("time_base") && !key.hasSuffix(".start") && !key.hasSuffix(".end") {
            #expect(before.values[key] == after.values[key], "\(key)")
        }
        let isKept = policy == "keep"
        #expect((after.values["format.tags.title"] == "A walk") == isKept)
        #expect(redacted.says("tags are left out: title") == !isKept)
        if policy == "none" { #expect(!after.values.values.contains { $0.contains("First") || $0.contains("Zwei") }) }
    }

    @Test(arguments: ["mp4", "mov", "mkv"])
    func `tags that tell who or where are dropped, and named`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, tones: 1,
            [
                "-map", "0:v", "-map", "1:a", "-metadata", "title=secret words", "-metadata", "artist=secret words",
                "-metadata", "location=+59.9+010.7/", "-metadata", "make=secret words", "-metadata:s:a:0",
                "language=eng", "-metadata:s:a:0", "title=Commentary", "-metadata:s:a:0", "comment=secret words",
                "-metadata",
                "creation_time=2020-01-02T03:04:05Z", "-movflags", "use_metadata_tags",
            ] + Clip.h264 + Clip.sound)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        #expect(redacted.says("tags are left out: "))
        let text = String(decoding: try FileBytes.read(redacted.output), as: UTF8.self)
        for word in ["secret words", "+59.9", "2020-01-02"] { #expect(!text.contains(word), "\(word)") }
        let after = try Probe(redacted.output)
        let index = try #require(after.indices("audio").first)
        #expect(after.stream(index, "tags.language") == "eng")
        #expect(!after.values.keys.contains { $0.lowercased().hasSuffix("creation_time") })
    }

    @Test func `attachments that aren't fonts are left out`() throws {
        let folder = try TemporaryFolder()
        let (font, note) = (folder.file("a.ttf"), folder.file("note.txt"))
        try FileBytes.write([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: font)
        try FileBytes.write("who was there".utf8, to: note)
        let input = try Clip.make(
            in: folder, "in.mkv",
            [
                "-attach", font, "-attach", note, "-metadata:s:t:0", "mimetype=application/x-truetype-font",
                "-metadata:s:t:1", "mimetype=text/plain",
            ] + Clip.h264)
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        let after = try Probe(redacted.output)
        #expect(after.indices("attachment").count == 1)
        #expect(redacted.notes.contains { $0.contains("attachment") && $0.contains("left out") })
        #expect(!String(decoding: try FileBytes.read(redacted.output), as: UTF8.self).contains("who was there"))
    }

    /// FFmpeg 5.1 doesn't know the newer names of fonts' types, and takes anybody's word for the older ones.
    @Test func `a font is known by its bytes`() throws {
        let folder = try TemporaryFolder()
        let (font, picture) = (folder.file("a.ttf"), folder.file("b.ttf"))
        try FileBytes.write([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: font)
        try FileBytes.write([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4, 5, 6, 7, 8], to: picture)
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3,
            [
                "-attach", font, "-attach", picture, "-metadata:s:t:0", "mimetype=font/ttf", "-metadata:s:t:1",
                "mimetype=application/x-truetype-font",
            ] + Clip.h264)
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        let after = try Probe(redacted.output)
        #expect(after.indices("attachment").map { after.stream($0, "tags.filename") } == ["a.ttf"])
        #expect(redacted.says("an attachment may show faces"))
    }

    @Test func `data streams are left out and named`() throws {
        let folder = try TemporaryFolder()
        let place = folder.file("place.bin")
        try FileBytes.write("lat 52.5 lon 13.4 ".utf8, to: place)
        let input = try Clip.make(
            in: folder, "in.ts", inputs: ["-f", "data", "-i", place],
            ["-map", "0:v", "-map", "1:d", "-c:d", "copy"] + Clip.h264)
        try #require(try Probe(input).indices("data").count == 1)
        for name in ["out.ts", "out.mp4"] {
            let redacted = try Redacted(input, to: name, in: folder)
            redacted.expectDone()
            #expect(redacted.notes.contains { $0.contains("(data") && $0.contains("left out") })
            #expect(try Probe(redacted.output).streamCount == 1)
            #expect(!String(decoding: try FileBytes.read(redacted.output), as: UTF8.self).contains("lat 52.5"))
        }
    }

    @Test(
        arguments: [
            ("aac", "mp4"), ("aac", "ts"), ("aac", "mkv"), ("ac3", "mp4"), ("ac3", "ts"), ("eac3", "mkv"),
            ("mp2", "ts"),
            ("libmp3lame", "mp4"), ("libmp3lame", "avi"), ("libopus", "webm"), ("libopus", "mkv"), ("libopus", "mp4"),
            ("libvorbis", "webm"), ("flac", "mkv"), ("flac", "mp4"), ("alac", "mov"), ("pcm_s16le", "mov"),
            ("pcm_s24le", "mkv"), ("pcm_s16le", "avi"), ("libopus", "ts"), ("pcm_s16be", "mov"),
        ])
    func `sound of every common kind is copied byte for byte at its times`(codec: String, container: String) throws {
        let folder = try TemporaryFolder()
        let video = container == "webm" ? Kind.vp9 : container == "avi" ? ["-c:v", "mpeg4", "-q:v", "2"] : Clip.h264
        let input = try Clip.make(
            in: folder, "in." + container, tones: 1, video + ["-c:a", codec, "-strict", "-2"])
        let redacted = try Redacted(
            input, to: "out." + container, in: folder,
            preset: container == "webm" ? "8" : container == "avi" ? nil : "ultrafast")
        redacted.expectDone()
        try redacted.expectCopied("a:0", as: "a:0")
        try redacted.expectSameTimes()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        let (a, b) = (try #require(before.indices("audio").first), try #require(after.indices("audio").first))
        for key in [
            "codec_name", "codec_tag_string", "sample_rate", "channels", "channel_layout", "bits_per_sample",
            "initial_padding",
        ] {
            #expect(before.stream(a, key) == after.stream(b, key), "\(key)")
        }
    }
}

import Testing
import VeilTestSupport

/// Streams that the output's container can't hold as they are.
@Suite struct ConvertedStreamTests {
    private static let vp9Preset = "8"

    /// The sound of a file as 16-bit samples of one channel, 8000 a second.
    private func samples(_ file: String, stream: String = "0:a:0") throws -> [Int16] {
        let bytes = try Tool.ffmpeg([
            "-i", file, "-map", stream, "-ac", "1", "-ar", "8000", "-f", "s16le", "-",
        ]).output
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    private func loudness(_ samples: ArraySlice<Int16>) -> Double {
        samples.isEmpty
            ? 0 : (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
    }

    struct Sound: Sendable, CustomTestStringConvertible {
        var codec: [String]
        var to: String
        var becomes: String
        var rate = "48000"
        var channels = "2"
        var testDescription: String { "\(codec[0]) to \(to)" }
    }

    @Test(arguments: [
        Sound(codec: ["aac"], to: "webm", becomes: "opus"),
        Sound(codec: ["pcm_s16le"], to: "ts", becomes: "aac"),
        Sound(codec: ["pcm_s24le"], to: "mp4", becomes: "aac"),
        Sound(codec: ["libvorbis"], to: "ts", becomes: "aac"),
        Sound(codec: ["aac", "-ar", "44100"], to: "webm", becomes: "opus"),
        Sound(codec: ["pcm_s16le", "-ac", "6", "-channel_layout", "5.1"], to: "mp4", becomes: "aac", channels: "6"),
        Sound(
            codec: ["pcm_s16le", "-ar", "22050", "-ac", "1"], to: "mp4", becomes: "aac", rate: "22050", channels: "1"),
        Sound(codec: ["flac"], to: "flv", becomes: "mp3"),
    ])
    func `sound that the container can't hold is re-encoded, in step and as loud`(sound: Sound) throws {
        let folder = try TemporaryFolder()
        // A tone that begins at 0.3 s shows whether the sound is where it was.
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 20,
            inputs: ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=0.8,volume='if(lt(t,0.3),0,1)':eval=frame"],
            ["-map", "0:v", "-map", "1:a", "-metadata:s:a:0", "language=deu"]
                + (sound.channels == "2" ? ["-ac", "2"] : []) + Clip.h264 + ["-c:a"] + sound.codec)
        let redacted = try Redacted(
            input, to: "out." + sound.to, in: folder, preset: sound.to == "webm" ? Self.vp9Preset : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        #expect(redacted.notes.contains { $0.contains("deu) becomes \(sound.becomes)") })
        let after = try Probe(redacted.output)
        let index = try #require(after.indices("audio").first)
        #expect(after.stream(index, "codec_name") == sound.becomes)
        #expect(after.stream(index, "sample_rate") == sound.rate)
        #expect(after.stream(index, "channels") == sound.channels)
        if sound.to != "flv" { #expect(after.stream(index, "tags.language") == "deu") }
        let (a, b) = (try samples(input), try samples(redacted.output))
        #expect(abs(a.count - b.count) < 800, "\(a.count) samples became \(b.count)")
        func onset(_ s: [Int16]) -> Int { s.firstIndex { abs(Int($0)) > 400 } ?? -1 }
        // Where the decoder's output begins is the stream's start.
        let starts = try (start(input), start(redacted.output))
        let (x, y) = (Double(onset(a)) / 8000 + starts.0, Double(onset(b)) / 8000 + starts.1)
        #expect(onset(a) >= 0 && onset(b) >= 0 && abs(x - y) < 0.012, "the tone begins at \(x) and at \(y) s")
        let (loudA, loudB) = (loudness(a.suffix(2400).prefix(1600)), loudness(b.suffix(2400).prefix(1600)))
        #expect(loudA > 300 && abs(loudB / loudA - 1) < 0.15)
    }

    /// Seconds from the picture's first frame to the sound's first sample.
    private func start(_ file: String) throws -> Double {
        let sound = try #require(try Probe.packets(file, stream: "a:0").first?.pts).seconds
        let skip = try skipped(file)
        return try sound + skip - #require(try Probe.times(file).first).seconds
    }

    /// What a decoder drops of the first packet, in seconds.
    private func skipped(_ file: String) throws -> Double {
        let text = try Tool.ffprobe([
            "-select_streams", "a:0", "-show_entries", "packet_side_data=skip_samples:stream=sample_rate",
            "-read_intervals",
            "%+#1", "-of", "flat", file,
        ])
        var (skip, rate) = (0.0, 48000.0)
        for line in text.split(separator: "\n") {
            guard let value = line.split(separator: "=").last?.replacing("\"", with: "") else { continue }
            if line.contains("skip_samples=") { skip = Double(value) ?? 0 }
            if line.contains("sample_rate=") { rate = Double(value) ?? rate }
        }
        return skip / rate
    }

    @Test func `a gap in re-encoded sound stays a gap`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 20,
            inputs: ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=0.8,asetpts='if(gt(T,0.3),PTS+0.4/TB,PTS)'"],
            ["-map", "0:v", "-map", "1:a"] + Clip.h264 + ["-c:a", "pcm_s16le"])
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        let (a, b) = (try Probe.packets(input, stream: "a:0"), try Probe.packets(redacted.output, stream: "a:0"))
        let (x, y) = (try #require(a.last?.pts).seconds, try #require(b.last?.pts).seconds)
        #expect(x > 1 && abs(x - y) < 0.06, "\(x) became \(y)")
    }

    @Test func `sound for which there is no way is an error, not silence`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 3, tones: 1, Clip.h264 + Clip.sound)
        let gif = try Redacted(input, to: "out.gif", in: folder, preset: nil)
        gif.expectDone()
        #expect(gif.notes.contains { $0.contains("sound") && $0.contains("left out") })
    }

    private static let lines = """
        1
        00:00:00,040 --> 00:00:00,200
        Hello <i>you</i>

        2
        00:00:00,210 --> 00:00:00,300
        dort – 二


        """

    @Test(arguments: [
        ("subrip", "mkv", "mp4", "mov_text"), ("subrip", "mkv", "mov", "mov_text"), ("ass", "mkv", "mp4", "mov_text"),
        ("mov_text", "mp4", "mkv", "subrip"), ("webvtt", "mkv", "mp4", "mov_text"), ("subrip", "mkv", "webm", "webvtt"),
        ("mov_text", "mp4", "webm", "webvtt"),
    ])
    func `subtitles of text are converted where the container needs another kind`(
        form: (codec: String, from: String, to: String, becomes: String)
    ) throws {
        let folder = try TemporaryFolder()
        let text = folder.file("lines.srt")
        try FileBytes.write(Self.lines.utf8, to: text)
        let input = try Clip.make(
            in: folder, "in." + form.from, inputs: ["-i", text],
            [
                "-map", "0:v", "-map", "1:s", "-c:s", form.codec, "-metadata:s:s:0", "language=deu", "-disposition:s:0",
                "forced",
            ]
                + Clip.h264)
        let redacted = try Redacted(
            input, to: "out." + form.to, in: folder, preset: form.to == "webm" ? Self.vp9Preset : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let after = try Probe(redacted.output)
        let index = try #require(after.indices("subtitle").first)
        #expect(after.stream(index, "codec_name") == form.becomes)
        // FFmpeg's muxer writes the kinds of tracks into MP4 only.
        if form.to != "mov" { #expect(after.stream(index, "disposition.forced") == "1") }
        #expect(
            after.stream(index, "tags.language") == (form.to == "mov" ? "ger" : "deu"))
        #expect(redacted.notes.contains { $0.contains("becomes \(form.becomes)") && $0.contains("styles") })
        let read = try Tool.ffmpeg(["-i", redacted.output, "-map", "0:s", "-f", "srt", "-"]).text
        #expect(read.contains("Hello") && read.contains("dort – 二"))
        #expect(read.contains("00:00:00,040 --> 00:00:00,200") && read.contains("00:00:00,210 --> 00:00:00,300"))
    }

    @Test func `subtitles that no conversion fits are named`() throws {
        let folder = try TemporaryFolder()
        let text = folder.file("lines.srt")
        try FileBytes.write(Self.lines.utf8, to: text)
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3, inputs: ["-i", text],
            ["-map", "0:v", "-map", "1:s", "-c:s", "subrip", "-metadata:s:s:0", "language=deu"] + Clip.h264)
        let redacted = try Redacted(input, to: "out.ts", in: folder)
        redacted.expectDone()
        #expect(redacted.notes.contains { $0.contains("(subtitle, subrip, deu) is left out") })
        #expect(try Probe(redacted.output).indices("subtitle").isEmpty)
    }

    @Test func `timed data is kept when that is asked for`() throws {
        let folder = try TemporaryFolder()
        let place = folder.file("place.bin")
        try FileBytes.write("lat 52.5 lon 13.4 ".utf8, to: place)
        let input = try Clip.make(
            in: folder, "in.ts", inputs: ["-f", "data", "-i", place],
            ["-map", "0:v", "-map", "1:d", "-c:d", "copy"] + Clip.h264)
        let kept = try Redacted(input, to: "out.ts", in: folder, ["--keep-data"])
        kept.expectDone()
        #expect(String(decoding: try FileBytes.read(kept.output), as: UTF8.self).contains("lat 52.5"))
        let other = try Redacted(input, to: "out.mp4", in: folder, ["--keep-data"])
        other.expectDone()
        #expect(other.notes.contains { $0.contains("(data") && $0.contains("can't hold") })
    }

    @Test(arguments: ["mov", "mp4", "mkv"])
    func `the time code is kept`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mov", frames: 6, ["-timecode", "01:02:03:04"] + Clip.h264)
        try #require(try Probe(input).indices("data").count == 1)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        let after = try Probe(redacted.output)
        let codes = after.values.filter { $0.key.lowercased().hasSuffix(".timecode") }.map(\.value)
        #expect(codes.contains("01:02:03:04"))
        #expect(after.indices("data").count == (container == "mkv" ? 0 : 1))
        #expect(!redacted.says("left out"))
    }

    @Test func `a time code that the container can't hold is named`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mov", frames: 6, ["-timecode", "01:02:03:04"] + Clip.h264)
        let redacted = try Redacted(input, to: "out.ts", in: folder)
        redacted.expectDone()
        #expect(redacted.says("holds no time code"))
    }
}

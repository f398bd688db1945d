import Testing
import VeilTestSupport

/// Every kind of sound into every container: heard, with a word on what changed, or a clear refusal. Never mute.
@Suite struct SoundMatrixTests {
    static let containers = ["mp4", "webm", "avi", "ts", "mpg", "flv"]

    struct Sound: Sendable, CustomTestStringConvertible {
        var codec: String
        var rate: Int
        var layout: String
        var channels: Int
        var container = "mkv"
        var testDescription: String { "\(codec), \(layout), \(rate) Hz" }

        /// Input arguments of `ffmpeg`: a tone of its own pitch in each channel.
        var input: [String] {
            let tones = (0..<channels).map { "0.3*sin(\(300 + 40 * $0)*2*PI*t)" }.joined(separator: "|")
            return ["-f", "lavfi", "-i", "aevalsrc='\(tones)':s=\(rate):c=\(layout):d=0.4"]
        }

        static let all = [
            Sound(codec: "pcm_s16le", rate: 8000, layout: "mono", channels: 1),
            Sound(codec: "pcm_s16le", rate: 11025, layout: "2.1", channels: 3),
            Sound(codec: "pcm_s24le", rate: 192_000, layout: "stereo", channels: 2),
            Sound(codec: "adpcm_ms", rate: 22050, layout: "stereo", channels: 2),
            Sound(codec: "ac3", rate: 48000, layout: "5.1(side)", channels: 6),
            Sound(codec: "dca", rate: 48000, layout: "5.1(side)", channels: 6),
            Sound(codec: "flac", rate: 96000, layout: "7.1", channels: 8),
            Sound(codec: "libopus", rate: 48000, layout: "5.1", channels: 6),
            Sound(codec: "pcm_s16le", rate: 48000, layout: "hexadecagonal", channels: 16, container: "mov"),
        ]
    }

    /// The loudest sample of a file's sound, and how many there are, at 8000 a second.
    private func heard(_ file: String) throws -> (peak: Int, count: Int) {
        let bytes = try Tool.ffmpeg(["-i", file, "-map", "0:a:0", "-ac", "1", "-ar", "8000", "-f", "s16le", "-"]).output
        var peak = 0
        for at in stride(from: 0, to: bytes.count - 1, by: 2) {
            peak = max(peak, abs(Int(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))))
        }
        return (peak, bytes.count / 2)
    }

    @Test(arguments: Sound.all)
    func `sound is heard in every container, and each change is told`(sound: Sound) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + sound.container, frames: 10, inputs: sound.input,
            ["-map", "0:v", "-map", "1:a"] + Clip.h264 + ["-c:a", sound.codec, "-strict", "-2"])
        let before = try Probe(input)
        let old = try #require(before.indices("audio").first)
        let source = try heard(input)
        try #require(source.peak > 1000)
        for container in Self.containers {
            let redacted = try Redacted(
                input, to: "out." + container, in: folder, container == "avi" ? ["--codec", "mjpeg"] : [],
                preset: container == "webm" ? "8" : ["avi", "mpg", "flv"].contains(container) ? nil : "ultrafast")
            let what: Comment = "\(container): \(redacted.run)"
            if redacted.run.status != 0 {
                // Says what there is to do instead, and leaves nothing.
                #expect(redacted.run.status == 1 && redacted.run.errorLines.count { $0.contains("error") } <= 1, what)
                #expect(redacted.run.errorLines.last?.contains("--audio drop") ?? false, what)
                #expect(!FileBytes.exists(redacted.output) && folder.leftovers.isEmpty, what)
                // Sixteen channels can't all be mixed into the few that others take.
                #expect(sound.channels == 16, what)
                continue
            }
            let after = try Probe(redacted.output)
            try #require(after.indices("audio").count == 1, what)
            let new = after.indices("audio")[0]
            let result = try heard(redacted.output)
            #expect(result.peak > source.peak / 4, what)
            func value(_ key: String) -> (String, String) {
                (before.stream(old, key) ?? "", after.stream(new, key) ?? "")
            }
            let (codec, rate, channels) = (value("codec_name"), value("sample_rate"), value("channels"))
            if codec.0 != codec.1 { #expect(redacted.says("becomes \(codec.1)"), what) }
            // An encoder adds frames of up to 1152 samples at both ends.
            let frames = 2 * 1152 * 8000 / (Int(rate.1) ?? 8000)
            #expect(abs(result.count - source.count) < 800 + frames, what)
            // Opus always says 48000, whatever it was encoded from.
            if rate.0 != rate.1 && codec.1 != "opus" {
                #expect(redacted.says("\(rate.0) samples a second become \(rate.1)"), what)
            }
            if channels.0 != channels.1 {
                #expect(redacted.says("\(channels.0) channels become \(channels.1)"), what)
            }
        }
    }

    /// A track whose codec FFmpeg knows by no name: here the description in an MP4 file says so.
    @Test(arguments: containers)
    func `sound of an unknown kind is refused, and left out only when that is asked for`(container: String) throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(in: folder, "plain.mp4", frames: 4, tones: 1, Clip.h264 + Clip.sound)
        var bytes = try FileBytes.read(plain)
        let movie = try ISOBoxes.places(of: ["moov"], in: bytes)[0]
        // Neither the sample description's name nor the descriptor in it is left.
        for (old, new) in [("mp4a", "zz99"), ("esds", "free")] {
            for at in movie..<bytes.count - 4 where bytes[at..<at + 4].elementsEqual(old.utf8) {
                bytes.replaceSubrange(at..<at + 4, with: new.utf8)
            }
        }
        let input = folder.file("in.mp4")
        try FileBytes.write(bytes, to: input)
        let preset = container == "webm" ? "8" : ["avi", "mpg", "flv"].contains(container) ? nil : "ultrafast"
        let refused = try Redacted(input, to: "out." + container, in: folder, preset: preset)
        #expect(refused.run.status == 1 && refused.run.errors.contains("--audio drop"), "\(refused.run)")
        #expect(!FileBytes.exists(refused.output) && folder.leftovers.isEmpty)
        let mute = try Redacted(input, to: "mute." + container, in: folder, ["--audio", "drop"], preset: preset)
        mute.expectDone()
    }
}

import Testing
import VeilTestSupport

/// Pictures and names in what codecs keep for themselves.
@Suite struct HiddenPictureTests {
    /// The portrait, small, in base 64.
    private func thumbnail(in folder: TemporaryFolder) throws -> String {
        let file = folder.file("thumb.jpg")
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", "scale=64:64", "-q:v", "5", file])
        let text = try Tool.need(["base64", "-w0", file]).text
        try #require(text.utf8.count > 1000 && text.hasPrefix("/9j/"))
        return text
    }

    private func contains(_ file: String, _ text: String) throws -> Bool {
        let (bytes, wanted) = (try FileBytes.read(file), Array(text.utf8))
        guard let first = wanted.first else { return true }
        return bytes.indices.contains { bytes[$0] == first && bytes[$0...].starts(with: wanted) }
    }

    /// A header of comments (Vorbis I, section 5; Theora, section 6.3).
    private static func comments(_ type: UInt8, _ name: String, _ picture: String) -> [UInt8] {
        func counted(_ text: String) -> [UInt8] {
            let count = text.utf8.count
            return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + Array(text.utf8)
        }
        let lines = ["ARTIST=Jane Doe", "METADATA_BLOCK_PICTURE=" + picture, "COVERART=" + picture, "NOTES=" + picture]
        return [type] + Array(name.utf8) + counted("an encoder") + [UInt8(lines.count), 0, 0, 0]
            + lines.flatMap(counted)
    }

    /// A Matroska file with another comment header.
    private func withComments(_ file: String, _ codec: String, _ header: [UInt8]) throws -> Matroska {
        var result = Matroska(
            try Tool.ffmpeg(["-i", file, "-c", "copy", "-map", "0", "-map_metadata", "-1", "-f", "matroska", "-"])
                .output)
        try result.changePrivate(of: codec) { data in
            // The first header is short; the second one's length takes as many bytes as it must.
            let first = Int(data[1])
            var (place, second) = (2, 0)
            while data[place] == 255 {
                second += 255
                place += 1
            }
            second += Int(data[place])
            let start = place + 1
            let lace = [UInt8](repeating: 255, count: header.count / 255) + [UInt8(header.count % 255)]
            return data[..<2] + lace + data[start..<start + first] + header + data[(start + first + second)...]
        }
        return result
    }

    @Test(arguments: ["mkv", "webm"], ["none", "safe", "keep"])
    func `a cover in the comments of copied Vorbis doesn't come along`(container: String, policy: String) throws {
        let folder = try TemporaryFolder()
        let picture = try thumbnail(in: folder)
        let plain = try Clip.make(
            in: folder, "plain.mkv", frames: 4, tones: 1,
            ["-map", "0:v", "-map", "1:a"] + Clip.h264 + ["-c:a", "libvorbis"])
        let input = folder.file("in.mkv")
        try withComments(plain, "A_VORBIS", Self.comments(3, "vorbis", picture) + [1]).write(to: input)
        let part = String(picture.dropFirst(200).prefix(60))
        try #require(try contains(input, part) && contains(input, "Jane Doe"))
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, ["--metadata", policy],
            preset: container == "webm" ? "8" : "ultrafast")
        redacted.expectDone()
        #expect(try !contains(redacted.output, part) && !contains(redacted.output, "COVERART"))
        #expect(try contains(redacted.output, "Jane Doe") == (policy == "keep"))
        try redacted.expectCopied("a:0", as: "a:0")
        let heard = try Tool.ffmpeg(["-i", redacted.output, "-map", "0:a", "-f", "md5", "-"]).text
        #expect(try heard == Tool.ffmpeg(["-i", input, "-map", "0:a", "-f", "md5", "-"]).text)
    }

    @Test(arguments: ["ogv", "mkv"])
    func `covers in Ogg's comments don't come along, whatever is kept`(container: String) throws {
        let folder = try TemporaryFolder()
        let picture = try thumbnail(in: folder)
        let input = folder.file("in.ogv")
        let part = String(picture.dropFirst(200).prefix(60))
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=160x96:r=25:d=0.4", "-f", "lavfi", "-i", "sine=r=48000:d=0.4", "-c:v",
            "libtheora", "-c:a", "libvorbis", "-metadata:s:a", "COVERART=" + picture, "-metadata:s:v",
            "COVERART=" + picture, "-metadata:s:v", "ARTIST=Jane Doe", input,
        ])
        // Theora is copied packet by packet: nothing has to be covered.
        let source = container == "mkv" ? folder.file("in.mkv") : input
        if container == "mkv" {
            try withComments(input, "V_THEORA", Self.comments(0x81, "theora", picture)).write(to: source)
        }
        try #require(try contains(source, part))
        for policy in ["none", "safe", "keep"] {
            let redacted = try Redacted(
                source, to: policy + "." + container, in: folder, ["--metadata", policy], preset: nil)
            redacted.expectDone()
            #expect(redacted.says("copied as they are") == (container == "mkv"), "\(redacted.run)")
            #expect(try !contains(redacted.output, part), "\(policy)")
            #expect(try contains(redacted.output, "Jane Doe") == (policy == "keep"), "\(policy)")
            for stream in container == "mkv" ? ["V:0", "a:0"] : ["a:0"] {
                let (a, b) = (
                    try Probe.packets(source, stream: stream), try Probe.packets(redacted.output, stream: stream)
                )
                #expect(!a.isEmpty && a.map(\.hash) == b.map(\.hash), "\(policy), \(stream)")
            }
        }
    }

    @Test func `pictures in the head of subtitles don't come along`() throws {
        let folder = try TemporaryFolder()
        let picture = try thumbnail(in: folder)
        let script = folder.file("words.ass")
        try FileBytes.write(
            """
            [Script Info]
            ScriptType: v4.00+
            Original Script: Jane Doe

            [Aegisub Project Garbage]
            Video File: /home/jane/party.mp4

            [V4+ Styles]
            Format: Name, Fontname, Fontsize
            Style: Default,Arial,20

            [Graphics]
            filename: jane.jpg
            \(picture)

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:00.00,0:00:00.20,Default,,0,0,0,,Good morning

            """.utf8, to: script)
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 4, inputs: ["-i", script],
            ["-map", "0:v", "-map", "1:s", "-c:s", "copy"] + Clip.h264)
        let part = String(picture.dropFirst(200).prefix(60))
        try #require(try contains(input, part) && contains(input, "party.mp4"))
        for policy in ["safe", "keep"] {
            let redacted = try Redacted(input, to: policy + ".mkv", in: folder, ["--metadata", policy])
            redacted.expectDone()
            #expect(try !contains(redacted.output, part) && !contains(redacted.output, "party.mp4"))
            #expect(try contains(redacted.output, "Jane Doe") == (policy == "keep"))
            #expect(try contains(redacted.output, "Style: Default,Arial,20"))
            try redacted.expectCopied("s:0", as: "s:0")
        }
    }
}

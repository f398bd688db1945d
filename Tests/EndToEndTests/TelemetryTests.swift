import Testing
import VeilTestSupport

/// Where and how a camera was, as cameras write it: tracks of their own, subtitles, and boxes beside the pictures.
@Suite struct TelemetryTests {
    /// Begins as GoPro's do; the words stand for what may not be found in an output.
    private static let secret = "N52.5200066 E13.4049540"
    private static let record = Array("DEVC\u{0}\u{1}\u{0}\u{8}GPS5".utf8) + Array(secret.utf8) + Array(0..<64)

    private func holdsSecret(_ file: String, _ words: String = secret) throws -> Bool {
        let (bytes, wanted) = (try FileBytes.read(file), Array(words.utf8))
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { start in
            bytes[start] == first && bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }

    /// A clip with a track of data under the sample description that a camera's maker uses.
    ///
    /// - Parameter hasFace: else a gray picture, which is copied as it is.
    private func clip(tag: String, _ name: String, handler: String, hasFace: Bool = true, in folder: TemporaryFolder)
        throws -> String
    {
        let data = folder.file("data.bin")
        try FileBytes.write(Self.record, to: data)
        let plain = try Clip.make(
            in: folder, "plain.mov", frames: 4,
            filter: hasFace ? "format=yuv420p" : "lutrgb=r=90:g=90:b=90,format=yuv420p",
            inputs: ["-f", "data", "-i", data],
            ["-map", "0:v", "-map", "1:d", "-c:d", "copy", "-tag:d", "gpmd"] + Clip.h264)
        let file = folder.file(name)
        // The muxers know GoPro's track; by another name it is another maker's.
        try Tool.ffmpeg([
            "-i", plain, "-map", "0", "-c", "copy", "-tag:d", "gpmd", "-metadata:s:d:0", "handler_name=\(handler)",
            file,
        ])
        guard tag != "gpmd" else { return file }
        let bytes = try FileBytes.read(file)
        let places = try ISOBoxes.places(of: ["moov"], in: bytes)
        var patched = bytes
        for at in places[0]..<bytes.count - 4 where bytes[at..<at + 4].elementsEqual("gpmd".utf8) {
            patched.replaceSubrange(at..<at + 4, with: tag.utf8)
        }
        try FileBytes.write(patched, to: file)
        return file
    }

    struct Track: Sendable, CustomTestStringConvertible {
        var tag: String
        var handler: String
        var container = "mp4"
        var testDescription: String { "\(tag) in \(container)" }

        static let all = [
            Track(tag: "gpmd", handler: "\tGoPro MET"), Track(tag: "gpmd", handler: "GoPro MET", container: "mov"),
            Track(tag: "camm", handler: "CameraMetadataMotionHandler"), Track(tag: "djmd", handler: "DJI meta"),
            Track(tag: "dbgi", handler: "DJI dbgi", container: "mov"),
        ]
    }

    @Test(arguments: Track.all, [true, false])
    func `a camera's telemetry is left out and named, whether pictures are covered or copied`(
        track: Track, hasFace: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let input = try clip(
            tag: track.tag, "in." + track.container, handler: track.handler, hasFace: hasFace, in: folder)
        try #require(try holdsSecret(input) && Probe(input).indices("data").count == 1)
        let redacted = try Redacted(input, to: "out." + track.container, in: folder)
        redacted.expectDone()
        #expect(redacted.says("--keep-data keeps it"))
        #expect(redacted.says("the streams are copied as they are") == !hasFace)
        #expect(try !holdsSecret(redacted.output))
        #expect(try Probe(redacted.output).streamCount == 1)
    }

    @Test(arguments: ["safe", "none", "keep"], ["mp4", "mov"])
    func `a GoPro's telemetry is kept byte for byte when that is asked for, whatever becomes of tags`(
        policy: String, container: String
    ) throws {
        let folder = try TemporaryFolder()
        let input = try clip(tag: "gpmd", "in." + container, handler: "GoPro MET", in: folder)
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, ["--keep-data", "--metadata", policy])
        redacted.expectDone()
        try redacted.expectCopied("d:0", as: "d:0")
        let after = try Probe(redacted.output)
        #expect(after.indices("data").first.flatMap { after.stream($0, "codec_tag_string") } == "gpmd")
        #expect(!redacted.notes.contains { $0.contains("(data") })
    }

    @Test(arguments: [("camm", "mp4"), ("djmd", "mp4"), ("dbgi", "mov"), ("gpmd", "mkv"), ("gpmd", "webm")])
    func `telemetry that the container can't hold is named, asked for or not`(tag: String, container: String) throws {
        let folder = try TemporaryFolder()
        let input = try clip(tag: tag, container == "mov" ? "in.mov" : "in.mp4", handler: "x", in: folder)
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, ["--keep-data"], preset: container == "webm" ? "8" : "ultrafast")
        redacted.expectDone()
        #expect(redacted.notes.contains { $0.contains("(data") && $0.contains("can't hold") }, "\(redacted.run)")
        #expect(try !holdsSecret(redacted.output))
    }

    // MARK: KLV

    /// CRC-32/MPEG-2: polynomial 0x04C11DB7, the highest bit first (ISO 13818-1, annex A).
    private func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
        }
        return ISOBoxes.word(Int(crc))
    }

    /// A transport stream whose private data is registered as KLV (MISB ST 1402): FFmpeg's muxer writes that for no input
    /// it takes, so the table of the program is written anew.
    private func klv(in folder: TemporaryFolder) throws -> String {
        let data = folder.file("data.bin")
        // The universal key of a UAS local set (MISB ST 0601), its length, and what stands for its content.
        let key: [UInt8] = [6, 0xE, 0x2B, 0x34, 2, 0xB, 1, 1, 0xE, 1, 3, 1, 1, 0, 0, 0]
        try FileBytes.write(key + [UInt8(Self.record.count)] + Self.record, to: data)
        let file = try Clip.make(
            in: folder, "in.ts", frames: 4, inputs: ["-f", "data", "-i", data],
            ["-map", "0:v", "-map", "1:d", "-c:d", "copy"] + Clip.h264)
        var bytes = try FileBytes.read(file)
        for start in stride(from: 0, to: bytes.count, by: 188)
        where bytes[start + 1] & 0x1F == 0x10 && bytes[start + 2] == 0 {
            let section = start + 5
            let length = Int(bytes[section + 1] & 0xF) << 8 | Int(bytes[section + 2])
            var table = Array(bytes[section..<section + 3 + length - 4])
            try #require(table.suffix(5).first == 6 && table.suffix(2).elementsEqual([0xF0, 0]))
            table[table.count - 1] = 6
            table += [5, 4] + "KLVA".utf8
            table[2] = UInt8(table.count - 3 + 4)
            table += checksum(table)
            bytes.replaceSubrange(section..<section + table.count, with: table)
        }
        try FileBytes.write(bytes, to: file)
        return file
    }

    @Test func `KLV in a transport stream is left out and named, or kept byte for byte`() throws {
        let folder = try TemporaryFolder()
        let input = try klv(in: folder)
        let before = try Probe(input)
        try #require(before.indices("data").first.flatMap { before.stream($0, "codec_name") } == "klv")
        let without = try Redacted(input, to: "without.ts", in: folder)
        without.expectDone()
        #expect(without.says("(data, klv) is left out") && without.says("--keep-data keeps it"))
        #expect(try !holdsSecret(without.output))
        let kept = try Redacted(input, to: "kept.ts", in: folder, ["--keep-data"])
        kept.expectDone()
        try kept.expectCopied("d:0", as: "d:0")
        let after = try Probe(kept.output)
        #expect(after.indices("data").first.flatMap { after.stream($0, "codec_name") } == "klv")
        let other = try Redacted(input, to: "other.mp4", in: folder, ["--keep-data"])
        other.expectDone()
        #expect(other.says("can't hold klv"))
        #expect(try !holdsSecret(other.output))
    }

    // MARK: Subtitles

    private static let flight = [
        "F/2.8, SS 206.14, ISO 100, EV 0, GPS (13.4049, 52.5200, 18), D 30.01m, H 20.10m, H.S 5.20m/s",
        "[iso : 100] [shutter : 1/60.0] [latitude: 52.520006] [longitude: 13.404954] [rel_alt: 20.100]",
        "HOME(13.4049,52.5200) 2017.07.30 14:25:30",
    ]

    /// DJI's drones caption every second; the words of people stay.
    @Test(arguments: [
        ("mp4", "mov_text", "mp4"), ("mkv", "subrip", "mkv"), ("mkv", "ass", "mp4"), ("mp4", "mov_text", "mkv"),
    ])
    func `subtitles that tell a place are left out and counted; other words stay`(
        form: (from: String, codec: String, to: String)
    ) throws {
        let folder = try TemporaryFolder()
        let texts = Self.flight + ["I left home at 5.30, the GPS was off"]
        let lines = texts.enumerated().map { n, text in
            "\(n + 1)\n00:00:00,\(n)10 --> 00:00:00,\(n)90\n\(text)\n\n"
        }
        let file = folder.file("lines.srt")
        try FileBytes.write(lines.joined().utf8, to: file)
        let input = try Clip.make(
            in: folder, "in." + form.from, frames: 12, inputs: ["-i", file],
            ["-map", "0:v", "-map", "1:s", "-c:s", form.codec] + Clip.h264)
        let redacted = try Redacted(input, to: "out." + form.to, in: folder)
        redacted.expectDone()
        #expect(redacted.says("3 of its texts tell a place and are left out; --keep-data keeps them"))
        for words in ["13.40", "52.52"] { #expect(try !holdsSecret(redacted.output, words)) }
        #expect(try holdsSecret(redacted.output, "the GPS was off"))
        let kept = try Redacted(input, to: "kept." + form.to, in: folder, ["--keep-data"])
        kept.expectDone()
        #expect(try holdsSecret(kept.output, "13.4049, 52.5200, 18"))
    }

    @Test func `a drone's own subtitle track is left out as a whole`() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("lines.srt")
        try FileBytes.write("1\n00:00:00,010 --> 00:00:00,100\nD 30.01m, H 20.10m\n\n".utf8, to: file)
        let input = try Clip.make(
            in: folder, "in.mp4", frames: 4, inputs: ["-i", file],
            ["-map", "0:v", "-map", "1:s", "-c:s", "mov_text", "-metadata:s:s:0", "handler_name=DJI.Subtitle"]
                + Clip.h264)
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        #expect(redacted.says("(subtitle, mov_text") && redacted.says("--keep-data keeps it"))
        #expect(try Probe(redacted.output).streamCount == 1)
    }

    // MARK: Boxes

    struct Place: Sendable, CustomTestStringConvertible {
        var name: String
        var path: [String]
        var box: [UInt8]
        var testDescription: String { name }

        private static let text = Array(TelemetryTests.secret.utf8)

        static let all: [Place] = [
            Place(
                name: "©xyz", path: ["moov", "udta"],
                box: ISOBoxes.word(text.count + 12) + [0xA9] + "xyz".utf8 + [0, UInt8(text.count), 0x15, 0xC7] + text),
            // 3GPP TS 26.244, 8.9: language, name, role, three coordinates of 16.16 bits, body, notes.
            Place(
                name: "loci", path: ["moov", "udta"],
                box: ISOBoxes.box(
                    "loci", [0, 0, 0, 0, 0x15, 0xC7] + text + [0, 0] + [UInt8](repeating: 1, count: 12) + [0, 0])),
            Place(name: "GPS in udta", path: ["moov", "udta"], box: ISOBoxes.box("GPS ", text)),
            Place(name: "GPMF in udta", path: ["moov", "udta"], box: ISOBoxes.box("GPMF", Array("DEVC".utf8) + text)),
            Place(name: "gps in moov", path: ["moov"], box: ISOBoxes.box("gps ", text)),
            Place(
                name: "udta of the track", path: ["moov", "trak"], box: ISOBoxes.box("udta", ISOBoxes.box("GPMF", text))
            ),
            Place(
                name: "XMP in uuid", path: [],
                // Adobe's XMP specification, part 3: BE7ACFCB-97A9-42E8-9C71-999491E3AFAC.
                box: ISOBoxes.box(
                    "uuid",
                    [0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC]
                        + "<x:xmpmeta exif:GPSLatitude='".utf8 + text + "'/>".utf8)),
            Place(name: "a maker's uuid", path: [], box: ISOBoxes.box("uuid", Array(1...16) + text)),
            Place(name: "free", path: [], box: ISOBoxes.box("free", Array("GPS ".utf8) + text)),
            Place(
                name: "QuickTime's keys", path: ["moov"],
                box: {
                    let key = Array("com.apple.quicktime.location.ISO6709".utf8)
                    let handler = ISOBoxes.box(
                        "hdlr", [UInt8](repeating: 0, count: 8) + "mdta".utf8 + [UInt8](repeating: 0, count: 13))
                    let keys = ISOBoxes.box(
                        "keys", [0, 0, 0, 0, 0, 0, 0, 1] + ISOBoxes.word(key.count + 8) + "mdta".utf8 + key)
                    let item = ISOBoxes.word(text.count + 24) + [0, 0, 0, 1]
                    let list = ISOBoxes.box("ilst", item + ISOBoxes.box("data", [0, 0, 0, 1, 0, 0, 0, 0] + text))
                    return ISOBoxes.box("meta", handler + keys + list)
                }()),
        ]
    }

    @Test(arguments: Place.all, [true, false])
    func `a place that boxes tell is in no output, whether pictures are covered or copied`(place: Place, hasFace: Bool)
        throws
    {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(
            in: folder, "plain.mov", frames: 3,
            filter: hasFace ? "format=yuv420p" : "lutrgb=r=90:g=90:b=90,format=yuv420p",
            ["-metadata", "comment=x"] + Clip.h264)
        let bytes = try FileBytes.read(plain)
        let input = folder.file("in.mov")
        try FileBytes.write(
            place.path.isEmpty ? bytes + place.box : ISOBoxes.inserting(place.box, into: place.path, of: bytes),
            to: input)
        try #require(try holdsSecret(input))
        for (name, policy) in [("out.mov", "safe"), ("out.mp4", "safe"), ("none.mov", "none"), ("out.mkv", "safe")] {
            let redacted = try Redacted(input, to: name, in: folder, ["--metadata", policy])
            redacted.expectDone()
            #expect(try !holdsSecret(redacted.output), "\(name)")
        }
    }
}

import Testing
import VeilTestSupport

/// Metadata about space and dynamic range that rides beside the pictures: kept where encoder and container take it, else
/// named.
@Suite struct SpaceAndRangeTests {
    private func sideData(_ file: String) throws -> String {
        try Tool.ffprobe(["-select_streams", "V:0", "-show_entries", "stream_side_data", "-of", "default", file])
    }

    /// An MP4 with Google's description of a spherical picture (Spherical Video RFC, version 1).
    private func spherical(in folder: TemporaryFolder) throws -> String {
        let plain = try Clip.make(in: folder, "plain.mp4", frames: 3)
        let words =
            "<?xml version=\"1.0\"?><rdf:SphericalVideo xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
            + "xmlns:GSpherical=\"http://ns.google.com/videos/1.0/spherical/\"><GSpherical:Spherical>true"
            + "</GSpherical:Spherical><GSpherical:Stitched>true</GSpherical:Stitched><GSpherical:StitchingSoftware>x</GSpherical:StitchingSoftware>"
            + "<GSpherical:ProjectionType>equirectangular</GSpherical:ProjectionType></rdf:SphericalVideo>"
        let name: [UInt8] = [
            0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD,
        ]
        let movie = try ISOBoxes.inserting(
            ISOBoxes.box("uuid", name + words.utf8), into: ["moov", "trak"], of: FileBytes.read(plain))
        try FileBytes.write(movie, to: folder.file("in.mp4"))
        return folder.file("in.mp4")
    }

    @Test(arguments: [("mp4", true), ("mkv", true), ("mov", false), ("ts", false)])
    func `a spherical picture stays one or is named`(container: String, isKept: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try spherical(in: folder)
        try #require(try sideData(input).contains("projection=equirectangular"))
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        #expect(try sideData(redacted.output).contains("projection=equirectangular") == isKept)
        #expect(redacted.says("spherical picture is left out") == !isKept, "\(redacted.run)")
    }

    @Test(arguments: [("mkv", true), ("mp4", true), ("mov", false)])
    func `a stereoscopic picture stays one or is named`(container: String, isKept: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3, Clip.h264 + ["-metadata:s:v:0", "stereo_mode=left_right"])
        try #require(try sideData(input).contains("side by side"))
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        #expect(try sideData(redacted.output).contains("side by side") == isKept)
        #expect(redacted.says("stereoscopic picture is left out") == !isKept, "\(redacted.run)")
    }

    @Test func `Dolby Vision's configuration is named and not kept`() throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(
            in: folder, "plain.mp4", frames: 3, ["-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1"])
        // Version 1.0, profile 8, level 3, RPU and base layer present, compatible with HDR10 ("Dolby Vision Streams Within
        // the ISO Base Media File Format", dvvC).
        let record: [UInt8] = [1, 0, 8 << 1, 3 << 3 | 0b101, 1 << 4] + [UInt8](repeating: 0, count: 19)
        let movie = try ISOBoxes.inserting(
            ISOBoxes.box("dvvC", record), into: ["moov", "trak", "mdia", "minf", "stbl", "stsd", "hvc1"],
            of: FileBytes.read(plain))
        try FileBytes.write(movie, to: folder.file("in.mp4"))
        try #require(try sideData(folder.file("in.mp4")).contains("DOVI"))
        let redacted = try Redacted(folder.file("in.mp4"), to: "out.mp4", in: folder)
        redacted.expectDone()
        #expect(try !sideData(redacted.output).contains("DOVI"))
        #expect(redacted.says("Dolby Vision metadata is left out"), "\(redacted.run)")
    }

    @Test(arguments: [("mkv", "ffv1", true), ("avi", "ffv1", false)])
    func `static HDR metadata is kept or named`(container: String, codec: String, isKept: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mkv", frames: 3, filter: "format=yuv420p10le",
            ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params"]
                + [
                    "log-level=error:max-cll=1000,400:"
                        + "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
                ])
        func isThere(_ file: String) throws -> Bool {
            try Tool.ffprobe(["-select_streams", "V:0", "-show_frames", "-show_entries", "stream_side_data", file])
                .contains("max_content=1000")
        }
        try #require(try isThere(input))
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, ["--codec", codec], preset: nil)
        redacted.expectDone()
        #expect(try isThere(redacted.output) == isKept)
        #expect(redacted.says("HDR10 metadata") == !isKept, "\(redacted.run)")
    }

    /// A message of SMPTE ST 2094-40 (application 4) with one window, no percentiles and no curve.
    private static let dynamicRange: [UInt8] = {
        var bits: [Bool] = []
        func put(_ value: Int, _ count: Int) { bits += (0..<count).reversed().map { value >> $0 & 1 == 1 } }
        put(1, 2)
        // The target's luminance and whether its peak is told; the window's brightest red, green and blue, their mean, the
        // count of percentiles, the share of bright pixels; three things that aren't there.
        put(1000 << 8 | 0x55, 27)
        put(0, 1)
        for _ in 0..<4 { put(0xAAAA, 17) }
        put(0, 4)
        put(0x155, 10)
        put(0, 3)
        while bits.count % 8 != 0 { bits.append(true) }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { at in
            bits[at..<at + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        return [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04, 0x01] + bytes
    }()

    @Test func `HDR10+ is named and not kept`() throws {
        let folder = try TemporaryFolder()
        let raw = try Clip.make(
            in: folder, "raw.hevc", frames: 3,
            ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "bframes=0:log-level=error"])
        // A prefix message (type 39) before each first slice of a picture.
        let message = Self.dynamicRange
        let unit: [UInt8] = [0, 0, 0, 1, 39 << 1, 1, 4, UInt8(message.count)] + message + [0x80]
        let bytes = try FileBytes.read(raw)
        var result: [UInt8] = []
        for at in 0..<bytes.count {
            if at + 5 < bytes.count, bytes[at..<at + 3].elementsEqual([0, 0, 1]), bytes[at + 3] >> 1 & 0x3F < 32,
                bytes[at + 5] & 0x80 != 0
            {
                result += unit
            }
            result.append(bytes[at])
        }
        try FileBytes.write(result, to: folder.file("dynamic.hevc"))
        try Tool.ffmpeg(["-r", "25", "-i", folder.file("dynamic.hevc"), "-c", "copy", folder.file("in.mkv")])
        func count(_ file: String) throws -> Int {
            try Tool.ffprobe(["-select_streams", "V:0", "-show_frames", file]).split(separator: "\n")
                .count { $0.contains("HDR10+") }
        }
        try #require(try count(folder.file("in.mkv")) == 3)
        let redacted = try Redacted(folder.file("in.mkv"), to: "out.mkv", in: folder)
        redacted.expectDone()
        #expect(try count(redacted.output) == 0)
        #expect(redacted.says("HDR10+ metadata is left out"), "\(redacted.run)")
    }
}

import Glibc
import Testing
import VeilTestSupport

/// Small files that claim to be large: refused with a clear error, without taking the memory they ask for.
@Suite struct LimitTests {
    /// Address space that is enough for any clip of these tests, in KiB.
    private static let limits = "ulimit -v 3000000"

    private func refused(
        _ input: String, in folder: TemporaryFolder, saying words: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let output = folder.file("out.mkv")
        for policy in ["stop", "cover"] {
            let run = try BuiltVeil.run(
                ["redact", input, "-o", output, "-q", "--on-error", policy] + Redacted.quick, under: Self.limits)
            #expect(run.status == 1 && run.errorLines.count == 1 && !run.timedOut, "\(run)", sourceLocation: location)
            #expect(run.errors.contains(words), "\(run)", sourceLocation: location)
            #expect(run.peakMemory < 400 << 20, "\(run.peakMemory >> 20) MiB: \(run)", sourceLocation: location)
            #expect(!FileBytes.exists(output) && folder.leftovers.isEmpty, sourceLocation: location)
        }
    }

    @Test(arguments: ["png", "gif", "bmp", "avi", "ivf", "mjpeg"])
    func `a picture that claims 65535 × 65535`(kind: String) throws {
        let folder = try TemporaryFolder()
        let codec = ["avi": ["-c:v", "rawvideo"], "ivf": ["-c:v", "libvpx"], "mjpeg": ["-c:v", "mjpeg"]][kind] ?? []
        let small = try Clip.make(
            in: folder, "small." + kind, frames: 1, filter: kind == "gif" ? "" : "format=yuv420p", codec)
        var bytes = try FileBytes.read(small)
        func put(_ value: [UInt8], at place: Int) {
            for (offset, byte) in value.enumerated() { bytes[place + offset] = byte }
        }
        func find(_ mark: [UInt8]) throws -> Int {
            try #require((0..<bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
        }
        switch kind {
        case "png":
            put([0, 0, 255, 255, 0, 0, 255, 255], at: 16)
            let sum = crc32(bytes[12..<29])
            put((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32($0))) }, at: 29)
        case "gif":
            put([255, 255, 255, 255], at: 6)
            // The first picture's own size, after the separator and its place.
            let picture = try find([0x2C, 0, 0, 0, 0, 64, 1, 180, 0])
            put([255, 255, 255, 255], at: picture + 5)
        case "bmp": put([255, 255, 0, 0, 255, 255, 0, 0], at: 18)
        case "avi":
            let mark: [UInt8] = [64, 1, 0, 0, 180, 0, 0, 0]
            for place in 0..<400 where bytes[place..<place + 8].elementsEqual(mark) {
                put([255, 255, 0, 0, 255, 255, 0, 0], at: place)
            }
        case "ivf":
            put([255, 255, 255, 255], at: 12)
            put([255, 63, 255, 63], at: 32 + 12 + 6)
        default:
            let start = try find([0xFF, 0xC0])
            put([255, 255, 255, 255], at: start + 5)
        }
        let bomb = folder.file("bomb." + kind)
        try FileBytes.write(bytes, to: bomb)
        try refused(bomb, in: folder)
    }

    @Test func `more streams than anybody has`() throws {
        let folder = try TemporaryFolder()
        let small = try Clip.make(in: folder, "small.avi", frames: 2, ["-c:v", "mjpeg"])
        var bytes = try FileBytes.read(small)
        func number(at place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
        func put(_ value: Int, at place: Int) {
            for offset in 0..<4 { bytes[place + offset] = UInt8(value >> (8 * offset) & 0xFF) }
        }
        // RIFF size AVI LIST size hdrl …: the list of the only stream's headers, a thousand times more.
        let list = try #require((12..<400).first { bytes[$0..<$0 + 4].elementsEqual("strl".utf8) }) - 8
        let stream = bytes[list..<list + 8 + number(at: list + 4)]
        let copies = [[UInt8]](repeating: Array(stream), count: 1000).flatMap(\.self)
        put(number(at: 4) + copies.count, at: 4)
        put(number(at: 16) + copies.count, at: 16)
        bytes.insert(contentsOf: copies, at: list)
        try FileBytes.write(bytes, to: folder.file("many.avi"))
        try refused(folder.file("many.avi"), in: folder, saying: "more than 1000 streams")
    }

    @Test func `hundreds of streams are not too many`() throws {
        let folder = try TemporaryFolder()
        try FileBytes.write("1\n00:00:00,000 --> 00:00:01,000\nhello\n".utf8, to: folder.file("text.srt"))
        let maps = (0..<300).flatMap { _ in ["-map", "1:0"] }
        let file = try Clip.make(
            in: folder, "many.mkv", frames: 2, inputs: ["-i", folder.file("text.srt")],
            ["-map", "0:v"] + maps + Clip.h264)
        let redacted = try Redacted(file, to: "out.mkv", in: folder)
        redacted.expectDone()
        #expect(try Probe(redacted.output).streamCount == 301)
    }

    @Test func `attachments of hundreds of megabytes`() throws {
        let folder = try TemporaryFolder()
        let heavy = folder.file("heavy.bin")
        try FileBytes.write([1], to: heavy)
        truncate(heavy, 90 << 20)
        let attachments = (0..<3).flatMap { ["-attach", heavy, "-metadata:s:t:\($0)", "mimetype=font/ttf"] }
        let file = try Clip.make(in: folder, "heavy.mkv", frames: 2, Clip.h264 + attachments)
        let run = try BuiltVeil.run(["redact", file, "-o", folder.file("out.mkv"), "-q"] + Redacted.quick)
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("270 MiB of attachments"), "\(run)")
    }

    /// Times of 2^62 ticks, of a tick a second and of a nanosecond; negative ones; all the same; backwards.
    @Test(arguments: [
        "N*4611686018427387904", "N*1152921504606846976", "-N*1000000000000", "PTS*1000000", "5", "100-N",
    ])
    func `absurd times`(expression: String) throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(
            in: folder, "times.nut", frames: 4, ["-c:v", "mjpeg", "-bsf:v", "setts=ts=\(expression)", "-f", "nut"])
        for output in ["out.mkv", "out.mp4", "out.avi"] {
            let run = try BuiltVeil.run(
                ["redact", file, "-o", folder.file(output), "-q"] + Redacted.quick, under: Self.limits)
            #expect(!run.timedOut && (run.status == 0 || run.status == 1), "\(run)")
            #expect(run.errorLines.count == Int(run.status) && run.peakMemory < 400 << 20, "\(run)")
            #expect(FileBytes.exists(folder.file(output)) == (run.status == 0) && folder.leftovers.isEmpty)
        }
    }

    /// Fields of an MP4's head: the movie's and the tracks' time scale and duration, and the counts of sample tables.
    @Test(
        arguments: ["mvhd", "mdhd", "tkhd", "elst", "stts", "stsz", "stco", "stsc", "ctts", "stsd", "stss"],
        [0xFFFF_FFFF, 0x7FFF_FFFF])
    func `an MP4 whose head claims a billion`(box: String, value: UInt32) throws {
        let folder = try TemporaryFolder()
        let file = try Clip.make(in: folder, "in.mp4", frames: 6, tones: 1, Clip.h264 + ["-bf", "2"] + Clip.sound)
        let original = try FileBytes.read(file)
        guard let name = (0..<original.count - 4).first(where: { original[$0..<$0 + 4].elementsEqual(box.utf8) }) else {
            return
        }
        for field in [8, 12, 16, 20] where name + field + 4 <= original.count {
            var bytes = original
            for offset in 0..<4 {
                bytes[name + field + offset] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(offset)))
            }
            try FileBytes.write(bytes, to: folder.file("claim.mp4"))
            let run = try BuiltVeil.run(
                [
                    "redact", folder.file("claim.mp4"), "-o", folder.file("out.mp4"), "-q", "--force", "--preset",
                    "ultrafast", "--detect-size", "64", "--detect-every", "9",
                ], under: Self.limits)
            #expect(!run.timedOut && (run.status == 0 || run.status == 1), "\(box)+\(field): \(run)")
            #expect(run.errorLines.count == Int(run.status), "\(box)+\(field): \(run)")
            #expect(run.peakMemory < 600 << 20, "\(box)+\(field): \(run.peakMemory >> 20) MiB")
            #expect(folder.leftovers.isEmpty)
        }
    }
}

/// The check sum of PNG's chunks (ISO 15948, annex D).
private func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}

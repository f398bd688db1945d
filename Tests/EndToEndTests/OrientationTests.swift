import Testing
import VeilTestSupport

/// One of the eight ways to turn a coded picture for display.
struct Turning: Sendable, CustomTestStringConvertible {
    var name: String
    /// What makes the coded picture from the upright one.
    var coding: String
    /// a, b, c, d of the matrix (ISO 14496-12, 8.3.2).
    var matrix: (Int32, Int32, Int32, Int32)
    var swaps: Bool
    var testDescription: String { name }

    static let all: [Turning] = [
        Turning(name: "as coded", coding: "null", matrix: (1, 0, 0, 1), swaps: false),
        Turning(name: "mirrored across", coding: "hflip", matrix: (-1, 0, 0, 1), swaps: false),
        Turning(name: "half a turn", coding: "hflip,vflip", matrix: (-1, 0, 0, -1), swaps: false),
        Turning(name: "mirrored down", coding: "vflip", matrix: (1, 0, 0, -1), swaps: false),
        Turning(name: "transposed", coding: "transpose=cclock_flip", matrix: (0, 1, 1, 0), swaps: true),
        Turning(name: "a quarter clockwise", coding: "transpose=cclock", matrix: (0, 1, -1, 0), swaps: true),
        Turning(name: "transposed the other way", coding: "transpose=clock_flip", matrix: (0, -1, -1, 0), swaps: true),
        Turning(name: "a quarter anticlockwise", coding: "transpose=clock", matrix: (0, -1, 1, 0), swaps: true),
    ]

    /// Writes the matrix into the picture track's header of an MP4.
    func patch(_ file: String) throws {
        var bytes = try FileBytes.read(file)
        let mark = Array("tkhd".utf8)
        var position = 0
        while position + 88 < bytes.count {
            defer { position += 1 }
            guard bytes[position..<position + 4].elementsEqual(mark) else { continue }
            // Version 0: the matrix begins 40 bytes behind the type; width and height follow it.
            let start = position + 44
            guard bytes[start + 36] != 0 || bytes[start + 37] != 0 else { continue }
            let one: Int32 = 0x10000
            let numbers = [
                matrix.0 * one, matrix.1 * one, 0, matrix.2 * one, matrix.3 * one, 0, 0, 0, 0x4000_0000,
            ]
            for (index, number) in numbers.enumerated() {
                for byte in 0..<4 {
                    bytes[start + index * 4 + byte] = UInt8(truncatingIfNeeded: number >> Int32(8 * (3 - byte)))
                }
            }
        }
        try FileBytes.write(bytes, to: file)
    }
}

@Suite struct OrientationTests {
    private func input(_ turning: Turning, in folder: TemporaryFolder, _ format: String = "yuv420p") throws -> String {
        let input = try Clip.make(
            in: folder, "in.mp4", frames: 4, filter: "\(turning.coding),format=\(format)", tones: 1,
            Clip.h264 + Clip.sound)
        try turning.patch(input)
        // The clip itself is what it is meant to be: upright by the matrix.
        let (shown, wanted) = (
            try RawPictures(input, upright: true), try RawPictures(Portrait.base.get(), filter: "trim=end_frame=4")
        )
        try #require((shown.width, shown.height) == (wanted.width, wanted.height))
        try #require(shown.psnr(0, wanted, 0) { _, _ in true } > 35)
        return input
    }

    @Test(arguments: Turning.all, ["out.mp4", "out.mov"])
    func `a display matrix stays in the file's description`(turning: Turning, name: String) throws {
        let folder = try TemporaryFolder()
        let input = try input(turning, in: folder)
        let redacted = try Redacted(input, to: name, in: folder)
        redacted.expectDone()
        let (before, after) = (try Probe(input), try Probe(redacted.output))
        expectSame(before, after, ["width", "height"])
        #expect(
            try before.sideData(#require(before.pictureIndex), "displaymatrix")
                == after.sideData(#require(after.pictureIndex), "displaymatrix"))
        try redacted.expectFaceGone(upright: true)
    }

    @Test(arguments: Turning.all, ["out.mkv", "out.ts"])
    func `the pixels are turned where the container has no matrix, and that is said`(
        turning: Turning, name: String
    ) throws {
        let folder = try TemporaryFolder()
        let input = try input(turning, in: folder)
        let redacted = try Redacted(input, to: name, in: folder)
        redacted.expectDone()
        let after = try Probe(redacted.output)
        #expect(after.picture("width") == "320" && after.picture("height") == "180")
        #expect(try after.sideData(#require(after.pictureIndex), "displaymatrix").isEmpty)
        #expect(redacted.says("turned") == (turning.name != "as coded"))
        try redacted.expectFaceGone(upright: true)
    }

    @Test(arguments: ["yuv422p", "yuv444p", "yuv422p10le"])
    func `turning loses no chroma`(format: String) throws {
        let folder = try TemporaryFolder()
        let input = try input(Turning.all[5], in: folder, format)
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        try redacted.expectFaceGone(upright: true)
        // 4:2:2 on its side is 4:4:0, which nothing but FFV1 and its like hold: no less chroma than there was.
        let stored = try #require(try Probe(redacted.output).picture("pix_fmt"))
        #expect(!stored.contains("420") && stored.contains("10le") == format.contains("10le"), "\(stored)")
    }
}

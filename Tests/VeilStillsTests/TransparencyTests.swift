import CPNG
import Testing
import VeilMedia
import VeilPixels
import VeilTestSupport

@testable import VeilStills

/// PNGs in which which pixels are transparent is the picture.
@Suite struct `Transparency that draws a face` {
    private static let width = 80
    private static let height = 64
    private let mask = MaskRegion(
        track: 1, centerX: 40, centerY: 32, radiusX: 26, radiusY: 24, faceWidth: 40, faceHeight: 38)

    /// A stand-in for a face: rings and stripes with the detail of one, 0…1.
    private static func drawing(_ x: Int, _ y: Int) -> Bool {
        let (dx, dy) = (x - 40, y - 32)
        return (dx * dx + dy * dy) / 60 % 2 == 0 || (x / 3 + y / 2).isMultiple(of: 4)
    }

    /// A PNG made from samples by `sample(x, y)`, one row after the other.
    private func png(
        _ change: (inout PNGPicture) -> Void, sample: (Int, Int) -> [UInt8]
    ) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:s=\(Self.width)x\(Self.height)", "-frames:v", "1", "-pix_fmt", "gray",
            folder.file("plain.png"),
        ])
        var picture = try PNGPicture(FileBytes.read(folder.file("plain.png")), file: "a")
        change(&picture)
        picture.rows = (0..<Self.height).flatMap { y in (0..<Self.width).flatMap { sample($0, y) } }
        return try picture.encoded(file: "a")
    }

    /// Covers the mask as the program does, and gives the file that comes of it.
    private func covered(_ document: any StillDocument, whole: Bool = false) throws -> [UInt8] {
        let redactor = try Redactor(FilterChain())
        while let picture = try document.next() {
            if whole {
                redactor.coverWhole(picture.views[0], time: 0)
            } else {
                redactor.apply(to: picture.views[0], regions: [mask], time: 0)
            }
            try document.keep(masks: whole ? nil : [mask])
        }
        return try document.finish()
    }

    /// How often neighbours differ in the mask's inner part.
    private func changes<Value: Equatable>(_ value: (Int, Int) -> Value) -> Int {
        (18..<46).reduce(0) { sum, y in sum + (25..<55).count { value($0, y) != value($0 + 1, y) } }
    }

    private func alpha(_ picture: PNGPicture, _ x: Int, _ y: Int) -> UInt8 {
        let at = y * Self.width + x
        switch picture.info.color_type {
        case 3:
            return withUnsafeBytes(of: picture.info.transparent) {
                Int(picture.rows[at]) < Int(picture.info.transparent_count) ? $0[Int(picture.rows[at])] : 255
            }
        case 4: return picture.rows[2 * at + 1]
        case 6: return picture.rows[4 * at + 3]
        default: return picture.isTransparent(at: at) ? 0 : 255
        }
    }

    @Test(arguments: [1, 2, 4, 8, 16], [0, 1])
    func `is covered where a gray is the key`(bits: Int, key: Int) throws {
        let bytes = try png {
            $0.info.bit_depth = Int32(bits)
            $0.info.bytes_per_sample = bits == 16 ? 2 : 1
            $0.info.has_key = 1
            $0.info.key.0 = UInt16(key)
        } sample: { x, y in
            // The key, and the level next to it: to be seen by nothing but transparency.
            let level = Self.drawing(x, y) ? UInt8(key) : UInt8(key ^ 1)
            return bits == 16 ? [level, 0] : [level]
        }
        let before = try PNGPicture(bytes, file: "a")
        #expect(before.info.bit_depth == bits && changes { alpha(before, $0, $1) } > 150)
        for whole in [false, true] {
            let after = try PNGPicture(
                covered(PNGStill(bytes, file: "a", policy: .safe), whole: whole), file: "a")
            #expect(changes { alpha(after, $0, $1) } == 0 && alpha(after, 40, 32) == 255)
            // Cells are on a few levels: no sample knows what it was.
            #expect(changes { after.rows[(($1 * Self.width) + $0) * (bits == 16 ? 2 : 1)] } < 28 * 8)
            // Outside nothing has changed.
            if !whole { for x in 0..<Self.width { #expect(alpha(after, x, 1) == alpha(before, x, 1)) } }
        }
    }

    @Test func `is kept where the key cuts a shape out`() throws {
        let bytes = try png {
            $0.info.has_key = 1
            $0.info.key.0 = 7
        } sample: { x, y in
            (12..<68).contains(x) ? [UInt8((x * 5 + y * 11) % 97 + 100)] : [7]
        }
        let before = try PNGPicture(bytes, file: "a")
        let after = try PNGPicture(covered(PNGStill(bytes, file: "a", policy: .safe)), file: "a")
        for y in 0..<Self.height { for x in 0..<Self.width { #expect(alpha(after, x, y) == alpha(before, x, y)) } }
        #expect(before.rows != after.rows)
    }

    @Test func `is looked at as it shows, too`() throws {
        let bytes = try png {
            $0.info.has_key = 1
            $0.info.key.0 = 0
        } sample: { x, y in
            [Self.drawing(x, y) ? 0 : 1]
        }
        let still = try PNGStill(bytes, file: "a", policy: .safe)
        let looks = try #require(try still.next()).looks
        #expect(looks.count == 2)
        let shown = try #require(looks.last).planes[0]
        for (x, y) in [(40, 32), (30, 20), (41, 27), (50, 40)] {
            let level = shown.row(y).assumingMemoryBound(to: UInt8.self)[x]
            #expect(level == (Self.drawing(x, y) ? 128 : 1))
        }
    }

    @Test(arguments: [1, 8])
    func `is covered where a palette has a transparent entry`(bits: Int) throws {
        let bytes = try png {
            $0.info.color_type = 3
            $0.info.bit_depth = Int32(bits)
            // Both black.
            $0.info.palette_count = 2
            $0.info.transparent_count = 1
        } sample: { x, y in
            [Self.drawing(x, y) ? 0 : 1]
        }
        let before = try PNGPicture(bytes, file: "a")
        #expect(changes { alpha(before, $0, $1) } > 150)
        let after = try PNGPicture(covered(PNGStill(bytes, file: "a", policy: .safe)), file: "a")
        #expect(changes { alpha(after, $0, $1) } < 28 * 8)
        for x in 0..<Self.width { #expect(alpha(after, x, 1) == alpha(before, x, 1)) }
    }

    @Test(arguments: [true, false])
    func `is covered in an animation`(isKey: Bool) throws {
        let single = try png {
            if isKey {
                $0.info.has_key = 1
            } else {
                $0.info.color_type = 4
                $0.info.channels = 2
            }
        } sample: { x, y in
            let isClear = Self.drawing(x, y)
            return isKey ? [isClear ? 0 : 1] : [0, isClear ? 0 : 255]
        }
        let parts = PNGChunks(single[...])
        var bytes = PNGChunks.signature
        parts.append(["IHDR", "tRNS"], to: &bytes)
        PNGChunks.append("acTL", [0, 0, 0, 1, 0, 0, 0, 0], to: &bytes)
        let control: [UInt8] =
            [0, Self.width, Self.height, 0, 0].flatMap { PNGChunks.number($0) } + [0, 1, 0, 10, 0, 0]
        PNGChunks.append("fcTL", control[...], to: &bytes)
        parts.append(["IDAT"], to: &bytes)
        parts.append(["IEND"], to: &bytes)
        let before = try PNGPicture(bytes, file: "a")
        #expect(changes { alpha(before, $0, $1) } > 150)
        let after = try PNGPicture(covered(AnimatedPNG(bytes, file: "a", policy: .safe)), file: "a")
        #expect(changes { alpha(after, $0, $1) } < 28 * 8)
    }
}

import Testing
import VeilMedia
import VeilPixels
import VeilTestSupport

@testable import VeilStills

/// Samples that are neither colour nor known as alpha.
@Suite struct `A channel of unknown use` {
    private let mask = MaskRegion(
        track: 1, centerX: 40, centerY: 32, radiusX: 20, radiusY: 20, faceWidth: 30, faceHeight: 30)

    /// Flat colours, and noise in the last channel.
    private func tiff(channels: Int) -> (bytes: [UInt8], samples: [UInt8]) {
        var random = Numbers(channels)
        let samples = (0..<80 * 64).flatMap { _ in
            [UInt8](repeating: 90, count: channels - 1) + [UInt8.random(in: 0...255, using: &random)]
        }
        var page = GrayTIFF.Page(width: 80, height: 64, samples: samples)
        page.channels = channels
        return (GrayTIFF.file([page]), samples)
    }

    @Test(arguments: [2, 4])
    func `is looked at and covered`(channels: Int) throws {
        let (bytes, samples) = tiff(channels: channels)
        let still = try TIFFStill(bytes, file: "a", policy: .safe)
        let picture = try #require(try still.next())
        #expect(picture.views.count == 2 && picture.looks.count == 2)
        for view in [picture.views[1], picture.looks[1]] {
            #expect(view.model == .gray && !view.hasAlpha)
            for (x, y) in [(0, 0), (40, 32), (79, 63)] {
                let sample = view.planes[0].row(y).assumingMemoryBound(to: UInt8.self)[x]
                #expect(sample == samples[(y * 80 + x) * channels + channels - 1])
            }
        }
        for view in picture.views { try Redactor(FilterChain()).apply(to: view, regions: [mask], time: 0) }
        try still.keep(masks: [mask])
        let copy = try TIFFStill(still.finish(), file: "a", policy: .safe)
        let after = try #require(try copy.next())
        #expect(after.views.count == 2)
        let channel = after.views[1].planes[0]
        var levels: Set<UInt8> = []
        for y in 0..<64 {
            let row = channel.row(y).assumingMemoryBound(to: UInt8.self)
            for x in 0..<80 {
                if (26..<54).contains(x), (20..<44).contains(y), abs(x - 40) + abs(y - 32) < 20 {
                    levels.insert(row[x])
                }
                if !(10..<70).contains(x) { #expect(row[x] == samples[(y * 80 + x) * channels + channels - 1]) }
            }
        }
        #expect(levels.count <= 25)
        let colors = after.views[0].planes.map { $0.row(0).assumingMemoryBound(to: UInt8.self)[0] }
        #expect(colors.count == channels - 1 && colors.allSatisfy { $0 == 90 })
    }

    @Test(arguments: [1, 2, 3, 4], [(0x7FFF_FFFF, 0x7FFF_FFFF), (0x7FFF_FFFF, 1), (1, 0x7FFF_FFFF), (60_000, 60_000)])
    func `and sides of two thousand million are refused, not reckoned with`(channels: Int, size: (Int, Int)) throws {
        var page = GrayTIFF.Page(width: size.0, height: size.1, samples: [0, 0, 0, 0])
        page.channels = channels
        do throws(MediaError) {
            _ = try TIFFStill(GrayTIFF.file([page]), file: "a", policy: .safe).next()
            Issue.record("it was read")
        } catch { #expect(error.kind == .unsupported || error.kind == .damaged) }
    }

    @Test func `and a bitmap's alpha is covered where it is the picture`() throws {
        let folder = try TemporaryFolder()
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=black:s=80x64", "-vf", "format=rgba,geq=r=0:g=0:b=0:a='255*mod(X+Y,2)'",
            "-frames:v", "1", "-pix_fmt", "bgra", folder.file("plain.bmp"),
        ])
        // ffmpeg writes no mask for alpha: a header that names one.
        let plain = try FileBytes.read(folder.file("plain.bmp"))
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let start = plain[10..<14].reversed().reduce(0) { $0 << 8 | Int($1) }
        var bytes = Array("BM".utf8) + number(14 + 108 + plain.count - start) + number(0) + number(14 + 108)
        bytes += number(108) + plain[18..<30] + number(3) + plain[34..<54]
        bytes += [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000].flatMap(number) + [UInt8](repeating: 0, count: 52)
        bytes += plain[start...]
        let still = try BMPStill(bytes, file: "a", policy: .safe)
        let picture = try #require(try still.next())
        #expect(picture.views[0].hasAlpha)
        try Redactor(FilterChain()).apply(to: picture.views[0], regions: [mask], time: 0)
        still.keep(masks: [mask])
        let after = try #require(try BMPStill(still.finish(), file: "a", policy: .safe).next()?.views[0].planes.last)
        let row = after.row(32).assumingMemoryBound(to: UInt8.self)
        #expect((26..<54).count { row[$0] != row[$0 + 1] } < 8 && row[0] != row[1])
    }
}

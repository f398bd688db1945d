import CJPEG
import Testing
import VeilCore
import VeilMedia
import VeilPixels
import VeilTestSupport

@testable import VeilStills

/// A way to code a JPEG.
struct JPEGKind: Sendable, CustomTestStringConvertible {
    var name: String
    var flags: [String]
    var size = "120x88"
    var testDescription: String { "\(name) \(size)" }

    static let all: [JPEGKind] = {
        var kinds: [JPEGKind] = []
        let samplings = [
            ("4:4:4", ["-sample", "1x1"]), ("4:2:2", ["-sample", "2x1"]), ("4:2:0", ["-sample", "2x2"]),
            ("4:4:0", ["-sample", "1x2"]), ("4:1:1", ["-sample", "4x1"]), ("gray", ["-grayscale"]),
            ("RGB", ["-rgb"]),
        ]
        for (name, flags) in samplings {
            for (way, more) in [
                ("baseline", ["-baseline"]), ("progressive", ["-progressive"]),
                ("restarts", ["-optimize", "-restart", "1"]),
            ] {
                for size in ["120x88", "101x67"] {
                    kinds.append(JPEGKind(name: "\(name) \(way)", flags: flags + more, size: size))
                }
            }
        }
        return kinds + [
            JPEGKind(name: "arithmetic", flags: ["-arithmetic"]), JPEGKind(name: "tiny", flags: [], size: "3x2"),
        ]
    }()

    func make(in folder: TemporaryFolder) throws -> [UInt8] {
        let (ppm, file) = (folder.file("in.ppm"), folder.file("in.jpg"))
        try FileBytes.write(try Self.pixels[size]?.get() ?? [], to: ppm)
        try Tool.need(["cjpeg", "-quality", "85"] + flags + ["-outfile", file, ppm])
        return try FileBytes.read(file)
    }

    /// The portrait in each size, made once.
    private static let pixels: [String: Result<[UInt8], any Error>] = Dictionary(
        uniqueKeysWithValues: ["120x88", "101x67", "3x2"].map { size in
            (
                size,
                Result {
                    try Tool.ffmpeg([
                        "-i", Places.portrait, "-vf", "scale=\(size.replacing("x", with: ":")):flags=area", "-frames:v",
                        "1", "-f", "image2pipe", "-c:v", "ppm", "-",
                    ]).output
                }
            )
        })
}

@Suite struct JPEGTests {
    private func still(_ bytes: [UInt8], _ policy: MetadataPolicy = .safe) throws -> JPEGStill {
        try JPEGStill(bytes, file: "a.jpg", policy: policy, onError: .stop)
    }

    /// Covers an ellipse and gives back the file.
    private func covered(_ bytes: [UInt8], _ mask: MaskRegion, chain: FilterChain = FilterChain()) throws -> [UInt8] {
        let still = try still(bytes)
        let picture = try #require(still.next())
        for view in picture.views { try Redactor(chain).apply(to: view, regions: [mask], time: 0) }
        try still.keep(masks: [mask])
        #expect(still.next() == nil)
        return try still.finish()
    }

    @Test(arguments: JPEGKind.all)
    func `only the blocks under a mask change, to the last coefficient`(kind: JPEGKind) throws {
        let folder = try TemporaryFolder()
        let bytes = try kind.make(in: folder)
        // Small enough to leave blocks on all sides, and over the lower edge.
        let scale = kind.size == "3x2" ? 0.02 : 1.0
        let mask = MaskRegion(
            track: 0, centerX: 60 * scale, centerY: 70 * scale, radiusX: 20 * scale, radiusY: 26 * scale,
            faceWidth: 30 * scale, faceHeight: 40 * scale)
        let after = try covered(bytes, mask)
        let (a, b) = (
            try JPEGCoefficients(bytes, file: "before"), try JPEGCoefficients(after, file: "after")
        )
        try #require(a.components.count == b.components.count)
        #expect(a.info.is_progressive == b.info.is_progressive && a.info.is_arithmetic == b.info.is_arithmetic)
        #expect(a.info.restart_interval == b.info.restart_interval && a.info.space == b.info.space)
        #expect(a.info.width == b.info.width && a.info.height == b.info.height)
        guard kind.size != "3x2" else { return }
        // The mask with its soft edge.
        let reach = 1.2 * 26 + 3
        var changed = 0
        for index in a.components.indices {
            let component = a.components[index]
            #expect(component.h == b.components[index].h && component.v == b.components[index].v)
            let (before, now) = (try a.coefficients(index), try b.coefficients(index))
            let block = (
                x: 8 * Int(a.components[0].h / component.h), y: 8 * Int(a.components[0].v / component.v)
            )
            for y in 0..<Int(component.blocks_down) {
                for x in 0..<Int(component.blocks_across) {
                    let start = 64 * (y * Int(component.blocks_across) + x)
                    let isSame = before[start..<start + 64] == now[start..<start + 64]
                    if !isSame { changed += 1 }
                    // The block's nearest point to the middle of the mask.
                    let dx = max(0, Double(x * block.x) - 60, 60 - Double((x + 1) * block.x))
                    let dy = max(0, Double(y * block.y) - 70, 70 - Double((y + 1) * block.y))
                    if dx > 1.2 * 20 + 8 + Double(block.x) || dy > reach + Double(block.y) { #expect(isSame) }
                }
            }
        }
        #expect(changed > 0)
    }

    @Test(arguments: JPEGKind.all)
    func `a picture without faces keeps its coded data byte for byte`(kind: JPEGKind) throws {
        let bytes = try kind.make(in: try TemporaryFolder())
        let still = try still(bytes)
        _ = still.next()
        try still.keep(masks: [])
        let after = try still.finish()
        let (a, b) = (JPEGSegments(bytes[...]), JPEGSegments(after[...]))
        let coded: (JPEGSegments) -> [ArraySlice<UInt8>] = { $0.segments.filter { $0.marker < 0xE0 }.map(\.payload) }
        #expect(b.isComplete && coded(a) == coded(b))
    }

    @Test func `what a mask covers can't be seen in any component`() throws {
        let bytes = try JPEGKind(name: "4:2:0", flags: ["-sample", "2x2"]).make(in: try TemporaryFolder())
        let mask = MaskRegion(
            track: 0, centerX: 52, centerY: 22, radiusX: 30, radiusY: 30, faceWidth: 46, faceHeight: 46)
        let red = RGBColor(red: 255, green: 0, blue: 0)
        let after = try covered(bytes, mask, chain: FilterChain(effects: [.solid(color: red)]))
        let still = try still(after)
        let view = try #require(still.next()).views[0]
        // BT.601, full range: Y 76, Cb 85, Cr 255.
        for (index, level) in [76, 85, 255].enumerated() {
            let plane = view.planes[index]
            let shift = index == 0 ? 0 : 1
            for y in 8...36 {
                for x in 38...66 {
                    let value = plane.row(y >> shift).load(fromByteOffset: x >> shift, as: UInt8.self)
                    #expect(abs(Int(value) - level) <= 8)
                }
            }
        }
    }

    @Test(arguments: [10, 400, 900, 1500])
    func `a picture that breaks off is an error, or covered whole`(length: Int) throws {
        let bytes = try JPEGKind(name: "4:2:0", flags: []).make(in: try TemporaryFolder())
        try #require(bytes.count > 2000)
        let cut = Array(bytes[..<length])
        #expect(throws: MediaError.self) { try still(cut) }
        guard let still = try? JPEGStill(cut, file: "a.jpg", policy: .safe, onError: .cover) else {
            #expect(length < 900)
            return
        }
        #expect(still.next()?.isDamaged == true)
    }

    @Test func `a claim of gigabytes is refused before memory is taken for it`() throws {
        var bytes = try JPEGKind(name: "4:2:0", flags: []).make(in: try TemporaryFolder())
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        for (height, width) in [(60000, 60000), (8000, 8000)] {
            bytes[frame + 5] = UInt8(height >> 8)
            bytes[frame + 6] = UInt8(height & 0xFF)
            bytes[frame + 7] = UInt8(width >> 8)
            bytes[frame + 8] = UInt8(width & 0xFF)
            #expect(throws: MediaError.self) { try still(bytes) }
        }
    }
}

import Glibc
import Testing
import VeilCore
import VeilTestSupport
import VeilVision

/// A smooth texture without repeats, sampled at a shifted place, so that the true shift is known to any fraction.
private func texture(dx: Double = 0, dy: Double = 0, width: Int = 160, height: Int = 120) -> LumaPicture {
    var samples: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            let (u, v) = (Double(x) - dx, Double(y) - dy)
            let value =
                sin(u * 0.31 + 1.3 * sin(v * 0.11)) + sin(v * 0.27 + 1.7 * sin(u * 0.07)) + sin((u + v) * 0.173)
                + sin((u - 1.7 * v) * 0.093)
            samples.append(UInt8(128 + value * 28))
        }
    }
    return LumaPicture(width: width, height: height, samples: samples)
}

@Suite struct `Matching` {
    let matcher: PatchMatcher
    let patch = PixelRect(x: 60, y: 40, width: 32, height: 36)

    init() throws {
        matcher = try PatchMatcher()
    }

    @Test(arguments: [(0, 0), (3, -2), (2.5, 1.25), (-4.75, 5.4), (0.3, -0.6)])
    func `a patch's shift is found to a quarter of a pixel`(dx: Double, dy: Double) throws {
        let shift = try #require(
            try matcher.match(patch, of: texture(), in: patch.grown(by: 10, 10), of: texture(dx: dx, dy: dy)))
        #expect(abs(shift.dx - dx) < 0.25)
        #expect(abs(shift.dy - dy) < 0.25)
        #expect(shift.score > 0.95)
    }

    @Test func `a patch at the edge is cut and still found`() throws {
        let edge = PixelRect(x: -8, y: 100, width: 40, height: 40)
        let shift = try #require(
            try matcher.match(edge, of: texture(), in: edge.grown(by: 6, 6), of: texture(dx: 2, dy: -3)))
        #expect(abs(shift.dx - 2) < 0.25)
        #expect(abs(shift.dy + 3) < 0.25)
    }

    @Test func `a patch that isn't there scores low`() throws {
        let other = LumaPicture(
            width: 160, height: 120, samples: (0..<160 * 120).map { UInt8(truncatingIfNeeded: ($0 &* 40503) >> 5) })
        let shift = try #require(try matcher.match(patch, of: texture(), in: patch.grown(by: 10, 10), of: other))
        #expect(shift.score < 0.4)
    }

    /// A picture in the dark: little contrast, and noise of its own. `deviation` is the noise's, in levels.
    private func dark(_ picture: LumaPicture, seed: Int, contrast: Double = 0.1, deviation: Double) -> LumaPicture {
        var numbers = Numbers(seed)
        let samples = picture.samples.map { sample in
            // The sum of four even numbers is near enough to a normal one.
            let noise = (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &numbers) }
            let value = 20 + Double(sample) * contrast + noise * deviation / 1.155
            return UInt8(min(max(value.rounded(), 0), 255))
        }
        return LumaPicture(width: picture.width, height: picture.height, samples: samples)
    }

    @Test(arguments: [(0, 0), (3, -2), (2.5, 1.25), (-4.75, 5.4)], [3.0, 4.5])
    func `a patch is found in noise, surely enough to be followed`(
        way: (dx: Double, dy: Double), deviation: Double
    ) throws {
        let first = dark(texture(), seed: 1, deviation: deviation)
        let second = dark(texture(dx: way.dx, dy: way.dy), seed: 2, deviation: deviation)
        let (one, two) = (first, second)
        let shift = try #require(try matcher.match(patch, of: first, in: patch.grown(by: 10, 10), of: second))
        #expect(abs(shift.dx - way.dx) < 0.75)
        #expect(abs(shift.dy - way.dy) < 0.75)
        #expect(shift.score > 0.6)
        #expect(first == one && second == two, "the pictures themselves stay as they are")
    }

    @Test(arguments: [12, 20, 24, 40])
    func `noise isn't found in other noise`(side: Int) throws {
        let flat = LumaPicture(width: 160, height: 120, samples: Array(repeating: 90, count: 160 * 120))
        let patch = PixelRect(x: 60, y: 40, width: side, height: side)
        for seed in 0..<20 {
            let first = dark(flat, seed: 2 * seed, deviation: 5)
            let second = dark(flat, seed: 2 * seed + 1, deviation: 5)
            let reach = max(4, side * 3 / 10)
            let shift = try #require(try matcher.match(patch, of: first, in: patch.grown(by: reach, reach), of: second))
            #expect(shift.score < 0.5, "\(seed)")
        }
    }

    @Test func `a flat patch has no answer`() throws {
        let flat = LumaPicture(width: 160, height: 120, samples: Array(repeating: 90, count: 160 * 120))
        #expect(try matcher.match(patch, of: flat, in: patch.grown(by: 10, 10), of: texture()) == nil)
        #expect(try matcher.globalShift(from: flat, to: texture()) == nil)
    }

    @Test(arguments: [
        PixelRect(x: 60, y: 40, width: 20, height: 60), PixelRect(x: 500, y: 40, width: 60, height: 60),
        PixelRect(x: .min, y: .min, width: 1, height: 1),
    ])
    func `a patch larger than where it is looked for has no answer`(search: PixelRect) throws {
        #expect(try matcher.match(patch, of: texture(), in: search, of: texture()) == nil)
    }

    /// A part of the portrait, shrunk by 4, as a camera that moved by so many (small) pixels sees it.
    private func seen(dx: Double, dy: Double, side: Int = 96) throws -> LumaPicture {
        let coded = CodedPicture(try Portrait.picture(side: 512), Coding(name: "gray", model: .gray))
        let size = Double(side) * 4 / 512
        return try LumaPicture(
            of: coded.view, orientation: .up, canvas: CanvasSize(width: side, height: side),
            roi: NormalizedRect(x: (60 - dx * 4) / 512, y: (60 - dy * 4) / 512, width: size, height: size))
    }

    @Test(arguments: [(0, 0), (4, -3), (-7.5, 2.25), (1.25, 6.75)])
    func `a pan is found to a quarter of a pixel`(dx: Double, dy: Double) throws {
        let shift = try #require(try matcher.globalShift(from: seen(dx: 0, dy: 0), to: seen(dx: dx, dy: dy)))
        #expect(abs(shift.dx - dx) < 0.25)
        #expect(abs(shift.dy - dy) < 0.25)
        #expect(shift.score > 0.1)
    }

    @Test func `pictures of different sizes have no common pan`() throws {
        let error = #expect(throws: VisionError.self) {
            try matcher.globalShift(from: texture(), to: texture(width: 100))
        }
        #expect(error?.code == .badArgument)
        // And one matcher serves several sizes.
        _ = try matcher.globalShift(from: seen(dx: 0, dy: 0), to: seen(dx: 0, dy: 0))
        let small = try #require(
            try matcher.globalShift(from: seen(dx: 0, dy: 0, side: 80), to: seen(dx: 2, dy: 1, side: 80)))
        #expect(abs(small.dx - 2) < 0.25 && abs(small.dy - 1) < 0.25)
    }
}

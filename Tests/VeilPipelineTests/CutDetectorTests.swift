import Testing
import VeilCore
import VeilVision

@testable import VeilPipeline

@Suite struct CutDetectorTests {
    private func film(_ frames: Int = 20) -> Film { Film(frames: frames, faces: { _ in [] }) }

    /// The frames before which a cut was told.
    private func cuts(_ film: Film, change: (inout LumaPicture, Int) throws -> Void = { _, _ in }) throws -> [Int] {
        var detector = try CutDetector()
        var result: [Int] = []
        for frame in 0..<film.frames {
            var picture = try film.luma(frame, side: Follower.cameraSide)
            try change(&picture, frame)
            if try detector.isCut(before: picture) { result.append(frame) }
        }
        return result
    }

    @Test func `a cut is told at its frame, and once`() throws {
        var film = film()
        film.world = { $0 < 7 ? 1 : $0 < 13 ? 2 : 3 }
        #expect(try cuts(film) == [7, 13])
    }

    @Test func `a scene of one frame has a cut on either side`() throws {
        var film = film()
        film.world = { $0 == 9 ? 2 : 1 }
        #expect(try cuts(film) == [9, 10])
    }

    @Test(arguments: [(4, 0), (-10, 4), (32, 0), (0, 18), (20, -12)])
    func `a pan is no cut`(x: Int, y: Int) throws {
        var film = film()
        film.camera = { (x * $0, y * $0) }
        #expect(try cuts(film) == [])
    }

    @Test func `light that flickers is no cut`() throws {
        var film = film()
        film.light = { [1, 0.5, 1.2, 0.7, 0.9][$0 % 5] }
        #expect(try cuts(film) == [])
    }

    @Test(arguments: [0, 10, 40])
    func `noise is no cut`(levels: Int) throws {
        var film = film()
        film.noise = levels
        #expect(try cuts(film) == [])
    }

    @Test func `a picture that goes out of focus is no cut`() throws {
        let found = try cuts(film()) { picture, frame in
            // Every third frame is blurred away.
            if frame % 3 == 1 { picture = picture.blurred(by: 6) }
        }
        #expect(found == [])
    }

    @Test func `people who walk through are no cut`() throws {
        var film = film(40)
        film.faces = { frame in
            [FilmFace(name: 1, box: PixelBox(x: 12 * frame - 100, y: 20, width: 110, height: 150))]
        }
        #expect(try cuts(film) == [])
    }

    @Test func `a fade through black into another scene has a cut in the dark, none in the light`() throws {
        var film = film(40)
        film.noise = 1
        film.light = { abs(20 - Double($0)) / 20 }
        film.world = { $0 < 20 ? 1 : 2 }
        let found = try cuts(film)
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { (17...23).contains($0) })
    }

    @Test func `a still black picture is one scene`() throws {
        var film = film(12)
        film.noise = 0
        film.light = { $0 < 4 ? 1 : 0 }
        #expect(try cuts(film) { picture, _ in picture = picture.withoutNumber } == [4])
    }

    /// A white slide with a small camera picture in a corner.
    @Test(arguments: [0, 1, 3])
    func `a slide with a moving inset is one scene`(levels: Int) throws {
        var film = film(30)
        film.noise = 3
        film.camera = { (6 * $0, 2 * $0) }
        var seed: UInt64 = 1
        let found = try cuts(film) { picture, _ in
            let inset = picture
            picture = picture.filled(235)
            picture.paint(inset, x: 0, y: 0, width: picture.width / 9, height: picture.height / 9)
            picture.scatter(levels, &seed)
        }
        #expect(found == [])
    }

    @Test func `one slide for another of another colour is a cut, and from a slide to a scene`() throws {
        let film = film(20)
        let found = try cuts(film) { picture, frame in
            if frame < 12 { picture = picture.filled(frame < 6 ? 235 : 215) }
        }
        #expect(found == [6, 12])
        let dark = try cuts(film) { picture, frame in
            if !(8..<14).contains(frame) { picture = picture.filled(16) }
        }
        #expect(dark == [8, 14])
    }

    @Test func `another size of picture is taken without a word`() throws {
        var detector = try CutDetector()
        let film = film()
        #expect(try !detector.isCut(before: film.luma(0, side: 160)))
        #expect(try !detector.isCut(before: film.luma(0, side: 48)))
        #expect(try !detector.isCut(before: film.luma(0, side: 48)))
    }
}

extension LumaPicture {
    /// The mean of the square around each pixel.
    fileprivate func blurred(by reach: Int) -> LumaPicture {
        var out = samples
        for y in 0..<height {
            for x in 0..<width {
                var (sum, count) = (0, 0)
                for yy in max(0, y - reach)...min(height - 1, y + reach) {
                    for xx in max(0, x - reach)...min(width - 1, x + reach) {
                        sum += Int(samples[yy * width + xx])
                        count += 1
                    }
                }
                out[y * width + x] = UInt8(sum / count)
            }
        }
        return LumaPicture(width: width, height: height, samples: out)
    }

    fileprivate func filled(_ level: UInt8) -> LumaPicture {
        LumaPicture(width: width, height: height, samples: [UInt8](repeating: level, count: samples.count))
    }

    /// Copies a part of another picture of the same size.
    fileprivate mutating func paint(_ other: LumaPicture, x: Int, y: Int, width part: Int, height rows: Int) {
        var out = samples
        for row in y..<y + rows {
            let start = row * width + x
            out.replaceSubrange(start..<start + part, with: other.samples[start..<start + part])
        }
        self = LumaPicture(width: width, height: height, samples: out)
    }

    /// Adds noise of up to so many levels either way.
    fileprivate mutating func scatter(_ levels: Int, _ seed: inout UInt64) {
        guard levels > 0 else { return }
        var out = samples
        for i in out.indices {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            out[i] = UInt8(clamping: Int(out[i]) + Int(seed >> 40) % (2 * levels + 1) - levels)
        }
        self = LumaPicture(width: width, height: height, samples: out)
    }

    /// The film's frame number, in the first pixels, painted over.
    fileprivate var withoutNumber: LumaPicture {
        var out = samples
        for i in 0..<4 { out[i] = out[4] }
        return LumaPicture(width: width, height: height, samples: out)
    }
}

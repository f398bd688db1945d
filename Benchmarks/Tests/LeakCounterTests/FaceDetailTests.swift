import Testing

@testable import LeakCounter

@Suite struct FaceDetailTests {
    private let picture = Luma.noisy(width: 160, height: 140)
    private let face = TruthFace(x: 40, y: 30, width: 60, height: 80)

    @Test func `an untouched face leaks whole`() throws {
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: picture))
        #expect(abs(detail.kept - 1) < 1e-9)
        #expect(detail.keptPlaces == 1)
        #expect(detail.leaks)
    }

    @Test func `a face with less contrast still leaks`() throws {
        let faded = picture.changed(x: 0..<160, y: 0..<140) { UInt8(128 + (Int($0) - 128) / 2) }
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: faded))
        #expect(abs(detail.kept - 0.5) < 0.02)
        #expect(detail.leaks)
    }

    @Test func `a face covered with one value doesn't leak`() throws {
        let redacted = picture.covered(x: 40..<100, y: 30..<110)
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(abs(detail.kept) < 1e-9)
        #expect(detail.keptPlaces == 0)
        #expect(!detail.leaks)
    }

    @Test func `a blurred face doesn't leak`() throws {
        let blurred = Patch(picture, x: 0..<160, y: 0..<140).blurred(radius: 8)
        let redacted = Luma(width: 160, height: 140, samples: blurred.values.map { UInt8($0.rounded()) })
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(!detail.leaks)
    }

    @Test func `another face's detail in its place doesn't leak`() throws {
        let other = Luma.noisy(width: 160, height: 140, seed: 77)
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: other))
        #expect(abs(detail.kept) < 0.1)
        #expect(!detail.leaks)
    }

    @Test func `a half-covered face leaks`() throws {
        let redacted = picture.covered(x: 40..<100, y: 30..<70)
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(abs(detail.kept - 0.5) < 0.1)
        #expect(detail.leaks)
    }

    @Test func `a mask that misses the chin leaks though little detail is kept`() throws {
        // 31 % of the ellipse lies below 65 % of its height.
        let redacted = picture.covered(x: 40..<100, y: 30..<82)
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(detail.kept < FaceDetail.keptLimit)
        #expect(detail.keptPlaces > FaceDetail.placesLimit)
        #expect(detail.leaks)
    }

    @Test func `a mask that misses a sliver only doesn't leak`() throws {
        let redacted = picture.covered(x: 40..<100, y: 30..<102)
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(!detail.leaks)
    }

    @Test func `what shows in the corners of the box, outside the ellipse, doesn't count`() throws {
        var redacted = picture.covered(x: 40..<100, y: 30..<110)
        for (x, y) in [(40..<46, 30..<38), (94..<100, 30..<38), (40..<46, 102..<110), (94..<100, 102..<110)] {
            for row in y {
                for column in x { redacted.samples[row * 160 + column] = picture.samples[row * 160 + column] }
            }
        }
        let detail = try #require(FaceDetail(of: face, original: picture, redacted: redacted))
        #expect(!detail.leaks)
    }

    @Test func `a face without detail can't leak`() {
        let flat = Luma.flat(width: 160, height: 140, 90)
        #expect(FaceDetail(of: face, original: flat, redacted: flat) == nil)
    }

    @Test(arguments: [
        TruthFace(x: 20, y: 20, width: 7, height: 30), TruthFace(x: 20, y: 20, width: 30, height: 7),
        TruthFace(x: -30, y: 20, width: 37, height: 40), TruthFace(x: 155, y: 20, width: 40, height: 40),
    ])
    func `a face of under eight pixels inside the picture is too small to tell`(_ small: TruthFace) {
        #expect(FaceDetail(of: small, original: picture, redacted: picture) == nil)
    }

    @Test(arguments: [
        TruthFace(x: -20, y: 30, width: 60, height: 80), TruthFace(x: 120, y: 90, width: 60, height: 80),
    ])
    func `a face cut by the picture's edge is judged by the part inside`(_ cut: TruthFace) throws {
        let shown = try #require(FaceDetail(of: cut, original: picture, redacted: picture))
        #expect(shown.leaks)
        let covered = picture.covered(x: 0..<160, y: 0..<140)
        let hidden = try #require(FaceDetail(of: cut, original: picture, redacted: covered))
        #expect(!hidden.leaks)
    }
}

@Suite struct BoxBlurTests {
    /// As defined, slowly: the mean of a window whose outside repeats the edge.
    private func reference(_ patch: Patch, radius: Int) -> Patch {
        var result = patch
        for _ in 0..<3 {
            for isDown in [true, false] {
                let from = result
                for y in 0..<patch.height {
                    for x in 0..<patch.width {
                        var sum = 0.0
                        for k in -radius...radius {
                            let column = isDown ? x : min(max(x + k, 0), patch.width - 1)
                            let row = isDown ? min(max(y + k, 0), patch.height - 1) : y
                            sum += from.values[row * patch.width + column]
                        }
                        result.values[y * patch.width + x] = sum / Double(2 * radius + 1)
                    }
                }
            }
        }
        return result
    }

    @Test(
        arguments: [(1, 1), (8, 8), (9, 31), (31, 9), (64, 48)], [1, 2, 5, 40])
    func `running sums give what the definition gives`(_ size: (Int, Int), _ radius: Int) {
        let luma = Luma.noisy(width: size.0, height: size.1, seed: UInt64(radius))
        let patch = Patch(luma, x: 0..<size.0, y: 0..<size.1)
        let fast = patch.blurred(radius: radius)
        let slow = reference(patch, radius: radius)
        let worst = zip(fast.values, slow.values).map { abs($0 - $1) }.max() ?? 1
        #expect(worst < 1e-9)
    }
}

import Testing
import VeilCore

@testable import VeilVision

@Suite struct FineDetailTests {
    /// Something with as much detail as a face: smooth noise, a few pixels fine.
    private func texture(_ side: Int, contrast: Double = 60) -> LumaPicture {
        var state: UInt64 = 9
        var noise = [Double](repeating: 0, count: side * side)
        for i in noise.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            noise[i] = Double(state >> 40) / Double(1 << 24) - 0.5
        }
        return make(side) { x, y in
            var sum = 0.0
            for dy in -1...1 {
                for dx in -1...1 { sum += noise[(y + dy + side) % side * side + (x + dx + side) % side] }
            }
            return 128 + sum / 3 * contrast
        }
    }

    private func make(_ side: Int, _ value: (Int, Int) -> Double) -> LumaPicture {
        LumaPicture(
            width: side, height: side,
            samples: (0..<(side * side)).map { UInt8(max(0, min(255, value($0 % side, $0 / side)))) })
    }

    private func mosaic(_ picture: LumaPicture, cell: Int) -> LumaPicture {
        make(picture.width) { x, y in
            var (sum, count) = (0, 0)
            for cy in (y / cell * cell)..<min(picture.height, (y / cell + 1) * cell) {
                for cx in (x / cell * cell)..<min(picture.width, (x / cell + 1) * cell) {
                    sum += Int(picture.samples[cy * picture.width + cx])
                    count += 1
                }
            }
            return Double(sum) / Double(count)
        }
    }

    @Test(arguments: [16, 24, 64]) func `detail shows, and its mosaic doesn't`(side: Int) {
        let picture = texture(side)
        #expect(FineDetail(picture).shows)
        // Five cells and more across a face, in stronger contrast than Veil leaves.
        for cells in [4, 5, 6] {
            let covered = mosaic(texture(side, contrast: 250), cell: max(3, side / cells))
            #expect(!FineDetail(covered).shows, "\(FineDetail(covered))")
        }
    }

    @Test func `a smooth slope, a single colour and faint noise show nothing`() {
        #expect(!FineDetail(make(64) { x, y in Double(x + y) * 2 }).shows)
        #expect(!FineDetail(make(64) { _, _ in 0 }).shows)
        #expect(!FineDetail(texture(64, contrast: 3)).shows)
        #expect(!FineDetail(LumaPicture(width: 1, height: 1, samples: [0])).shows)
    }

    @Test func `bars across or down alone are no face, slanted ones are detail`() {
        #expect(!FineDetail(make(48) { x, _ in x / 4 % 2 == 0 ? 40 : 200 }).shows)
        #expect(FineDetail(make(48) { x, y in (x + y) / 3 % 2 == 0 ? 40 : 200 }).shows)
    }

    @Test func `a face that is bare to a half shows, one that is bare at its rim doesn't`() {
        let (bare, covered) = (texture(64), mosaic(texture(64), cell: 13))
        func mixed(_ isBare: (Int, Int) -> Bool) -> LumaPicture {
            make(64) { x, y in Double((isBare(x, y) ? bare : covered).samples[y * 64 + x]) }
        }
        #expect(FineDetail(mixed { x, _ in x < 32 }).shows)
        #expect(!FineDetail(mixed { x, _ in x < 9 }).shows)
    }
}

import Testing
import VeilCore
import VeilVision

@Suite struct `Non-maximum suppression` {
    /// Repeatable random boxes.
    private func boxes(seed: UInt64, count: Int) -> (boxes: [NormalizedRect], ranks: [Double]) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next() -> Double {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Double(state >> 11) / Double(1 << 53)
        }
        let boxes = (0..<count).map { _ in
            NormalizedRect(x: next(), y: next(), width: 0.02 + next() * 0.4, height: 0.02 + next() * 0.4)
        }
        return (boxes, (0..<count).map { _ in next() })
    }

    @Test(arguments: 1...20)
    func `what is kept overlaps little, and what is dropped is hidden by something better`(seed: Int) {
        let (boxes, ranks) = boxes(seed: UInt64(seed), count: 60)
        let kept = NonMaximumSuppression.keep(boxes: boxes, ranks: ranks, overlapLimit: 0.3)
        #expect(kept.map { ranks[$0] } == kept.map { ranks[$0] }.sorted(by: >))
        for (n, i) in kept.enumerated() {
            for j in kept[..<n] { #expect(boxes[i].iou(boxes[j]) < 0.3) }
        }
        for i in boxes.indices where !kept.contains(i) {
            #expect(kept.contains { ranks[$0] >= ranks[i] && !boxes[$0].intersection(boxes[i]).isEmpty })
        }
        // Once more changes nothing.
        let again = NonMaximumSuppression.keep(
            boxes: kept.map { boxes[$0] }, ranks: kept.map { ranks[$0] }, overlapLimit: 0.3)
        #expect(again == Array(kept.indices))
    }

    @Test func `a small box inside a better one is dropped`() {
        let boxes = [
            NormalizedRect(x: 0.2, y: 0.2, width: 0.4, height: 0.4),
            NormalizedRect(x: 0.35, y: 0.3, width: 0.1, height: 0.1),
        ]
        #expect(NonMaximumSuppression.keep(boxes: boxes, ranks: [0.9, 0.5], overlapLimit: 0.3) == [0])
    }

    @Test func `a large box around a better small one is kept`() {
        let boxes = [
            NormalizedRect(x: 0.2, y: 0.2, width: 0.4, height: 0.4),
            NormalizedRect(x: 0.35, y: 0.3, width: 0.1, height: 0.1),
        ]
        #expect(NonMaximumSuppression.keep(boxes: boxes, ranks: [0.5, 0.9], overlapLimit: 0.3) == [1, 0])
    }

    @Test func `a small face in the corner of a large one's box is kept`() {
        let boxes = [
            NormalizedRect(x: 0.2, y: 0.2, width: 0.4, height: 0.4),
            NormalizedRect(x: 0.2, y: 0.2, width: 0.05, height: 0.05),
        ]
        #expect(NonMaximumSuppression.keep(boxes: boxes, ranks: [0.9, 0.5], overlapLimit: 0.3) == [0, 1])
    }

    @Test func `empty boxes are dropped and nothing gives nothing`() {
        let empty = NormalizedRect(x: 0, y: 0, width: 0, height: 1)
        #expect(NonMaximumSuppression.keep(boxes: [empty, .whole], ranks: [1, 0.5], overlapLimit: 0.3) == [1])
        #expect(NonMaximumSuppression.keep([], overlapLimit: 0.3).isEmpty)
    }

    @Test(arguments: [(1, 1, 0.2), (2, 1, 0.2), (3, 2, 0.1), (4, 4, 0.05), (2, 2, 0.6)])
    func `tiles cover the region, and a face up to the overlap's size lies whole in one`(
        columns: Int, rows: Int, overlap: Double
    ) {
        let region = NormalizedRect(x: 0.1, y: 0.2, width: 0.8, height: 0.5)
        let tiles = TiledDetector.tiles(of: region, columns: columns, rows: rows, overlap: overlap)
        #expect(tiles.count == columns * rows)
        let side = (width: overlap * region.width, height: overlap * region.height)
        for i in 0...50 {
            for j in 0...50 {
                let face = NormalizedRect(
                    x: region.x + (region.width - side.width) * Double(i) / 50,
                    y: region.y + (region.height - side.height) * Double(j) / 50, width: side.width, height: side.height
                )
                #expect(tiles.contains { $0.union(face).area <= $0.area + 1e-9 })
            }
        }
        for tile in tiles { #expect(region.union(tile).area <= region.area + 1e-9) }
    }
}

import Testing
import VeilCore
import VeilTestSupport

@testable import VeilStills

@Suite struct `Blocks under a mask` {
    @Test(arguments: [1.0, 0.5, 0.25])
    func `are all within those that are visited`(scale: Double) {
        var random = Numbers(Int(scale * 100))
        for _ in 0..<200 {
            func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
            let ellipse = CodedEllipse(
                centerX: number(-100...500), centerY: number(-100...500), radiusX: number(0.001...200),
                radiusY: number(0.001...200), angle: number(-400...400))
            let half = ellipse.halfExtents
            let columns = JPEGStill.blocks(from: ellipse.centerX - half.x, to: ellipse.centerX + half.x, scale, 50)
            let rows = JPEGStill.blocks(from: ellipse.centerY - half.y, to: ellipse.centerY + half.y, scale, 50)
            for y in 0..<50 {
                for x in 0..<50
                where ellipse.distance(x: (8 * Double(x) + 4) / scale, y: (8 * Double(y) + 4) / scale) <= 1 {
                    #expect(columns.contains(x) && rows.contains(y))
                }
            }
        }
    }

    @Test func `are few for a small one, all for one that can't be placed, none for one outside`() {
        #expect(JPEGStill.blocks(from: 100, to: 107, 1, 50) == 12..<14)
        #expect(JPEGStill.blocks(from: .nan, to: 5, 1, 50) == 0..<50)
        #expect(JPEGStill.blocks(from: -90, to: -9, 1, 50).isEmpty)
        #expect(JPEGStill.blocks(from: 1e300, to: 1e301, 1, 50).isEmpty)
    }
}

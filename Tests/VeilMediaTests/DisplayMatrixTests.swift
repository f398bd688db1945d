import Testing
import VeilCore

@testable import VeilMedia

@Suite struct DisplayMatrixTests {
    static let one: Int32 = 0x10000

    /// Numbers of ISO 14496-12 for each orientation, written out by hand.
    static let matrices: [(Orientation, [Int32])] = [
        (.up, [1, 0, 0, 1]), (.upMirrored, [-1, 0, 0, 1]), (.down, [-1, 0, 0, -1]), (.downMirrored, [1, 0, 0, -1]),
        (.leftMirrored, [0, 1, 1, 0]), (.right, [0, 1, -1, 0]), (.rightMirrored, [0, -1, -1, 0]),
        (.left, [0, -1, 1, 0]),
    ]

    private static func numbers(_ q: [Int32], scale: Int32 = one, x: Int32 = 0, y: Int32 = 0) -> [Int32] {
        [q[0] * scale, q[1] * scale, 0, q[2] * scale, q[3] * scale, 0, x, y, 0x4000_0000]
    }

    @Test(arguments: matrices.indices)
    func `each of the eight is told from its numbers, whatever its size and shift`(index: Int) {
        let (orientation, quarter) = Self.matrices[index]
        for scale in [Self.one, Self.one / 2, 3 * Self.one] {
            for shift in [Int32(0), 320 * Self.one, -7] {
                let matrix = DisplayMatrix(numbers: Self.numbers(quarter, scale: scale, x: shift, y: shift))
                #expect(matrix.orientation == orientation)
            }
        }
    }

    @Test(arguments: [[], [1, 2, 3], [1, 1, 0, 1, 1, 0, 0, 0, 1], Array(repeating: 0, count: 9)] as [[Int32]])
    func `what is no quarter turn or flip is no orientation`(numbers: [Int32]) {
        #expect(DisplayMatrix(numbers: numbers).orientation == nil)
    }
}

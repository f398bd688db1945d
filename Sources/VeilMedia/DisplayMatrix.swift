import CFFmpeg
import VeilCore

/// A display matrix (ISO 14496-12, 8.3.2): nine numbers, 16.16 and 2.30 fixed point, row by row.
struct DisplayMatrix: Sendable, Hashable {
    let numbers: [Int32]

    /// Reads the four turning numbers: the eight quarter turns and flips are told apart by their signs.
    ///
    /// The matrix maps a coded point (x, y) to (a·x + c·y, b·x + d·y) on display.
    var orientation: Orientation? {
        guard numbers.count == 9 else { return nil }
        let a = numbers[0].signum(), b = numbers[1].signum(), c = numbers[3].signum(), d = numbers[4].signum()
        switch (a, b, c, d) {
        case (1, 0, 0, 1): return .up
        case (-1, 0, 0, 1): return .upMirrored
        case (-1, 0, 0, -1): return .down
        case (1, 0, 0, -1): return .downMirrored
        case (0, 1, 1, 0): return .leftMirrored
        case (0, 1, -1, 0): return .right
        case (0, -1, -1, 0): return .rightMirrored
        case (0, -1, 1, 0): return .left
        default: return nil
        }
    }
}

import VeilCore
import VeilVision

extension LumaPicture {
    /// Whether this picture is much more like the one before moved by a shift than like the one before: things that move
    /// before a camera that stands still are no turn of the camera.
    func isTurn(by shift: NormalizedPoint, of before: LumaPicture) -> Bool {
        let (a, b) = (before, self)
        let dx = Int((shift.x * Double(a.width)).rounded())
        let dy = Int((shift.y * Double(a.height)).rounded())
        guard dx != 0 || dy != 0, a.width == b.width, a.height == b.height, abs(dx) < a.width / 2,
            abs(dy) < a.height / 2
        else { return false }
        let (width, height) = (a.width, a.height)
        var (still, moved) = (0, 0)
        a.samples.withUnsafeBufferPointer { a in
            b.samples.withUnsafeBufferPointer { b in
                for y in max(0, dy)..<min(height, height + dy) {
                    for x in max(0, dx)..<min(width, width + dx) {
                        let here = Int(b[y &* width &+ x])
                        still &+= abs(here &- Int(a[y &* width &+ x]))
                        moved &+= abs(here &- Int(a[(y &- dy) &* width &+ x &- dx]))
                    }
                }
            }
        }
        return Double(moved) < 0.7 * Double(still)
    }
}

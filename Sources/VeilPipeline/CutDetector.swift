import VeilCore
import VeilVision

/// Tells scene cuts from motion: the middle of the last picture is looked for in the next, whatever its brightness.
package struct CutDetector {
    /// The longer side of the pictures compared.
    private static let canvasSide = 64
    /// Below this correlation nothing of the picture before is left: a new scene.
    private static let cutBelow = 0.35

    private let matcher: PatchMatcher
    private var last: LumaPicture?

    package init() throws(VisionError) { matcher = try PatchMatcher() }

    /// Whether a new scene begins with this picture. The first picture of all begins none.
    package mutating func isCut(before full: LumaPicture) throws(VisionError) -> Bool {
        let picture = try full.shrunk(to: Self.canvasSide)
        defer { last = picture }
        guard let last, last.width == picture.width, last.height == picture.height else { return false }
        let (w, h) = (last.width, last.height)
        // Three quarters of each side, so that a pan of an eighth of the picture is still found.
        let patch = PixelRect(x: w / 8, y: h / 8, width: w - w / 4, height: h - h / 4)
        let whole = PixelRect(x: 0, y: 0, width: w, height: h)
        guard let found = try matcher.match(patch, of: last, in: whole, of: picture) else {
            // A flat picture (black, white) on either side: a fade's end or a cut; looking anew costs little.
            return last != picture
        }
        return found.score < Self.cutBelow
    }
}

import VeilCore
import VeilVision

/// Tells scene cuts from motion: the middle of the last picture is looked for in the next, whatever its brightness.
package struct CutDetector {
    /// The longer side of the pictures compared.
    private static let canvasSide = 64
    /// Below this correlation nothing of the picture before is left: a new scene.
    private static let cutBelow = 0.35

    /// Flat pictures that differ by more than this, in levels on the mean, are two scenes: noise and an inset that moves
    /// stay below, another colour of the ground doesn't.
    private static let flatChange = 8.0

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
            if try matcher.match(patch, of: picture, in: whole, of: picture) == nil {
                // Both are flat: a slide on which a small picture moves in a corner stays a slide.
                return last.difference(from: picture) > Self.flatChange
            }
            // Flat (black, white) before and no longer: a fade's end or a cut; looking anew costs little.
            return last != picture
        }
        return found.score < Self.cutBelow
    }
}

extension LumaPicture {
    /// The mean absolute difference of two pictures of one size, in levels.
    fileprivate func difference(from other: LumaPicture) -> Double {
        let sum = zip(samples, other.samples).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(1, samples.count))
    }
}

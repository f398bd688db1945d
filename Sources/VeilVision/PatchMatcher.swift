import CVision
import VeilCore

/// Where a patch, or a whole picture, went from one picture to another.
public struct PatchShift: Sendable, Hashable {
    /// To the right and down, in pixels, to a fraction.
    public var dx: Double
    public var dy: Double
    /// Of a patch: normalised cross-correlation, −1…1. Of a whole picture: the peak's share of the energy, about 0…1.
    public var score: Double
}

/// A rectangle of whole pixels in a `LumaPicture`. It may reach outside; only what lies inside is used.
public struct PixelRect: Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The common part; its sides are 0 or less where there is none.
    public func intersection(_ other: PixelRect) -> PixelRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return PixelRect(
            x: left, y: top, width: min(x + width, other.x + other.width) - left,
            height: min(y + height, other.y + other.height) - top)
    }

    /// The same centre, grown by so many pixels on each side.
    public func grown(by x: Int, _ y: Int) -> PixelRect {
        PixelRect(x: self.x - x, y: self.y - y, width: width + 2 * x, height: height + 2 * y)
    }
}

/// Follows patches from picture to picture, far cheaper than looking for faces anew.
// @unchecked: the handle never changes, and the shim serialises the calls on it by a lock.
public final class PatchMatcher: @unchecked Sendable {
    private let handle: OpaquePointer

    public init() throws(VisionError) {
        var created: OpaquePointer?
        try VisionError.check(doing: "making a matcher") { cvision_matcher_create(&created, $0) }
        guard let created else {
            throw VisionError(code: .unknown, doing: "making a matcher", words: "no handle was made")
        }
        handle = created
    }

    deinit {
        cvision_matcher_free(handle)
    }

    /// Finds the patch of `a` in `search` of `b`, by normalised cross-correlation.
    ///
    /// Nil where no answer exists: the patch is flat (a standard deviation below 1 level), less than 2 pixels wide or
    /// high, or larger than the part of `search` that lies inside the picture.
    public func match(
        _ patch: PixelRect, of a: LumaPicture, in search: PixelRect, of b: LumaPicture
    ) throws(VisionError) -> PatchShift? {
        var shift = cvision_shift()
        try VisionError.check(doing: "following a patch") { error in
            a.withLuma { a in
                b.withLuma { b in cvision_match(handle, a, cvision_rect(patch), b, cvision_rect(search), &shift, error)
                }
            }
        }
        return PatchShift(shift)
    }

    /// How far the content of `b` lies from that of `a`, as a whole, by phase correlation: a camera's pan.
    ///
    /// Nil if either picture is flat or smaller than 8×8. Throws `.badArgument` if their sizes differ.
    public func globalShift(from a: LumaPicture, to b: LumaPicture) throws(VisionError) -> PatchShift? {
        var shift = cvision_shift()
        try VisionError.check(doing: "measuring a pan") { error in
            a.withLuma { a in b.withLuma { b in cvision_global_shift(handle, a, b, &shift, error) } }
        }
        return PatchShift(shift)
    }
}

extension PatchShift {
    fileprivate init?(_ shift: cvision_shift) {
        guard shift.found != 0 else { return nil }
        self.init(dx: shift.dx, dy: shift.dy, score: shift.score)
    }
}

extension cvision_rect {
    fileprivate init(_ rect: PixelRect) {
        self.init(
            x: Int32(clamping: rect.x), y: Int32(clamping: rect.y), width: Int32(clamping: rect.width),
            height: Int32(clamping: rect.height))
    }
}

import Foundation

/// One region's mask: opaque inside the ellipse or box, then a soft edge outside it.
///
/// The opaque part is drawn one pixel larger, so that a pixel which the outline only touches is opaque too.
struct MaskOutline: Sendable {
    /// The soft edge is never narrower than this, in luma pixels.
    static let leastFeather = 2.0
    private static let margin = 1.0
    /// Further out than any picture reaches, near enough for exact arithmetic.
    private static let farthest = 1e7

    let shape: MaskShape
    let centerX: Double
    let centerY: Double
    let cosine: Double
    let sine: Double
    /// Half sizes of the opaque part.
    let innerX: Double
    let innerY: Double
    /// Width of the soft edge in pixels.
    let feather: Double

    var outerX: Double { innerX + feather }
    var outerY: Double { innerY + feather }

    /// Takes a region whose numbers are finite.
    init(_ region: MaskRegion, shape: MaskShape, softness: Double) {
        func clamp(_ value: Double) -> Double { min(max(value, -Self.farthest), Self.farthest) }
        self.shape = shape
        centerX = clamp(region.centerX)
        centerY = clamp(region.centerY)
        let turn = region.angle.truncatingRemainder(dividingBy: 360) * .pi / 180
        cosine = cos(turn)
        sine = sin(turn)
        let radiusX = clamp(max(region.radiusX, 0))
        let radiusY = clamp(max(region.radiusY, 0))
        innerX = radiusX + Self.margin
        innerY = radiusY + Self.margin
        feather = max(Self.leastFeather, softness * (radiusX + radiusY) / 2)
    }

    /// The pixels that the mask may touch, cut by the picture's edge.
    func bounds(width: Int, height: Int) -> PixelRect {
        let (halfWidth, halfHeight): (Double, Double) =
            switch shape {
            case .ellipse:
                (hypot(outerX * cosine, outerY * sine), hypot(outerX * sine, outerY * cosine))
            case .box:
                (abs(outerX * cosine) + abs(outerY * sine), abs(outerX * sine) + abs(outerY * cosine))
            }
        return PixelRect(
            x: Self.pixels(from: centerX - halfWidth, to: centerX + halfWidth, limit: width),
            y: Self.pixels(from: centerY - halfHeight, to: centerY + halfHeight, limit: height))
    }

    /// The pixels of row `y` that are fully opaque.
    func opaque(row y: Int, width: Int) -> Range<Int> { span(row: y, radiusX: innerX, radiusY: innerY, width: width) }

    /// The pixels of row `y` that the mask may touch: the opaque ones and the soft edge.
    func touched(row y: Int, width: Int) -> Range<Int> { span(row: y, radiusX: outerX, radiusY: outerY, width: width) }

    private func span(row y: Int, radiusX: Double, radiusY: Double, width: Int) -> Range<Int> {
        let dy = Double(y) + 0.5 - centerY
        switch shape {
        case .ellipse:
            // (dx·c + dy·s)²/rx² + (dy·c - dx·s)²/ry² = 1, solved for dx.
            let (ix, iy) = (1 / (radiusX * radiusX), 1 / (radiusY * radiusY))
            let a = cosine * cosine * ix + sine * sine * iy
            let b = cosine * sine * (ix - iy) * dy
            let discriminant = a - dy * dy * ix * iy
            guard discriminant >= 0 else { return 0..<0 }
            let root = discriminant.squareRoot()
            return Self.pixels(from: centerX + (-b - root) / a, to: centerX + (-b + root) / a, limit: width)
        case .box:
            // |dx·c + dy·s| ≤ rx and |dy·c - dx·s| ≤ ry: the overlap of two intervals.
            let first = Self.interval(slope: cosine, offset: dy * sine, radius: radiusX)
            let second = Self.interval(slope: -sine, offset: dy * cosine, radius: radiusY)
            return Self.pixels(
                from: centerX + max(first.low, second.low), to: centerX + min(first.high, second.high), limit: width)
        }
    }

    /// Where |dx·slope + offset| ≤ radius.
    private static func interval(slope: Double, offset: Double, radius: Double) -> (low: Double, high: Double) {
        if abs(slope) < 1e-12 {
            return abs(offset) <= radius ? (-4 * farthest, 4 * farthest) : (1, -1)
        }
        let (p, q) = ((-radius - offset) / slope, (radius - offset) / slope)
        return (min(p, q), max(p, q))
    }

    /// The pixels whose centres lie from `low` to `high`, cut to 0..<limit.
    private static func pixels(from low: Double, to high: Double, limit: Int) -> Range<Int> {
        let first = Int(min(max((low - 0.5).rounded(.up), 0), Double(limit)))
        let end = Int(min(max((high - 0.5).rounded(.down) + 1, 0), Double(limit)))
        return first..<max(first, end)
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An ellipse in the coded picture, in luma pixels: what the mask is drawn from.
///
/// Pixel (0, 0) reaches from 0 to 1 across and down, so its middle is (0.5, 0.5). Pixels need not be square.
public struct CodedEllipse: Sendable, Hashable {
    public var centerX: Double
    public var centerY: Double
    /// Half the extent along the axis that lies at `angle`.
    public var radiusX: Double
    /// Half the extent along the axis at right angles to it.
    public var radiusY: Double
    /// Clockwise, in degrees, from the coded picture's x axis.
    public var angle: Double

    public init(centerX: Double, centerY: Double, radiusX: Double, radiusY: Double, angle: Double = 0) {
        self.centerX = centerX
        self.centerY = centerY
        self.radiusX = radiusX
        self.radiusY = radiusY
        self.angle = angle
    }

    /// Maps a shape of the upright picture to the coded one, exactly.
    ///
    /// A shape's angle is one of displayed pixels, which are square. Where coded pixels aren't, a turned ellipse gets
    /// another angle and other radii; they come from the singular value decomposition of the 2×2 matrix that makes the
    /// ellipse from a circle.
    ///
    /// - Parameters:
    ///   - codedWidth: in luma pixels, before turning; the part that is shown.
    ///   - sampleAspectRatio: a coded pixel's displayed width by its height; a ratio with a zero (unknown) is 1:1.
    public init(
        _ shape: Shape, orientation: Orientation, codedWidth: Int, codedHeight: Int,
        sampleAspectRatio: Rational = Rational(1, 1)
    ) {
        let (width, height) = (Double(codedWidth), Double(codedHeight))
        let isKnown = sampleAspectRatio.num > 0 && sampleAspectRatio.den > 0
        let aspect = isKnown ? sampleAspectRatio.value : 1
        // The displayed picture in square pixels, before and after turning.
        let displayedWidth = width * aspect
        let uprightWidth = orientation.swapsAxes ? height : displayedWidth
        let uprightHeight = orientation.swapsAxes ? displayedWidth : height
        let a = shape.radiusX * uprightWidth
        let b = shape.radiusY * uprightHeight
        let mirrored = orientation.isMirrored ? -shape.angle : shape.angle
        let center = orientation.coded(shape.center)
        centerX = center.x * width
        centerY = center.y * height

        if aspect == 1 || shape.angle == 0 {
            // A quarter turn swaps the radii and leaves the angle.
            radiusX = (orientation.swapsAxes ? b : a) / aspect
            radiusY = orientation.swapsAxes ? a : b
            angle = mirrored
            return
        }

        // unit circle → upright pixels → coded pixels
        let turn = shape.angle * .pi / 180
        let (upright, axes) = ((a * cos(turn), -b * sin(turn), a * sin(turn), b * cos(turn)), orientation.axes)
        let (xx, xy, yx, yy) = (Double(axes.xx), Double(axes.xy), Double(axes.yx), Double(axes.yy))
        let m00 = (xx * upright.0 + xy * upright.2) / aspect
        let m01 = (xx * upright.1 + xy * upright.3) / aspect
        let m10 = yx * upright.0 + yy * upright.2
        let m11 = yx * upright.1 + yy * upright.3
        // Closed form of the 2×2 SVD: J. Blinn, "Consider the Lowly 2 x 2 Matrix", IEEE CG&A 16(2), 1996.
        let (e, f, g, h) = ((m00 + m11) / 2, (m00 - m11) / 2, (m10 + m01) / 2, (m10 - m01) / 2)
        let (q, r) = (hypot(e, h), hypot(f, g))
        let (major, minor) = (q + r, abs(q - r))
        let majorAngle = (atan2(g, f) + atan2(h, e)) / 2 * 180 / .pi
        // Of the four ways to name the axes, the one nearest to the angle before stretching.
        let quarters = ((majorAngle - mirrored) / 90).rounded()
        angle = majorAngle - 90 * quarters
        let isMajorFirst = quarters.truncatingRemainder(dividingBy: 2) == 0
        radiusX = isMajorFirst ? major : minor
        radiusY = isMajorFirst ? minor : major
    }

    /// Half the width and half the height of the upright box around the ellipse, in pixels.
    public var halfExtents: (x: Double, y: Double) {
        if angle == 0 { return (radiusX, radiusY) }
        let turn = angle * .pi / 180
        let (c, s) = (cos(turn), sin(turn))
        return (hypot(radiusX * c, radiusY * s), hypot(radiusX * s, radiusY * c))
    }

    /// How far out a point is: 0 in the centre, 1 on the edge, more outside.
    public func distance(x: Double, y: Double) -> Double {
        let turn = angle * .pi / 180
        let (c, s) = (cos(turn), sin(turn))
        let (dx, dy) = (x - centerX, y - centerY)
        return hypot((dx * c + dy * s) / radiusX, (dy * c - dx * s) / radiusY)
    }
}

/// One face to cover in one frame, in the coded picture's luma pixels. Positions may lie outside the picture.
///
/// Give the ellipse as it is before the picture's edge cuts it: a face at the edge is then covered to the last row.
public struct MaskRegion: Sendable, Hashable {
    /// Which track the face belongs to. Cell size and cell colours are held from frame to frame under this number.
    public var track: Int
    /// The ellipse's centre; (0, 0) is the top left corner of the top left pixel.
    public var centerX: Double
    public var centerY: Double
    /// Half the width and height of the ellipse before it is turned, already grown by the mask's scale.
    public var radiusX: Double
    public var radiusY: Double
    /// Clockwise turn in pixels, in degrees.
    public var angle: Double
    /// The face's own bounds, not grown. The cells' size follows the longer side; where neither is above 0 the
    /// ellipse's longer diameter stands in, which errs towards coarser cells.
    public var faceWidth: Double
    public var faceHeight: Double

    public init(
        track: Int, centerX: Double, centerY: Double, radiusX: Double, radiusY: Double, angle: Double = 0,
        faceWidth: Double, faceHeight: Double
    ) {
        self.track = track
        self.centerX = centerX
        self.centerY = centerY
        self.radiusX = radiusX
        self.radiusY = radiusY
        self.angle = angle
        self.faceWidth = faceWidth
        self.faceHeight = faceHeight
    }

    /// Whether every number can be reckoned with. A frame with a region that can't is covered whole.
    var isFinite: Bool {
        centerX.isFinite && centerY.isFinite && radiusX.isFinite && radiusY.isFinite && angle.isFinite
            && !faceWidth.isNaN && !faceHeight.isNaN
    }

    /// What the cells are measured against: the face's longer side in luma pixels.
    ///
    /// Never less than an eighth of the ellipse's longer diameter. A mask that much larger than its face is a mistake
    /// in one of them, and small cells would be the dangerous way to resolve it.
    var faceSize: Double {
        let diameter = 2 * max(radiusX, radiusY)
        let size = max(faceWidth, faceHeight)
        return size > 0 ? max(size, diameter / 8) : diameter
    }
}

/// The outline of the opaque part of a mask.
public enum MaskShape: String, Sendable, Hashable, Codable, CaseIterable {
    case ellipse
    /// The rectangle around the ellipse, turned likewise.
    case box
}

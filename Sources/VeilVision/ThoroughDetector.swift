import VeilCore
import VeilPixels

/// Looks at a picture in every way there is: whole, in tiles for small faces, and turned for faces that lie on their side
/// or stand on their head.
///
/// That is ten looks in the place of one: the whole, four overlapping tiles, three quarter turns, and a tilt of 45°
/// either way. Faces between the turns are at most 22.5° off one of them. A look at a part of a picture is enlarged
/// already, so it is turned but not tiled.
public final class ThoroughDetector: FaceDetector {
    private let base: any FaceDetector
    private let tiled: TiledDetector
    private let rotated: RotatedDetector
    private let overlapLimit: Double

    /// Turned looks are five more chances for false alarms, and a turned face is as clear in one of them as an upright
    /// one is in a straight look: what scores less than this is left to the straight looks.
    static let turnedThreshold = 0.3
    /// Turned looks are at half the size, but no less than this if the look is that large: a tilted picture of twice the
    /// area costs twice the time, and small turned faces are rare.
    static let turnedSide = 640

    /// `base` must honour `Look.tilt`. Boxes whose IoU with a better one reaches `overlapLimit` are dropped.
    public init(_ base: any FaceDetector, overlapLimit: Double = 0.3) {
        self.base = base
        self.overlapLimit = overlapLimit
        tiled = TiledDetector(base, columns: 2, rows: 2, overlapLimit: overlapLimit)
        rotated = RotatedDetector(
            base, turns: [.quarter, .half, .threeQuarters, .tilt(45), .tilt(-45)], overlapLimit: overlapLimit)
    }

    public func rest() { base.rest() }

    public func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        let straight = look.roi == .whole ? try tiled.detect(in: view, look) : try base.detect(in: view, look)
        var turned = look
        turned.threshold = max(look.threshold, Self.turnedThreshold)
        turned.canvas = Self.turnedCanvas(look.canvas)
        return NonMaximumSuppression.keep(
            straight + (try rotated.turnedLooks(in: view, turned)), overlapLimit: overlapLimit)
    }

    /// The canvas of a turned look.
    static func turnedCanvas(_ canvas: CanvasSize) -> CanvasSize {
        CanvasSize.fitting(
            width: canvas.width, height: canvas.height, longSide: max(turnedSide, canvas.longSide / 2))
    }
}

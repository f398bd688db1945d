import VeilCore
import VeilPixels

/// What part of a picture to look at, how large, and how sure to be.
public struct Look: Sendable, Hashable {
    /// How the coded picture is turned for display.
    public var orientation: Orientation
    /// Size of the small upright picture that holds `roi`; its aspect is the displayed aspect of `roi`.
    public var canvas: CanvasSize
    /// The part of the upright picture to look at.
    public var roi: NormalizedRect
    /// The least score, above 0 and at most 1.
    public var threshold: Double
    /// Clockwise turn of the small picture before the detector looks, in degrees; for faces that lie on their side.
    public var tilt: Double

    public init(
        orientation: Orientation, canvas: CanvasSize, roi: NormalizedRect = .whole, threshold: Double, tilt: Double = 0
    ) {
        self.orientation = orientation
        self.canvas = canvas
        self.roi = roi
        self.threshold = threshold
        self.tilt = tilt
    }
}

/// Finds faces in one picture. Detectors keep nothing from one picture to the next.
public protocol FaceDetector: AnyObject, Sendable {
    /// The faces of a picture, best score first, in the whole upright picture (0…1), not cut at its edge.
    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection]

    /// Gives back the memory that is only needed between one look and the next; what is needed is made anew.
    ///
    /// Called when a file has been looked at, so that rendering has the room. Does nothing unless a detector says so.
    func rest()
}

extension FaceDetector {
    public func rest() {}
}

extension FaceDetector {
    /// The faces of a picture, best score first, in the whole upright picture (0…1), not cut at its edge.
    public func detect(
        in view: PlanarView, orientation: Orientation, canvas: CanvasSize, roi: NormalizedRect = .whole,
        threshold: Double
    ) throws(VisionError) -> [Detection] {
        try detect(in: view, Look(orientation: orientation, canvas: canvas, roi: roi, threshold: threshold))
    }
}

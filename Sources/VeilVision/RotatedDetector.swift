import VeilCore
import VeilPixels

/// Looks at a picture several times, turned, for faces that lie on their side or upside down, and merges what it finds.
///
/// Each turn costs one more look. Quarter turns are exact; by other angles the small picture is warped, and a box is the
/// upright one around the turned face's ellipse.
public final class RotatedDetector: FaceDetector {
    /// A clockwise turn of the upright picture before the detector looks.
    public enum Turn: Sendable, Hashable {
        case quarter
        case half
        case threeQuarters
        /// By any angle, in degrees. The detector must honour `Look.tilt`.
        case tilt(Double)
    }

    private let base: any FaceDetector
    private let turns: [Turn]
    private let overlapLimit: Double

    /// Looks at the upright picture first, then at each of `turns`.
    public init(
        _ base: any FaceDetector, turns: [Turn] = [.quarter, .threeQuarters], overlapLimit: Double = 0.3
    ) {
        self.base = base
        self.turns = turns
        self.overlapLimit = overlapLimit
    }

    public func rest() { base.rest() }

    public func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        NonMaximumSuppression.keep(
            try base.detect(in: view, look) + turnedLooks(in: view, look), overlapLimit: overlapLimit)
    }

    /// What each turn alone shows; a face may be among it several times.
    func turnedLooks(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        var found: [Detection] = []
        for turn in turns {
            switch turn {
            case .tilt(let degrees):
                var tilted = look
                tilted.tilt += degrees
                found += try base.detect(in: view, tilted)
            case .quarter: found += try detect(in: view, look, turned: .right)
            case .half: found += try detect(in: view, look, turned: .down)
            case .threeQuarters: found += try detect(in: view, look, turned: .left)
            }
        }
        return found
    }

    /// One look at the upright picture turned once more.
    private func detect(in view: PlanarView, _ look: Look, turned turn: Orientation) throws(VisionError) -> [Detection]
    {
        var turned = look
        turned.orientation = look.orientation.followed(by: turn)
        turned.roi = turn.upright(look.roi)
        if turn.swapsAxes { turned.canvas = CanvasSize(width: look.canvas.height, height: look.canvas.width) }
        return try base.detect(in: view, turned).map { $0.turnedBack(by: turn) }
    }
}

extension Orientation {
    /// The orientation that turns a picture by this one, and then the result by `next`.
    func followed(by next: Orientation) -> Orientation {
        // A point off every axis of symmetry tells the eight apart.
        let probe = NormalizedPoint(x: 0.125, y: 0.25)
        let wanted = coded(next.coded(probe))
        return Orientation.allCases.first { $0.coded(probe) == wanted } ?? self
    }
}

extension Detection {
    /// The same face in the picture before it was turned for this look.
    fileprivate func turnedBack(by turn: Orientation) -> Detection {
        Detection(
            bounds: turn.coded(bounds), score: score,
            landmarks: landmarks.map { l in
                FaceLandmarks(
                    leftEye: turn.coded(l.leftEye), rightEye: turn.coded(l.rightEye), nose: turn.coded(l.nose),
                    leftMouth: turn.coded(l.leftMouth), rightMouth: turn.coded(l.rightMouth))
            })
    }
}

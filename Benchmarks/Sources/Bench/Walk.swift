import Foundation
import LeakCounter

/// The faces of `samples/walk.mp4`, by the motion that `samples/make-samples.sh` gave them.
enum Walk {
    static let file = "walk.mp4"
    static let frames = 100

    /// A picture of the person on its way into the frame: scaled to `side`, padded on all sides, turned about the middle,
    /// scaled again and put at `x`, `y`.
    private struct Placement {
        let side, padding, angle, scale, x, y: Double

        /// Where a point of the portrait ends up.
        func point(_ px: Double, _ py: Double) -> (x: Double, y: Double) {
            let middle = side / 2 + padding
            let (u, v) = (px * side / Portrait.side - side / 2, py * side / Portrait.side - side / 2)
            return (
                (u * cos(angle) - v * sin(angle) + middle) * scale + x,
                (u * sin(angle) + v * cos(angle) + middle) * scale + y
            )
        }

        /// The portrait's point that ends up at a place of the frame.
        func portrait(_ fx: Double, _ fy: Double) -> (x: Double, y: Double) {
            let middle = side / 2 + padding
            let (u, v) = ((fx - x) / scale - middle, (fy - y) / scale - middle)
            return (
                (u * cos(angle) + v * sin(angle) + side / 2) * Portrait.side / side,
                (v * cos(angle) - u * sin(angle) + side / 2) * Portrait.side / side
            )
        }

        func face(id: String) -> TruthFace {
            let own = Portrait.face
            let middle = point(own.x + own.width / 2, own.y + own.height / 2)
            let (width, height) = (own.width * side / Portrait.side * scale, own.height * side / Portrait.side * scale)
            return TruthFace(
                id: id, x: middle.x - width / 2, y: middle.y - height / 2, width: width, height: height)
        }

        /// Whether the cut-out person covers a place of the frame: the script's two ellipses, head and body.
        func covers(_ fx: Double, _ fy: Double) -> Bool {
            let p = portrait(fx, fy)
            return hypot((p.x - 228) / 98, (p.y - 106) / 105) < 1 || hypot((p.x - 196) / 190, (p.y - 440) / 300) < 1
        }
    }

    private static func small(_ t: Double) -> Placement {
        let x = t < 2.1 ? 300 - 280 * t : -288 + 190 * (t - 2.1)
        return Placement(
            side: 230, padding: 45, angle: 0.06 * sin(2 * .pi * t / 1.1), scale: 1, x: x.rounded(.towardZero),
            y: (92 + 4 * sin(2 * .pi * t * 1.9)).rounded(.towardZero))
    }

    private static func large(_ t: Double) -> Placement {
        let size = 2 * (720 * (0.78 + 0.05 * t) / 2).rounded(.down)
        return Placement(
            side: 512, padding: 104, angle: 0.09 * sin(2 * .pi * t / 2.3), scale: size / 720,
            x: (-190 + 95 * t).rounded(.towardZero), y: (-68 - 14 * t + 5 * sin(2 * .pi * t * 1.5)).rounded(.towardZero)
        )
    }

    /// The small person's face isn't asked for while the large one hides more than a third of it.
    static func faces(_ frame: Int) -> [TruthFace] {
        let t = Double(frame) / Double(MadeClip.frameRate)
        let front = large(t)
        var behind = small(t).face(id: "small")
        var hidden = 0
        for i in 0..<8 {
            for j in 0..<8 {
                let x = behind.x + (Double(i) + 0.5) / 8 * behind.width
                let y = behind.y + (Double(j) + 0.5) / 8 * behind.height
                if front.covers(x, y) { hidden += 1 }
            }
        }
        behind.isDifficult = hidden > 64 / 3
        return [front.face(id: "large")] + (hidden == 64 ? [] : [behind])
    }
}

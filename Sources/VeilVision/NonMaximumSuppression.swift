import VeilCore

/// Keeps one box per face where several looks at a picture found the same face.
public enum NonMaximumSuppression {
    /// The boxes to keep, as indices into `boxes`, best rank first.
    ///
    /// Greedy: a box is dropped if a better one that is kept overlaps it by an IoU of `overlapLimit` or more, or already
    /// covers it. "Covers" means that the ellipse inscribed in the box, which is what gets redacted, lies inside the
    /// other's ellipse. A small face in the corner of a large face's box is therefore kept, and so is a large box around
    /// a better small one: whatever is dropped is either the same face or hidden anyway. Ties keep their order.
    public static func keep(boxes: [NormalizedRect], ranks: [Double], overlapLimit: Double) -> [Int] {
        let order = boxes.indices.sorted { (ranks[$0], $1) > (ranks[$1], $0) }
        var kept: [Int] = []
        for i in order where !boxes[i].isEmpty {
            let dropped = kept.contains {
                boxes[$0].iou(boxes[i]) >= overlapLimit || ellipse(of: boxes[i], liesInside: boxes[$0])
            }
            if !dropped { kept.append(i) }
        }
        return kept
    }

    /// The detections to keep, best score first.
    public static func keep(_ detections: [Detection], overlapLimit: Double) -> [Detection] {
        keep(boxes: detections.map(\.bounds), ranks: detections.map(\.score), overlapLimit: overlapLimit)
            .map { detections[$0] }
    }

    /// Whether the ellipse inscribed in one box lies inside the one inscribed in another, tested at 16 points.
    static func ellipse(of inner: NormalizedRect, liesInside outer: NormalizedRect) -> Bool {
        guard inner.width <= outer.width, inner.height <= outer.height else { return false }
        let center = outer.center
        return circle.allSatisfy { point in
            let x = (inner.center.x + point.x * inner.width / 2 - center.x) / (outer.width / 2)
            let y = (inner.center.y + point.y * inner.height / 2 - center.y) / (outer.height / 2)
            return x * x + y * y <= 1 + 1e-9
        }
    }

    /// 16 points of the unit circle, from the sines of 0°, 22.5°, 45°, 67.5° and 90°.
    private static let circle: [NormalizedPoint] = {
        let sines = [0, 0.38268343236508977, 0.7071067811865476, 0.9238795325112867, 1]
        return (0..<4).flatMap { i -> [NormalizedPoint] in
            let (s, c) = (sines[i], sines[4 - i])
            return [(c, s), (-s, c), (-c, -s), (s, -c)].map { NormalizedPoint(x: $0.0, y: $0.1) }
        }
    }()
}

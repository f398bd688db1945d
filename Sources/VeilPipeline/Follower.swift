import VeilCore
import VeilVision

/// Follows a face from one frame to the next by its picture: cheap, so that the network need not look at every frame.
package struct Follower {
    /// Where the face went, and how sure that is (normalised cross-correlation, 0…1).
    package struct Step {
        package var box: NormalizedRect
        package var certainty: Double
    }

    /// The longer side of the small luma pictures that are compared.
    package static let canvasSide = 480
    /// Patches smaller than this can't be told apart from their surroundings.
    private static let leastPatch = 12
    /// Of a face at the picture's edge at least so many pixels must be in sight.
    private static let leastPart = 6
    /// The farthest a face is looked for, in canvas pixels, beside where it is expected.
    private static let farthest = 40

    private let matcher: PatchMatcher

    package init() throws(VisionError) { matcher = try PatchMatcher() }

    /// The longer side of the pictures whose global motion is measured. On larger ones the peak of the phase
    /// correlation drowns in what differs between the frames; here it was right within 3 % for pans of a fifth of the
    /// picture per frame.
    package static let cameraSide = 160

    /// How far the whole picture moved, in parts of its size; zero where it can't be told.
    package func cameraShift(from a: LumaPicture, to b: LumaPicture) throws(VisionError) -> NormalizedPoint {
        guard a.width == b.width, a.height == b.height, let shift = try matcher.globalShift(from: a, to: b),
            shift.score > 0.15
        else { return NormalizedPoint(x: 0, y: 0) }
        return NormalizedPoint(x: shift.dx / Double(a.width), y: shift.dy / Double(a.height))
    }

    /// The box's place in `b`, given its place in `a`; nil where there is nothing to follow (flat, or out of the picture).
    ///
    /// - Parameters:
    ///   - starts: movements to try first: the face's own, the camera's.
    ///   - enough: the certainty from which the starts that are left aren't tried; above 1 all are.
    package func follow(
        _ box: NormalizedRect, from a: LumaPicture, to b: LumaPicture, starts: [NormalizedPoint], enough: Double = 2
    ) throws(VisionError) -> Step? {
        let (w, h) = (Double(a.width), Double(a.height))
        let width = max(box.width * w, Double(Self.leastPatch))
        let height = max(box.height * h, Double(Self.leastPatch))
        let patch = PixelRect(
            x: Int((box.center.x * w - width / 2).rounded()), y: Int((box.center.y * h - height / 2).rounded()),
            width: Int(width.rounded()), height: Int(height.rounded()))
        let reachX = min(Self.farthest, max(4, Int(width * 0.3)))
        let reachY = min(Self.farthest, max(4, Int(height * 0.3)))
        var best: PatchShift?
        var tried: [(Int, Int)] = []
        for start in starts {
            let dx = Int((start.x * w).rounded())
            let dy = Int((start.y * h).rounded())
            if tried.contains(where: { abs($0.0 - dx) <= reachX / 2 && abs($0.1 - dy) <= reachY / 2 }) { continue }
            tried.append((dx, dy))
            // A face on its way over the edge is known by what of it stays in the picture.
            let inside = patch.intersection(PixelRect(x: -dx, y: -dy, width: b.width, height: b.height))
                .intersection(PixelRect(x: 0, y: 0, width: a.width, height: a.height))
            guard inside.width >= Self.leastPart, inside.height >= Self.leastPart else { continue }
            var search = inside.grown(by: reachX, reachY)
            search.x += dx
            search.y += dy
            if let found = try matcher.match(inside, of: a, in: search, of: b), found.score > (best?.score ?? -1) {
                best = found
                if found.score >= enough { break }
            }
        }
        guard let best else { return nil }
        return Step(box: box.offset(dx: best.dx / w, dy: best.dy / h), certainty: max(0, best.score))
    }

    /// Follows a box backwards from a frame, by its own speed and the camera's.
    ///
    /// - Parameters:
    ///   - lostBelow: the certainty below which it is lost.
    ///   - enough: as for `follow`.
    ///   - past: the luma picture of a frame and how far the camera moved to it from the one before; nil where it isn't held.
    /// - Returns: steps to `frame - 1` down to `end`, fewer where it is lost.
    package func followBack(
        _ box: NormalizedRect, from frame: Int, to end: Int, lostBelow: Double, enough: Double = 2,
        past: (Int) -> (luma: LumaPicture, camera: NormalizedPoint)?
    ) throws(VisionError) -> [Step] {
        var steps: [Step] = []
        var current = box
        var speed = NormalizedPoint(x: 0, y: 0)
        var k = frame
        while k > end, let a = past(k), let b = past(k - 1), a.luma.width == b.luma.width,
            a.luma.height == b.luma.height
        {
            let camera = NormalizedPoint(x: -a.camera.x, y: -a.camera.y)
            guard
                let step = try follow(
                    current, from: a.luma, to: b.luma, starts: [speed, camera, NormalizedPoint(x: 0, y: 0)],
                    enough: enough),
                step.certainty >= lostBelow
            else { break }
            speed = NormalizedPoint(x: step.box.center.x - current.center.x, y: step.box.center.y - current.center.y)
            current = step.box
            steps.append(step)
            k -= 1
        }
        return steps
    }
}

import VeilCore
import VeilPixels

/// How much can be seen inside a face's bounds, told from one picture alone: whether there is detail there that a mosaic or a
/// blur would have taken away.
///
/// A mosaic has strong edges, but they run across or down the picture only; a blur has slopes in all directions, but they
/// don't bend. So what counts are places where the luma slopes in both directions at once, and where that slope twists:
/// with neighbours a b over c d, both |b−a+d−c|/2 and |c−a+d−b|/2, and |a−b−c+d|. Faces are full of them; cells have them at
/// their corners only.
///
/// Measured on faces of 16 pixels and more that the detector finds (score 0.5 and more): of 174 in 18 labelled pictures, all
/// show; of 101 sightings in their mosaics and blurs at Veil's defaults, none. See docs/check.md.
public struct FineDetail: Sendable, Hashable {
    /// The oblique slope, in luma levels of 256 a pixel, that a quarter of the pixels reach: in those 174 faces 3 to 17, in
    /// their mosaics at most 1.5.
    public private(set) var obliqueSlope = 0.0
    /// The share of the pixels, 0…1, whose slope is oblique and twists: in those faces at least 0.2 and half the time more
    /// than 0.5, in their blurs at most 0.18.
    public private(set) var twistedShare = 0.0

    /// Whether a face that lies here can be seen. A face of which a third is bare counts.
    public var shows: Bool { obliqueSlope >= Self.leastSlope && twistedShare >= Self.leastShare }

    private static let leastSlope = 2.5
    private static let leastShare = 0.15
    /// A pixel's slope in both directions, and its twist, from which it counts, in luma levels; compression makes as much
    /// in places.
    private static let slope = 1.5
    private static let twist = 3
    /// Larger faces are shrunk to this: the finest detail of a large face isn't what one knows it by.
    private static let side = 64.0
    /// The part of the bounds, seen from their middle, in which detail counts: beyond it lies background.
    private static let reach = 0.85

    /// - Parameters:
    ///   - width: of the upright picture, in pixels; so is `height`.
    ///   - bounds: of the face in the upright picture; less than 4 pixels of it show nothing.
    public init(
        of view: PlanarView, orientation: Orientation, width: Int, height: Int, bounds: NormalizedRect
    ) throws(VisionError) {
        let part = bounds.intersection(.whole)
        let (across, down) = (part.width * Double(width), part.height * Double(height))
        guard across >= 4, down >= 4 else {
            self.init(LumaPicture(width: 0, height: 0, samples: []))
            return
        }
        let scale = min(1, Self.side / max(across, down))
        let canvas = CanvasSize(
            width: max(4, Int((across * scale).rounded())), height: max(4, Int((down * scale).rounded())))
        self.init(try LumaPicture(of: view, orientation: orientation, canvas: canvas, roi: part))
    }

    /// Of a face that fills a picture.
    public init(_ face: LumaPicture) {
        let (width, height) = (face.width, face.height)
        guard width >= 2, height >= 2 else { return }
        let (radiusX, radiusY) = (Double(width) / 2 * Self.reach, Double(height) / 2 * Self.reach)
        // Twice the smaller slope: whole numbers up to 510.
        var histogram = [Int](repeating: 0, count: 511)
        var (count, twisted) = (0, 0)
        for y in 0..<(height - 1) {
            let v = (Double(y + 1) - Double(height) / 2) / radiusY
            for x in 0..<(width - 1) {
                let u = (Double(x + 1) - Double(width) / 2) / radiusX
                guard u * u + v * v <= 1 else { continue }
                let i = y * width + x
                let (a, b) = (Int(face.samples[i]), Int(face.samples[i + 1]))
                let (c, d) = (Int(face.samples[i + width]), Int(face.samples[i + width + 1]))
                let oblique = min(abs(b - a + d - c), abs(c - a + d - b))
                histogram[oblique] += 1
                count += 1
                if Double(oblique) >= 2 * Self.slope && abs(a - b - c + d) >= Self.twist { twisted += 1 }
            }
        }
        guard count > 0 else { return }
        var above = 0
        for value in stride(from: histogram.count - 1, through: 0, by: -1) {
            above += histogram[value]
            if above * 4 >= count {
                obliqueSlope = Double(value) / 2
                break
            }
        }
        twistedShare = Double(twisted) / Double(count)
    }
}

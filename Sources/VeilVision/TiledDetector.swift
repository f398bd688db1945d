import VeilCore
import VeilPixels

/// Looks at overlapping tiles of a picture and at the whole, and merges what it finds.
///
/// A tile is shown as large as the whole picture would be, so faces that are too small in the whole are found, for as
/// many looks as there are tiles. A face up to the overlap's size lies whole in at least one tile.
public final class TiledDetector: FaceDetector {
    private let base: any FaceDetector
    private let columns: Int
    private let rows: Int
    private let largestFace: Double
    private let overlapLimit: Double

    /// `largestFace` is the size, in parts of the region's width and height, of the largest face that a tile must hold
    /// whole: tiles overlap by this much. Larger faces are the whole picture's business.
    public init(
        _ base: any FaceDetector, columns: Int, rows: Int, largestFace: Double = 0.15, overlapLimit: Double = 0.3
    ) {
        self.base = base
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.largestFace = min(max(largestFace, 0), 0.9)
        self.overlapLimit = overlapLimit
    }

    public func rest() { base.rest() }

    public func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        var found = try base.detect(in: view, look)
        var ranks = found.map(\.score)
        let tiles = Self.tiles(of: look.roi, columns: columns, rows: rows, overlap: largestFace)
        guard tiles.count > 1 else { return found }
        for tile in tiles {
            var part = look
            part.roi = tile
            part.canvas = Self.canvas(for: tile, in: view, look)
            for detection in try base.detect(in: view, part) {
                found.append(detection)
                // A face cut by a tile's inner edge has an unsure box; another look that holds it whole wins.
                ranks.append(
                    Self.isCut(detection.bounds, by: tile, inside: look.roi) ? detection.score - 1 : detection.score)
            }
        }
        return NonMaximumSuppression.keep(boxes: found.map(\.bounds), ranks: ranks, overlapLimit: overlapLimit)
            .map { found[$0] }.sorted { $0.score > $1.score }
    }

    /// Splits a region into equal tiles, row by row; neighbours share `overlap` of the region's width and height.
    public static func tiles(of region: NormalizedRect, columns: Int, rows: Int, overlap: Double) -> [NormalizedRect] {
        func spans(_ count: Int) -> [(start: Double, size: Double)] {
            let size = (1 + Double(count - 1) * overlap) / Double(count)
            return (0..<count).map { (Double($0) * (size - overlap), size) }
        }
        return spans(rows).flatMap { row in
            spans(columns).map { column in
                NormalizedRect(
                    x: region.x + column.start * region.width, y: region.y + row.start * region.height,
                    width: column.size * region.width, height: row.size * region.height)
            }
        }
    }

    /// A tile's canvas: its long side is the look's, but no larger than the samples that are there.
    static func canvas(for tile: NormalizedRect, in view: PlanarView, _ look: Look) -> CanvasSize {
        let part = (
            width: Double(look.canvas.width) * tile.width / look.roi.width,
            height: Double(look.canvas.height) * tile.height / look.roi.height
        )
        let swaps = look.orientation.swapsAxes
        let samples = (
            width: Double(swaps ? view.height : view.width) * tile.width,
            height: Double(swaps ? view.width : view.height) * tile.height
        )
        let longest = Double(look.canvas.longSide) / max(part.width, part.height)
        let scale = max(1, min(longest, max(samples.width / part.width, samples.height / part.height)))
        return CanvasSize(
            width: max(1, Int((part.width * scale).rounded())), height: max(1, Int((part.height * scale).rounded())))
    }

    /// Whether a box reaches over an edge of its tile that is not an edge of the region.
    static func isCut(_ box: NormalizedRect, by tile: NormalizedRect, inside region: NormalizedRect) -> Bool {
        let near = 1e-6
        return (box.x < tile.x && tile.x > region.x + near) || (box.y < tile.y && tile.y > region.y + near)
            || (box.maxX > tile.maxX && tile.maxX < region.maxX - near)
            || (box.maxY > tile.maxY && tile.maxY < region.maxY - near)
    }
}

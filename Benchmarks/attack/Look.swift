import VeilPixels

/// What one redacted frame tells the attacker: the means of cells, and where those cells lie on the face.
struct Look {
    let pose: Scene.Pose
    let originX: Int
    let originY: Int
    let side: Int
    /// Cells seen, and their colours in rows; NaN for a cell that the mask doesn't show.
    let columns: Range<Int>
    let rows: Range<Int>
    let colors: [Float]
    /// Whether the colours are fresh in this frame, as far as the attacker can know from the hold.
    var isFresh: Bool
}

func floorDivide(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }

extension Look {
    /// Reads the cells of a frame at opaque pixels of `region`. A blurred frame is turned into its cells first.
    init(
        _ frame: GrayImage, region: MaskRegion, pose: Scene.Pose, originX: Int, originY: Int, side: Int,
        isBlurred: Bool, isFresh: Bool
    ) {
        func cells(_ center: Double, _ radius: Double, _ origin: Int) -> Range<Int> {
            floorDivide(Int(center - radius) - origin, side)..<floorDivide(Int(center + radius) - origin, side) + 1
        }
        let columns = cells(region.centerX, region.radiusX, originX)
        let rows = cells(region.centerY, region.radiusY, originY)
        var colors = [Float](repeating: .nan, count: columns.count * rows.count)
        // The opaque pixel nearest to the cell's centre speaks for it.
        for (j, row) in rows.enumerated() {
            for (i, column) in columns.enumerated() {
                var nearest = Int.max
                for y in max(0, originY + row * side)..<min(frame.height, originY + (row + 1) * side) {
                    for x in max(0, originX + column * side)..<min(frame.width, originX + (column + 1) * side) {
                        let u = (Double(x) + 0.5 - region.centerX) / region.radiusX
                        let v = (Double(y) + 0.5 - region.centerY) / region.radiusY
                        guard u * u + v * v <= 1 else { continue }
                        let dx = 2 * (x - originX - column * side) + 1 - side
                        let dy = 2 * (y - originY - row * side) + 1 - side
                        if dx * dx + dy * dy < nearest {
                            nearest = dx * dx + dy * dy
                            colors[j * columns.count + i] = frame.samples[y * frame.width + x]
                        }
                    }
                }
            }
        }
        if isBlurred { colors = Self.sharpened(colors, columns.count, rows.count) }
        self.init(
            pose: pose, originX: originX, originY: originY, side: side, columns: columns, rows: rows, colors: colors,
            isFresh: isFresh)
    }

    /// Undoes the spline: finds the cells whose smooth drawing has these values at the cell centres, where the
    /// quadratic B-spline weighs 1/8, 3/4, 1/8 each way.
    private static func sharpened(_ seen: [Float], _ width: Int, _ height: Int) -> [Float] {
        var cells = seen
        for _ in 0..<60 {
            var next = cells
            for j in 0..<height {
                for i in 0..<width where !seen[j * width + i].isNaN {
                    var drawn: Float = 0
                    for (dj, wj) in [(-1, Float(0.125)), (0, 0.75), (1, 0.125)] {
                        for (di, wi) in [(-1, Float(0.125)), (0, 0.75), (1, 0.125)] {
                            let (y, x) = (min(max(j + dj, 0), height - 1), min(max(i + di, 0), width - 1))
                            let value = cells[y * width + x]
                            drawn += wj * wi * (value.isNaN ? cells[j * width + i] : value)
                        }
                    }
                    next[j * width + i] += seen[j * width + i] - drawn
                }
            }
            cells = next
        }
        return cells.map { min(max($0, 0), 255) }
    }
}

// What the kernels are measured against: the same work as one would first write it.

/// A blend with checked arithmetic and one division per sample.
@inline(never)
func plainBlend<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafeMutablePointer<Sample>, _ effect: UnsafePointer<Sample>, _ mask: UnsafePointer<UInt8>, _ count: Int
) {
    for x in 0..<count {
        let m = Int(mask[x])
        row[x] = Sample((Int(row[x]) * (255 - m) + Int(effect[x]) * m + 127) / 255)
    }
}

/// A sum with checked arithmetic.
@inline(never)
func plainSum<Sample: FixedWidthInteger & UnsignedInteger>(_ row: UnsafePointer<Sample>, _ count: Int) -> Int {
    var sum = 0
    for x in 0..<count { sum += Int(row[x]) }
    return sum
}

/// A row of cells, each sample looked up by a division.
@inline(never)
func plainFill<Sample: FixedWidthInteger & UnsignedInteger>(
    _ out: UnsafeMutablePointer<Sample>, _ columns: Range<Int>, _ cells: CellRow
) {
    for x in columns {
        let cell = floorDivide(x - cells.originX, cells.side) - cells.columns.lowerBound
        out[x - columns.lowerBound] = Sample(cells.own[cell])
    }
}

/// A row of smooth cells, all nine weights worked out for each sample.
@inline(never)
func plainSmooth<Sample: FixedWidthInteger & UnsignedInteger>(
    _ out: UnsafeMutablePointer<Sample>, _ columns: Range<Int>, _ cells: CellRow
) {
    func weights(_ t: Double) -> [Double] { [(1 - t) * (1 - t) / 2, 0.5 + t - t * t, t * t / 2] }
    for x in columns {
        let cell = floorDivide(x - cells.originX, cells.side)
        let across = weights((Double(x - cells.originX - cell * cells.side) + 0.5) / Double(cells.side))
        let down = weights(Double(cells.position))
        var sum = 0.0
        for (row, wy) in zip([cells.above, cells.own, cells.below], down) {
            for (step, wx) in across.enumerated() {
                let column = min(max(cell + step - 1, cells.columns.lowerBound), cells.columns.upperBound - 1)
                sum += wy * wx * Double(row[column - cells.columns.lowerBound])
            }
        }
        out[x - columns.lowerBound] = Sample(sum.rounded())
    }
}

/// A row of an ellipse's mask, the outline worked out at every pixel.
@inline(never)
func plainMask(_ row: UnsafeMutablePointer<UInt8>, _ y: Int, _ width: Int, _ outline: MaskOutline) {
    for x in 0..<width {
        let (dx, dy) = (Double(x) + 0.5 - outline.centerX, Double(y) + 0.5 - outline.centerY)
        let (u, v) = (dx * outline.cosine + dy * outline.sine, dy * outline.cosine - dx * outline.sine)
        let (iu, iv) = (u / outline.innerX, v / outline.innerY)
        let (ou, ov) = (u / outline.outerX, v / outline.outerY)
        let inner = (iu * iu + iv * iv).squareRoot()
        let outer = (ou * ou + ov * ov).squareRoot()
        let t = inner <= 1 ? 0 : outer >= 1 ? 1 : (inner - 1) * outer / (inner - outer)
        row[x] = max(row[x], UInt8((255 * (1 - t * t * (3 - 2 * t))).rounded()))
    }
}

/// The highest of each two by two.
@inline(never)
func plainReduce(_ out: UnsafeMutablePointer<UInt8>, _ luma: UnsafePointer<UInt8>, _ width: Int) {
    for x in 0..<width / 2 {
        out[x] = [luma[2 * x], luma[2 * x + 1], luma[width + 2 * x], luma[width + 2 * x + 1]].max() ?? 0
    }
}

/// The cells of the mosaic drawn without edges: a quadratic B-spline through their colours.
///
/// A box or Gaussian blur of the picture itself can be undone in part, and more so over many frames. This one is made
/// of the held, quantised cells and nothing else, so it is exactly as safe as the mosaic.
struct Blur: Filter {
    /// At most so many cells across the face, either way.
    var cells: Int?
    var covers: Bool { true }

    init(cells: Int) { self.cells = cells }

    func draw(_ row: EffectRow) {
        if row.format.bytesPerSample == 1 {
            smoothCells8(row.samples.assumingMemoryBound(to: UInt8.self), row.x, row.requiredCells)
        } else {
            smoothCells16(row.samples.assumingMemoryBound(to: UInt16.self), row.x, row.requiredCells)
        }
    }
}

/// Adding 2²³ to a Float of 0…65535 rounds it and leaves the whole number in its low bits: unlike a conversion, which
/// checks for overflow, this vectorises.
private let roundingBias: Float = 8_388_608

/// A quadratic through three neighbouring cells: a + t·(b + t·c), t = 0…1 across the middle one.
///
/// The uniform quadratic B-spline with the colours as control points: weights (1-t)²/2, 1/2 + t - t², t²/2. They are
/// never negative, so no value leaves the range of the cells.
struct CellCurve {
    let a: Float
    let b: Float
    let c: Float

    @inline(__always)
    init(_ before: Float, _ own: Float, _ after: Float) {
        a = (before + own) * 0.5
        b = own - before
        c = (before - own - own + after) * 0.5
    }

    @inline(__always)
    func value(_ t: Float) -> Float { a + t * (b + t * c) }
}

extension CellRow {
    /// The colour at the row's height in one column of cells.
    @inline(__always)
    func blended(_ cell: Int) -> Float {
        let index = min(max(cell, columns.lowerBound), columns.upperBound &- 1) &- columns.lowerBound
        return CellCurve(Float(above[index]), Float(own[index]), Float(below[index])).value(position)
    }
}

/// Fills a row with a smooth curve through its cells' colours.
func smoothCells8(_ out: UnsafeMutablePointer<UInt8>, _ columns: Range<Int>, _ cells: CellRow) {
    var x = columns.lowerBound
    var cell = floorDivide(x &- cells.originX, cells.side)
    let scale = 1 / Float(cells.side)
    while x < columns.upperBound {
        let start = cells.originX &+ cell &* cells.side
        let end = min(columns.upperBound, start &+ cells.side)
        let curve = CellCurve(cells.blended(cell &- 1), cells.blended(cell), cells.blended(cell &+ 1))
        let run = out + (x &- columns.lowerBound)
        let first = Int32(truncatingIfNeeded: x &- start)
        for k in 0..<Int32(truncatingIfNeeded: end &- x) {
            let t = (Float(first &+ k) + 0.5) * scale
            run[Int(k)] = UInt8(truncatingIfNeeded: (curve.value(t) + roundingBias).bitPattern)
        }
        x = end
        cell &+= 1
    }
}

/// `smoothCells8` for samples of 9 to 16 bits.
func smoothCells16(_ out: UnsafeMutablePointer<UInt16>, _ columns: Range<Int>, _ cells: CellRow) {
    var x = columns.lowerBound
    var cell = floorDivide(x &- cells.originX, cells.side)
    let scale = 1 / Float(cells.side)
    while x < columns.upperBound {
        let start = cells.originX &+ cell &* cells.side
        let end = min(columns.upperBound, start &+ cells.side)
        let curve = CellCurve(cells.blended(cell &- 1), cells.blended(cell), cells.blended(cell &+ 1))
        let run = out + (x &- columns.lowerBound)
        let first = Int32(truncatingIfNeeded: x &- start)
        for k in 0..<Int32(truncatingIfNeeded: end &- x) {
            let t = (Float(first &+ k) + 0.5) * scale
            run[Int(k)] = UInt16(truncatingIfNeeded: (curve.value(t) + roundingBias).bitPattern)
        }
        x = end
        cell &+= 1
    }
}

/// Flat square cells.
struct Pixellate: Filter {
    /// At most so many cells across the face, either way.
    var cells: Int?
    var covers: Bool { true }

    init(cells: Int) { self.cells = cells }

    func draw(_ row: EffectRow) {
        if row.format.bytesPerSample == 1 {
            fillCells8(row.samples.assumingMemoryBound(to: UInt8.self), row.x, row.requiredCells)
        } else {
            fillCells16(row.samples.assumingMemoryBound(to: UInt16.self), row.x, row.requiredCells)
        }
    }
}

/// Fills a row with the flat colours of its cells.
func fillCells8(_ out: UnsafeMutablePointer<UInt8>, _ columns: Range<Int>, _ cells: CellRow) {
    var x = columns.lowerBound
    var cell = floorDivide(x &- cells.originX, cells.side)
    while x < columns.upperBound {
        let end = min(columns.upperBound, cells.originX &+ (cell &+ 1) &* cells.side)
        let index = min(max(cell, cells.columns.lowerBound), cells.columns.upperBound &- 1) &- cells.columns.lowerBound
        (out + (x &- columns.lowerBound)).update(
            repeating: UInt8(truncatingIfNeeded: cells.own[index]), count: end &- x)
        x = end
        cell &+= 1
    }
}

/// `fillCells8` for samples of 9 to 16 bits.
func fillCells16(_ out: UnsafeMutablePointer<UInt16>, _ columns: Range<Int>, _ cells: CellRow) {
    var x = columns.lowerBound
    var cell = floorDivide(x &- cells.originX, cells.side)
    while x < columns.upperBound {
        let end = min(columns.upperBound, cells.originX &+ (cell &+ 1) &* cells.side)
        let index = min(max(cell, cells.columns.lowerBound), cells.columns.upperBound &- 1) &- cells.columns.lowerBound
        (out + (x &- columns.lowerBound)).update(repeating: cells.own[index], count: end &- x)
        x = end
        cell &+= 1
    }
}

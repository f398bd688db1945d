/// Draws what covers a face, row by row, from cells or from nothing. It is never given the picture.
protocol Filter: Sendable {
    /// At most so many cells across the face; nil for a filter that draws from none.
    var cells: Int? { get }
    /// Whether it replaces everything drawn before it.
    var covers: Bool { get }
    /// Draws the samples `row.x` of one row of one plane.
    func draw(_ row: EffectRow)
}

/// A piece of one row of the effect, to be drawn by a filter: what the mask's opaque part will show.
struct EffectRow {
    /// Where to draw: `x.count` samples of 1 or 2 bytes, the first for column `x.lowerBound`.
    let samples: UnsafeMutableRawPointer
    /// Columns, in the plane's own samples.
    let x: Range<Int>
    let plane: Int
    let format: PictureFormat
    /// The cells this row runs through; nil if no filter of the chain asked for cells.
    let cells: CellRow?

    /// The cells, for a filter that asked for them.
    var requiredCells: CellRow {
        guard let cells else { preconditionFailure("a filter that names no cells draws from cells") }
        return cells
    }
}

/// The cell colours that one row of one plane is drawn from.
struct CellRow {
    /// Column of the plane where cell 0 begins; may be negative.
    let originX: Int
    /// Cell size in the plane's samples, across.
    let side: Int
    /// The cells with colours, counted from cell 0.
    let columns: Range<Int>
    /// Colours of the cells above, at and below the row, `columns.count` each. Past the picture's edge they repeat.
    let above: UnsafePointer<UInt16>
    let own: UnsafePointer<UInt16>
    let below: UnsafePointer<UInt16>
    /// How far the row's middle lies down the cell, 0…1.
    let position: Float
}

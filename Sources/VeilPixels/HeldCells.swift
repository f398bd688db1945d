/// One track's cells: where they lie, how large they are, and the colours held for them.
///
/// The grid moves with the face. A grid fixed to the picture samples a moving face at ever new positions, and averaging
/// the frames gives the face back: super-resolution takes the similarity (SSIM) from 0.26 to 0.74 in 30 frames.
final class HeldCells {
    /// How much larger than asked for new cells are made once a face outgrew its old ones, and how far a face must
    /// shrink (beyond that) for smaller cells. Each change of size is a new look at the face.
    static let headroom = 1.12
    /// How far, in chroma blocks, the grid may lag behind the face before it snaps to the nearest block (0.5 would be
    /// plain rounding): the slack keeps a face at rest from shaking the grid.
    static let anchorSlack = 0.75
    /// Colours aren't carried over into more cells than this: cells that shrink a thousandfold would make a million of each.
    static let mostCarried = 1_000_000

    /// Cells across the face's longer side, at most.
    let cellsAcross: Int
    /// Cell size in luma pixels: at least 2, and a multiple of the chroma block, so that cells of chroma and luma
    /// coincide.
    private(set) var side: Int
    /// Top left corner of cell (0, 0), a multiple of the chroma block.
    private(set) var originX = 0
    private(set) var originY = 0
    /// When this track was last seen: seconds, and the redactor's count of frames.
    private(set) var lastTime: Double
    var lastFrame = 0

    /// How far a cell's colour may lie from the face's own, as a share of how far it does (0…1).
    private let contrast: Double
    /// The face's own colour by plane: the mean of its cells, held like them. Empty until it is first taken.
    private var faceColor: [Int] = []
    private var isFaceColorFresh = false
    private var epoch: Double
    /// The largest cell side wanted since the colours were last taken anew.
    private var widest: Double
    private var columns = 0..<0
    private var rows = 0..<0
    private var states: [CellState] = []
    /// How many cells it has room for.
    var cellCount: Int { states.count }
    private var planeCount = 0
    private var colors: UnsafeMutablePointer<UInt16>
    private var isPlaced = false

    private enum CellState { case unknown, stale, fresh }

    init(cellsAcross: Int, contrast: Double, faceSize: Double, time: Double, format: PictureFormat) {
        self.cellsAcross = cellsAcross
        self.contrast = contrast
        epoch = time
        lastTime = time
        widest = faceSize / Double(cellsAcross)
        side = Self.side(atLeast: widest, format)
        colors = .allocate(capacity: 1)
    }

    deinit { colors.deallocate() }

    /// The smallest allowed side that isn't below `wanted`. Cells larger than the picture are all alike.
    private static func side(atLeast wanted: Double, _ format: PictureFormat) -> Int {
        let limit = Double(2 * max(format.width, format.height) + format.block)
        let pixels = Int(min(max(wanted, 2), limit).rounded(.up))
        return (pixels + format.block - 1) / format.block * format.block
    }

    /// Moves the grid to where the face is now, and decides whether colours and size still hold.
    func move(centerX: Double, centerY: Double, faceSize: Double, time: Double, hold: Double, format: PictureFormat) {
        anchor(centerX, centerY, format)
        let wanted = faceSize / Double(cellsAcross)
        // A clock that runs backwards or isn't one ends the hold.
        let expired = !(time - epoch < hold) || time < epoch
        lastTime = time
        widest = max(widest, wanted)
        if expired {
            for index in states.indices where states[index] == .fresh { states[index] = .stale }
            epoch = time
            isFaceColorFresh = false
        }
        if side < Self.side(atLeast: wanted, format) {
            resize(to: Self.side(atLeast: wanted * Self.headroom, format), centerX, centerY, format)
        } else if expired {
            let smaller = Self.side(atLeast: widest, format)
            if Double(smaller) * Self.headroom * Self.headroom < Double(side) {
                resize(to: smaller, centerX, centerY, format)
            }
        }
        if expired { widest = wanted }
    }

    /// Lays the grid so that the face's middle is the middle of `cellsAcross` cells, to the nearest chroma block.
    private func anchor(_ centerX: Double, _ centerY: Double, _ format: PictureFormat) {
        let half = Double(cellsAcross * side) / 2
        originX = Self.snap(centerX - half, held: isPlaced ? originX : nil, block: 1 << format.shiftX)
        originY = Self.snap(centerY - half, held: isPlaced ? originY : nil, block: 1 << format.shiftY)
        isPlaced = true
    }

    /// Changes the cells' size, and draws the new cells from the old ones: a new size is then no new look at the face.
    private func resize(to newSide: Int, _ centerX: Double, _ centerY: Double, _ format: PictureFormat) {
        let old = (side: side, x: originX, y: originY, columns: columns, rows: rows, states: states, colors: colors)
        let oldPlane = columns.count * rows.count
        side = newSide
        isPlaced = false
        anchor(centerX, centerY, format)
        if old.states.isEmpty { return }

        /// The new cells that overlap old ones.
        func overlapping(_ cells: Range<Int>, _ oldOrigin: Int, _ origin: Int) -> Range<Int> {
            floorDivide(oldOrigin + cells.lowerBound * old.side - origin, newSide)..<floorDivide(
                oldOrigin + cells.upperBound * old.side - 1 - origin, newSide) + 1
        }
        columns = overlapping(old.columns, old.x, originX)
        rows = overlapping(old.rows, old.y, originY)
        if columns.count > Self.mostCarried / max(1, rows.count) {
            (columns, rows, states) = (0..<0, 0..<0, [])
            return
        }
        states = Array(repeating: .unknown, count: columns.count * rows.count)
        colors = .allocate(capacity: max(1, states.count * planeCount))
        colors.update(repeating: 0, count: states.count * planeCount)
        defer { old.colors.deallocate() }

        var sums = [Int](repeating: 0, count: planeCount)
        for j in rows {
            let top = originY + j * newSide - old.y
            let oldRows = (floorDivide(top, old.side)..<floorDivide(top + newSide - 1, old.side) + 1)
                .clamped(to: old.rows)
            for i in columns {
                let left = originX + i * newSide - old.x
                let oldColumns = (floorDivide(left, old.side)..<floorDivide(left + newSide - 1, old.side) + 1)
                    .clamped(to: old.columns)
                var (state, area) = (CellState.unknown, 0)
                for plane in sums.indices { sums[plane] = 0 }
                for oldRow in oldRows {
                    let height = min(top + newSide, (oldRow + 1) * old.side) - max(top, oldRow * old.side)
                    for oldColumn in oldColumns {
                        let cell =
                            (oldRow - old.rows.lowerBound) * old.columns.count + oldColumn - old.columns.lowerBound
                        if old.states[cell] == .unknown { continue }
                        let width =
                            min(left + newSide, (oldColumn + 1) * old.side) - max(left, oldColumn * old.side)
                        state = old.states[cell]
                        area += width * height
                        for plane in sums.indices {
                            sums[plane] += width * height * Int(old.colors[plane * oldPlane + cell])
                        }
                    }
                }
                guard area > 0 else { continue }
                states[stateIndex(i, j)] = state
                for plane in sums.indices {
                    colors[colorIndex(i, j, plane)] = UInt16(truncatingIfNeeded: (sums[plane] + area / 2) / area)
                }
            }
        }
    }

    private static func snap(_ wanted: Double, held: Int?, block: Int) -> Int {
        if let held, abs(wanted - Double(held)) <= anchorSlack * Double(block) { return held }
        return Int((wanted / Double(block)).rounded()) * block
    }

    /// Makes sure that every cell in sight of `area` has a colour, and its neighbours too.
    func sample(_ view: PlanarView, area: PixelRect, quantisers: [Quantiser], format: PictureFormat) {
        let across = cells(area.x, origin: originX, limit: format.width)
        let down = cells(area.y, origin: originY, limit: format.height)
        reserve(across, down, planes: format.planeCount)
        if !isFaceColorFresh { takeFaceColor(view, quantisers, format) }
        for j in down {
            for i in across where states[stateIndex(i, j)] != .fresh {
                let held = states[stateIndex(i, j)] == .stale
                for plane in 0..<planeCount {
                    let index = colorIndex(i, j, plane)
                    let own = mean(view.planes[plane], plane, i, j, format)
                    let difference = quantisers[plane].difference(
                        Int((Double(own - faceColor[plane]) * contrast).rounded()),
                        held: held ? Int(colors[index]) - faceColor[plane] : nil)
                    let color = quantisers[plane].legal(faceColor[plane] + difference)
                    colors[index] = UInt16(truncatingIfNeeded: color)
                }
                states[stateIndex(i, j)] = .fresh
            }
        }
        visibleColumns = across
        visibleRows = down
    }

    /// Takes the face's own colour anew; the cells keep their differences from it.
    private func takeFaceColor(_ view: PlanarView, _ quantisers: [Quantiser], _ format: PictureFormat) {
        let isFirst = faceColor.isEmpty
        if isFirst { faceColor = Array(repeating: 0, count: planeCount) }
        for plane in 0..<planeCount {
            let old = isFirst ? nil : faceColor[plane]
            let new = quantisers[plane].faceColor(faceMean(view.planes[plane], plane, format), held: old)
            faceColor[plane] = new
            guard let old, new != old else { continue }
            for cell in states.indices where states[cell] != .unknown {
                let index = plane * states.count + cell
                colors[index] = UInt16(truncatingIfNeeded: quantisers[plane].legal(Int(colors[index]) + new - old))
            }
        }
        isFaceColorFresh = true
    }

    /// Cells with colours for this frame, all fresh.
    private var visibleColumns = 0..<0
    private var visibleRows = 0..<0

    /// The cells that pixels lie in, one more each way, as far as they lie in the picture by half.
    ///
    /// What the picture's edge leaves of a cell may be a mean of very few pixels, so a smaller part than half of one
    /// takes its neighbour's colour: drawing repeats the outermost cells.
    private func cells(_ pixels: Range<Int>, origin: Int, limit: Int) -> Range<Int> {
        var first = floorDivide(-origin, side)
        var last = floorDivide(limit - 1 - origin, side)
        if first < last, 2 * (origin + (first + 1) * side) < side { first += 1 }
        if first < last, 2 * (limit - origin - last * side) < side { last -= 1 }
        let low = floorDivide(pixels.lowerBound - origin, side) - 1
        let high = floorDivide(pixels.upperBound - 1 - origin, side) + 1
        return min(max(low, first), last)..<max(min(high, last), first) + 1
    }

    /// The mean of a cell's samples inside the picture, rounded.
    private func mean(_ plane: Plane, _ index: Int, _ i: Int, _ j: Int, _ format: PictureFormat) -> Int {
        squareMean(plane, index, left: originX + i * side, top: originY + j * side, side: side, format)
            ?? Int(1) << (format.depth - 1)
    }

    /// The mean of the `cellsAcross` × `cellsAcross` cells that the face lies in; mid-grey where none is in the picture.
    private func faceMean(_ plane: Plane, _ index: Int, _ format: PictureFormat) -> Int {
        squareMean(plane, index, left: originX, top: originY, side: cellsAcross * side, format)
            ?? Int(1) << (format.depth - 1)
    }

    /// The mean of a square's samples inside the picture, rounded; nil where it lies outside.
    private func squareMean(
        _ plane: Plane, _ index: Int, left: Int, top: Int, side: Int, _ format: PictureFormat
    ) -> Int? {
        let (shiftX, shiftY) = (format.shiftX(ofPlane: index), format.shiftY(ofPlane: index))
        let (left, top) = (left >> shiftX, top >> shiftY)
        let (right, bottom) = (min(left + side >> shiftX, plane.width), min(top + side >> shiftY, plane.height))
        guard max(left, 0) < right, max(top, 0) < bottom else { return nil }
        let x = max(left, 0)..<right
        let y = max(top, 0)..<bottom
        let sum = format.bytesPerSample == 1 ? cellSum8(plane, x, y) : cellSum16(plane, x, y)
        let count = UInt64(x.count * y.count)
        return Int((sum + count / 2) / count)
    }

    /// Makes room for cells; those that fall out of the window are forgotten, so that memory stays bounded.
    private func reserve(_ across: Range<Int>, _ down: Range<Int>, planes: Int) {
        let fits =
            planes == planeCount && columns.lowerBound <= across.lowerBound && across.upperBound <= columns.upperBound
            && rows.lowerBound <= down.lowerBound && down.upperBound <= rows.upperBound
        if fits { return }
        // What is in sight and as much again around it, so that a face on the move doesn't make room in every frame.
        let newColumns = across.lowerBound - across.count / 2..<across.upperBound + across.count / 2
        let newRows = down.lowerBound - down.count / 2..<down.upperBound + down.count / 2
        let count = newColumns.count * newRows.count
        let newColors = UnsafeMutablePointer<UInt16>.allocate(capacity: max(1, count * planes))
        newColors.update(repeating: 0, count: count * planes)
        var newStates = [CellState](repeating: .unknown, count: count)
        if planes == planeCount {
            for j in rows.clamped(to: newRows) {
                for i in columns.clamped(to: newColumns) {
                    let cell = (j - newRows.lowerBound) * newColumns.count + i - newColumns.lowerBound
                    newStates[cell] = states[stateIndex(i, j)]
                    for plane in 0..<planes { newColors[plane * count + cell] = colors[colorIndex(i, j, plane)] }
                }
            }
        }
        colors.deallocate()
        (colors, states, columns, rows, planeCount) = (newColors, newStates, newColumns, newRows, planes)
    }

    private func stateIndex(_ i: Int, _ j: Int) -> Int {
        (j - rows.lowerBound) * columns.count + i - columns.lowerBound
    }

    private func colorIndex(_ i: Int, _ j: Int, _ plane: Int) -> Int {
        plane * columns.count * rows.count + stateIndex(i, j)
    }

    /// The colours that row `y` of a plane is drawn from; valid until the next `sample`.
    func row(_ y: Int, plane: Int, format: PictureFormat) -> CellRow {
        let shiftY = format.shiftY(ofPlane: plane)
        let height = side >> shiftY
        let top = originY >> shiftY
        let j = floorDivide(y - top, height)
        func colors(ofRow j: Int) -> UnsafePointer<UInt16> {
            let row = min(max(j, visibleRows.lowerBound), visibleRows.upperBound - 1)
            return UnsafePointer(self.colors + colorIndex(visibleColumns.lowerBound, row, plane))
        }
        return CellRow(
            originX: originX >> format.shiftX(ofPlane: plane), side: side >> format.shiftX(ofPlane: plane),
            columns: visibleColumns, above: colors(ofRow: j - 1), own: colors(ofRow: j), below: colors(ofRow: j + 1),
            position: (Float(y - top - j * height) + 0.5) / Float(height))
    }
}

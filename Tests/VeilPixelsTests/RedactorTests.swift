import Testing
import VeilTestSupport

@testable import VeilPixels

private let effects: [Effect] = [
    .pixellate(), .blur(), .solid(color: RGBColor(red: 200, green: 30, blue: 90)),
]

private func redactor(
    _ effect: Effect = .pixellate(), shape: MaskShape = .ellipse, hold: Double = 0.5, levelStep: Int = 32,
    contrast: Double = 1
) throws -> Redactor {
    try Redactor(FilterChain(effects: [effect], shape: shape, hold: hold, levelStep: levelStep, contrast: contrast))
}

/// The highest mask of some regions, per luma pixel.
private func coverage(_ regions: [MaskRegion], _ width: Int, _ height: Int, _ shape: MaskShape = .ellipse) -> [[UInt8]]
{
    var rows = Array(repeating: [UInt8](repeating: 0, count: width), count: height)
    for region in regions {
        let outline = MaskOutline(region, shape: shape, softness: FilterChain.defaultSoftness)
        for y in 0..<height { raiseMask(&rows[y], left: 0, y: y, columns: 0..<width, outline: outline) }
    }
    return rows
}

extension TestPicture {
    /// The luma pixels that a sample of a plane covers.
    func covered(_ plane: Int, _ x: Int, _ y: Int) -> (x: Range<Int>, y: Range<Int>) {
        let chroma = layout.model == .yuv && (plane == 1 || plane == 2)
        let (sx, sy) = chroma ? (layout.shiftX, layout.shiftY) : (0, 0)
        return (x << sx..<min(width, (x + 1) << sx), y << sy..<min(height, (y + 1) << sy))
    }

    /// The highest mask value over the luma pixels that a sample covers.
    func mask(_ coverage: [[UInt8]], _ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
        let area = covered(plane, x, y)
        return area.y.reduce(0) { high, row in area.x.reduce(high) { max($0, coverage[row][$1]) } }
    }
}

@Suite struct `A redacted frame` {
    @Test(arguments: Layout.all, effects)
    func `is the same outside the masks, hidden inside, and drawn within its memory`(layout: Layout, effect: Effect)
        throws
    {
        for (width, height) in [(1, 1), (2, 2), (15, 17), (97, 61), (161, 3), (3, 60)] {
            let original = TestPicture(width, height, layout).noise(seed: width)
            let regions: [MaskRegion] = [
                .face(1, x: Double(width) * 0.4, y: Double(height) / 2, width: 20, height: 24, angle: 20),
                .face(2, x: Double(width) * 0.5, y: Double(height) / 2, width: 9, height: 12),
                .face(3, x: -3, y: 2, width: 12, height: 16),
            ]
            let masks = coverage(regions, width, height)
            let picture = original.copy()
            try redactor(effect).apply(to: picture, regions: regions, time: 0)
            #expect(picture.guardsAreIntact)

            // Another picture with the same cell means: under the opaque part, both must come out alike.
            var (differentOutside, alike, opaque) = (0, 0, 0)
            let colors = layout.model == .gray ? 1 : 3
            picture.forEach { plane, x, y in
                let mask = picture.mask(masks, plane, x, y)
                if mask == 0 && picture[plane, x, y] != original[plane, x, y] { differentOutside += 1 }
                // Noise in alpha is a drawing; see the tests of that.
                if mask == 255, plane < colors {
                    opaque += 1
                    if picture[plane, x, y] == original[plane, x, y] { alike += 1 }
                }
            }
            #expect(differentOutside == 0, "\(width)×\(height)")
            // Noise equals the effect now and then by chance.
            #expect(opaque > 0 && alike <= 3 + opaque / 20, "\(width)×\(height): \(alike) of \(opaque)")
        }
    }

    @Test(arguments: Layout.all)
    func `shows one flat quantised colour per cell under the opaque mask`(layout: Layout) throws {
        let (width, height) = (101, 75)
        let original = TestPicture(width, height, layout).noise(seed: 5)
        let region = MaskRegion.face(7, x: 50.3, y: 33.8, width: 40, height: 50)
        // The means of noise lie close together.
        let redactor = try redactor(levelStep: 2)
        let picture = original.copy()
        redactor.apply(to: picture, regions: [region], time: 0)
        let grid = try #require(redactor.cellGrid(ofTrack: 7))
        let masks = coverage([region], width, height)
        let format = PictureFormat(picture)
        for plane in 0..<format.planeCount {
            let quantiser = Quantiser(levelStep: 2, plane: plane, format: format)
            let (sx, sy) = (format.shiftX(ofPlane: plane), format.shiftY(ofPlane: plane))
            // Sums of whole cells, by plain arithmetic.
            var sums: [[Int]: (sum: Int, count: Int)] = [:]
            let (sideX, sideY) = (grid.side >> sx, grid.side >> sy)
            func cell(_ x: Int, _ y: Int) -> [Int] {
                [floorDivide(x - grid.originX >> sx, sideX), floorDivide(y - grid.originY >> sy, sideY)]
            }
            // What the edge leaves of a cell takes its neighbour's colour if it is less than half.
            func drawn(_ x: Int, origin: Int, limit: Int) -> Int {
                let cell = floorDivide(x - origin, grid.side)
                let start = origin + cell * grid.side
                if 2 * (start + grid.side) < grid.side { return cell + 1 }
                return 2 * (limit - start) < grid.side ? cell - 1 : cell
            }
            for y in 0..<picture.planes[plane].height {
                for x in 0..<picture.planes[plane].width {
                    let sum = sums[cell(x, y), default: (0, 0)]
                    sums[cell(x, y)] = (sum.sum + original[plane, x, y], sum.count + 1)
                }
            }
            let own = sums.filter { (0..<5).contains($0.key[0]) && (0..<5).contains($0.key[1]) }.values
                .reduce((sum: 0, count: 0)) { ($0.sum + $1.sum, $0.count + $1.count) }
            let faceColor = min(max((own.sum + own.count / 2) / own.count, quantiser.low), quantiser.high)
            var wrong = 0
            for y in 0..<picture.planes[plane].height {
                for x in 0..<picture.planes[plane].width where picture.mask(masks, plane, x, y) == 255 {
                    let key = [
                        drawn(x << sx, origin: grid.originX, limit: width),
                        drawn(y << sy, origin: grid.originY, limit: height),
                    ]
                    let sum = try #require(sums[key])
                    let difference = (sum.sum + sum.count / 2) / sum.count - faceColor
                    let color = faceColor + quantiser.difference(difference, held: nil)
                    if picture[plane, x, y] != min(max(color, quantiser.low), quantiser.high) { wrong += 1 }
                }
            }
            #expect(wrong == 0, "plane \(plane)")
        }
    }

    @Test(arguments: [1.0, 0.5, 0.25, 0])
    func `draws cells towards the colour of the face`(contrast: Double) throws {
        // A face of two halves, 40 and 200: its own colour is 120.
        let picture = TestPicture(200, 200).fill { _, x, _ in x < 100 ? 40 : 200 }
        let redactor = try redactor(levelStep: 1, contrast: contrast)
        redactor.apply(to: picture, regions: [.face(x: 100, y: 100, width: 100, height: 100)], time: 0)
        let grid = try #require(redactor.cellGrid(ofTrack: 1))
        // A cell that lies in one half only, on either side.
        let (left, right) = (grid.originX + grid.side / 2, grid.originX + 4 * grid.side + grid.side / 2)
        let (dark, bright) = (picture[0, left, 100], picture[0, right, 100])
        #expect(abs(Double(dark) - (120 - 80 * contrast)) <= 2, "\(dark)")
        #expect(abs(Double(bright) - (120 + 80 * contrast)) <= 2, "\(bright)")
    }

    @Test func `shows no mean of the few pixels that the edge leaves of a cell`() throws {
        // Cells of 10 pixels from column -8 on: two bright columns are in sight of the first.
        let picture = TestPicture(60, 60).fill { _, x, _ in x < 2 ? 255 : 0 }
        let redactor = try redactor()
        redactor.apply(to: picture, regions: [.face(x: 17, y: 30, width: 50, height: 50)], time: 0)
        let grid = try #require(redactor.cellGrid(ofTrack: 1))
        #expect(grid.originX == -8 && grid.side == 10)
        // They show in the face's own colour, with their share of its 42 columns, and in no cell.
        let own = 255 * 2 / 42
        for x in 0..<30 { #expect(picture[0, x, 30] == own) }
    }

    @Test(arguments: [Effect.pixellate(), .blur()])
    func `depends on nothing but the cells under the opaque mask`(effect: Effect) throws {
        // Shuffle the pixels within each cell: all that is finer than a cell changes, and nothing must show it.
        let (width, height) = (90, 90)
        let region = MaskRegion.face(x: 45, y: 45, width: 40, height: 48)
        let first = TestPicture(width, height).noise(seed: 1)
        let probe = try redactor(effect)
        probe.apply(to: first.copy(), regions: [region], time: 0)
        let grid = try #require(probe.cellGrid(ofTrack: 1))
        let second = first.copy()
        var numbers = Numbers(3)
        for top in stride(from: grid.originY - 20 * grid.side, to: height, by: grid.side) {
            for left in stride(from: grid.originX - 20 * grid.side, to: width, by: grid.side) {
                let points = (top..<top + grid.side).flatMap { y in (left..<left + grid.side).map { ($0, y) } }
                    .filter { (0..<width).contains($0.0) && (0..<height).contains($0.1) }
                let shuffled = points.shuffled(using: &numbers)
                for (from, to) in zip(points, shuffled) { second[0, to.0, to.1] = first[0, from.0, from.1] }
            }
        }
        #expect(first.samples != second.samples)
        try redactor(effect).apply(to: first, regions: [region], time: 0)
        try redactor(effect).apply(to: second, regions: [region], time: 0)
        let masks = coverage([region], width, height)
        for y in 0..<height {
            for x in 0..<width where masks[y][x] == 255 { #expect(first[0, x, y] == second[0, x, y]) }
        }
    }

    @Test(arguments: effects)
    func `leaves a shape's alpha alone and redacts the colour under it`(effect: Effect) throws {
        let original = TestPicture(40, 40, Layout(alpha: true)).noise(seed: 2)
        // Cut out: nothing but the middle is there.
        for y in 0..<40 { for x in 0..<40 { original[3, x, y] = (8..<32).contains(x) && y > 5 ? 255 : 0 } }
        let picture = original.copy()
        try redactor(effect).apply(to: picture, regions: [.face(x: 20, y: 20, width: 40, height: 40)], time: 0)
        #expect(picture.samples[3] == original.samples[3])
        #expect(picture[0, 20, 20] != original[0, 20, 20] || picture[0, 21, 20] != original[0, 21, 20])
    }

    @Test func `without regions is untouched`() throws {
        let original = TestPicture(33, 21, Layout()).noise(seed: 2)
        let picture = original.copy()
        try redactor().apply(to: picture, regions: [], time: 0, cutBefore: true)
        try redactor().apply(to: picture, regions: [.face(x: 900, y: -400, width: 30, height: 30)], time: 0)
        #expect(picture.samples == original.samples)
    }

    @Test func `hides a face whose centre is outside to the last row`() throws {
        let picture = TestPicture(60, 40).fill { _, x, y in (x + y).isMultiple(of: 2) ? 255 : 0 }
        // Its ellipse reaches from row -35 to 15.
        try redactor(.solid(color: RGBColor(red: 128, green: 128, blue: 128)))
            .apply(to: picture, regions: [.face(x: 30, y: -10, width: 50, height: 50, scale: 1)], time: 0)
        for x in 20..<40 { for y in 0..<13 { #expect(picture[0, x, y] == 128) } }
        #expect(picture[0, 30, 39] == 0 || picture[0, 30, 39] == 255)
    }

    @Test func `has the coarser cells on top where faces overlap, whatever their order`() throws {
        let small = MaskRegion.face(1, x: 30, y: 40, width: 20, height: 20)
        let large = MaskRegion.face(2, x: 60, y: 40, width: 60, height: 60)
        let original = TestPicture(120, 80).noise(seed: 9)
        let (first, second, alone) = (original.copy(), original.copy(), original.copy())
        try redactor().apply(to: first, regions: [small, large], time: 0)
        try redactor().apply(to: second, regions: [large, small], time: 0)
        try redactor().apply(to: alone, regions: [large], time: 0)
        #expect(first.samples == second.samples)
        let masks = coverage([large], 120, 80)
        for y in 0..<80 { for x in 0..<120 where masks[y][x] == 255 { #expect(first[0, x, y] == alone[0, x, y]) } }
    }

    @Test func `covers regions that chain together as it covers each alone`() throws {
        // Each overlaps the next only; the last one joins two groups.
        let regions: [MaskRegion] = [20, 80, 140, 50, 110].enumerated().map {
            .face($0, x: Double($1), y: 30, width: 26, height: 26)
        }
        let original = TestPicture(160, 60, Layout()).noise(seed: 4)
        let picture = original.copy()
        let color = RGBColor(red: 10, green: 200, blue: 60)
        try redactor(.solid(color: color)).apply(to: picture, regions: regions, time: 0)
        let masks = coverage(regions, 160, 60)
        let format = PictureFormat(picture)
        var wrong = 0
        picture.forEach { plane, x, y in
            let m = Int(picture.mask(masks, plane, x, y))
            let (old, new) = (original[plane, x, y], Int(color.sample(plane: plane, in: format)))
            if picture[plane, x, y] != (old * (255 - m) + new * m + 127) / 255 { wrong += 1 }
        }
        #expect(wrong == 0)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `is covered whole if a region can't be placed`(number: Double) throws {
        let color = RGBColor(red: 90, green: 90, blue: 90)
        for change in [\MaskRegion.centerX, \.centerY, \.radiusX, \.radiusY, \.angle] {
            let picture = TestPicture(30, 20).noise(seed: 1)
            var region = MaskRegion.face(x: 5, y: 5, width: 6, height: 6)
            region[keyPath: change] = number
            try redactor(.solid(color: color)).apply(to: picture, regions: [region], time: 0)
            #expect(picture.samples[0].allSatisfy { $0 == 90 })
        }
    }

    @Test func `survives regions of absurd sizes`() throws {
        for (size, position) in [(1e300, 0.0), (0, 10), (-5, 10), (1e9, -1e12), (20, 1e308)] {
            let picture = TestPicture(30, 20, Layout()).noise(seed: 1)
            let region = MaskRegion(
                track: 1, centerX: position, centerY: 10, radiusX: size, radiusY: size, angle: 1e9, faceWidth: size,
                faceHeight: size)
            try redactor().apply(to: picture, regions: [region, region], time: .nan)
            #expect(picture.guardsAreIntact)
        }
    }
}

@Suite struct `A frame covered whole` {
    @Test(arguments: Layout.all, effects)
    func `shows no sample that is not the effect's`(layout: Layout, effect: Effect) throws {
        for (width, height) in [(1, 1), (2, 2), (3, 90), (64, 48), (101, 37)] {
            let picture = TestPicture(width, height, layout).noise(seed: 3)
            try redactor(effect).coverWhole(picture, time: 0)
            #expect(picture.guardsAreIntact)
            let format = PictureFormat(picture)
            for plane in 0..<format.planeCount {
                if case .solid(let color, _) = effect {
                    let sample = Int(color.sample(plane: plane, in: format))
                    #expect(picture.samples[plane].allSatisfy { $0 == sample })
                }
                if case .pixellate = effect {
                    // At most 5 cells across the shorter side: runs of equal samples, all on few levels.
                    let levels = Set(picture.samples[plane])
                    #expect(levels.count <= (format.isChroma(plane) ? 17 : 9))
                    let across = stride(from: 0, to: picture.planes[plane].width, by: 1)
                        .map { picture[plane, $0, 0] }
                    let changes = zip(across, across.dropFirst()).count { $0 != $1 }
                    #expect(changes <= 5 * width / min(width, height) + 1)
                }
            }
            if layout.alpha, case .pixellate = effect {
                #expect(Set(picture.samples[format.planeCount]).count <= 17)
            }
        }
    }

    @Test func `has twelve cells across at most, even for a chain of smaller cells`() throws {
        let picture = TestPicture(240, 120).noise(seed: 8)
        try redactor(.pixellate(cells: 100), levelStep: 1).coverWhole(picture, time: 0)
        let column = (0..<120).map { picture[0, 0, $0] }
        #expect(zip(column, column.dropFirst()).count { $0 != $1 } <= 12)
    }
}

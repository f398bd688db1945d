import Testing
import VeilTestSupport

@testable import VeilPixels

/// A clip of frames of one level each, with a face in them.
private struct Clip {
    let redactor: Redactor
    let layout: Layout
    let width = 160
    let height = 120

    init(_ layout: Layout = .gray8, effect: Effect = .pixellate(), hold: Double = 0.5, levelStep: Int = 32) throws {
        self.layout = layout
        redactor = try Redactor(FilterChain(effects: [effect], hold: hold, levelStep: levelStep, contrast: 1))
    }

    /// Redacts a frame of one level, and gives the sample in the middle of the face back.
    func show(_ level: Int, _ region: MaskRegion, time: Double, cutBefore: Bool = false) -> Int {
        let picture = TestPicture(width, height, layout).flat(level)
        redactor.apply(to: picture, regions: [region], time: time, cutBefore: cutBefore)
        return picture[0, Int(region.centerX), Int(region.centerY)]
    }
}

private let face = MaskRegion.face(x: 60.2, y: 55.7, width: 40, height: 50)

@Suite struct `Cell colours` {
    @Test func `are held for a time and then taken anew`() throws {
        let clip = try Clip()
        #expect(clip.show(40, face, time: 0) == 40)
        #expect(clip.show(200, face, time: 0.2) == 40)
        #expect(clip.show(200, face, time: 0.49) == 40)
        #expect(clip.show(200, face, time: 0.5) == 200)
        #expect(clip.show(90, face, time: 0.9) == 200)
    }

    @Test func `are held while the face moves and grows`() throws {
        let clip = try Clip()
        _ = clip.show(40, face, time: 0)
        for step in 1...12 {
            var moved = face
            moved.centerX += Double(step) * 1.7
            moved.faceWidth *= 1 + 0.05 * Double(step)
            moved.faceHeight *= 1 + 0.05 * Double(step)
            #expect(clip.show(200, moved, time: Double(step) / 30) == 40)
        }
    }

    @Test func `are new after a cut, on a new track, on a clock that runs back and in another format`() throws {
        let clip = try Clip()
        #expect(clip.show(40, face, time: 0) == 40)
        #expect(clip.show(200, face, time: 0.1, cutBefore: true) == 200)
        var other = face
        other.track = 2
        #expect(clip.show(90, other, time: 0.1) == 90)
        #expect(clip.show(200, face, time: 0.2) == 200)
        #expect(clip.show(40, face, time: 0.05) == 40)
        let deep = TestPicture(160, 120, Layout(model: .gray, depth: 10, shiftX: 0, shiftY: 0, fullRange: true))
            .fill { _, _, _ in 800 }
        clip.redactor.apply(to: deep, regions: [face], time: 0.1)
        #expect(deep[0, 60, 55] == 800)
    }

    @Test func `are new in each frame without a hold`() throws {
        let clip = try Clip(hold: 0)
        #expect(clip.show(40, face, time: 0) == 40)
        #expect(clip.show(200, face, time: 0.01) == 200)
    }

    @Test func `come from the frame in which a cell comes into sight`() throws {
        // Half the face is outside at first; the other half's cells are taken when they are needed.
        let clip = try Clip()
        var region = face
        region.centerX = 0
        _ = clip.show(40, region, time: 0)
        region.centerX = 20
        let picture = TestPicture(160, 120).fill { _, _, _ in 200 }
        clip.redactor.apply(to: picture, regions: [region], time: 0.1)
        #expect(picture[0, 36, 55] == 40)
        #expect(picture[0, 2, 55] == 200)
    }

    @Test func `do not flip between levels for small changes`() throws {
        let clip = try Clip(hold: 0)
        // Within three quarters of a step of 32.
        #expect(clip.show(105, face, time: 0) == 105)
        for step in 1...20 {
            #expect(clip.show(step.isMultiple(of: 2) ? 82 : 128, face, time: Double(step)) == 105)
        }
        #expect(clip.show(130, face, time: 30) == 130)
    }

    @Test func `keep their difference from the face's own colour when that changes`() throws {
        let redactor = try Redactor(FilterChain(hold: 0, levelStep: 32, contrast: 1))
        let region = MaskRegion.face(x: 100, y: 100, width: 100, height: 100)
        /// Redacts a face of two halves, and gives the darkest and the brightest cell back.
        func show(_ left: Int, _ right: Int, time: Double) -> [Int] {
            let picture = TestPicture(200, 200).fill { _, x, _ in x < 100 ? left : right }
            redactor.apply(to: picture, regions: [region], time: time)
            return [picture[0, 60, 100], picture[0, 140, 100]]
        }
        // 70 either side of 110, in steps of 32.
        #expect(show(40, 180, time: 0) == [110 - 64, 110 + 64])
        // The light changes: all cells go along, and a difference of 64 ± 24 is held.
        #expect(show(80, 220, time: 1) == [150 - 64, 150 + 64])
        #expect(show(66, 234, time: 2) == [150 - 64, 150 + 64])
        #expect(show(109, 191, time: 3) == [150 - 64, 150 + 64])
        #expect(show(111, 189, time: 4) == [150 - 32, 150 + 32])
        // Gone in the white, back with the light.
        #expect(show(255, 255, time: 5) == [255, 255])
        #expect(show(90, 170, time: 6) == [130 - 32, 130 + 32])
    }

    @Test(arguments: Layout.all, [1, 8, 32])
    func `lie whole steps from the face's, never further than they are, in the legal range`(
        layout: Layout, levelStep: Int
    ) {
        let format = PictureFormat(TestPicture(4, 4, layout))
        let unit = 1 << (layout.depth - 8)
        for plane in 0..<format.planeCount {
            let quantiser = Quantiser(levelStep: levelStep, plane: plane, format: format)
            let step = format.isChroma(plane) ? max(1, levelStep / 2 * unit) : levelStep * unit
            #expect(quantiser.step == step)
            for difference in -format.peak...format.peak {
                let drawn = quantiser.difference(difference, held: nil)
                #expect(drawn.isMultiple(of: step) && abs(difference - drawn) < step)
                #expect(abs(drawn) <= abs(difference) && drawn * difference >= 0)
            }
            let low = format.fullRange ? 0 : 16 * unit
            let high = format.fullRange ? format.peak : (format.isChroma(plane) ? 240 : 235) * unit
            for mean in 0...format.peak {
                #expect(quantiser.faceColor(mean, held: nil) == min(max(mean, low), high))
            }
        }
    }

    @Test func `of a grey picture are grey`() throws {
        for layout in [Layout(), Layout(depth: 10), Layout(model: .gbr, shiftX: 0, shiftY: 0, fullRange: true)] {
            var numbers = Numbers(1)
            let picture = TestPicture(80, 80, layout)
            for y in 0..<80 {
                for x in 0..<80 {
                    let level = Int.random(in: 0..<(1 << layout.depth), using: &numbers)
                    for plane in 0..<3 where plane == 0 || layout.model == .gbr { picture[plane, x, y] = level }
                }
            }
            if layout.model == .yuv {
                for y in 0..<40 { for x in 0..<40 { for p in 1...2 { picture[p, x, y] = 1 << (layout.depth - 1) } } }
            }
            let redactor = try Redactor(FilterChain())
            redactor.apply(to: picture, regions: [.face(x: 40, y: 40, width: 50, height: 50)], time: 0)
            let samples = picture.samples
            if layout.model == .yuv {
                #expect(samples[1].allSatisfy { $0 == 1 << (layout.depth - 1) })
                #expect(samples[2].allSatisfy { $0 == 1 << (layout.depth - 1) })
            } else {
                #expect(samples[0] == samples[1] && samples[1] == samples[2])
            }
        }
    }

    @Test func `of tracks long gone are forgotten`() throws {
        let clip = try Clip()
        _ = clip.show(40, face, time: 0)
        var other = face
        for track in 100..<800 {
            other.track = track
            _ = clip.show(90, other, time: 0)
        }
        #expect(clip.redactor.cellGrid(ofTrack: 1) == nil)
        #expect((100..<800).count { clip.redactor.cellGrid(ofTrack: $0) != nil } <= Redactor.memoryFrames + 1)
        _ = clip.show(90, face, time: 100)
        #expect((100..<800).allSatisfy { clip.redactor.cellGrid(ofTrack: $0) == nil })
    }
}

@Suite struct `The grid of cells` {
    /// Redacts a frame and gives the grid back.
    private func grid(_ clip: Clip, _ region: MaskRegion, time: Double) throws -> CellGrid {
        _ = clip.show(100, region, time: time)
        return try #require(clip.redactor.cellGrid(ofTrack: region.track))
    }

    @Test(arguments: Layout.all, [1, 2, 5, 7, 256])
    func `has no more cells across a face than asked for, in whole chroma blocks`(layout: Layout, cells: Int) throws {
        let clip = try Clip(layout, effect: .pixellate(cells: cells))
        var numbers = Numbers(cells)
        for step in 0..<60 {
            let (width, height) = (
                Double.random(in: 0.5...90, using: &numbers), Double.random(in: 0.5...90, using: &numbers)
            )
            let region = MaskRegion.face(
                x: .random(in: 0...150, using: &numbers), y: .random(in: 0...110, using: &numbers), width: width,
                height: height)
            let grid = try grid(clip, region, time: Double(step) / 10)
            #expect(Double(grid.side * cells) >= max(width, height))
            #expect(grid.side >= 2)
            let block = 1 << (layout.model == .yuv ? max(layout.shiftX, layout.shiftY) : 0)
            #expect(grid.side.isMultiple(of: block))
            #expect(grid.originX.isMultiple(of: layout.model == .yuv ? 1 << layout.shiftX : 1))
            #expect(grid.originY.isMultiple(of: layout.model == .yuv ? 1 << layout.shiftY : 1))
        }
    }

    @Test func `moves with the face`() throws {
        let clip = try Clip(Layout())
        let first = try grid(clip, face, time: 0)
        for (dx, dy) in [(2.0, 0.0), (4, -6), (33.3, 17.9), (-50.5, 3)] {
            var moved = face
            moved.centerX += dx
            moved.centerY += dy
            let now = try grid(clip, moved, time: 0.1)
            #expect(abs(Double(now.originX - first.originX) - dx) <= 3)
            #expect(abs(Double(now.originY - first.originY) - dy) <= 3)
        }
    }

    @Test func `does not shake with a face at rest`() throws {
        let clip = try Clip(Layout())
        var numbers = Numbers(4)
        let first = try grid(clip, face, time: 0)
        for step in 1...50 {
            var shaken = face
            shaken.centerX += .random(in: -0.24...0.24, using: &numbers)
            #expect(try grid(clip, shaken, time: Double(step) / 30).originX == first.originX)
        }
    }

    @Test func `keeps its size until the face has clearly changed`() throws {
        let clip = try Clip()
        func side(_ size: Double, _ time: Double) throws -> Int {
            try grid(clip, .face(x: 60, y: 60, width: size * 0.8, height: size), time: time).side
        }
        #expect(try side(100, 0) == 20)
        // Larger: at once, with headroom.
        #expect(try side(101, 0.1) == 23)
        #expect(try side(112, 0.2) == 23)
        #expect(try side(115, 0.3) == 23)
        // Smaller: only at the end of a hold, and only if it was smaller all the while.
        #expect(try side(60, 0.4) == 23)
        #expect(try side(60, 0.6) == 23)
        #expect(try side(60, 1.2) == 12)
        // Within a quarter nothing changes.
        #expect(try side(49, 2) == 12)
        #expect(try side(49, 3) == 12)
        #expect(try side(45, 4) == 12)
        #expect(try side(45, 5) == 9)
    }

    @Test(arguments: Layout.all)
    func `gives no new look at a face by changing its size`(layout: Layout) throws {
        // What a second frame holds must not matter while colours are held, even if the face outgrows its cells.
        let results = try (1...2).map { seed in
            let redactor = try Redactor(FilterChain())
            let region = MaskRegion.face(x: 70, y: 60, width: 40, height: 50)
            redactor.apply(to: TestPicture(140, 120, layout).noise(seed: 9), regions: [region], time: 0)
            var larger = region
            larger.faceWidth *= 1.1
            larger.faceHeight *= 1.1
            let second = TestPicture(140, 120, layout).fill { _, _, _ in seed * 60 << (layout.depth - 8) }
            redactor.apply(to: second, regions: [larger], time: 0.1)
            return (0..<20).map { second[0, 60 + $0, 55] }
        }
        #expect(results[0] == results[1])
    }

    @Test func `cells that shrink a thousandfold aren't carried over one by one`() {
        let picture = TestPicture(4000, 4).flat(90)
        let format = PictureFormat(picture)
        let quantisers = [Quantiser(levelStep: 4, plane: 0, format: format)]
        let area = PixelRect(x: 0..<4000, y: 0..<4)
        let cells = HeldCells(cellsAcross: 1, contrast: 1, faceSize: 8000, time: 0, format: format)
        var counts: [Int] = []
        for (time, size) in [(0.0, 8000.0), (1, 2), (2, 2)] {
            cells.move(centerX: 2000, centerY: 2, faceSize: size, time: time, hold: 0.5, format: format)
            counts.append(cells.cellCount)
            picture.withView { cells.sample($0, area: area, quantisers: quantisers, format: format) }
        }
        #expect(cells.side == 2 && counts[1] > 0 && counts[2] == 0, "\(counts)")
        #expect(cells.cellCount >= 4000 && cells.row(1, plane: 0, format: format).own[0] == 90)
    }
}

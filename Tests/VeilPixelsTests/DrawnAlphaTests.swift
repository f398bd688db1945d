import Testing
import VeilTestSupport

@testable import VeilPixels

/// Pictures whose face lives in alpha: line art, keyed portraits.
@Suite struct `A face drawn in alpha` {
    private static let layouts =
        Layout.all.filter(\.alpha) + [
            Layout(model: .gray, depth: 16, shiftX: 0, shiftY: 0, alpha: true, fullRange: true)
        ]
    private static let effects: [Effect] = [
        .pixellate(), .blur(), .solid(color: RGBColor(red: 9, green: 9, blue: 9)),
    ]
    private let region = MaskRegion.face(x: 50, y: 45, width: 40, height: 50)

    /// Flat colours, and what `alpha` says of a pixel in 0…1.
    private func picture(_ layout: Layout, alpha: (Int, Int) -> Double) -> TestPicture {
        let last = (layout.model == .gray ? 1 : 3)
        let peak = Double((1 << layout.depth) - 1)
        return TestPicture(100, 90, layout).fill { plane, x, y in
            plane == last ? Int((alpha(x, y) * peak).rounded()) : 1 << (layout.depth - 2)
        }
    }

    /// Every third pixel of the mask's inner part is clear, in one of three phases.
    private func drawing(_ layout: Layout, phase: Int) -> TestPicture {
        picture(layout) { x, y in (x + y + phase).isMultiple(of: 3) ? 0 : 1 }
    }

    @Test(arguments: layouts, effects)
    func `is covered there, and nowhere else`(layout: Layout, effect: Effect) throws {
        let original = drawing(layout, phase: 0)
        let covered = original.copy()
        try Redactor(FilterChain(effects: [effect])).apply(to: covered, regions: [region], time: 0)
        let last = original.planes.count - 1
        let outline = MaskOutline(region, shape: .ellipse, softness: FilterChain.defaultSoftness)
        var inside: [Int] = []
        for y in 0..<90 {
            let (opaque, touched) = (outline.opaque(row: y, width: 100), outline.touched(row: y, width: 100))
            inside += opaque.map { covered[last, $0, y] }
            for x in 0..<100 where !touched.contains(x) { #expect(covered[last, x, y] == original[last, x, y]) }
        }
        #expect(covered.guardsAreIntact)
        let peak = (1 << layout.depth) - 1
        // Two thirds are there: every cell's mean is about that.
        if case .solid = effect {
            #expect(inside.allSatisfy { $0 == peak })
        } else {
            #expect(inside.allSatisfy { abs($0 * 3 - peak * 2) < peak / 2 }, "\(Set(inside))")
        }
    }

    @Test(arguments: layouts)
    func `is covered with a whole frame`(layout: Layout) throws {
        let (first, second) = (drawing(layout, phase: 0), picture(layout) { _, _ in 2.0 / 3 })
        let last = first.planes.count - 1
        for picture in [first, second] { try Redactor(FilterChain()).coverWhole(picture, time: 0) }
        let spread = (first.samples[last] + second.samples[last])
        #expect((spread.max() ?? 0) - (spread.min() ?? 0) < (1 << layout.depth) / 10)
        // And where a region can't be placed.
        let third = drawing(layout, phase: 1)
        var nowhere = region
        nowhere.centerX = .nan
        try Redactor(FilterChain()).apply(to: third, regions: [nowhere], time: 0)
        #expect(third.samples[last] != drawing(layout, phase: 1).samples[last])
        #expect(third[last, 0, 0] == third[last, 1, 0] && third[last, 1, 0] == third[last, 2, 0])
    }

    @Test(arguments: layouts)
    func `isn't seen in cut-outs and fades`(layout: Layout) throws {
        let shapes: [(Int, Int) -> Double] = [
            { _, _ in 1 }, { _, _ in 0 }, { x, _ in Double(x) / 100 }, { x, y in Double(x + y) / 200 },
            // A head with soft hair; a rectangle that ends in the face's outer part.
            { x, y in
                let (dx, dy) = (Double(x - 50) / 24, Double(y - 45) / 30)
                return min(max(2 - 1.4 * (dx * dx + dy * dy), 0), 1)
            },
            { x, y in x > 30 && y < 70 ? 1 : 0 },
        ]
        for shape in shapes {
            let original = picture(layout, alpha: shape)
            let covered = original.copy()
            try Redactor(FilterChain()).apply(to: covered, regions: [region], time: 0)
            #expect(covered.samples.last == original.samples.last)
        }
    }

    @Test func `stays covered while the drawing fades, until a cut or its end`() throws {
        let layout = Layout(alpha: true)
        let redactor = try Redactor(FilterChain(effects: [.solid(color: RGBColor(red: 0, green: 0, blue: 0))]))
        func alphaAfter(_ faint: Bool, _ time: Double, cut: Bool = false, regions: [MaskRegion]) -> Int {
            let shown =
                faint ? picture(layout) { x, _ in x.isMultiple(of: 2) ? 0.5 : 0.504 } : drawing(layout, phase: 0)
            redactor.apply(to: shown, regions: regions, time: time, cutBefore: cut)
            return shown[3, 50, 45]
        }
        #expect(alphaAfter(true, 0, regions: [region]) < 255)
        #expect(alphaAfter(false, 0.1, regions: [region]) == 255)
        #expect(alphaAfter(true, 0.2, regions: [region]) == 255)
        #expect(alphaAfter(true, 0.3, cut: true, regions: [region]) < 255)
        #expect(alphaAfter(false, 0.4, regions: [region]) == 255)
        #expect(alphaAfter(true, 0.5, regions: []) < 255)
        #expect(alphaAfter(true, 0.6, regions: [region]) < 255)
    }

    @Test(arguments: [8, 10, 16])
    func `is told by its distance from an even ramp`(depth: Int) {
        let layout = Layout(model: .gray, depth: depth, shiftX: 0, shiftY: 0, fullRange: true)
        let unit = 1 << (depth - 8)
        var random = Numbers(3)
        for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (33, 17)] {
            let ramp = TestPicture(width, height, layout).fill { _, x, y in unit * (20 + 3 * x + 5 * y) }
            let noise = TestPicture(width, height, layout).noise(seed: Int.random(in: 0..<99, using: &random))
            for (picture, isRamp) in [(ramp, true), (noise, false)] {
                let plane = picture.planes[0]
                let deviation =
                    depth == 8
                    ? rampDeviation8(plane, 0..<width, 0..<height) : rampDeviation16(plane, 0..<width, 0..<height)
                if isRamp { #expect(deviation < Double(unit) * 0.01) }
                if !isRamp, width * height > 500 { #expect(deviation > Double(unit) * 30) }
            }
        }
    }

    @Test func `is looked for at the edge where the face's middle lies outside`() {
        let drawn = TestPicture(60, 40).fill { _, x, y in (x + y).isMultiple(of: 2) ? 255 : 0 }
        let plain = TestPicture(60, 40).flat(255)
        for (x, y) in [(-10.0, 20.0), (30, -8), (66, 45)] {
            let face = MaskRegion.face(x: x, y: y, width: 40, height: 40)
            #expect(face.isDrawn(in: drawn.planes[0], depth: 8) && !face.isDrawn(in: plain.planes[0], depth: 8))
        }
    }
}

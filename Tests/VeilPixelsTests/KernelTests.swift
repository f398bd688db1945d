import Testing
import VeilTestSupport

@testable import VeilPixels

private let sizes = [(1, 1), (2, 2), (15, 17), (641, 3), (64, 32), (3, 130)]

@Suite struct `Kernels agree with plain versions` {
    @Test(arguments: sizes, 0..<4)
    func `the sum of a rectangle is exact`(size: (Int, Int), seed: Int) {
        for layout in [
            Layout.gray8, Layout(model: .gray, depth: 16, shiftX: 0, shiftY: 0, bottomUp: seed.isMultiple(of: 2)),
        ] {
            let picture = TestPicture(size.0, size.1, layout).noise(seed: seed)
            var numbers = Numbers(seed)
            let x0 = Int.random(in: 0..<size.0, using: &numbers)
            let y0 = Int.random(in: 0..<size.1, using: &numbers)
            let x = x0..<Int.random(in: x0 + 1...size.0, using: &numbers)
            let y = y0..<Int.random(in: y0 + 1...size.1, using: &numbers)
            let plain = y.reduce(0) { sum, row in x.reduce(sum) { $0 + picture[0, $1, row] } }
            let sum = picture.withView { view in
                layout.depth == 8 ? cellSum8(view.planes[0], x, y) : cellSum16(view.planes[0], x, y)
            }
            #expect(sum == UInt64(plain))
        }
    }

    @Test func `the sum of a wide bright row does not overflow`() {
        let picture = TestPicture(70_000, 2, Layout(model: .gray, depth: 16, shiftX: 0, shiftY: 0))
            .fill { _, _, _ in 65535 }
        #expect(picture.withView { cellSum16($0.planes[0], 0..<70_000, 0..<2) } == 70_000 * 2 * 65535)
    }

    @Test(arguments: [1, 2, 15, 16, 33, 641], 0..<4)
    func `blending is rounded division by 255`(width: Int, seed: Int) {
        var numbers = Numbers(seed)
        let mask = (0..<width).map { _ in
            UInt8([0, 255, Int.random(in: 0...255, using: &numbers)].randomElement(using: &numbers) ?? 0)
        }
        func plain(_ a: Int, _ b: Int, _ m: UInt8) -> Int { (a * (255 - Int(m)) + b * Int(m) + 127) / 255 }

        let a8 = (0..<width).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let b8 = (0..<width).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        var row8 = a8 + [77]
        blend8(&row8, b8, mask, width)
        #expect(row8 == (0..<width).map { UInt8(plain(Int(a8[$0]), Int(b8[$0]), mask[$0])) } + [77])

        let a16 = (0..<width).map { _ in UInt16.random(in: 0...65535, using: &numbers) }
        let b16 = (0..<width).map { _ in UInt16.random(in: 0...65535, using: &numbers) }
        var row16 = a16 + [777]
        blend16(&row16, b16, mask, width)
        #expect(row16 == (0..<width).map { UInt16(plain(Int(a16[$0]), Int(b16[$0]), mask[$0])) } + [777])
    }

    @Test func `blending is exact for every pair of bytes at full and no mask`() {
        for m in [UInt8(0), 255] {
            for a in UInt8.min...UInt8.max {
                var row = [UInt8](repeating: a, count: 256)
                let effect = (0...255).map { UInt8($0) }
                blend8(&row, effect, [UInt8](repeating: m, count: 256), 256)
                #expect(row == (m == 0 ? [UInt8](repeating: a, count: 256) : effect))
            }
        }
    }

    @Test(arguments: [1, 2, 3, 15, 64, 641], 0...2)
    func `each chroma mask sample is the highest that it covers`(width: Int, shift: Int) {
        var numbers = Numbers(width)
        for rows in [1, 2, 4] {
            let stride = width + 3
            let luma = (0..<stride * rows).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let count = (width + (1 << shift) - 1) >> shift
            var out = [UInt8](repeating: 9, count: count + 1)
            reduceMask(&out, luma, lumaWidth: width, stride: stride, rows: rows, shift: shift)
            var plain = [UInt8](repeating: 0, count: count)
            for y in 0..<rows {
                for x in 0..<width { plain[x >> shift] = max(plain[x >> shift], luma[y * stride + x]) }
            }
            #expect(out == plain + [9])
        }
    }

    /// Cells of a row as arrays, with what a plain reading gives for a cell.
    private struct Cells {
        let above: [UInt16]
        let own: [UInt16]
        let below: [UInt16]
        let columns: Range<Int>
        let originX: Int
        let side: Int
        let position: Float

        init(seed: Int, width: Int, peak: Int) {
            var numbers = Numbers(seed)
            side = [1, 2, 3, 7, 16, 700].randomElement(using: &numbers) ?? 1
            originX = Int.random(in: -20...20, using: &numbers)
            let first = Int((Double(-originX) / Double(side)).rounded(.down))
            let last = Int((Double(width - 1 - originX) / Double(side)).rounded(.down))
            columns = first..<last + 1
            func colors(_ count: Int) -> [UInt16] {
                (0..<count).map { _ in
                    UInt16([0, peak, Int.random(in: 0...peak, using: &numbers)].randomElement(using: &numbers) ?? 0)
                }
            }
            above = colors(columns.count)
            own = colors(columns.count)
            below = colors(columns.count)
            position = Float.random(in: 0...1, using: &numbers)
        }

        func with(_ body: (CellRow) -> Void) {
            above.withUnsafeBufferPointer { a in
                own.withUnsafeBufferPointer { o in
                    below.withUnsafeBufferPointer { b in
                        guard let a = a.baseAddress, let o = o.baseAddress, let b = b.baseAddress else { return }
                        body(
                            CellRow(
                                originX: originX, side: side, columns: columns, above: a, own: o, below: b,
                                position: position))
                    }
                }
            }
        }

        func cell(_ x: Int) -> Int { Int((Double(x - originX) / Double(side)).rounded(.down)) }

        func flat(_ x: Int) -> Double { Double(own[cell(x) - columns.lowerBound]) }

        func smooth(_ x: Int) -> Double {
            func spline(_ t: Double, _ v: [Double]) -> Double {
                (1 - t) * (1 - t) / 2 * v[0] + (0.5 + t - t * t) * v[1] + t * t / 2 * v[2]
            }
            let t = (Double(x - originX - cell(x) * side) + 0.5) / Double(side)
            return spline(
                t,
                (-1...1).map { step in
                    let index =
                        min(max(cell(x) + step, columns.lowerBound), columns.upperBound - 1) - columns.lowerBound
                    return spline(Double(position), [Double(above[index]), Double(own[index]), Double(below[index])])
                })
        }
    }

    @Test(arguments: [1, 2, 15, 641], 0..<12)
    func `cells are drawn flat and smooth as by definition`(width: Int, seed: Int) {
        for start in [0, width / 3] {
            let x = start..<width
            let small = Cells(seed: seed, width: width, peak: 255)
            small.with { cells in
                var out = [UInt8](repeating: 91, count: x.count + 1)
                fillCells8(&out, x, cells)
                #expect(out.last == 91)
                #expect(x.allSatisfy { Double(out[$0 - start]) == small.flat($0) })
                smoothCells8(&out, x, cells)
                #expect(out.last == 91)
                #expect(x.allSatisfy { abs(Double(out[$0 - start]) - small.smooth($0)) <= 0.501 })
            }
            let deep = Cells(seed: seed, width: width, peak: 65535)
            deep.with { cells in
                var out = [UInt16](repeating: 9191, count: x.count + 1)
                fillCells16(&out, x, cells)
                #expect(out.last == 9191)
                #expect(x.allSatisfy { Double(out[$0 - start]) == deep.flat($0) })
                smoothCells16(&out, x, cells)
                #expect(out.last == 9191)
                #expect(x.allSatisfy { abs(Double(out[$0 - start]) - deep.smooth($0)) <= 0.55 })
            }
        }
    }

    @Test(arguments: [0, 1, 100, 255, 256] as [UInt32])
    func `a tint mixes with its weight`(weight: UInt32) {
        func plain(_ below: Int, _ color: Int) -> Int {
            (below * (256 - Int(weight)) + color * Int(weight) + 128) / 256
        }
        var row8 = (0...255).map { UInt8($0) } + [3]
        tint8(&row8, 256, 200, weight)
        #expect(row8.last == 3)
        #expect((0...255).allSatisfy { Int(row8[$0]) == plain($0, 200) })
        var row16 = (0...255).map { UInt16($0) * 257 } + [3]
        tint16(&row16, 256, 51400, weight)
        #expect(row16.last == 3)
        #expect((0...255).allSatisfy { Int(row16[$0]) == plain($0 * 257, 51400) })
    }
}

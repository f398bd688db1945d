import Foundation
import Testing

@testable import VeilPixels

/// The mask of regions over a picture, drawn by the kernels.
private func mask(_ regions: [MaskRegion], _ width: Int, _ height: Int, shape: MaskShape, softness: Double = 0.2)
    -> [[UInt8]]
{
    var rows = Array(repeating: [UInt8](repeating: 0, count: width), count: height)
    for region in regions {
        let outline = MaskOutline(region, shape: shape, softness: softness)
        for y in 0..<height { raiseMask(&rows[y], left: 0, y: y, columns: 0..<width, outline: outline) }
    }
    return rows
}

/// Where a point lies along the region's own axes, in pixels from its centre.
private func local(_ region: MaskRegion, _ x: Double, _ y: Double) -> (u: Double, v: Double) {
    let turn = region.angle * .pi / 180
    let (dx, dy) = (x - region.centerX, y - region.centerY)
    return (dx * cos(turn) + dy * sin(turn), dy * cos(turn) - dx * sin(turn))
}

private func isInside(_ region: MaskRegion, _ shape: MaskShape, grownBy margin: Double, _ x: Double, _ y: Double)
    -> Bool
{
    let (u, v) = local(region, x, y)
    let (rx, ry) = (region.radiusX + margin, region.radiusY + margin)
    return switch shape {
    case .ellipse: (u / rx) * (u / rx) + (v / ry) * (v / ry) <= 1
    case .box: abs(u) <= rx && abs(v) <= ry
    }
}

private let faces: [MaskRegion] = [
    .face(x: 32, y: 24, width: 20, height: 26),
    .face(x: 31.4, y: 20.7, width: 22, height: 30, angle: 30),
    .face(x: 0, y: 0, width: 30, height: 30),
    .face(x: -6, y: 24, width: 24, height: 32),
    .face(x: 70.3, y: 51, width: 24, height: 32, angle: -75),
    .face(x: 32, y: 24, width: 200, height: 300),
    .face(x: 12.5, y: 9.5, width: 0.5, height: 0.5),
    .face(x: 20, y: 20, width: 40, height: 6, angle: 200),
]

@Suite struct `The mask` {
    @Test(arguments: faces, MaskShape.allCases)
    func `is opaque wherever a pixel touches the outline and empty beyond the soft edge`(
        region: MaskRegion, shape: MaskShape
    ) {
        let (width, height) = (64, 48)
        let rows = mask([region], width, height, shape: shape)
        let feather = max(2, 0.2 * (region.radiusX + region.radiusY) / 2)
        for y in 0..<height {
            for x in 0..<width {
                let (left, top) = (Double(x), Double(y))
                let touches = (0...4).contains { i in
                    (0...4).contains { j in
                        isInside(region, shape, grownBy: 0, left + Double(i) / 4, top + Double(j) / 4)
                    }
                }
                if touches { #expect(rows[y][x] == 255, "\(x) \(y)") }
                // The opaque part is drawn a pixel larger, and the soft edge follows it.
                if !isInside(region, shape, grownBy: 1.001 + feather, left + 0.5, top + 0.5) {
                    #expect(rows[y][x] == 0, "\(x) \(y)")
                }
            }
        }
    }

    @Test(arguments: MaskShape.allCases)
    func `falls off smoothly and only outside`(shape: MaskShape) {
        let region = MaskRegion.face(x: 100, y: 100, width: 100, height: 100, scale: 1)
        let row = mask([region], 200, 200, shape: shape)[100]
        let edge = Array(row[100...])
        #expect(zip(edge, edge.dropFirst()).allSatisfy { $0 >= $1 })
        // A fifth of the mean radius of 50 pixels, from 51 on.
        #expect(edge[50] == 255)
        #expect(edge[61] == 0)
        let soft = edge.filter { $0 > 0 && $0 < 255 }.count
        #expect((8...10).contains(soft))
        #expect(abs(Int(edge[55]) - 140) < 25)
    }

    @Test func `has an edge of two pixels at least`() {
        let region = MaskRegion.face(x: 20, y: 20, width: 20, height: 20, scale: 1)
        let row = mask([region], 40, 40, shape: .ellipse, softness: 0)[20]
        #expect(row[30] == 255)
        #expect(row[31] > 0 && row[31] < 255)
        #expect(row[32] > 0 && row[32] < 255)
        #expect(row[33] == 0)
    }

    @Test func `of several regions is the highest of each`() {
        let (a, b) = (faces[0], MaskRegion.face(2, x: 44, y: 30, width: 20, height: 26, angle: 10))
        let first = mask([a], 64, 48, shape: .ellipse)
        let second = mask([b], 64, 48, shape: .ellipse)
        let both = mask([a, b], 64, 48, shape: .ellipse)
        #expect(both == mask([b, a], 64, 48, shape: .ellipse))
        for y in 0..<48 { #expect(both[y] == zip(first[y], second[y]).map { max($0, $1) }) }
    }

    @Test(arguments: faces, MaskShape.allCases)
    func `stays within the bounds it names`(region: MaskRegion, shape: MaskShape) {
        let bounds = MaskOutline(region, shape: shape, softness: 0.2).bounds(width: 64, height: 48)
        let rows = mask([region], 64, 48, shape: shape)
        for y in 0..<48 {
            for x in 0..<64 where rows[y][x] > 0 { #expect(bounds.x.contains(x) && bounds.y.contains(y)) }
        }
    }

    @Test func `is cut by the picture's edge and not moved by it`() {
        // The same face seen by a large picture and by one that ends in the middle of it.
        let whole = mask([.face(x: 60, y: 60, width: 60, height: 80)], 120, 120, shape: .ellipse)
        let cut = mask([.face(x: 10, y: 0, width: 60, height: 80)], 70, 60, shape: .ellipse)
        for y in 0..<60 { #expect(cut[y] == Array(whole[y + 60][50..<120])) }
    }

    @Test(arguments: MaskShape.allCases, [0.0, 33])
    func `nothing is written outside of the region's own columns`(shape: MaskShape, angle: Double) {
        let region = MaskRegion.face(x: 30, y: 10, width: 40, height: 40, angle: angle)
        let outline = MaskOutline(region, shape: shape, softness: 0.2)
        for columns in [25..<35, 0..<20, 40..<60, 30..<31] {
            for y in 0..<20 {
                var row = [UInt8](repeating: 7, count: columns.count + 2)
                let touched = row.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return 0..<0 }
                    return raiseMask(base + 1, left: columns.lowerBound, y: y, columns: columns, outline: outline)
                }
                #expect(row.first == 7 && row.last == 7)
                #expect(
                    touched.isEmpty
                        || (columns.contains(touched.lowerBound) && touched.upperBound <= columns.upperBound))
            }
        }
    }
}

import CFFmpeg
import VeilPixels

/// Brings planar RGB to 256 colours of the picture's own: GIF's form.
///
/// A picture that has no more colours than that keeps each. Of others the colours are halved along the widest side of
/// the fullest box until there are enough boxes (median cut, Heckbert 1982).
enum Palettizer {
    /// - Parameter frame: `gbrp` or `gbrap`. Samples that are more than half transparent become wholly so.
    static func convert(_ frame: borrowing Frame) throws(MediaError) -> Frame {
        let result = try Frame.allocate(
            width: frame.width, height: frame.height, format: PixelFormat(AV_PIX_FMT_PAL8))
        try result.copyProperties(from: frame)
        guard let palette = cff_frame_data(result.pointer, 1), let indices = cff_frame_data(result.pointer, 0) else {
            throw MediaError(.internalFailure, "reducing colours", detail: "a frame without planes")
        }
        let stride = Int(cff_frame_linesize(result.pointer, 0))
        frame.withPlanes { view in
            // So many different colours are enough to choose from: the lowest bits go until there are no more.
            var mask: UInt32 = 0xFFFFFF
            var counts = Self.counts(view, mask)
            for bits: UInt32 in [0xFEFEFE, 0xFCFCFC, 0xF8F8F8] where counts.colors.count > 16_384 {
                mask = bits
                counts = Self.counts(view, mask)
            }
            let limit = counts.hasTransparent ? 255 : 256
            let (colors, index) = choose(counts.colors, limit: limit)
            let entries = UnsafeMutableRawPointer(palette).assumingMemoryBound(to: UInt32.self)
            for i in 0..<256 { entries[i] = i < colors.count ? 0xFF00_0000 | colors[i] : i == 255 ? 0 : 0xFF00_0000 }
            for y in 0..<view.height {
                let row = indices + y * stride
                forEachColor(view, y) { x, color, isTransparent in
                    row[x] = isTransparent ? 255 : index[color & mask] ?? 0
                }
            }
        }
        return result
    }

    private static func forEachColor(
        _ view: PlanarView, _ y: Int, _ body: (_ x: Int, _ color: UInt32, _ isTransparent: Bool) -> Void
    ) {
        let green = view.planes[0].row(y).assumingMemoryBound(to: UInt8.self)
        let blue = view.planes[1].row(y).assumingMemoryBound(to: UInt8.self)
        let red = view.planes[2].row(y).assumingMemoryBound(to: UInt8.self)
        let alpha = view.hasAlpha ? view.planes[3].row(y).assumingMemoryBound(to: UInt8.self) : nil
        for x in 0..<view.width {
            let color = UInt32(red[x]) << 16 | UInt32(green[x]) << 8 | UInt32(blue[x])
            body(x, color, alpha.map { $0[x] < 128 } ?? false)
        }
    }

    private static func counts(_ view: PlanarView, _ mask: UInt32) -> (colors: [UInt32: Int], hasTransparent: Bool) {
        var colors: [UInt32: Int] = [:]
        var hasTransparent = false
        for y in 0..<view.height {
            forEachColor(view, y) { _, color, isTransparent in
                if isTransparent { hasTransparent = true } else { colors[color & mask, default: 0] += 1 }
            }
        }
        return (colors, hasTransparent)
    }

    /// The colours of the palette, and which of them each colour becomes.
    static func choose(_ counts: [UInt32: Int], limit: Int) -> (colors: [UInt32], index: [UInt32: UInt8]) {
        var index: [UInt32: UInt8] = [:]
        if counts.count <= limit {
            let colors = counts.keys.sorted()
            for (i, color) in colors.enumerated() { index[color] = UInt8(i) }
            return (colors, index)
        }
        var boxes = [ColorBox(counts.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 })]
        while boxes.count < limit, let widest = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
            boxes[widest].weight > 0
        {
            let (low, high) = boxes[widest].halves
            boxes[widest] = low
            boxes.append(high)
        }
        for (i, box) in boxes.enumerated() { for (color, _) in box.colors { index[color] = UInt8(i) } }
        return (boxes.map(\.mean), index)
    }
}

/// Colours that become one entry of a palette.
private struct ColorBox {
    let colors: [(color: UInt32, count: Int)]
    private let axis: UInt32
    /// How much would be won by splitting it: the length of its widest side times the samples in it.
    let weight: Int

    init(_ colors: [(UInt32, Int)]) {
        self.colors = colors
        var best = (length: -1, axis: UInt32(0))
        for shift: UInt32 in [16, 8, 0] {
            let values = colors.map { Int($0.0 >> shift & 0xFF) }
            let length = (values.max() ?? 0) - (values.min() ?? 0)
            if length > best.length { best = (length, shift) }
        }
        axis = best.axis
        weight = colors.count < 2 ? 0 : best.length * colors.reduce(0) { $0 + $1.1 }
    }

    var mean: UInt32 {
        let total = max(1, colors.reduce(0) { $0 + $1.count })
        return [16, 8, 0].reduce(0) { result, shift in
            let sum = colors.reduce(0) { $0 + Int($1.color >> UInt32(shift) & 0xFF) * $1.count }
            return result | UInt32((sum + total / 2) / total) << UInt32(shift)
        }
    }

    /// The two parts below and above the median of its widest side; neither is empty.
    var halves: (ColorBox, ColorBox) {
        let sorted = colors.sorted { ($0.color >> axis & 0xFF, $0.color) < ($1.color >> axis & 0xFF, $1.color) }
        let half = sorted.reduce(0) { $0 + $1.count } / 2
        var sum = 0
        var cut = 0
        while cut < sorted.count - 2 && sum + sorted[cut].count <= half {
            sum += sorted[cut].count
            cut += 1
        }
        return (ColorBox(Array(sorted[...cut])), ColorBox(Array(sorted[(cut + 1)...])))
    }
}

import Synchronization
import VeilMedia
import VeilPixels

/// What is drawn over the covered picture for whoever watches: boxes, masks, numbers. Never over an uncovered one.
final class Overlay: Sendable {
    struct Parts: Sendable {
        var boxes = false
        var mask = false
        var numbers = false
        /// Lines of text, for `numbers`.
        var lines: [String] = []

        var isEmpty: Bool { !boxes && !mask && !numbers }
    }

    private let parts: Mutex<Parts>

    init(_ parts: Parts) { self.parts = Mutex(parts) }

    func change(_ change: (inout Parts) -> Void) { parts.withLock { change(&$0) } }

    /// The picture with what is to be shown on it; itself where that is nothing.
    func drawn(on frame: ShownFrame) throws(MediaError) -> SharedFrame {
        let parts = parts.withLock { $0 }
        guard !parts.isEmpty else { return frame.picture }
        let copy = try frame.picture.copy()
        copy.withPlanes { view in
            guard view.depth == 8, view.planes.count >= 3 else { return }
            let pen = Pen(view)
            if parts.mask {
                for mask in frame.masks { pen.tint(mask) }
            }
            if parts.boxes {
                for region in frame.regions where !region.isUnsearched {
                    let (w, h) = (Double(view.width), Double(view.height))
                    pen.outline(
                        x: Int(region.face.x * w), y: Int(region.face.y * h), width: Int(region.face.width * w),
                        height: Int(region.face.height * h), level: region.isSeen ? 235 : 150)
                }
            }
            if parts.numbers {
                for (row, line) in parts.lines.enumerated() { pen.write(line, x: 8, y: 8 + row * 20, scale: 2) }
            }
        }
        return SharedFrame(copy)
    }
}

/// Draws on 8-bit 4:2:0 planes, cut at the picture's edge.
struct Pen {
    private let view: PlanarView

    init(_ view: PlanarView) { self.view = view }

    private func fill(_ plane: Plane, _ x: Range<Int>, _ y: Range<Int>, _ level: UInt8) {
        let columns = x.clamped(to: 0..<plane.width)
        guard !columns.isEmpty else { return }
        for row in y.clamped(to: 0..<plane.height) {
            (plane.row(row) + columns.lowerBound).initializeMemory(
                as: UInt8.self, repeating: level, count: columns.count)
        }
    }

    /// The frame of a box, two pixels wide.
    func outline(x: Int, y: Int, width: Int, height: Int, level: UInt8) {
        guard width > 4, height > 4 else { return }
        let luma = view.planes[0]
        fill(luma, x..<x + width, y..<y + 2, level)
        fill(luma, x..<x + width, y + height - 2..<y + height, level)
        fill(luma, x..<x + 2, y..<y + height, level)
        fill(luma, x + width - 2..<x + width, y..<y + height, level)
    }

    /// The mask's place, in red.
    func tint(_ mask: MaskRegion) {
        guard mask.radiusX > 0, mask.radiusY > 0, mask.centerX.isFinite, mask.centerY.isFinite else { return }
        let chroma = view.planes[2]
        let (cx, cy) = (mask.centerX / 2, mask.centerY / 2)
        let (rx, ry) = (mask.radiusX / 2, mask.radiusY / 2)
        let rows = Int(max(0, cy - ry))..<max(Int(max(0, cy - ry)), Int(min(Double(chroma.height), cy + ry)))
        for row in rows {
            let t = (Double(row) + 0.5 - cy) / ry
            guard abs(t) < 1 else { continue }
            let half = rx * (1 - t * t).squareRoot()
            let left = Int(max(0, min(Double(chroma.width), cx - half)))
            let right = Int(max(0, min(Double(chroma.width), cx + half)))
            fill(chroma, left..<max(left, right), row..<row + 1, 220)
        }
    }

    /// Text in capitals and digits, white on black, `scale` pixels to a dot.
    func write(_ text: String, x: Int, y: Int, scale: Int) {
        let luma = view.planes[0]
        let width = text.count * 6 * scale
        fill(luma, x - scale..<x + width, y - scale..<y + 8 * scale, 16)
        for plane in view.planes[1...2] {
            fill(plane, (x - scale) / 2..<(x + width) / 2, (y - scale) / 2..<(y + 8 * scale) / 2, 128)
        }
        for (index, character) in text.uppercased().enumerated() {
            guard let glyph = Self.glyphs[character] else { continue }
            for (row, bits) in glyph.enumerated() {
                for column in 0..<5 where bits & (1 << (4 - column)) != 0 {
                    let left = x + (index * 6 + column) * scale
                    fill(luma, left..<left + scale, y + row * scale..<y + (row + 1) * scale, 235)
                }
            }
        }
    }

    /// Five dots across, seven down, a row to a number; the highest of five bits is on the left.
    private static let glyphs: [Character: [UInt8]] = [
        "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 2, 4, 8, 31],
        "3": [31, 2, 4, 2, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
        "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8], "8": [14, 17, 17, 14, 17, 17, 14],
        "9": [14, 17, 17, 15, 1, 2, 12], ".": [0, 0, 0, 0, 0, 12, 12], "/": [0, 1, 2, 4, 8, 16, 0],
        ":": [0, 12, 12, 0, 12, 12, 0], "%": [24, 25, 2, 4, 8, 19, 3], "A": [14, 17, 17, 17, 31, 17, 17],
        "B": [30, 17, 17, 30, 17, 17, 30], "C": [14, 17, 16, 16, 16, 17, 14], "D": [28, 18, 17, 17, 17, 18, 28],
        "E": [31, 16, 16, 30, 16, 16, 31], "F": [31, 16, 16, 30, 16, 16, 16], "G": [14, 17, 16, 23, 17, 17, 15],
        "H": [17, 17, 17, 31, 17, 17, 17], "I": [14, 4, 4, 4, 4, 4, 14], "J": [7, 2, 2, 2, 2, 18, 12],
        "K": [17, 18, 20, 24, 20, 18, 17], "L": [16, 16, 16, 16, 16, 16, 31], "M": [17, 27, 21, 21, 17, 17, 17],
        "N": [17, 17, 25, 21, 19, 17, 17], "O": [14, 17, 17, 17, 17, 17, 14], "P": [30, 17, 17, 30, 16, 16, 16],
        "Q": [14, 17, 17, 17, 21, 18, 13], "R": [30, 17, 17, 30, 20, 18, 17], "S": [15, 16, 16, 14, 1, 1, 30],
        "T": [31, 4, 4, 4, 4, 4, 4], "U": [17, 17, 17, 17, 17, 17, 14], "V": [17, 17, 17, 17, 17, 10, 4],
        "W": [17, 17, 17, 21, 21, 21, 10], "X": [17, 17, 10, 4, 10, 17, 17], "Y": [17, 17, 17, 10, 4, 4, 4],
        "Z": [31, 1, 2, 4, 8, 16, 31],
    ]
}

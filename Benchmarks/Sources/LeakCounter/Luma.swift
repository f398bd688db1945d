import VeilCore
import VeilPixels

/// The luma of one frame as displayed: 8 bits, full range (0 black, 255 white), rows without gaps.
public struct Luma: Sendable, Hashable {
    /// In pixels.
    public let width: Int
    public let height: Int
    /// Row by row from the top; `width * height` of them.
    public var samples: [UInt8]

    public init(width: Int, height: Int, samples: [UInt8]) {
        precondition(width > 0 && height > 0 && samples.count == width * height, "samples don't fill the picture")
        self.width = width
        self.height = height
        self.samples = samples
    }

    /// Takes the luma of a frame and turns it upright.
    ///
    /// - Parameters:
    ///   - view: the frame as coded.
    ///   - orientation: how it is turned for display.
    init(_ view: PlanarView, orientation: Orientation) {
        width = orientation.swapsAxes ? view.height : view.width
        height = orientation.swapsAxes ? view.width : view.height
        samples = [UInt8](repeating: 0, count: width * height)
        let width = width
        let height = height
        samples.withUnsafeMutableBufferPointer { out in
            guard let out = out.baseAddress else { return }
            if view.model == .gbr {
                Luma.gray(of: view, orientation: orientation, into: out, width: width, height: height)
            } else {
                let table = Luma.fullRangeTable(depth: view.depth, isFullRange: view.fullRange)
                let walk = Walk(view.planes[0], orientation)
                table.withUnsafeBufferPointer { table in
                    for y in 0..<height {
                        let source = walk.row(y)
                        let row = out + y * width
                        if view.depth == 8 {
                            for x in 0..<width {
                                row[x] = table[Int(source.load(fromByteOffset: x &* walk.stepX, as: UInt8.self))]
                            }
                        } else {
                            // Bits above the depth should be clear; a broken frame mustn't lead outside the table.
                            let last = table.count &- 1
                            for x in 0..<width {
                                let sample = Int(source.load(fromByteOffset: x &* walk.stepX, as: UInt16.self))
                                row[x] = table[min(sample, last)]
                            }
                        }
                    }
                }
            }
        }
    }

    /// For each sample value the full-range 8-bit value. Limited range runs from 16 to 235 (ITU-R BT.601 and BT.709),
    /// times 2 to the depth less 8.
    static func fullRangeTable(depth: Int, isFullRange: Bool) -> [UInt8] {
        let unit = Double(1 << (depth - 8))
        return (0..<(1 << depth)).map { value in
            let inEight = Double(value) / unit
            let full = isFullRange ? inEight : (inEight - 16) * 255 / 219
            return UInt8(min(max((full + 0.5).rounded(.down), 0), 255))
        }
    }

    /// The luma of RGB, weighted as in BT.601.
    private static func gray(
        of view: PlanarView, orientation: Orientation, into out: UnsafeMutablePointer<UInt8>, width: Int, height: Int
    ) {
        let green = Walk(view.planes[0], orientation)
        let blue = Walk(view.planes[1], orientation)
        let red = Walk(view.planes[2], orientation)
        let scale = 255 / Float((1 << view.depth) - 1)
        let isWide = view.depth > 8
        for y in 0..<height {
            let (g, b, r) = (green.row(y), blue.row(y), red.row(y))
            let row = out + y * width
            for x in 0..<width {
                let at = x &* green.stepX
                let sum: Float
                if isWide {
                    sum =
                        0.587 * Float(g.load(fromByteOffset: at, as: UInt16.self))
                        + 0.114 * Float(b.load(fromByteOffset: x &* blue.stepX, as: UInt16.self))
                        + 0.299 * Float(r.load(fromByteOffset: x &* red.stepX, as: UInt16.self))
                } else {
                    sum =
                        0.587 * Float(g.load(fromByteOffset: at, as: UInt8.self))
                        + 0.114 * Float(b.load(fromByteOffset: x &* blue.stepX, as: UInt8.self))
                        + 0.299 * Float(r.load(fromByteOffset: x &* red.stepX, as: UInt8.self))
                }
                row[x] = UInt8(min(sum * scale + 0.5, 255))
            }
        }
    }

    /// Goes over a coded plane in the order of the upright picture.
    private struct Walk {
        let start: UnsafeMutableRawPointer
        /// Bytes from one upright pixel to the next, and from one upright row to the next.
        let stepX: Int
        let stepY: Int

        init(_ plane: Plane, _ orientation: Orientation) {
            let axes = orientation.axes
            let (bytes, stride) = (plane.bytesPerSample, plane.stride)
            stepX = axes.xx * bytes + axes.yx * stride
            stepY = axes.xy * bytes + axes.yy * stride
            let fromRight = axes.xx + axes.xy < 0
            let fromBottom = axes.yx + axes.yy < 0
            start =
                plane.base + (fromRight ? (plane.width - 1) * bytes : 0)
                + (fromBottom ? (plane.height - 1) * stride : 0)
        }

        func row(_ y: Int) -> UnsafeMutableRawPointer { start + y * stepY }
    }
}

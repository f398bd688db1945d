import Testing
import VeilTestSupport

@testable import VeilPixels

/// What a picture's memory looks like, apart from its samples.
struct Layout: Sendable, CustomTestStringConvertible {
    var model = PlanarView.ColorModel.yuv
    var depth = 8
    var shiftX = 1
    var shiftY = 1
    var alpha = false
    var fullRange = false
    var bottomUp = false

    var testDescription: String {
        "\(model) \(depth) bit, shifts \(shiftX) \(shiftY)\(alpha ? ", alpha" : "")\(bottomUp ? ", bottom up" : "")"
    }

    static let gray8 = Layout(model: .gray, shiftX: 0, shiftY: 0, fullRange: true)
    static let all: [Layout] = [
        gray8, Layout(model: .gray, depth: 16, shiftX: 0, shiftY: 0, fullRange: true),
        Layout(), Layout(depth: 10, alpha: true), Layout(depth: 12, bottomUp: true),
        Layout(shiftY: 0), Layout(shiftX: 0, shiftY: 0, alpha: true), Layout(shiftX: 2, shiftY: 0),
        Layout(shiftX: 0, shiftY: 1, bottomUp: true), Layout(shiftX: 2, shiftY: 2, fullRange: true),
        Layout(model: .gbr, shiftX: 0, shiftY: 0, alpha: true, fullRange: true),
        Layout(model: .gbr, depth: 16, shiftX: 0, shiftY: 0, fullRange: true, bottomUp: true),
    ]
}

/// A picture that owns its memory: strides wider than the rows, and guard bytes around and between them.
final class TestPicture {
    let width: Int
    let height: Int
    let layout: Layout
    private(set) var planes: [Plane] = []
    private var blocks: [(start: UnsafeMutableRawPointer, count: Int)] = []

    init(_ width: Int, _ height: Int, _ layout: Layout = .gray8) {
        self.width = width
        self.height = height
        self.layout = layout
        let size = layout.depth > 8 ? 2 : 1
        let colors = layout.model == .gray ? 1 : 3
        for index in 0..<(colors + (layout.alpha ? 1 : 0)) {
            let chroma = layout.model == .yuv && (index == 1 || index == 2)
            let (sx, sy) = chroma ? (layout.shiftX, layout.shiftY) : (0, 0)
            let (w, h) = ((width + (1 << sx) - 1) >> sx, (height + (1 << sy) - 1) >> sy)
            let stride = w * size + 18
            let count = stride * h + 128
            let start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
            start.initializeMemory(as: UInt8.self, repeating: 0xA5, count: count)
            blocks.append((start, count))
            planes.append(
                Plane(
                    base: start + 64 + (layout.bottomUp ? stride * (h - 1) : 0), width: w, height: h,
                    stride: layout.bottomUp ? -stride : stride, bytesPerSample: size))
        }
    }

    deinit { for block in blocks { block.start.deallocate() } }

    /// Hands out a view, and keeps the memory until `body` is done with it.
    func withView<Result>(_ body: (PlanarView) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(view) }
    }

    private var view: PlanarView {
        PlanarView(
            planes: planes, model: layout.model, hasAlpha: layout.alpha, depth: layout.depth,
            chromaShiftX: layout.shiftX, chromaShiftY: layout.shiftY, fullRange: layout.fullRange)
    }

    subscript(plane: Int, x: Int, y: Int) -> Int {
        get {
            let row = planes[plane].row(y)
            return layout.depth > 8
                ? Int(row.assumingMemoryBound(to: UInt16.self)[x]) : Int(row.assumingMemoryBound(to: UInt8.self)[x])
        }
        set {
            let row = planes[plane].row(y)
            if layout.depth > 8 {
                row.assumingMemoryBound(to: UInt16.self)[x] = UInt16(newValue)
            } else {
                row.assumingMemoryBound(to: UInt8.self)[x] = UInt8(newValue)
            }
        }
    }

    func forEach(_ body: (_ plane: Int, _ x: Int, _ y: Int) -> Void) {
        for (index, plane) in planes.enumerated() {
            for y in 0..<plane.height { for x in 0..<plane.width { body(index, x, y) } }
        }
    }

    /// All samples by plane, row, column, for comparing.
    var samples: [[Int]] {
        planes.indices.map { plane in
            (0..<planes[plane].height).flatMap { y in (0..<planes[plane].width).map { self[plane, $0, y] } }
        }
    }

    func fill(_ sample: (_ plane: Int, _ x: Int, _ y: Int) -> Int) -> Self {
        forEach { self[$0, $1, $2] = sample($0, $1, $2) }
        return self
    }

    /// One level everywhere, without a call per sample.
    func flat(_ level: Int) -> Self {
        for plane in planes {
            for y in 0..<plane.height {
                if layout.depth > 8 {
                    plane.row(y).assumingMemoryBound(to: UInt16.self)
                        .update(repeating: UInt16(level), count: plane.width)
                } else {
                    plane.row(y).assumingMemoryBound(to: UInt8.self).update(repeating: UInt8(level), count: plane.width)
                }
            }
        }
        return self
    }

    /// Random samples of the whole range.
    func noise(seed: Int) -> Self {
        var numbers = Numbers(seed)
        return fill { _, _, _ in Int.random(in: 0..<(1 << layout.depth), using: &numbers) }
    }

    func copy() -> TestPicture { TestPicture(width, height, layout).fill { self[$0, $1, $2] } }

    /// Whether the bytes before, between and after the rows are as they were made.
    var guardsAreIntact: Bool {
        for (block, plane) in zip(blocks, planes) {
            let bytes = block.start.assumingMemoryBound(to: UInt8.self)
            let row = plane.width * plane.bytesPerSample
            for offset in 0..<block.count where bytes[offset] != 0xA5 {
                let within = offset - 64
                guard within >= 0, within < plane.height * abs(plane.stride), within % abs(plane.stride) < row else {
                    return false
                }
            }
        }
        return true
    }
}

extension Redactor {
    func apply(to picture: TestPicture, regions: [MaskRegion], time: Double, cutBefore: Bool = false) {
        picture.withView { apply(to: $0, regions: regions, time: time, cutBefore: cutBefore) }
    }

    func coverWhole(_ picture: TestPicture, time: Double) { picture.withView { coverWhole($0, time: time) } }
}

extension PictureFormat {
    init(_ picture: TestPicture) { self = picture.withView { PictureFormat($0) } }
}

extension MaskRegion {
    /// A face whose ellipse is `scale` times its bounds.
    static func face(
        _ track: Int = 1, x: Double, y: Double, width: Double, height: Double, scale: Double = 1.3, angle: Double = 0
    ) -> MaskRegion {
        MaskRegion(
            track: track, centerX: x, centerY: y, radiusX: width / 2 * scale, radiusY: height / 2 * scale,
            angle: angle, faceWidth: width, faceHeight: height)
    }
}

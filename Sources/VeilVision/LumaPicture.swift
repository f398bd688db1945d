import CVision
import VeilCore
import VeilPixels

/// A small picture of 8-bit luma that owns its samples; what tracking compares from frame to frame.
public struct LumaPicture: Sendable, Hashable {
    public let width: Int
    public let height: Int
    /// Row by row, without gaps; full range.
    public private(set) var samples: [UInt8]

    /// `samples` must hold `width` × `height` values.
    public init(width: Int, height: Int, samples: [UInt8]) {
        precondition(width >= 0 && height >= 0 && samples.count == width * height, "one sample per pixel")
        self.width = width
        self.height = height
        self.samples = samples
    }

    /// The upright luma of a picture, or of a part of it, shrunk to a canvas.
    ///
    /// Throws `.badArgument` if the region lies outside the picture or the canvas is empty.
    public init(
        of view: PlanarView, orientation: Orientation, canvas: CanvasSize, roi: NormalizedRect = .whole
    ) throws(VisionError) {
        let sides = 1...16384
        guard sides.contains(canvas.width), sides.contains(canvas.height) else {
            throw VisionError(
                code: .badArgument, doing: "shrinking a picture", words: "the canvas size is out of range")
        }
        var image = cvision_image(view)
        var look = cvision_look(Look(orientation: orientation, canvas: canvas, roi: roi, threshold: 1), in: view)
        width = canvas.width
        height = canvas.height
        samples = [UInt8](repeating: 0, count: width * height)
        let stride = width
        try VisionError.check(doing: "shrinking a picture") { error in
            samples.withUnsafeMutableBufferPointer {
                cvision_luma_canvas(&image, &look, $0.baseAddress, stride, error)
            }
        }
    }

    /// The same picture, smaller: its longer side at most `side`.
    public func shrunk(to side: Int) throws(VisionError) -> LumaPicture {
        guard max(width, height) > side else { return self }
        let canvas = CanvasSize.fitting(width: width, height: height, longSide: side)
        // The planes are only read, within the call.
        return try Self.borrowing(samples, width: width, height: height) { (view) throws(VisionError) in
            try LumaPicture(of: view, orientation: .up, canvas: canvas)
        }
    }

    private static func borrowing<R>(
        _ samples: [UInt8], width: Int, height: Int, _ body: (PlanarView) throws(VisionError) -> R
    ) throws(VisionError) -> R {
        try samples.withUnsafeBufferPointer { (buffer) throws(VisionError) -> R in
            guard let base = UnsafeRawPointer(buffer.baseAddress) else {
                throw VisionError(code: .badArgument, doing: "shrinking a picture", words: "it is empty")
            }
            let plane = Plane(
                base: UnsafeMutableRawPointer(mutating: base), width: width, height: height, stride: width,
                bytesPerSample: 1)
            return try body(
                PlanarView(
                    planes: [plane], model: .gray, hasAlpha: false, depth: 8, chromaShiftX: 0, chromaShiftY: 0,
                    fullRange: true))
        }
    }

    /// Lends the picture to the shim.
    func withLuma<R>(_ body: (UnsafePointer<cvision_luma>) -> R) -> R {
        samples.withUnsafeBufferPointer { buffer in
            var luma = cvision_luma(
                data: buffer.baseAddress, width: Int32(clamping: width), height: Int32(clamping: height), stride: width)
            return body(&luma)
        }
    }
}

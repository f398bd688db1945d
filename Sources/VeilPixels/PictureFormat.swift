/// How a picture's samples are laid out and what they mean: all that two frames must share for colours held from one
/// to be right in the other.
struct PictureFormat: Hashable, Sendable {
    let width: Int
    let height: Int
    let model: PlanarView.ColorModel
    let depth: Int
    /// log2 of luma samples per chroma sample; 0 for models without chroma.
    let shiftX: Int
    let shiftY: Int
    let fullRange: Bool
    let bt709: Bool
    let bytesPerSample: Int
    let planeCount: Int

    init(_ view: PlanarView) {
        width = view.width
        height = view.height
        model = view.model
        depth = view.depth
        shiftX = view.model == .yuv ? view.chromaShiftX : 0
        shiftY = view.model == .yuv ? view.chromaShiftY : 0
        // RGB is full range everywhere in FFmpeg's planar formats, whatever the frame says.
        fullRange = view.fullRange || view.model == .gbr
        bt709 = view.bt709
        bytesPerSample = view.planes[0].bytesPerSample
        planeCount = view.colorPlaneCount
    }

    var peak: Int { (1 << depth) - 1 }
    /// Luma pixels per chroma sample, the longer way: what a cell's side must be a multiple of.
    var block: Int { 1 << max(shiftX, shiftY) }

    func isChroma(_ plane: Int) -> Bool { model == .yuv && plane > 0 }
    func shiftX(ofPlane plane: Int) -> Int { isChroma(plane) ? shiftX : 0 }
    func shiftY(ofPlane plane: Int) -> Int { isChroma(plane) ? shiftY : 0 }

    /// A luma (or red, green, blue) sample from 0…1.
    func luma(_ value: Double) -> UInt16 {
        let scaled = fullRange ? value * Double(peak) : (16 + 219 * value) * Double(1 << (depth - 8))
        return UInt16(min(max(scaled.rounded(), 0), Double(peak)))
    }

    /// A chroma sample from -0.5…0.5.
    func chroma(_ value: Double) -> UInt16 {
        let scaled =
            fullRange
            ? value * Double(peak) + Double(1 << (depth - 1)) : (128 + 224 * value) * Double(1 << (depth - 8))
        return UInt16(min(max(scaled.rounded(), 0), Double(peak)))
    }
}

/// Whole luma pixels, upper bounds left out.
struct PixelRect: Hashable, Sendable {
    var x: Range<Int>
    var y: Range<Int>

    var isEmpty: Bool { x.isEmpty || y.isEmpty }

    func overlaps(_ other: PixelRect) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }

    func union(_ other: PixelRect) -> PixelRect {
        PixelRect(
            x: min(x.lowerBound, other.x.lowerBound)..<max(x.upperBound, other.x.upperBound),
            y: min(y.lowerBound, other.y.lowerBound)..<max(y.upperBound, other.y.upperBound))
    }

    /// Grown outwards to whole chroma blocks (but not past `format`'s right and lower edge), so that no chroma sample
    /// belongs to two disjoint rectangles.
    func aligned(to format: PictureFormat) -> PixelRect {
        func grow(_ range: Range<Int>, shift: Int, limit: Int) -> Range<Int> {
            let low = (range.lowerBound >> shift) << shift
            return low..<max(low, min(limit, ((range.upperBound + (1 << shift) - 1) >> shift) << shift))
        }
        return PixelRect(
            x: grow(x, shift: format.shiftX, limit: format.width),
            y: grow(y, shift: format.shiftY, limit: format.height))
    }
}

/// Division that rounds towards minus infinity, for a positive divisor.
@inline(__always)
func floorDivide(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a < quotient * b ? quotient - 1 : quotient
}

import VeilCore
import VeilMedia
import VeilPixels

/// A picture of whole samples in planes of its own: gray or RGB, with alpha or without; 8 to 16 bits.
final class Raster {
    /// The samples of a pixel, in the order in which a file has them.
    enum Layout: Sendable { case gray, grayAlpha, rgb, rgba }

    let width: Int
    let height: Int
    let depth: Int
    let layout: Layout
    private let buffer: PixelBuffer
    private let file: String
    private var blend: PixelBuffer?

    var hasAlpha: Bool { layout == .grayAlpha || layout == .rgba }
    var channels: Int { [.gray: 1, .grayAlpha: 2, .rgb: 3, .rgba: 4][layout] ?? 1 }
    private var isGray: Bool { layout == .gray || layout == .grayAlpha }
    private var bytes: Int { depth > 8 ? 2 : 1 }
    private var planeSize: Int { width * height * bytes }

    /// Samples all zero.
    init(width: Int, height: Int, depth: Int, layout: Layout, file: String) throws(MediaError) {
        self.width = width
        self.height = height
        self.depth = depth
        self.layout = layout
        self.file = file
        let channels = [Layout.gray: 1, .grayAlpha: 2, .rgb: 3, .rgba: 4][layout] ?? 1
        buffer = try PixelBuffer(size: width * height * (depth > 8 ? 2 : 1) * channels, file: file)
    }

    /// Where the samples of the n-th channel of a pixel lie: planes are green, blue, red as FFmpeg has them.
    private func base(channel: Int) -> UnsafeMutableRawPointer {
        let plane = isGray ? channel : [2, 0, 1, 3][channel]
        return buffer.base + plane * planeSize
    }

    private func plane(_ index: Int, of buffer: PixelBuffer) -> Plane {
        buffer.plane(
            at: index * planeSize, width: width, height: height, stride: width * bytes, bytesPerSample: bytes)
    }

    private func view(of buffer: PixelBuffer, alpha: Bool) -> PlanarView {
        let count = (isGray ? 1 : 3) + (alpha ? 1 : 0)
        return PlanarView(
            planes: (0..<count).map { plane($0, of: buffer) }, model: isGray ? .gray : .gbr, hasAlpha: alpha,
            depth: depth, chromaShiftX: 0, chromaShiftY: 0, fullRange: true, bt709: false)
    }

    var view: PlanarView { view(of: buffer, alpha: hasAlpha) }

    /// What to look for faces in: the colours as they are stored, hidden ones too, and if some are hidden, what is seen of
    /// them over gray.
    func looks() throws(MediaError) -> [PlanarView] {
        guard hasAlpha, !isOpaque else { return [view] }
        let colors = isGray ? 1 : 3
        let blend: PixelBuffer
        if let own = self.blend { blend = own } else { blend = try PixelBuffer(size: planeSize * colors, file: file) }
        self.blend = blend
        let alpha = base(channel: channels - 1)
        for index in 0..<colors {
            let (from, to) = (buffer.base + index * planeSize, blend.base + index * planeSize)
            if bytes == 1 {
                blend8(from, alpha, to, width * height)
            } else {
                blend16(from, alpha, to, width * height, peak: UInt64((1 << depth) - 1))
            }
        }
        return [view, view(of: blend, alpha: false)]
    }

    private var isOpaque: Bool {
        let alpha = base(channel: channels - 1)
        if bytes == 1 {
            let samples = alpha.assumingMemoryBound(to: UInt8.self)
            for i in 0..<(width * height) where samples[i] != 255 { return false }
            return true
        }
        let samples = alpha.assumingMemoryBound(to: UInt16.self)
        let peak = UInt16((1 << depth) - 1)
        for i in 0..<(width * height) where samples[i] != peak { return false }
        return true
    }

    /// Takes the samples of rows in which each pixel's stand together.
    ///
    /// - Parameter order: where in a pixel each channel's sample lies, as many numbers as the rows have samples to a pixel;
    ///   those behind the raster's own channels aren't taken. Nil where the rows have the raster's own.
    func take(_ rows: UnsafeRawPointer, stride: Int, order: [Int]? = nil) {
        for channel in 0..<channels {
            let offset = (order?[channel] ?? channel) * bytes
            let step = order.map(\.count) ?? channels
            for y in 0..<height {
                let (from, to) = (rows + y * stride + offset, base(channel: channel) + y * width * bytes)
                if bytes == 1 { spread8(from, step, to, 1, width) } else { spread16(from, step, to, 1, width) }
            }
        }
    }

    /// Puts the samples into such rows.
    func give(_ rows: UnsafeMutableRawPointer, stride: Int, order: [Int]? = nil) {
        for channel in 0..<channels {
            let offset = (order?[channel] ?? channel) * bytes
            let step = order.map(\.count) ?? channels
            for y in 0..<height {
                let (from, to) = (base(channel: channel) + y * width * bytes, rows + y * stride + offset)
                if bytes == 1 { spread8(from, 1, to, step, width) } else { spread16(from, 1, to, step, width) }
            }
        }
    }
}

private func spread8(_ from: UnsafeRawPointer, _ fromStep: Int, _ to: UnsafeMutableRawPointer, _ toStep: Int, _ n: Int)
{
    let (a, b) = (from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self))
    for x in 0..<n { b[x &* toStep] = a[x &* fromStep] }
}

private func spread16(_ from: UnsafeRawPointer, _ fromStep: Int, _ to: UnsafeMutableRawPointer, _ toStep: Int, _ n: Int)
{
    for x in 0..<n {
        to.storeBytes(
            of: from.loadUnaligned(fromByteOffset: 2 &* x &* fromStep, as: UInt16.self),
            toByteOffset: 2 &* x &* toStep, as: UInt16.self)
    }
}

/// Samples over mid-gray.
private func blend8(_ from: UnsafeRawPointer, _ alpha: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ n: Int) {
    let (a, m) = (from.assumingMemoryBound(to: UInt8.self), alpha.assumingMemoryBound(to: UInt8.self))
    let b = to.assumingMemoryBound(to: UInt8.self)
    for x in 0..<n {
        let share = UInt32(m[x])
        b[x] = UInt8(truncatingIfNeeded: (UInt32(a[x]) &* share &+ 128 &* (255 &- share)) / 255)
    }
}

private func blend16(
    _ from: UnsafeRawPointer, _ alpha: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ n: Int, peak: UInt64
) {
    let (a, m) = (from.assumingMemoryBound(to: UInt16.self), alpha.assumingMemoryBound(to: UInt16.self))
    let b = to.assumingMemoryBound(to: UInt16.self)
    for x in 0..<n {
        let share = min(UInt64(m[x]), peak)
        b[x] = UInt16(truncatingIfNeeded: (UInt64(a[x]) &* share &+ peak / 2 &* (peak &- share)) / peak)
    }
}

import VeilPixels

/// Rows of pixels of four bytes in memory that somebody else owns.
struct InterleavedRows {
    let base: UnsafeMutableRawPointer
    let width: Int
    let height: Int
    /// Bytes from one row to the next.
    let stride: Int
    let order: FrameRedactor.ChannelOrder

    /// Where red and blue lie in a pixel; green is 1.
    fileprivate var red: Int { order == .rgba ? 0 : 2 }
    fileprivate var blue: Int { order == .rgba ? 2 : 0 }
}

/// The colours of a picture with four bytes to a pixel, as the planes that the kernels work on. Kept from frame to frame.
struct PlanarCopy: ~Copyable {
    private var memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private var capacity = 1
    private var width = 0
    private var height = 0

    deinit { memory.deallocate() }

    /// Green, blue and red.
    var view: PlanarView {
        let planes = (0..<3).map { index in
            Plane(
                base: UnsafeMutableRawPointer(memory + index * width * height), width: width, height: height,
                stride: width, bytesPerSample: 1)
        }
        return PlanarView(
            planes: planes, model: .gbr, hasAlpha: false, depth: 8, chromaShiftX: 0, chromaShiftY: 0, fullRange: true)
    }

    /// Copies the colours of a picture.
    mutating func take(_ rows: InterleavedRows) {
        (width, height) = (rows.width, rows.height)
        if capacity < 3 * width * height {
            memory.deallocate()
            capacity = 3 * width * height
            memory = .allocate(capacity: capacity)
        }
        let (red, blue) = (rows.red, rows.blue)
        for y in 0..<height {
            let pixels = UnsafePointer((rows.base + y * rows.stride).assumingMemoryBound(to: UInt8.self))
            let g = memory + y * width
            let b = g + width * height
            let r = b + width * height
            for x in 0..<width {
                g[x] = pixels[4 &* x &+ 1]
                b[x] = pixels[4 &* x &+ blue]
                r[x] = pixels[4 &* x &+ red]
            }
        }
    }

    /// Copies the colours back.
    func give(_ rows: InterleavedRows) {
        let (red, blue) = (rows.red, rows.blue)
        for y in 0..<height {
            let pixels = (rows.base + y * rows.stride).assumingMemoryBound(to: UInt8.self)
            let g = UnsafePointer(memory + y * width)
            let b = g + width * height
            let r = b + width * height
            for x in 0..<width {
                pixels[4 &* x &+ 1] = g[x]
                pixels[4 &* x &+ blue] = b[x]
                pixels[4 &* x &+ red] = r[x]
            }
        }
    }
}

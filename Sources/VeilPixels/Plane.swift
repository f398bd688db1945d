/// One plane of a picture in memory that somebody else owns; valid only inside the closure that handed it over.
public struct Plane {
    public let base: UnsafeMutableRawPointer
    /// In samples.
    public let width: Int
    /// In rows.
    public let height: Int
    /// Bytes from one row to the next; may be negative (bottom-up) and larger than a row.
    public let stride: Int
    /// 1 (8-bit samples) or 2 (9 to 16 bits, native byte order, in the low bits).
    public let bytesPerSample: Int

    public init(base: UnsafeMutableRawPointer, width: Int, height: Int, stride: Int, bytesPerSample: Int) {
        self.base = base
        self.width = width
        self.height = height
        self.stride = stride
        self.bytesPerSample = bytesPerSample
    }

    @inlinable
    public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * stride }
}

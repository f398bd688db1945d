/// Lays the effect over a row where the mask says so: 0 leaves the sample as it is, 255 replaces it, both exactly.
func blend8(
    _ row: UnsafeMutablePointer<UInt8>, _ effect: UnsafePointer<UInt8>, _ mask: UnsafePointer<UInt8>, _ count: Int
) {
    for x in 0..<count {
        let m = UInt16(mask[x])
        // At most 255² + 128. The shifts are an exact rounded division by 255 for that range (Blinn, "Three wrongs make
        // a right", 1995).
        let sum = UInt16(row[x]) &* (255 &- m) &+ UInt16(effect[x]) &* m &+ 128
        row[x] = UInt8(truncatingIfNeeded: (sum &+ (sum &>> 8)) &>> 8)
    }
}

/// `blend8` for samples of 9 to 16 bits.
func blend16(
    _ row: UnsafeMutablePointer<UInt16>, _ effect: UnsafePointer<UInt16>, _ mask: UnsafePointer<UInt8>, _ count: Int
) {
    for x in 0..<count {
        let m = UInt32(mask[x])
        let sum = UInt32(row[x]) &* (255 &- m) &+ UInt32(effect[x]) &* m &+ 127
        row[x] = UInt16(truncatingIfNeeded: sum / 255)
    }
}

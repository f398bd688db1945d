/// Writes bits, the highest first, as video headers are written (ITU-T H.264, 7.2).
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    /// How many bits of the last byte are taken; 0 when it is full.
    private var taken = 0

    /// The lowest `count` bits of a number.
    mutating func put(_ value: Int, _ count: Int) {
        for bit in stride(from: count - 1, through: 0, by: -1) {
            if taken == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(7 - taken)
            taken = (taken + 1) % 8
        }
    }

    /// An unsigned Exp-Golomb code (H.264, 9.1): `ue(v)`; for 0 and 1 `se(v)` of 0 and 1, too.
    mutating func putGolomb(_ value: Int) {
        let length = Int.bitWidth - (value + 1).leadingZeroBitCount
        put(0, length - 1)
        put(value + 1, length)
    }

    /// Zeros up to the next whole byte.
    mutating func align() { taken = 0 }

    /// Whole bytes; only where the writer is aligned.
    mutating func append(_ more: some Collection<UInt8>) { bytes += more }

    /// The bit that ends a header or slice, and zeros up to the next whole byte.
    mutating func putTrailing() {
        put(1, 1)
        align()
    }
}

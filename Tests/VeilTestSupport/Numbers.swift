/// A small source of numbers that look random and are the same in each run (SplitMix64).
public struct Numbers: RandomNumberGenerator {
    private var state: UInt64

    public init(_ seed: Int) {
        // Mixed once, since states that differ by the increment would give the same numbers, one place apart.
        state = Self.mixed(UInt64(truncatingIfNeeded: seed) &+ 1)
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@testable import LeakCounter

/// Repeatable noise (xorshift).
struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt8 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

extension Luma {
    /// Noise with much detail: every pixel its own value.
    static func noisy(width: Int, height: Int, seed: UInt64 = 1) -> Luma {
        var noise = Noise(seed: seed)
        return Luma(width: width, height: height, samples: (0..<width * height).map { _ in noise.next() })
    }

    static func flat(width: Int, height: Int, _ value: UInt8) -> Luma {
        Luma(width: width, height: height, samples: [UInt8](repeating: value, count: width * height))
    }

    /// A copy in which `change` gave new values to the pixels of a rectangle.
    func changed(x: Range<Int>, y: Range<Int>, _ change: (UInt8) -> UInt8) -> Luma {
        var result = self
        for row in y {
            for column in x { result.samples[row * width + column] = change(samples[row * width + column]) }
        }
        return result
    }

    /// A copy whose rectangle is filled with one value, as a solid cover does.
    func covered(x: Range<Int>, y: Range<Int>) -> Luma { changed(x: x, y: y) { _ in 110 } }
}

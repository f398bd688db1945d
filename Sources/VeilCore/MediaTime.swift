/// A ratio of whole numbers: a time base (seconds per tick), a frame rate, an aspect ratio.
public struct Rational: Sendable, Hashable, Codable {
    public var num: Int
    public var den: Int

    public init(_ num: Int, _ den: Int) {
        self.num = num
        self.den = den
    }

    /// As a number; NaN when the denominator is 0.
    public var value: Double { den == 0 ? .nan : Double(num) / Double(den) }
}

/// Rounds cell colours to few levels, and keeps a held colour until the mean has clearly left it.
struct Quantiser: Sendable, Hashable {
    /// A held level stays while the mean is within this many steps of it (0.5 would be plain rounding). Without the
    /// slack, noise and jitter flip a cell between two levels, and how often it does so tells where between them its
    /// mean lies: dither, which gives back what quantising takes away.
    static let slack = 0.75

    /// Distance of two levels, in samples.
    let step: Int
    /// A level that is kept exactly: mid-grey for chroma, so that grey stays grey; black for luma and RGB.
    let base: Int
    let low: Int
    let high: Int
    private let reach: Int

    /// `levelStep` is of 256 levels, whatever the depth. Chroma gets twice as many levels: pictures use about a quarter
    /// of its range, so that they are still the coarser ones, and skin doesn't turn purple.
    init(levelStep: Int, plane: Int, format: PictureFormat) {
        let unit = 1 << (format.depth - 8)
        let chroma = format.isChroma(plane)
        step = chroma ? max(1, levelStep / 2 * unit) : levelStep * unit
        low = format.fullRange ? 0 : 16 * unit
        high = format.fullRange ? format.peak : (chroma ? 240 : 235) * unit
        base = chroma ? 128 * unit : low
        reach = Int(Double(step) * Self.slack)
    }

    /// The level to show for a mean, given the level held before.
    func level(_ mean: Int, held: Int?) -> Int {
        if let held, abs(mean - held) <= reach { return held }
        let steps = floorDivide(2 * (mean - base) + step, 2 * step)
        return min(max(base + steps * step, low), high)
    }
}

/// Rounds cell colours to few steps away from the face's own colour, and keeps a held one until it has clearly changed.
///
/// A cell's difference from the face's colour is always rounded towards nothing. Rounded to the nearest step, a faint
/// difference is drawn up to twice as large as it is: the mosaic of a face that motion blur or darkness left little of
/// then tells more of it than the picture did.
struct Quantiser: Sendable, Hashable {
    /// What is held stays while the mean is within this many steps of it. Without the slack, noise and jitter flip a
    /// cell between two steps, and how often it does so tells where between them its mean lies: dither, which gives
    /// back what quantising takes away.
    static let slack = 0.75

    /// Size of a step, in samples.
    let step: Int
    /// The legal range: a mean or a step beyond it is drawn at its end.
    let low: Int
    let high: Int
    private let reach: Int

    /// `levelStep` is of 256 levels, whatever the depth. Chroma's steps are half as large: pictures use about a quarter
    /// of its range, so that they are still the coarser ones.
    init(levelStep: Int, plane: Int, format: PictureFormat) {
        let unit = 1 << (format.depth - 8)
        let chroma = format.isChroma(plane)
        step = chroma ? max(1, levelStep / 2 * unit) : levelStep * unit
        low = format.fullRange ? 0 : 16 * unit
        high = format.fullRange ? format.peak : (chroma ? 240 : 235) * unit
        reach = Int(Double(step) * Self.slack)
    }

    /// The face's own colour to show for its mean, given the one held before.
    func faceColor(_ mean: Int, held: Int?) -> Int {
        if let held, abs(mean - held) <= reach { return held }
        return legal(mean)
    }

    /// How far from the face's colour to draw a cell whose mean is `difference` from it, given what was held before.
    func difference(_ difference: Int, held: Int?) -> Int {
        if let held, abs(difference - held) <= reach { return held }
        return difference / step * step
    }

    func legal(_ sample: Int) -> Int { min(max(sample, low), high) }
}

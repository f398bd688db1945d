import Foundation

/// Tells alpha that is the picture (line art, a keyed portrait) from alpha that is only its outline.
///
/// A cut-out's alpha is one level behind the middle of a face, and a fade's changes evenly; a face that lives in alpha has
/// its eyes and nose there.
enum DrawnAlpha {
    /// Half the width and height of a face's middle, of the mask's radii.
    static let middle = 0.35
    /// From this mean distance from an even fade on, of the largest level, something is drawn. An encoder's noise is half
    /// as much at most.
    static let least = 0.015
}

extension MaskRegion {
    /// Whether an alpha plane of the picture's size holds a drawing where this face's middle lies.
    ///
    /// What can't be placed counts as drawn. A middle that lies outside the picture is looked for at its edge.
    ///
    /// - Parameter depth: bits per sample, 8…16.
    package func isDrawn(in alpha: Plane, depth: Int) -> Bool {
        guard isFinite else { return true }
        let turn = angle.truncatingRemainder(dividingBy: 360) * .pi / 180
        let (c, s) = (abs(cos(turn)), abs(sin(turn)))
        let (a, b) = (DrawnAlpha.middle * max(radiusX, 0), DrawnAlpha.middle * max(radiusY, 0))
        let x = Self.columns(around: centerX, half: a * c + b * s, limit: alpha.width)
        let y = Self.columns(around: centerY, half: a * s + b * c, limit: alpha.height)
        guard !x.isEmpty, !y.isEmpty else { return false }
        let deviation = alpha.bytesPerSample == 1 ? rampDeviation8(alpha, x, y) : rampDeviation16(alpha, x, y)
        return deviation > DrawnAlpha.least * Double((1 << depth) - 1)
    }

    /// The pixels that a mask of this region may touch at the usual softness, in a picture of this size.
    package func box(width: Int, height: Int) -> (x: Range<Int>, y: Range<Int>) {
        guard isFinite else { return (0..<width, 0..<height) }
        let bounds = MaskOutline(self, shape: .box, softness: FilterChain.defaultSoftness)
            .bounds(width: width, height: height)
        return (bounds.x, bounds.y)
    }

    private static func columns(around center: Double, half: Double, limit: Int) -> Range<Int> {
        let end = Double(limit)
        let (middle, half) = (min(max(center, 0), end), min(max(half, 1), end))
        let low = Int(max((middle - half).rounded(.down), 0))
        return low..<max(low, Int(min((middle + half).rounded(.up), end)))
    }
}

/// The mean distance of a rectangle's samples from the even ramp that fits them best (least squares).
func rampDeviation8(_ plane: Plane, _ x: Range<Int>, _ y: Range<Int>) -> Double {
    var moments = RampMoments(x.count, y.count)
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt8.self) + x.lowerBound
        var (sum, moment) = (0, 0)
        for k in 0..<x.count {
            let sample = Int(samples[k])
            sum &+= sample
            moment &+= sample &* k
        }
        moments.add(sum, moment, row: row - y.lowerBound)
    }
    let ramp = moments.ramp
    var total = 0.0
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt8.self) + x.lowerBound
        let start = ramp.start(row: row - y.lowerBound)
        var sum: Float = 0
        for k in 0..<x.count {
            sum += (Float(samples[k]) - start - ramp.across * Float(Int32(truncatingIfNeeded: k))).magnitude
        }
        total += Double(sum)
    }
    return total / Double(x.count * y.count)
}

/// `rampDeviation8` for samples of 9 to 16 bits.
func rampDeviation16(_ plane: Plane, _ x: Range<Int>, _ y: Range<Int>) -> Double {
    var moments = RampMoments(x.count, y.count)
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt16.self) + x.lowerBound
        var (sum, moment) = (0, 0)
        for k in 0..<x.count {
            let sample = Int(samples[k])
            sum &+= sample
            moment &+= sample &* k
        }
        moments.add(sum, moment, row: row - y.lowerBound)
    }
    let ramp = moments.ramp
    var total = 0.0
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt16.self) + x.lowerBound
        let start = ramp.start(row: row - y.lowerBound)
        var sum: Float = 0
        for k in 0..<x.count {
            sum += (Float(samples[k]) - start - ramp.across * Float(Int32(truncatingIfNeeded: k))).magnitude
        }
        total += Double(sum)
    }
    return total / Double(x.count * y.count)
}

/// Sums of a rectangle's samples, from which the ramp through them follows: on a whole rectangle the two slopes don't
/// depend on each other.
private struct RampMoments {
    private let width: Double
    private let height: Double
    private var sum = 0.0
    private var across = 0.0
    private var down = 0.0

    init(_ width: Int, _ height: Int) { (self.width, self.height) = (Double(width), Double(height)) }

    mutating func add(_ rowSum: Int, _ rowMoment: Int, row: Int) {
        sum += Double(rowSum)
        across += Double(rowMoment) - Double(rowSum) * (width - 1) / 2
        down += Double(rowSum) * (Double(row) - (height - 1) / 2)
    }

    struct Ramp {
        /// The level at the first column and row.
        var corner: Double
        var across: Float
        var down: Double

        func start(row: Int) -> Float { Float(corner + down * Double(row)) }
    }

    var ramp: Ramp {
        // The sum of (k - mean)² over 0..<n is n(n² - 1)/12.
        let spreadX = height * width * (width * width - 1) / 12
        let spreadY = width * height * (height * height - 1) / 12
        let (x, y) = (spreadX > 0 ? across / spreadX : 0, spreadY > 0 ? down / spreadY : 0)
        return Ramp(
            corner: sum / (width * height) - x * (width - 1) / 2 - y * (height - 1) / 2, across: Float(x), down: y)
    }
}

/// A rectangle of real numbers, row by row: luma inside a face's box, and what is computed from it.
struct Patch {
    let width: Int
    let height: Int
    var values: [Double]

    init(width: Int, height: Int, values: [Double]) {
        self.width = width
        self.height = height
        self.values = values
    }

    /// Cuts columns `x` and rows `y` out of a picture; both must lie inside it.
    init(_ luma: Luma, x: Range<Int>, y: Range<Int>) {
        width = x.count
        height = y.count
        values = []
        values.reserveCapacity(width * height)
        for row in y {
            let base = row * luma.width
            for sample in luma.samples[(base + x.lowerBound)..<(base + x.upperBound)] { values.append(Double(sample)) }
        }
    }

    /// Three box blurs of `2 * radius + 1` (close to a Gaussian), the edges repeated. Running sums: the time doesn't
    /// grow with the radius.
    func blurred(radius: Int) -> Patch {
        var result = self
        var other = values
        for _ in 0..<3 {
            result.values.withUnsafeBufferPointer { from in
                other.withUnsafeMutableBufferPointer { to in Patch.blurDown(from, to, width, height, radius) }
            }
            other.withUnsafeBufferPointer { from in
                result.values.withUnsafeMutableBufferPointer { to in Patch.blurAcross(from, to, width, height, radius) }
            }
        }
        return result
    }

    private static func blurDown(
        _ from: UnsafeBufferPointer<Double>, _ to: UnsafeMutableBufferPointer<Double>, _ width: Int, _ height: Int,
        _ radius: Int
    ) {
        let share = 1 / Double(2 * radius + 1)
        withUnsafeTemporaryAllocation(of: Double.self, capacity: width) { sums in
            for x in 0..<width { sums[x] = from[x] * Double(radius + 1) }
            for k in 1...radius {
                let row = min(k, height - 1) * width
                for x in 0..<width { sums[x] += from[row + x] }
            }
            for y in 0..<height {
                let out = y * width
                let entering = min(y + radius + 1, height - 1) * width
                let leaving = max(y - radius, 0) * width
                for x in 0..<width {
                    to[out + x] = sums[x] * share
                    sums[x] += from[entering + x] - from[leaving + x]
                }
            }
        }
    }

    private static func blurAcross(
        _ from: UnsafeBufferPointer<Double>, _ to: UnsafeMutableBufferPointer<Double>, _ width: Int, _ height: Int,
        _ radius: Int
    ) {
        let share = 1 / Double(2 * radius + 1)
        for y in 0..<height {
            let row = y * width
            var sum = from[row] * Double(radius + 1)
            for k in 1...radius { sum += from[row + min(k, width - 1)] }
            for x in 0..<width {
                to[row + x] = sum * share
                sum += from[row + min(x + radius + 1, width - 1)] - from[row + max(x - radius, 0)]
            }
        }
    }

    /// The product of each pair of values; both patches have the same size.
    func times(_ other: Patch) -> Patch {
        var result = self
        for i in 0..<values.count { result.values[i] *= other.values[i] }
        return result
    }

    /// What a blur of one eighth of the face's size takes away.
    func detail(faceSize: Int) -> Patch {
        let radius = max(1, Int((Double(faceSize) / 16).rounded(.toNearestOrEven)))
        var result = blurred(radius: radius)
        for i in 0..<values.count { result.values[i] = values[i] - result.values[i] }
        return result
    }
}

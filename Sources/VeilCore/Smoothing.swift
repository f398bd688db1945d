#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Steadies the boxes of one track over time and never uncovers what they covered.
///
/// 1. The centre becomes that of a line fitted to its neighbours with Gaussian weights (local linear regression): no lag
///    in either direction of time, and steady motion stays as it is.
/// 2. The centre may leave the box's own by no more than `maximumShift` of its half sizes, so that fast motion and jumps
///    don't blow the box up.
/// 3. Around that centre, half sizes a and b become a(1 + ρ) and b(1 + ρ), where ρ is the shift in half sizes: the
///    smallest growth in proportion that holds the whole ellipse inscribed in the given box, and with it the box.
/// 4. Half sizes become the largest of their neighbours within `reach`, then a mean of these with triangular weights of
///    the same reach. Each of those largest had the frame's own among its neighbours, so the mean isn't less.
public struct BoxSmoother: Sendable, Hashable {
    /// How far around a frame sizes are compared, in seconds; the Gaussian's standard deviation is half of it.
    public var reach = 0.2
    /// At low frame rates the reach grows to so many boxes on each side …
    public var boxesInReach = 5.0
    /// … but not beyond this, in seconds: where boxes are further apart than that, nothing is smoothed.
    public var maximumReach = 0.5
    /// In half sizes of a box.
    public var maximumShift = 0.4
    /// Boxes on each side that are looked at, however close in time.
    public var maximumNeighbours = 64

    public init() {}

    /// The smoothed boxes, one for each given; each contains its own, apart from rounding (1e-9 of its size).
    ///
    /// So does the ellipse inscribed in the smoothed box that of the given one. The cost: where a still face's boxes are
    /// off by up to 2 % in place and size, areas grow by a tenth on average and by a sixth at the very most.
    ///
    /// - Parameters:
    ///   - boxes: finite, of one track, without a scene cut among them.
    ///   - times: in seconds; spaced as they like. A time that is before the one ahead of it counts as that.
    public func smooth(_ boxes: [NormalizedRect], times: [Double]) -> [NormalizedRect] {
        precondition(boxes.count == times.count, "as many times as boxes")
        guard boxes.count > 1 else { return boxes }
        let times = ascending(times)
        let reach = reach(times)
        let sigma = reach / 2
        var centers: [NormalizedPoint] = []
        var halves: [(x: Double, y: Double)] = []
        centers.reserveCapacity(boxes.count)
        halves.reserveCapacity(boxes.count)
        for (index, window) in windows(times, within: 3 * sigma).enumerated() {
            let box = boxes[index]
            let (a, b) = (max(box.width, 0) / 2, max(box.height, 0) / 2)
            var center = lineAt(index, boxes: boxes, times: times, window: window, sigma: sigma)
            var (u, v) = (a > 0 ? (center.x - box.center.x) / a : 0, b > 0 ? (center.y - box.center.y) / b : 0)
            let shift = hypot(u, v)
            if shift > maximumShift {
                u *= maximumShift / shift
                v *= maximumShift / shift
            }
            center = NormalizedPoint(x: box.center.x + u * a, y: box.center.y + v * b)
            let growth = 1 + min(shift, maximumShift)
            centers.append(center)
            halves.append((a * growth, b * growth))
        }
        let neighbours = windows(times, within: reach)
        let largest = neighbours.map { window in
            window.reduce((x: 0.0, y: 0.0)) { (max($0.x, halves[$1].x), max($0.y, halves[$1].y)) }
        }
        return boxes.indices.map { index in
            var (sum, x, y) = (0.0, 0.0, 0.0)
            for neighbour in neighbours[index] {
                // Weights above 0 at the window's ends, so that a lone box is still its own mean.
                let distance = abs(times[neighbour] - times[index])
                let weight = reach > 0 ? max(0.05, 1.05 - distance / reach) : 1
                sum += weight
                x += weight * largest[neighbour].x
                y += weight * largest[neighbour].y
            }
            return NormalizedRect(center: centers[index], width: 2 * x / sum, height: 2 * y / sum)
        }
    }

    /// The reach for boxes that are so far apart, in seconds.
    private func reach(_ times: [Double]) -> Double {
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
        let usual = gaps.isEmpty ? 0 : gaps[gaps.count / 2]
        return max(reach, min(boxesInReach * usual, maximumReach))
    }

    /// The centre at a frame of the line that fits its neighbours best.
    private func lineAt(
        _ index: Int, boxes: [NormalizedRect], times: [Double], window: Range<Int>, sigma: Double
    ) -> NormalizedPoint {
        // Sums of weights w, and of w times t, t², x, y, tx, ty, with t and the centres as offsets from the frame's own.
        var (w, t1, t2, x0, y0, x1, y1) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        let origin = boxes[index].center
        for neighbour in window {
            let t = (times[neighbour] - times[index]) / sigma
            let weight = exp(-t * t / 2)
            let center = boxes[neighbour].center
            let (x, y) = (center.x - origin.x, center.y - origin.y)
            w += weight
            t1 += weight * t
            t2 += weight * t * t
            x0 += weight * x
            y0 += weight * y
            x1 += weight * t * x
            y1 += weight * t * y
        }
        let determinant = w * t2 - t1 * t1
        // All at one time: no line, take the mean.
        guard determinant > 1e-9 * w * w else { return NormalizedPoint(x: origin.x + x0 / w, y: origin.y + y0 / w) }
        return NormalizedPoint(
            x: origin.x + (t2 * x0 - t1 * x1) / determinant, y: origin.y + (t2 * y0 - t1 * y1) / determinant)
    }

    /// For each time the range of those within a distance of it. If i is in j's range then j is in i's.
    private func windows(_ times: [Double], within distance: Double) -> [Range<Int>] {
        // So that rounding of times doesn't decide about a box that lies just at the end.
        let distance = distance + 1e-6
        var (first, end) = (0, 0)
        return times.indices.map { index in
            while times[index] - times[first] > distance || index - first > maximumNeighbours { first += 1 }
            while end < times.count, times[end] - times[index] <= distance, end - index <= maximumNeighbours {
                end += 1
            }
            return first..<end
        }
    }

    private func ascending(_ times: [Double]) -> [Double] {
        var latest = -Double.infinity
        let finite = times.map { $0.isFinite ? $0 : -.infinity }
        let base = finite.first { $0.isFinite } ?? 0
        return finite.map { time in
            latest = max(latest, max(time, base))
            return latest
        }
    }
}

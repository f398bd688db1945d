import Foundation
import Testing
import VeilCore

@Suite struct SmoothingTests {
    /// A still face with each edge and centre off by up to 2 % of its size.
    static func stillFace(_ seed: Int, rate: Double, count: Int) -> ([NormalizedRect], [Double]) {
        var random = SeededGenerator(seed)
        let (width, height) = (0.08, 0.12)
        let boxes = (0..<count).map { _ in
            NormalizedRect(
                center: NormalizedPoint(
                    x: 0.4 + width * random.double(-0.02...0.02), y: 0.5 + height * random.double(-0.02...0.02)),
                width: width * (1 + random.double(-0.02...0.02)), height: height * (1 + random.double(-0.02...0.02)))
        }
        return (boxes, (0..<count).map { Double($0) / rate })
    }

    private func expectCovered(_ boxes: [NormalizedRect], _ smoothed: [NormalizedRect]) {
        #expect(smoothed.count == boxes.count)
        for (box, result) in zip(boxes, smoothed) {
            #expect(result.contains(box, tolerance: 1e-9 * max(box.width, box.height)))
            // The ellipse inscribed in the box lies in that of the result.
            for step in 0..<32 {
                let t = Double(step) * .pi / 16
                let x = box.center.x + box.width / 2 * cos(t)
                let y = box.center.y + box.height / 2 * sin(t)
                let distance = hypot(
                    (x - result.center.x) / (result.width / 2), (y - result.center.y) / (result.height / 2))
                #expect(distance <= 1 + 1e-9)
            }
        }
    }

    @Test(arguments: [10.0, 24, 25, 30, 50, 60, 120], 0..<8)
    func `a still face with noisy boxes stays still and hardly grows`(_ rate: Double, _ seed: Int) {
        let (boxes, times) = Self.stillFace(seed, rate: rate, count: 300)
        let smoothed = BoxSmoother().smooth(boxes, times: times)
        expectCovered(boxes, smoothed)
        for (before, after) in zip(smoothed, smoothed.dropFirst()) {
            #expect(abs(after.center.x - before.center.x) < 0.01 * 0.08)
            #expect(abs(after.center.y - before.center.y) < 0.01 * 0.12)
            #expect(abs(after.width - before.width) < 0.01 * 0.08)
            #expect(abs(after.height - before.height) < 0.01 * 0.12)
        }
        let growth = smoothed.map { $0.area / (0.08 * 0.12) }
        #expect(growth.reduce(0, +) / Double(growth.count) < 1.15)
        // Both offsets and both sizes at their worst at once would need 1.02² · (1 + √2 · 0.04)² = 1.16 with the true centre.
        for each in growth { #expect(each < 1.17) }
    }

    @Test(arguments: 0..<60)
    func `random walks, jumps and uneven times never uncover a frame`(_ seed: Int) {
        var random = SeededGenerator(seed)
        var center = NormalizedPoint(x: 0.5, y: 0.5)
        var size = random.double(0.01...0.3)
        var (boxes, times, time): ([NormalizedRect], [Double], Double) = ([], [], 0)
        let speed = ([0.02, 0.2, 1] as [Double]).randomElement(using: &random) ?? 1
        for _ in 0..<Int.random(in: 1...200, using: &random) {
            center.x += size * random.double(-speed...speed)
            center.y += size * random.double(-speed...speed)
            size = min(0.5, max(0.005, size * random.double(0.9...1.1)))
            if Int.random(in: 0..<30, using: &random) == 0 {
                center = NormalizedPoint(x: random.double(-0.2...1.2), y: random.double(-0.2...1.2))
                size = random.double(0.01...0.3)
            }
            boxes.append(NormalizedRect(center: center, width: size, height: size * random.double(0.8...1.6)))
            times.append(time)
            // Sometimes no step at all, or one backwards, as in broken files.
            time += seed % 4 == 0 ? random.double(-0.02...0.1) : random.double(0...0.08)
        }
        expectCovered(boxes, BoxSmoother().smooth(boxes, times: times))
    }

    @Test func `steady motion has no lag and grows little`() {
        let times = (0..<100).map { Double($0) / 25 }
        let boxes = times.map { NormalizedRect(x: $0 * 0.2, y: 0.3, width: 0.1, height: 0.15) }
        let smoothed = BoxSmoother().smooth(boxes, times: times)
        for (box, result) in zip(boxes, smoothed) {
            #expect(abs(result.center.x - box.center.x) < 1e-9)
            #expect(result.area < box.area * 1.0001)
        }
    }

    @Test func `a sudden start grows the box no more than its bound`() {
        let times = (0..<100).map { Double($0) / 25 }
        let boxes = (0..<100).map { NormalizedRect(x: $0 < 50 ? 0.1 : 0.8, y: 0.3, width: 0.1, height: 0.15) }
        let smoother = BoxSmoother()
        let smoothed = smoother.smooth(boxes, times: times)
        expectCovered(boxes, smoothed)
        for result in smoothed { #expect(result.width <= 0.1 * (1 + smoother.maximumShift) + 1e-9) }
        // Away from the jump nothing changes.
        #expect(abs(smoothed[10].width - 0.1) < 1e-9 && abs(smoothed[90].width - 0.1) < 1e-9)
    }

    @Test func `the same series backwards gives the same boxes backwards`() {
        let (boxes, times) = Self.stillFace(5, rate: 25, count: 60)
        let forwards = BoxSmoother().smooth(boxes, times: times)
        let last = times.last ?? 0
        let backwards = BoxSmoother().smooth(boxes.reversed(), times: times.reversed().map { last - $0 })
        for (a, b) in zip(forwards, backwards.reversed()) {
            #expect(a.contains(b, tolerance: 1e-9) && b.contains(a, tolerance: 1e-9))
        }
    }

    @Test func `none, one, equal times and times that are no numbers are taken`() {
        let box = NormalizedRect(x: 0.1, y: 0.1, width: 0.2, height: 0.2)
        let smoother = BoxSmoother()
        #expect(smoother.smooth([], times: []).isEmpty)
        #expect(smoother.smooth([box], times: [3]) == [box])
        let moved = box.offset(dx: 0.01, dy: 0)
        for times in [[0, 0, 0], [.nan, .nan, .nan], [5, .infinity, -.infinity]] as [[Double]] {
            expectCovered([box, moved, box], smoother.smooth([box, moved, box], times: times))
        }
        // Any number of boxes at one time takes time in proportion.
        let many = [NormalizedRect](repeating: box, count: 20_000)
        #expect(smoother.smooth(many, times: [Double](repeating: 0, count: 20_000)).count == 20_000)
    }
}

import Glibc
import Synchronization
import Testing
import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

@testable import VeilLive

/// A detector that makes a network for each size, until `rest` lets go of them, and takes as long as the area says.
private final class SizedDetector: FaceDetector {
    private struct State {
        var sizes: Set<CanvasSize> = []
        /// Networks that were made for a real look, which was late by it.
        var madeLate = 0
    }

    private let state = Mutex(State())
    private let secondsPerPixel: Mutex<Double>

    init(secondsPerPixel: Double) { self.secondsPerPixel = Mutex(secondsPerPixel) }

    func slowDown(by factor: Double) { secondsPerPixel.withLock { $0 *= factor } }

    var sizes: Set<CanvasSize> { state.withLock { $0.sizes } }
    var madeLate: Int { state.withLock { $0.madeLate } }

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        let isNew = state.withLock { state in
            let isNew = state.sizes.insert(look.canvas).inserted
            // Sizes that are tried ask for the surest faces only.
            if isNew, look.threshold < 1 { state.madeLate += 1 }
            return isNew
        }
        if isNew { usleep(200_000) }
        let pixels = Double(look.canvas.width * look.canvas.height)
        usleep(UInt32(pixels * secondsPerPixel.withLock { $0 } * 1e6))
        return []
    }

    func rest() { state.withLock { $0.sizes = [] } }
}

@Suite struct `The detector beside a live picture` {
    @Test func `keeps the networks that it uses, and makes them before they are needed`() throws {
        let reports = Atomic<Int>(0)
        let picture = try SharedFrame(width: 1280, height: 768, luma: Array(repeating: 9, count: 1280 * 768))
        // Some size in the middle takes about the time that a look may take.
        let detector = SizedDetector(secondsPerPixel: 0.0245 / (512 * 307))
        let lane = DetectorLane(detector, size: nil, threshold: 0.2) { _ in reports.add(1, ordering: .relaxed) }
        lane.start()
        var next = 0
        func play(looks: Int) {
            let goal = reports.load(ordering: .relaxed) + looks
            let end = monotonicSeconds() + 60
            while reports.load(ordering: .relaxed) < goal, monotonicSeconds() < end {
                lane.look(at: DetectionJob(picture: picture, frame: next, time: Double(next) / 30))
                next += 1
                usleep(20_000)
            }
        }
        play(looks: 3)
        #expect(detector.sizes.count == 2 && detector.madeLate == 0, "\(detector.sizes)")
        // A smaller size is chosen now, and the larger one is let go.
        detector.slowDown(by: 4)
        let before = detector.sizes.map(\.width).max() ?? 0
        func isSmaller() -> Bool { detector.sizes.count == 1 && detector.sizes.allSatisfy { $0.width < before } }
        for _ in 0..<60 where !isSmaller() { play(looks: 1) }
        #expect(isSmaller(), "\(detector.sizes)")
        // 448 pixels take 75 ms now. Making networks takes long, and mustn't count: each would make the next smaller.
        play(looks: 60)
        #expect(detector.sizes.allSatisfy { $0.width >= 384 }, "\(detector.sizes)")
        lane.stop()
    }
}

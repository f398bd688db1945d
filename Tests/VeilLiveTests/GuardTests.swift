import Testing
import VeilTestSupport
import VeilVision

@testable import VeilLive

@Suite struct `The guard of a live picture` {
    private let rate = 30.0

    private func guardian(failsOpen: Bool = false) -> LiveGuard { LiveGuard(maxAge: 0.25, failsOpen: failsOpen) }

    private func verdict(_ state: LiveGuard, _ frame: Int) -> LiveGuard.Verdict {
        state.verdict(frame: frame, time: Double(frame) / rate)
    }

    @Test func `covers everything before the first detection has finished`() {
        #expect(verdict(guardian(), 0) == .whole(.beforeFirst))
        #expect(verdict(guardian(), 100) == .whole(.beforeFirst))
    }

    @Test func `uncovers frames from the first detection on, and covers them again when it gets too old`() {
        var state = guardian()
        state.detected(frame: 3, time: 0.1)
        #expect(verdict(state, 3) == .faces)
        #expect(verdict(state, 10) == .faces)
        #expect(verdict(state, 11) == .whole(.stale))
        state.detected(frame: 9, time: 0.3)
        #expect(verdict(state, 11) == .faces)
    }

    @Test func `takes no old detection for a new one where the source's clock stands still`() {
        var state = guardian()
        state.detected(frame: 3, time: 0.1, arrival: 50)
        #expect(state.verdict(frame: 4, time: 0.1001, arrival: 50.7) == .faces)
        #expect(state.verdict(frame: 5, time: 0.1002, arrival: 50.8) == .whole(.stale))
        // Nor the other way round.
        #expect(state.verdict(frame: 6, time: 0.4, arrival: 50.05) == .whole(.stale))
    }

    @Test func `covers a picture that has become much sharper than the one that was searched`() {
        var state = guardian()
        state.detected(frame: 3, time: 0.1, sharpness: 10)
        #expect(state.verdict(frame: 4, time: 0.13, sharpness: 12.9) == .faces)
        #expect(state.verdict(frame: 5, time: 0.16, sharpness: 13.1) == .whole(.sharper))
        // What is less sharp shows no more.
        #expect(state.verdict(frame: 5, time: 0.16, sharpness: 1) == .faces)
        state.detected(frame: 5, time: 0.16, sharpness: 14.1)
        #expect(state.verdict(frame: 6, time: 0.2, sharpness: 14.1) == .faces)
        // Flat pictures have no sharpness to speak of.
        state.detected(frame: 7, time: 0.23, sharpness: 0.1)
        #expect(state.verdict(frame: 20, time: 0.45, sharpness: 0.9) == .faces)
        #expect(guardian(failsOpen: true).verdict(frame: 5, time: 0.16, sharpness: 99) == .faces)
    }

    @Test func `sharpness falls with blur and doesn't depend on the picture's size`() {
        func stripes(_ width: Int, _ height: Int, blur: Int) -> LumaPicture {
            // Stripes of 8 pixels, slanted, their edges as wide as the blur.
            let samples = (0..<width * height).map { index -> UInt8 in
                let place = (index % width + index / width) % 16
                let sum = (0..<blur).reduce(0) { $0 + ((place + $1) % 16 < 8 ? 40 : 200) }
                return UInt8(sum / blur)
            }
            return LumaPicture(width: width, height: height, samples: samples)
        }
        let sharp = Sharpness.of(stripes(160, 96, blur: 1))
        #expect(sharp > 1.9 * Sharpness.of(stripes(160, 96, blur: 2)))
        #expect(Sharpness.of(stripes(160, 96, blur: 2)) > 1.3 * Sharpness.of(stripes(160, 96, blur: 4)))
        #expect(abs(Sharpness.of(stripes(480, 272, blur: 1)) / sharp - 1) < 0.02)
        #expect(Sharpness.of(LumaPicture(width: 2, height: 2, samples: [0, 255, 255, 0])) == 0)
    }

    @Test func `covers a new scene until a frame of it was looked at`() {
        var state = guardian()
        state.detected(frame: 8, time: 8 / rate)
        state.breaks(at: 10)
        #expect(verdict(state, 9) == .faces)
        #expect(verdict(state, 10) == .whole(.sceneChange))
        // A look at the old scene that comes in late vouches for nothing.
        state.detected(frame: 9, time: 9 / rate)
        #expect(verdict(state, 11) == .whole(.sceneChange))
        state.detected(frame: 11, time: 11 / rate)
        #expect(verdict(state, 12) == .faces)
        // Nor does the new scene vouch for the old one.
        state.breaks(at: 30)
        state.detected(frame: 30, time: 1)
        #expect(verdict(state, 29) == .whole(.stale))
    }

    @Test func `covers everything after a failure until a newer frame was looked at`() {
        var state = guardian()
        state.detected(frame: 3, time: 0.1)
        state.detectionFailed(frame: 6)
        #expect(verdict(state, 7) == .whole(.failed))
        state.detected(frame: 5, time: 5 / rate)
        #expect(verdict(state, 7) == .whole(.failed))
        state.detected(frame: 6, time: 6 / rate)
        #expect(verdict(state, 7) == .whole(.failed))
        state.detected(frame: 7, time: 7 / rate)
        #expect(verdict(state, 8) == .faces)
    }

    @Test func `covers a broken frame whatever was seen`() {
        var state = guardian()
        state.detected(frame: 3, time: 0.1)
        #expect(state.verdict(frame: 3, time: 0.1, isDamaged: true) == .whole(.damaged))
    }

    @Test func `lets a look at a later frame vouch for one that was held back`() {
        var state = guardian()
        state.breaks(at: 10)
        state.detected(frame: 13, time: 13 / rate)
        #expect(verdict(state, 10) == .faces)
        #expect(verdict(state, 9) != .faces)
    }

    @Test func `shows all when it is told to fail open`() {
        var state = guardian(failsOpen: true)
        #expect(verdict(state, 0) == .faces)
        state.breaks(at: 5)
        state.detectionFailed(frame: 6)
        #expect(verdict(state, 7) == .faces)
        #expect(state.verdict(frame: 8, time: 100, isDamaged: true) == .faces)
    }

    /// Events in any order: whatever happens, a frame is uncovered only if a success of its scene is near enough and
    /// newer than any failure.
    @Test(arguments: 0..<40)
    func `never uncovers a frame that nothing vouches for`(seed: Int) {
        var random = Numbers(seed)
        var state = guardian()
        var (breaks, seen, failures) = ([0], [Int](), [Int]())
        for frame in 0..<200 {
            if Int.random(in: 0..<20, using: &random) == 0 {
                breaks.append(frame)
                state.breaks(at: frame)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let looked = max(0, frame - Int.random(in: 0..<12, using: &random))
                if Int.random(in: 0..<6, using: &random) == 0 {
                    failures.append(looked)
                    state.detectionFailed(frame: looked)
                } else {
                    seen.append(looked)
                    state.detected(frame: looked, time: Double(looked) / rate)
                    failures.removeAll { $0 < looked }
                }
            }
            guard verdict(state, frame) == .faces else { continue }
            let start = breaks.last { $0 <= frame } ?? 0
            #expect(failures.isEmpty)
            #expect(seen.contains { $0 >= start && abs(frame - $0) <= 7 })
        }
    }
}

import Foundation
import Testing

@testable import LeakCounter

@Suite struct LeakTallyTests {
    private let picture = Luma.noisy(width: 120, height: 100)
    /// Grown by its own size on every side, it takes columns 0..<61 and rows 0..<61.
    private let face = TruthFace(id: "a", x: 20, y: 20, width: 20, height: 20)
    private var outside: Int { 120 * 100 - 61 * 61 }

    @Test func `touched is the share of the outside that changed by more than 24 levels`() {
        let flat = Luma.flat(width: 120, height: 100, 100)
        var redacted = flat.changed(x: 100..<110, y: 80..<90) { $0 + 25 }
        redacted = redacted.changed(x: 80..<90, y: 80..<90) { $0 + 24 }
        // Inside the grown face anything may change.
        redacted = redacted.covered(x: 0..<61, y: 0..<61)
        var tally = LeakTally()
        tally.add(original: flat, redacted: redacted, faces: [face])
        #expect(tally.touched == 100 / Double(outside))
    }

    @Test func `touched is the mean over frames`() {
        let flat = Luma.flat(width: 10, height: 10, 100)
        let redacted = flat.changed(x: 0..<5, y: 0..<10) { $0 - 30 }
        var tally = LeakTally()
        for picture in [redacted, flat, flat, flat] { tally.add(original: flat, redacted: picture, faces: []) }
        #expect(tally.touched == 0.125)
    }

    @Test func `one pixel beside the grown face counts, the last one inside doesn't`() {
        let flat = Luma.flat(width: 120, height: 100, 100)
        var tally = LeakTally()
        tally.add(original: flat, redacted: flat.covered(x: 60..<61, y: 60..<61), faces: [face])
        #expect(tally.outsidePSNR == 99)
        tally.add(
            original: flat, redacted: flat.changed(x: 61..<62, y: 60..<61) { $0 + 100 }, faces: [face])
        #expect(tally.touched == 1 / Double(outside) / 2)
    }

    @Test func `the outside's PSNR is that of its mean square error`() throws {
        let flat = Luma.flat(width: 120, height: 100, 100)
        let redacted = flat.changed(x: 0..<120, y: 0..<100) { $0 + 10 }
        var tally = LeakTally()
        tally.add(original: flat, redacted: redacted, faces: [face])
        let psnr = try #require(tally.outsidePSNR)
        #expect(abs(psnr - 20 * log10(25.5)) < 1e-9)
    }

    @Test func `a frame that is all face has no outside`() {
        var tally = LeakTally()
        tally.add(
            original: picture, redacted: picture, faces: [TruthFace(x: 30, y: 30, width: 60, height: 50)])
        #expect(tally.outsidePSNR == nil)
        #expect(tally.touched == 0)
    }

    @Test func `leaks, people and the longest run are counted`() {
        let other = TruthFace(id: "b", x: 70, y: 50, width: 24, height: 30)
        let hidden = picture.covered(x: 20..<40, y: 20..<40)
        var tally = LeakTally()
        for redacted in [picture, picture, picture, hidden, picture, picture] {
            tally.add(
                original: picture, redacted: redacted.covered(x: 70..<94, y: 50..<80), faces: [face, other])
        }
        #expect(tally.frames == 6)
        #expect(tally.faceFrames == 12)
        #expect(tally.leaked == 5)
        #expect(tally.leaks.map(\.frame) == [0, 1, 2, 4, 5])
        #expect(tally.tracks == 2)
        #expect(tally.leakingTracks == 1)
        #expect(tally.longestRun == 3)
    }

    @Test func `difficult faces, small ones and ones without detail aren't counted`() {
        var difficult = face
        difficult.isDifficult = true
        let small = TruthFace(id: "s", x: 70, y: 50, width: 23, height: 40)
        let least = TruthFace(id: "l", x: 70, y: 50, width: 24, height: 40)
        var tally = LeakTally(minimumFace: 24)
        tally.add(original: picture, redacted: picture, faces: [difficult, small, least])
        #expect(tally.faceFrames == 1)
        #expect(tally.leaked == 1)
        let flat = Luma.flat(width: 120, height: 100, 50)
        tally.add(original: flat, redacted: flat, faces: [least])
        #expect(tally.faceFrames == 1)
        #expect(tally.withoutDetail == 1)
    }
}

import Testing
import VeilTestSupport

@testable import VeilMedia

/// Pieces of sound of 21 ms, whose times are only roughly known.
@Suite struct SoundAlignmentTests {
    private static let piece = 1024.0 / 48_000

    /// Plays pieces that were taken at `time(i)`, and gives how far each comes out from there, and how often it was moved.
    private func play(_ count: Int, jitter: Double = 0, seed: Int = 1, time: (Int) -> Double) -> (
        off: [Double], moves: Int
    ) {
        var numbers = Numbers(seed)
        var alignment = SoundAlignment()
        var (next, moves, off) = (0.0, 0, [Double]())
        for i in 0..<count {
            let said = time(i) + (jitter > 0 ? Double.random(in: -jitter...jitter, using: &numbers) : 0)
            let move = alignment.move(for: said - next, lasting: Self.piece)
            if move != 0 { moves += 1 }
            next += move
            off.append(next - time(i))
            next += Self.piece
        }
        return (off, moves)
    }

    @Test(arguments: 0..<8)
    func `sound stays in its place however unsteady its times are`(seed: Int) {
        let (off, moves) = play(3000, jitter: 0.08, seed: seed) { Double($0) * Self.piece }
        #expect(off.allSatisfy { abs($0) < 0.1 })
        // A minute of it; now and then the jitter is one-sided for half a second.
        #expect(moves < 30, "\(moves)")
    }

    @Test(arguments: [0.999, 1.001, 0.97, 1.03])
    func `sound follows a clock that is slow or fast`(speed: Double) {
        let (off, moves) = play(3000) { Double($0) * Self.piece * speed }
        #expect(off.allSatisfy { abs($0) < 0.08 }, "\(off.map(abs).max() ?? 0)")
        #expect(moves > 0)
    }

    @Test(arguments: [2.0, -2.0])
    func `sound is in its place at once after a jump`(jump: Double) {
        let (off, moves) = play(500) { Double($0) * Self.piece + ($0 < 250 ? 0 : jump) }
        #expect(off.allSatisfy { abs($0) < 1e-6 } && moves == 1)
    }
}

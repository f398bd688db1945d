import CFFmpeg
import Testing

@testable import VeilMedia

@Suite struct SoundLineTests {
    private static let rate: Int64 = 48000
    private static let piece: Int64 = 960

    /// How much of each piece is kept, and where it begins, as the transcoder does it.
    private func lay(_ starts: [Int64]) -> [(start: Int64, count: Int64)] {
        var line = SoundLine()
        var end: Int64?
        return starts.map { given in
            var (start, count) = (end ?? given, Self.piece)
            if let expected = end {
                switch line.place(given, expected: expected, length: Self.piece, rate: Self.rate) {
                case .follows: break
                case .pause(let time): start = time
                case .overlap(let excess): count -= excess
                }
            }
            end = start &+ count
            return (start, count)
        }
    }

    private func starts(_ count: Int, _ change: (Int) -> Int64) -> [Int64] {
        (0..<count).map { Int64($0) * Self.piece + change($0) * Self.rate / 1000 }
    }

    @Test(arguments: [60, 100, 300, 500, 999] as [Int64])
    func `a jump back is counted once, and what follows has its own time`(jump: Int64) throws {
        let pieces = lay(starts(200) { $0 < 50 ? 0 : -jump })
        let lost = 200 * Self.piece - pieces.reduce(0) { $0 + $1.count }
        #expect(lost == jump * Self.rate / 1000)
        #expect(
            pieces[..<50].allSatisfy { $0.count == Self.piece } && pieces[110...].allSatisfy { $0.count == Self.piece })
        let last = try #require(pieces.last)
        #expect(last.start == 199 * Self.piece - jump * Self.rate / 1000)
    }

    @Test(arguments: [-40, 40, 5] as [Int64])
    func `rounding is no jump`(by: Int64) {
        #expect(lay(starts(100) { $0 < 50 ? 0 : by }).allSatisfy { $0.count == Self.piece })
    }

    @Test func `a pause is kept`() {
        let pieces = lay(starts(100) { $0 < 50 ? 0 : 400 })
        #expect(pieces.allSatisfy { $0.count == Self.piece } && pieces[50].start == 50 * Self.piece + 19200)
    }

    @Test func `sound that begins anew follows, and isn't lost`() {
        let pieces = lay(starts(200) { $0 < 100 ? 0 : -2000 })
        #expect(pieces.allSatisfy { $0.count == Self.piece } && pieces[199].start == 199 * Self.piece)
        // A pause in the second part is one, too.
        let more = lay(starts(200) { $0 < 100 ? 0 : $0 < 150 ? -2000 : -1500 })
        #expect(more.allSatisfy { $0.count == Self.piece } && more[199].start == 199 * Self.piece + 24000)
    }

    @Test func `a single wrong time moves nothing else`() {
        for wrong in [-100, -5000, -1_000_000] as [Int64] {
            let pieces = lay(starts(100) { $0 == 50 ? wrong : 0 })
            #expect(
                pieces.count { $0.count != Self.piece } <= 1 && abs(pieces[99].start - 99 * Self.piece) <= Self.piece)
        }
    }

    @Test func `hostile times bring nothing down`() {
        let extremes: [Int64] = [0, -1, 1 << 60, -1 << 60, 1, (1 << 60) - 1, 1 << 59, -(1 << 59)]
        var state: UInt64 = 3
        for _ in 0..<200 {
            _ = lay(
                (0..<60).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return extremes[Int(state >> 61)]
                })
        }
    }
}

@Suite struct TickTimeTests {
    private let milliseconds = AVRational(num: 1, den: 1000)
    private let samples = AVRational(num: 1, den: 48000)

    @Test func `times are brought to another base, and what is none stays none`() {
        #expect(TickTime.rescale(500, from: milliseconds, to: samples) == 24000)
        #expect(TickTime.rescale(-500, from: milliseconds, to: samples) == -24000)
        for ticks in [1 << 59, -(1 << 59), .max, .min, (1 << 60) + 1] as [Int64] {
            #expect(TickTime.rescale(ticks, from: milliseconds, to: samples) == nil, "\(ticks)")
        }
        #expect(TickTime.rescale(5, from: AVRational(num: 0, den: 0), to: samples) == nil)
        #expect(TickTime.rescale(5, from: milliseconds, to: AVRational(num: 1, den: 0)) == nil)
    }

    @Test func `moving is guarded`() {
        #expect(TickTime.moved(5, by: -7) == -2)
        for ticks in [cff_no_pts, .max, (1 << 60) + 1] as [Int64] {
            #expect(TickTime.moved(ticks, by: 3) == cff_no_pts)
        }
        #expect(TickTime.moved(1 << 60, by: 1) == cff_no_pts && TickTime.moved(0, by: .min) == cff_no_pts)
    }
}

import Testing
import VeilCore

@testable import VeilStills

@Suite struct StillTracksTests {
    private func face(_ x: Double) -> Detection {
        Detection(bounds: NormalizedRect(x: x, y: 0.2, width: 0.2, height: 0.2), score: 0.9)
    }

    @Test func `a face that some frames hide is covered there too, and one frame beyond its ends`() {
        var tracks = StillTracks()
        let found: [[Detection]] = [[], [face(0.1)], [], [], [face(0.16)], [], []]
        var frames = found.indices.map { index in
            PlannedFrame(
                pts: Int64(index * 100), regions: tracks.take(found[index], frame: index, pts: Int64(index * 100)))
        }
        tracks.fill(&frames)
        #expect(frames.map(\.regions.count) == [1, 1, 1, 1, 1, 1, 0])
        #expect(tracks.summaries.count == 1)
        #expect(tracks.summaries[0].firstPTS == 0 && tracks.summaries[0].lastPTS == 500)
        let centers = frames.prefix(6).compactMap { $0.regions.first?.shape.center.x }
        for (found, wanted) in zip(centers, [0.2, 0.2, 0.22, 0.24, 0.26, 0.26]) { #expect(abs(found - wanted) < 1e-9) }
    }

    @Test func `two faces keep their tracks`() {
        var tracks = StillTracks()
        let first = tracks.take([face(0.1), face(0.6)], frame: 0, pts: 0)
        let second = tracks.take([face(0.62), face(0.12)], frame: 1, pts: 100)
        #expect(first.map(\.track) == [0, 1] && second.map(\.track) == [1, 0])
    }
}

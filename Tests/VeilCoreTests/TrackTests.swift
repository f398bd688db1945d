import Testing
import VeilCore

private let box = NormalizedRect(x: 0.4, y: 0.3, width: 0.1, height: 0.2)

private func seen(_ score: Double, at x: Double = 0.4) -> Detection {
    Detection(bounds: NormalizedRect(x: x, y: 0.3, width: 0.1, height: 0.2), score: score)
}

@Suite struct TrackTests {
    @Test func `a track has a sample for every frame from its first to its last`() {
        var track = Track(id: 3, frame: 10, detection: seen(0.8))
        track.follow(to: box, certainty: 0.9)
        track.see(seen(0.4))
        track.precede(with: box, certainty: 0.7)
        track.precede(with: box, certainty: 0.6)
        #expect(track.id == 3)
        #expect(track.samples.map(\.frame) == [8, 9, 10, 11, 12])
        #expect(track.samples.map(\.origin) == [.extended, .extended, .detected, .extended, .detected])
        #expect(track.samples.map(\.certainty) == [0.6, 0.7, 0.8, 0.9, 0.4])
        #expect((track.firstFrame, track.lastFrame) == (8, 12))
        #expect((track.firstSeen, track.lastSeen) == (10, 12))
        #expect(track.last.frame == 12)
        #expect(track.bestScore == 0.8 && abs(track.meanScore - 0.6) < 1e-12)
        for frame in 8...12 { #expect(track[frame: frame]?.frame == frame) }
        #expect(track[frame: 7] == nil && track[frame: 13] == nil)
    }

    @Test func `filling replaces samples inside and nothing outside`() {
        var track = Track(id: 1, frame: 5, detection: seen(0.8))
        track.follow(to: box, certainty: 0.2)
        track.see(seen(0.7))
        let between = TrackSample(frame: 6, box: .whole, otherBox: box, origin: .interpolated, certainty: 0.5)
        track.fill(between)
        #expect(track[frame: 6] == between)
        let before = track
        for frame in [4, 8, -1] {
            track.fill(TrackSample(frame: frame, box: .whole, origin: .interpolated, certainty: 0.5))
        }
        #expect(track == before)
    }

    @Test func `cutting drops what comes after and never the first sample`() {
        var track = Track(id: 1, frame: 5, detection: seen(0.8))
        for _ in 0..<4 { track.follow(to: box, certainty: 0.5) }
        track.cut(after: 20)
        #expect(track.lastFrame == 9)
        track.cut(after: 7)
        #expect(track.lastFrame == 7)
        track.cut(after: 2)
        #expect(track.samples.map(\.frame) == [5] && track.lastSeen == 5)
    }

    @Test func `a second place is kept with the sighting that brought it`() {
        var track = Track(id: 1, frame: 0, detection: seen(0.8))
        track.see(seen(0.6, at: 0.5), alsoCovering: box)
        #expect(track.last.otherBox == box && track.last.box.x == 0.5)
        #expect(track.sightings.map(\.score) == [0.8, 0.6])
    }
}

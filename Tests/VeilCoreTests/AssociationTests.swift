import Testing

@testable import VeilCore

@Suite struct AssociationTests {
    private func face(_ x: Double, _ y: Double = 0.3, size: Double = 0.1) -> NormalizedRect {
        NormalizedRect(x: x, y: y, width: size, height: size * 1.3)
    }

    private func match(
        _ predicted: [NormalizedRect], _ detections: [(box: NormalizedRect, score: Double)], slack: Double = 0.1
    ) -> Association.Result {
        Association.match(
            predicted: predicted, slack: predicted.map { _ in slack },
            detections: detections.map { Detection(bounds: $0.box, score: $0.score) }, sure: 0.4)
    }

    @Test func `each track takes the detection at its place`() {
        let result = match([face(0.1), face(0.5)], [(face(0.51), 0.9), (face(0.8), 0.9), (face(0.11), 0.9)])
        #expect(Set(result.pairs) == [.init(track: 0, detection: 2), .init(track: 1, detection: 0)])
        #expect(result.newcomers == [1])
    }

    @Test func `a sure detection comes before a nearer unsure one`() {
        let result = match([face(0.3)], [(face(0.3), 0.2), (face(0.33), 0.9)])
        #expect(result.pairs == [.init(track: 0, detection: 1)])
        #expect(result.newcomers == [0])
    }

    @Test func `an unsure detection continues a track that no sure one continues`() {
        let result = match([face(0.3), face(0.6)], [(face(0.61), 0.15), (face(0.31), 0.8)])
        #expect(Set(result.pairs) == [.init(track: 0, detection: 1), .init(track: 1, detection: 0)])
        #expect(result.newcomers.isEmpty)
    }

    @Test func `all pairings at once beat the nearest first`() {
        // Both detections are nearest to the first track; taken greedily, the second track would go without.
        let result = match([face(0.30), face(0.36)], [(face(0.31), 0.9), (face(0.25), 0.9)])
        #expect(Set(result.pairs) == [.init(track: 0, detection: 1), .init(track: 1, detection: 0)])
    }

    @Test(arguments: [3.0, 1 / 3.0, 6, 1 / 6.0])
    func `a box of quite another size beside the track is somebody else`(factor: Double) {
        let track = face(0.3)
        let other = NormalizedRect(
            center: NormalizedPoint(x: track.center.x + 0.06, y: track.center.y), width: track.width * factor,
            height: track.height * factor)
        #expect(match([track], [(other, 0.9)]).newcomers == [0])
    }

    @Test(arguments: [0.5, 0.7, 1.4, 2])
    func `a face that comes nearer or goes away stays itself`(factor: Double) {
        let track = face(0.3)
        #expect(match([track], [(track.scaled(by: factor), 0.9)]).pairs.count == 1)
    }

    @Test func `how far a face may be grows with the slack and has an end`() {
        let track = face(0.3)
        let near = face(0.34)
        let far = face(0.42)
        let farthest = face(0.6)
        #expect(match([track], [(near, 0.9)], slack: 0).pairs.count == 1)
        #expect(match([track], [(far, 0.9)], slack: 0).pairs.isEmpty)
        #expect(match([track], [(far, 0.9)], slack: 0.6).pairs.count == 1)
        #expect(match([track], [(farthest, 0.9)], slack: 0.6).pairs.isEmpty)
    }

    @Test func `nothing matches nothing, and empty boxes match nobody`() {
        #expect(match([], []) == Association.Result())
        #expect(match([face(0.1)], []).pairs.isEmpty)
        #expect(match([], [(face(0.1), 0.9), (face(0.4), 0.1)]).newcomers == [0, 1])
        let empty = NormalizedRect(x: 0.1, y: 0.3, width: 0, height: 0)
        #expect(match([empty], [(empty, 0.9)]).pairs.isEmpty)
    }

    @Test(arguments: 0..<200)
    func `nothing is assigned twice and nothing is forgotten`(seed: Int) {
        var random = SeededGenerator(seed)
        func boxes() -> [NormalizedRect] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                // Close together, so that many could go with many.
                face(random.double(0...0.4), random.double(0...0.3), size: random.double(0.02...0.2))
            }
        }
        let predicted = boxes()
        let detections = boxes().map { Detection(bounds: $0, score: random.double(0...1)) }
        let result = Association.match(
            predicted: predicted, slack: predicted.map { _ in random.double(0...0.6) }, detections: detections,
            sure: 0.4)
        #expect(Set(result.pairs.map(\.track)).count == result.pairs.count)
        let used = result.pairs.map(\.detection) + result.newcomers
        #expect(used.sorted() == Array(detections.indices))
        #expect(result.pairs.allSatisfy { predicted.indices.contains($0.track) })
        #expect(result.newcomers == result.newcomers.sorted())
    }
}

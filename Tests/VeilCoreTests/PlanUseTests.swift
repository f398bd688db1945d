import Testing
import VeilCore

@Suite struct PlanUseTests {
    @Test func `another source is refused with the fields that differ`() throws {
        let plan = RedactionPlan.sample()
        var other = plan.source
        other.file = "renamed.mp4"
        other.duration += 0.0005
        try plan.check(against: other)
        other.size += 1
        other.frames += 1
        do throws(PlanError) {
            try plan.check(against: other)
            Issue.record("was taken")
        } catch {
            guard case .sourceMismatch(let differences) = error.reason else {
                Issue.record("another error: \(error)")
                return
            }
            #expect(differences.map(\.field) == [.size, .frames])
            #expect(differences.first?.found == "1235 bytes")
            #expect(error.description.contains("frames is 6, planned 5"))
        }
        try plan.check(against: other, ignoring: [.size, .frames])
    }

    @Test(arguments: SourceDescription.Field.allCases)
    func `every field of a source is compared`(_ field: SourceDescription.Field) throws {
        let plan = RedactionPlan.sample()
        var other = plan.source
        switch field {
        case .size: other.size = 1
        case .sha256: other.sha256 = String(repeating: "1", count: 64)
        case .width: other.width = 1
        case .height: other.height = 1
        case .timeBase: other.timeBase = Rational(2, 2000)
        case .duration: other.duration = .nan
        case .frames: other.frames = 1
        }
        #expect(plan.source.differences(from: other).map(\.field) == [field])
    }

    @Test func `a manual track is drawn along straight lines between its keyframes`() throws {
        let plan = try RedactionPlan.sample().expandingManualTracks()
        #expect(plan.manual.isEmpty)
        #expect(plan.tracks.last == TrackSummary(id: 7, firstPTS: 40, lastPTS: 120, score: 1, sightings: 0))
        let drawn = plan.frames.map { $0.regions.filter { $0.track == 7 } }
        #expect(drawn.map(\.count) == [0, 1, 1, 1, 0])
        let middle = try #require(drawn[2].first)
        #expect(middle.origin == .manual)
        #expect(abs(middle.shape.center.x - 0.6) < 1e-12 && abs(middle.shape.center.y - 0.35) < 1e-12)
        #expect(abs(middle.shape.radiusX - 0.075) < 1e-12 && abs(middle.shape.radiusY - 0.1625) < 1e-12)
        #expect(middle.shape.angle == 10)
        // The keyframes themselves are exact.
        #expect(drawn[1].first?.shape == RedactionPlan.sample().manual[0].keyframes[0].shape)
        #expect(drawn[3].first?.shape == RedactionPlan.sample().manual[0].keyframes[1].shape)
        #expect(try plan.expandingManualTracks() == plan)
        let again = try RedactionPlan(json: plan.encoded())
        #expect(again == plan)
    }

    @Test func `a manual track with several keyframes passes through each`() {
        func shape(_ x: Double) -> Shape { Shape(center: NormalizedPoint(x: x, y: 0), radiusX: 0.1, radiusY: 0.1) }
        let track = ManualTrack(
            id: 1,
            keyframes: [
                .init(pts: -10, shape: shape(0)), .init(pts: 0, shape: shape(1)), .init(pts: 5, shape: shape(0)),
            ])
        let expected: [(Int64, Double?)] = [(-11, nil), (-10, 0), (-5, 0.5), (0, 1), (1, 0.8), (5, 0), (6, nil)]
        for (pts, x) in expected {
            #expect(track.shape(at: pts)?.center.x.rounded(toMultipleOf: 1e-9) == x)
        }
        // Far ends don't overflow.
        let wide = ManualTrack(
            id: 1, keyframes: [.init(pts: .min + 1, shape: shape(0)), .init(pts: .max - 1, shape: shape(1))])
        #expect(wide.shape(at: 0)?.center.x == 0.5)
    }

    @Test func `a manual track that meets no frame is refused`() {
        var plan = RedactionPlan.sample()
        plan.manual[0].keyframes[0].pts = 1000
        plan.manual[0].keyframes[1].pts = 2000
        do throws(PlanError) {
            _ = try plan.expandingManualTracks()
            Issue.record("was taken")
        } catch { #expect(error.reason == .nothingToCover) }
    }

    @Test func `the cursor leaves kept tracks out and draws manual ones`() throws {
        var cursor = try PlanCursor(.sample())
        var tracks: [[Int]?] = []
        for pts in [0, 40, 80, 120, 160] as [Int64] {
            switch cursor.next(pts: pts) {
            case .regions(let regions): tracks.append(regions.map(\.track))
            case .whole: tracks.append(nil)
            case .absent: Issue.record("absent at \(pts)")
            }
        }
        #expect(tracks == [[1], [1, 7], [1, 7], nil, []])
        #expect(cursor.remaining == 0 && cursor.absentCount == 0)
        #expect(cursor.next(pts: 200) == .absent)
    }

    @Test func `a frame that the plan does not know is absent and never empty`() throws {
        var plan = RedactionPlan.sample()
        plan.frames.remove(at: 1)
        var cursor = try PlanCursor(plan)
        let coverages = ([0, 40, 80, 120, 160] as [Int64]).map { cursor.next(pts: $0) }
        #expect(coverages.map { $0 == .absent } == [false, true, false, false, false])
        #expect(coverages[3] == .whole && coverages[4] == .regions([]))
        #expect(cursor.absentCount == 1 && cursor.remaining == 0)
        // A decoder that loses a frame.
        var other = try PlanCursor(.sample())
        let rest = ([0, 80, 120, 160] as [Int64]).map { other.next(pts: $0) }
        #expect(rest.dropFirst().allSatisfy { $0 == .absent })
        #expect(other.remaining == 4)
    }

    @Test func `coverage by number needs number and pts to be the plan's`() throws {
        let cursor = try PlanCursor(.sample())
        #expect(cursor.coverage(at: 4, pts: 160) == .regions([]))
        #expect(cursor.coverage(at: 3, pts: 120) == .whole)
        #expect(cursor.coverage(at: 3, pts: 160) == .absent)
        #expect(cursor.coverage(at: 5, pts: 200) == .absent)
        #expect(cursor.coverage(at: -1, pts: 0) == .absent)
    }

    @Test func `frames of the same pts are told apart by their order, but not when some are missing`() throws {
        var plan = RedactionPlan.sample()
        plan.manual = []
        for index in plan.frames.indices { plan.frames[index].pts = 9 }
        var cursor = try PlanCursor(plan)
        let coverages = plan.frames.map { _ in cursor.next(pts: 9) }
        #expect(coverages[3] == .whole && coverages[4] == .regions([]))
        plan.frames.removeLast()
        do throws(PlanError) {
            _ = try PlanCursor(plan)
            Issue.record("was taken")
        } catch { #expect(error.reason == .ambiguousFrames(planned: 4, source: 5)) }
    }

    @Test func `the summary counts frames, regions and the weakest tracks`() throws {
        let summary = try PlanSummary(.sample())
        #expect(summary.frames == 5 && summary.framesWithFaces == 4 && summary.framesCoveredWhole == 1)
        #expect(summary.tracks == 3 && summary.tracksKept == 1)
        #expect(summary.regions == [.detected: 3, .interpolated: 1, .extended: 0, .manual: 3])
        #expect(summary.weakestByScore.map(\.id) == [2, 1])
        #expect(summary.weakestByShare.map(\.id) == [1, 2])
        let first = try #require(summary.weakestByShare.first)
        #expect(first.frames == 3 && first.start == 0 && first.end == 0.08 && abs(first.share - 2.0 / 3) < 1e-12)
        #expect(try PlanSummary(.sample(), weakest: 1).weakestByScore.map(\.id) == [2])
    }

    @Test func `the summary is written as JSON`() throws {
        let text = String(decoding: try PlanSummary(.sample()).encoded(), as: UTF8.self)
        #expect(
            text == """
                {
                  "frames": 5,
                  "framesWithFaces": 4,
                  "framesCoveredWhole": 1,
                  "tracks": 3,
                  "tracksKept": 1,
                  "regions": {"detected": 3, "interpolated": 1, "extended": 0, "manual": 3},
                  "weakestByScore": [
                    {"id": 2, "action": "keep", "score": 0.5, "sightings": 1, "frames": 1, "share": 1.0, "start": 0.04, "end": 0.04},
                    {"id": 1, "action": "redact", "score": 0.9, "sightings": 2, "frames": 3, "share": 0.667, "start": 0.0, "end": 0.08}
                  ],
                  "weakestByShare": [
                    {"id": 1, "action": "redact", "score": 0.9, "sightings": 2, "frames": 3, "share": 0.667, "start": 0.0, "end": 0.08},
                    {"id": 2, "action": "keep", "score": 0.5, "sightings": 1, "frames": 1, "share": 1.0, "start": 0.04, "end": 0.04}
                  ]
                }

                """)
    }
}

extension Double {
    fileprivate func rounded(toMultipleOf step: Double) -> Double { (self / step).rounded() * step }
}

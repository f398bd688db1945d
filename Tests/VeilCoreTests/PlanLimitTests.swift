import Testing

@testable import VeilCore

@Suite struct `A plan of very many regions` {
    private let shape = Shape(center: NormalizedPoint(x: 0.5, y: 0.5), radiusX: 0.1, radiusY: 0.1)

    private func plan(regions: Int) -> RedactionPlan {
        var plan = RedactionPlan.sample()
        plan.manual = []
        plan.frames[1].regions = Array(
            repeating: Region(track: plan.tracks[0].id, shape: shape, origin: .detected), count: regions)
        return plan
    }

    @Test func `is refused from ten thousand and one in a frame on`() throws {
        try plan(regions: 10_000).validate()
        do throws(PlanError) {
            try plan(regions: 10_001).validate()
            Issue.record("it was taken")
        } catch {
            #expect(error.path.description == "frames[1].regions")
            #expect(error.description.contains("at most 10000"))
        }
    }

    @Test func `is refused where manual tracks make them`() throws {
        var plan = plan(regions: 9_999)
        let times = plan.frames.map(\.pts)
        for id in [900, 901] {
            plan.manual.append(
                ManualTrack(
                    id: id,
                    keyframes: [.init(pts: times[0], shape: shape), .init(pts: times[2], shape: shape)]))
        }
        try plan.validate()
        do throws(PlanError) {
            _ = try plan.expandingManualTracks()
            Issue.record("it was taken")
        } catch { #expect(error.path.description == "frames[1].regions") }
        plan.manual.removeLast()
        #expect(try plan.expandingManualTracks().frames[1].regions.count == 10_000)
    }

    @Test func `meets its frames whatever order they come in`() throws {
        var random = SystemRandomNumberGenerator()
        var plan = RedactionPlan.sample()
        plan.frames = (0..<300).map { _ in PlannedFrame(pts: Int64.random(in: -50...50, using: &random)) }
        plan.source.frames = 300
        plan.cuts = []
        plan.manual = [(-60, 60), (-50, -50 + 1), (3, 20), (49, 70)].enumerated().map { index, range in
            ManualTrack(
                id: 900 + index,
                keyframes: [.init(pts: range.0, shape: shape), .init(pts: range.1, shape: shape)])
        }
        let drawn = try plan.expandingManualTracks()
        for (frame, planned) in zip(drawn.frames, plan.frames) {
            let wanted = plan.manual.filter { $0.shape(at: planned.pts) != nil }.map(\.id)
            #expect(frame.regions.map(\.track) == wanted)
        }
    }
}

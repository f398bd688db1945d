import Testing
import VeilCore

@Suite struct PlanBuilderTests {
    private let box = NormalizedRect(x: 0.4, y: 0.3, width: 0.1, height: 0.15)

    private func track(_ scores: [Double], id: Int = 1, from frame: Int = 0) -> Track {
        var track = Track(id: id, frame: frame, detection: Detection(bounds: box, score: scores[0]))
        for score in scores.dropFirst() { track.see(Detection(bounds: box, score: score)) }
        return track
    }

    private func planned(_ count: Int) -> (frames: [PlannedFrame], times: [Double]) {
        ((0..<count).map { PlannedFrame(pts: Int64($0) * 512) }, (0..<count).map { Double($0) / 25 })
    }

    @Test func `one clear sighting makes a face`() {
        let builder = PlanBuilder(settings: AnalysisSettings())
        #expect(builder.isFace(track([0.1, builder.settings.confirmThreshold, 0.1]), looks: 30))
        #expect(!builder.isFace(track([builder.settings.confirmThreshold - 0.01]), looks: 1))
    }

    @Test func `unclear sightings make a face when they are many and most looks were sightings`() {
        let builder = PlanBuilder(settings: AnalysisSettings())
        let weak = builder.settings.weakScore + 0.01
        let enough = builder.settings.weakSightings
        #expect(builder.isFace(track([Double](repeating: weak, count: enough)), looks: enough))
        #expect(!builder.isFace(track([Double](repeating: weak, count: enough - 1)), looks: enough - 1))
        #expect(!builder.isFace(track([Double](repeating: weak, count: enough)), looks: 10 * enough))
        let fainter = [Double](repeating: builder.settings.weakScore - 0.01, count: 10 * enough)
        #expect(!builder.isFace(track(fainter), looks: fainter.count))
    }

    @Test func `every sample becomes a region that holds its box, in its own frame`() {
        var one = track([0.9, 0.8, 0.9])
        one.follow(to: box.offset(dx: 0.01, dy: 0), certainty: 0.7)
        let two = track([0.9], id: 2, from: 2)
        let (frames, times) = planned(6)
        let result = PlanBuilder(settings: AnalysisSettings()).frames(tracks: [one, two], frames: frames, times: times)
        #expect(result.map { $0.regions.map(\.track) } == [[1], [1], [1, 2], [1], [], []])
        #expect(result.map(\.pts) == frames.map(\.pts))
        #expect(result[3].regions[0].origin == .extended && result[2].regions[1].origin == .detected)
        for track in [one, two] {
            for sample in track.samples {
                let region = result[sample.frame].regions.first { $0.track == track.id }
                #expect(region?.shape.bounds.contains(sample.box, tolerance: 1e-9) == true)
            }
        }
    }

    @Test func `where the answers differ both places are covered`() {
        var one = track([0.9])
        let aside = box.offset(dx: 0.2, dy: 0.1)
        one.see(Detection(bounds: aside, score: 0.6), alsoCovering: box)
        one.see(Detection(bounds: box, score: 0.9))
        let (frames, times) = planned(3)
        let result = PlanBuilder(settings: AnalysisSettings()).frames(tracks: [one], frames: frames, times: times)
        for place in [box, aside] {
            #expect(result[1].regions.contains { $0.shape.bounds.contains(place, tolerance: 1e-9) })
        }
    }

    @Test func `frames that are covered whole stay so`() {
        var (frames, times) = planned(4)
        frames[1].coverWhole = true
        let builder = PlanBuilder(settings: AnalysisSettings())
        let result = builder.frames(tracks: [track([0.9, 0.9, 0.9])], frames: frames, times: times)
        #expect(result.map(\.coverWhole) == [false, true, false, false])
        #expect(result[1].regions.count == 1)
        #expect(builder.frames(tracks: [], frames: frames, times: times) == frames)
    }

    @Test func `samples beyond the last frame are left out`() {
        let (frames, times) = planned(2)
        // Times are needed for all samples; frames may be fewer.
        let result = PlanBuilder(settings: AnalysisSettings()).frames(
            tracks: [track([0.9, 0.9, 0.9])], frames: frames, times: times + [0.08])
        #expect(result.map(\.regions.count) == [1, 1])
    }
}

/// Turns tracks into what to cover in each frame: decides which tracks are faces, how far they reach, and steadies them.
public struct PlanBuilder: Sendable {
    public var settings: AnalysisSettings

    public init(settings: AnalysisSettings) { self.settings = settings }

    /// Whether a track is taken for a face: seen clearly once, or unclearly for long.
    ///
    /// Weak, small and turned faces never reach the high score, but keep being seen where a false alarm flickers: a
    /// track counts when its sightings are many and most looks at it were sightings.
    public func isFace(_ track: Track, looks: Int) -> Bool {
        if track.bestScore >= settings.confirmThreshold { return true }
        let seen = track.sightings.count
        guard seen >= settings.weakSightings else { return false }
        return track.meanScore >= settings.weakScore && Double(seen) >= 0.5 * Double(max(1, looks))
    }

    /// The frames with their regions.
    ///
    /// - Parameters:
    ///   - tracks: of one file.
    ///   - frames: every shown frame in order, with what is known of it beside the tracks.
    ///   - times: of each frame, in seconds.
    public func frames(tracks: [Track], frames: [PlannedFrame], times: [Double]) -> [PlannedFrame] {
        var result = frames
        var smoother = BoxSmoother()
        // Fast motion and zooms are followed closely: a mask far larger than the face covers what nobody asked for.
        smoother.maximumShift = 0.1
        smoother.reach = 0.1
        for track in tracks {
            let samples = track.samples
            let boxes = smoother.smooth(
                samples.map(\.box), times: samples.map { times[$0.frame] })
            for (sample, box) in zip(samples, boxes) where result.indices.contains(sample.frame) {
                result[sample.frame].regions.append(
                    Region(track: track.id, shape: Shape(inscribedIn: box), origin: sample.origin))
                if let other = sample.otherBox {
                    result[sample.frame].regions.append(
                        Region(track: track.id, shape: Shape(inscribedIn: other), origin: sample.origin))
                }
            }
        }
        return result
    }
}

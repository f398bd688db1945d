/// A track that a person drew: shapes at two or more times, and straight lines between them.
public struct ManualTrack: Sendable, Hashable {
    public struct Keyframe: Sendable, Hashable {
        /// In the source stream's time base.
        public var pts: Int64
        public var shape: Shape

        public init(pts: Int64, shape: Shape) {
            self.pts = pts
            self.shape = shape
        }
    }

    /// Unlike the id of any other track.
    public var id: Int
    public var action: TrackSummary.Action
    /// Two or more, in the order of their pts.
    public var keyframes: [Keyframe]

    public init(id: Int, action: TrackSummary.Action = .redact, keyframes: [Keyframe]) {
        self.id = id
        self.action = action
        self.keyframes = keyframes
    }

    /// The shape at a time, all five numbers interpolated linearly; nil before the first and after the last keyframe.
    ///
    /// Angles run from one number to the next as they are written: from 170 to 190 is a turn by 20°, from 170 to -170 one
    /// by 340°.
    public func shape(at pts: Int64) -> Shape? {
        guard let first = keyframes.first, let last = keyframes.last, pts >= first.pts, pts <= last.pts else {
            return nil
        }
        // The first keyframe that isn't before the time, by bisection.
        var (low, high) = (0, keyframes.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if keyframes[middle].pts < pts { low = middle + 1 } else { high = middle }
        }
        let after = keyframes[low]
        guard low > 0, after.pts != pts else { return after.shape }
        let before = keyframes[low - 1]
        // As doubles, since the difference of two pts may be larger than an Int64.
        let share = (Double(pts) - Double(before.pts)) / (Double(after.pts) - Double(before.pts))
        func mix(_ property: KeyPath<Shape, Double>) -> Double {
            let (a, b) = (before.shape[keyPath: property], after.shape[keyPath: property])
            return a + (b - a) * share
        }
        return Shape(
            center: NormalizedPoint(x: mix(\.center.x), y: mix(\.center.y)), radiusX: mix(\.radiusX),
            radiusY: mix(\.radiusY), angle: mix(\.angle))
    }
}

extension RedactionPlan {
    /// The most regions that manual tracks may make: a thousand tracks over five minutes, a gigabyte of memory.
    public static let manualRegionLimit = 10_000_000
    /// The most regions of one frame, those of manual tracks among them: to draw them takes the square of their number.
    public static let regionLimit = 10_000

    static func tooManyRegions(_ frame: Int) -> PlanError {
        PlanError(.outOfRange("a list of at most \(regionLimit)"), at: ["frames", .index(frame), "regions"])
    }

    /// The same plan with its manual tracks drawn into the frames.
    ///
    /// Each frame from a track's first to its last keyframe, both included, gets a region of origin `manual`; the track
    /// itself goes to `tracks` with score 1 and no sightings. A plan without manual tracks comes back as it is.
    ///
    /// - Throws: `PlanError` if the plan isn't valid, a manual track meets no frame, or there would be too many regions.
    public func expandingManualTracks() throws(PlanError) -> RedactionPlan {
        try validate()
        var plan = self
        plan.manual = []
        var count = 0
        // By time, since a source's frames needn't be: a track's are found by bisection.
        let order = manual.isEmpty ? [] : frames.indices.sorted { (frames[$0].pts, $0) < (frames[$1].pts, $1) }
        func firstFrame(from pts: Int64) -> Int {
            var (low, high) = (0, order.count)
            while low < high {
                let middle = (low + high) / 2
                if frames[order[middle]].pts < pts { low = middle + 1 } else { high = middle }
            }
            return low
        }
        for (index, track) in manual.enumerated() {
            guard let first = track.keyframes.first, let last = track.keyframes.last else { continue }
            var met = 0
            for position in order[firstFrame(from: first.pts)...] {
                guard let shape = track.shape(at: frames[position].pts) else { break }
                met += 1
                count += 1
                guard count <= Self.manualRegionLimit else {
                    throw PlanError(.tooManyManualRegions(limit: Self.manualRegionLimit), at: ["manual"])
                }
                guard plan.frames[position].regions.count < Self.regionLimit else {
                    throw Self.tooManyRegions(position)
                }
                plan.frames[position].regions.append(Region(track: track.id, shape: shape, origin: .manual))
            }
            guard met > 0 else { throw PlanError(.nothingToCover, at: ["manual", .index(index), "keyframes"]) }
            plan.tracks.append(
                TrackSummary(
                    id: track.id, firstPTS: first.pts, lastPTS: last.pts, action: track.action, score: 1, sightings: 0))
        }
        return plan
    }
}

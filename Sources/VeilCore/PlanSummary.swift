/// A plan in numbers, for people: what it covers and where it is least sure.
public struct PlanSummary: Sendable, Hashable {
    /// One track in numbers.
    public struct Track: Sendable, Hashable {
        public var id: Int
        public var action: TrackSummary.Action
        /// The best detection's score, 0…1.
        public var score: Double
        /// In how many frames a detector saw it.
        public var sightings: Int
        /// In how many frames it is covered, or would be.
        public var frames: Int
        /// The times of its first and last such frame, in seconds from the source's first frame.
        public var start: Double
        public var end: Double

        /// The share of its frames in which a detector saw it, 0…1.
        public var share: Double { frames > 0 ? min(1, Double(sightings) / Double(frames)) : 0 }
    }

    public var frames = 0
    /// Frames with at least one region, kept ones included.
    public var framesWithFaces = 0
    public var framesCoveredWhole = 0
    public var tracks = 0
    /// Of these, how many are not to be covered.
    public var tracksKept = 0
    /// Regions by how they came about; an origin without regions counts 0.
    public var regions: [Origin: Int] = [:]
    /// Tracks a detector found, those with the lowest scores first.
    public var weakestByScore: [Track] = []
    /// Tracks a detector found, those seen in the smallest share of their frames first.
    public var weakestByShare: [Track] = []

    /// - Parameter weakest: how many tracks to name in each list.
    /// - Throws: `PlanError` for a plan that isn't valid.
    public init(_ plan: RedactionPlan, weakest: Int = 5) throws(PlanError) {
        let plan = try plan.expandingManualTracks()
        frames = plan.frames.count
        tracks = plan.tracks.count
        tracksKept = plan.tracks.count { $0.action == .keep }
        for origin in Origin.allCases { regions[origin] = 0 }
        let tick = plan.source.timeBase.value
        let first = plan.frames.lazy.map(\.pts).min() ?? 0
        var seen: [Int: (frames: Int, start: Double, end: Double)] = [:]
        for frame in plan.frames {
            if frame.coverWhole { framesCoveredWhole += 1 }
            if !frame.regions.isEmpty { framesWithFaces += 1 }
            let time = (Double(frame.pts) - Double(first)) * tick
            for region in frame.regions { regions[region.origin, default: 0] += 1 }
            for id in Set(frame.regions.map(\.track)) {
                let known = seen[id] ?? (0, time, time)
                seen[id] = (known.frames + 1, min(known.start, time), max(known.end, time))
            }
        }
        let found = plan.tracks.filter { $0.sightings > 0 }.map { track in
            let span = seen[track.id] ?? (0, 0, 0)
            return Track(
                id: track.id, action: track.action, score: track.score, sightings: track.sightings, frames: span.frames,
                start: span.start, end: span.end)
        }
        weakestByScore = Array(found.sorted { ($0.score, $0.id) < ($1.score, $1.id) }.prefix(weakest))
        weakestByShare = Array(found.sorted { ($0.share, $0.id) < ($1.share, $1.id) }.prefix(weakest))
    }

    /// Writes the summary as an object.
    public func write(to json: inout JSONWriter) {
        json.beginObject(.lines)
        for (name, count) in [
            ("frames", frames), ("framesWithFaces", framesWithFaces), ("framesCoveredWhole", framesCoveredWhole),
            ("tracks", tracks), ("tracksKept", tracksKept),
        ] {
            json.key(name)
            json.value(count)
        }
        json.key("regions")
        json.beginObject()
        for origin in Origin.allCases {
            json.key(origin.rawValue)
            json.value(regions[origin] ?? 0)
        }
        json.endObject()
        for (name, list) in [("weakestByScore", weakestByScore), ("weakestByShare", weakestByShare)] {
            json.key(name)
            json.beginArray(.lines)
            for track in list { track.write(to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    /// The summary as a JSON text of its own.
    public func encoded() -> [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.finish()
    }
}

extension PlanSummary.Track {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("id")
        json.value(id)
        json.key("action")
        json.value(action.rawValue)
        json.key("score")
        json.value(score)
        json.key("sightings")
        json.value(sightings)
        json.key("frames")
        json.value(frames)
        json.key("share")
        json.value(rounded(share))
        json.key("start")
        json.value(rounded(start))
        json.key("end")
        json.value(rounded(end))
        json.endObject()
    }

    /// To thousandths, for people.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

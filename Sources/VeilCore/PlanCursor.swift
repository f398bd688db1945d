/// What to cover in one shown frame.
public enum FrameCoverage: Sendable, Hashable {
    /// These faces; none if the list is empty.
    case regions([Region])
    /// The whole picture.
    case whole
    /// The plan doesn't know the frame: stop, or cover the whole picture. Never show it as it is.
    case absent
}

/// Goes through a plan in step with the decoder: what to cover in each frame, in constant time.
///
/// Holds the plan with its manual tracks drawn in. Regions of tracks that are to be kept are left out.
public struct PlanCursor: Sendable {
    public let plan: RedactionPlan
    private let kept: Set<Int>
    /// The index of the planned frame that is expected next.
    public private(set) var position = 0
    /// How many shown frames the plan didn't know.
    public private(set) var absentCount = 0

    /// - Throws: `PlanError` for a plan that isn't valid.
    public init(_ plan: RedactionPlan) throws(PlanError) {
        self.plan = try plan.expandingManualTracks()
        kept = Set(self.plan.tracks.filter { $0.action == .keep }.map(\.id))
    }

    /// What to cover in the shown frame with this number (from 0) and pts; `absent` unless both are the plan's.
    ///
    /// For a plan that covers all frames of its source; `next` also works where frames are missing.
    public func coverage(at index: Int, pts: Int64) -> FrameCoverage {
        guard plan.frames.indices.contains(index), plan.frames[index].pts == pts else { return .absent }
        let frame = plan.frames[index]
        if frame.coverWhole { return .whole }
        return .regions(kept.isEmpty ? frame.regions : frame.regions.filter { !kept.contains($0.track) })
    }

    /// What to cover in the next shown frame.
    ///
    /// Call it once for each frame in the order of showing. A frame whose pts isn't the one expected is absent, and the
    /// plan waits: frames that the plan lacks are absent, the others aren't. Frames that the decoder lacks make all that
    /// follow absent.
    public mutating func next(pts: Int64) -> FrameCoverage {
        let coverage = coverage(at: position, pts: pts)
        if coverage == .absent { absentCount += 1 } else { position += 1 }
        return coverage
    }

    /// How many planned frames haven't been shown yet; more than 0 at the end means that the decoder lost some.
    public var remaining: Int { plan.frames.count - position }
}

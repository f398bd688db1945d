/// A plan that can't be used: what is wrong, where, and what to do about it.
public struct PlanError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// Not JSON, or JSON that isn't of a plan's form.
        case json(JSONError.Reason)
        case unsupportedVersion(Int)
        /// A value outside of what it may be; says what that is.
        case outOfRange(String)
        /// Two tracks have the same id.
        case duplicateTrack(Int)
        /// A region of a track that is in neither `tracks` nor `manual`.
        case unknownTrack(Int)
        /// A manual track needs two keyframes.
        case tooFewKeyframes(Int)
        /// The pts of keyframes have to grow.
        case keyframesOutOfOrder
        /// No frame lies between a manual track's keyframes.
        case nothingToCover
        /// The plan has more frames than the source.
        case tooManyFrames(planned: Int, source: Int)
        /// Frames are missing and two of the others have the same pts, so that they can't be told apart.
        case ambiguousFrames(planned: Int, source: Int)
        /// Manual tracks would make more regions than is sane.
        case tooManyManualRegions(limit: Int)
        case sourceMismatch([SourceDescription.Difference])
    }

    public var reason: Reason
    /// Empty for the plan as a whole.
    public var path: JSONPath
    /// In the text that was read; nil for a plan that wasn't read from one.
    public var position: TextPosition?

    public init(_ reason: Reason, at path: JSONPath = [], position: TextPosition? = nil) {
        self.reason = reason
        self.path = path
        self.position = position
    }

    /// What to do about it, as one sentence.
    public var advice: String {
        switch reason {
        case .json(.unknownKey): "Correct its spelling or remove it."
        case .json(.missingKey): "Add it, or analyse the source again."
        case .json(.duplicateKey): "Remove one of the two."
        case .json(.tooLarge), .json(.tooDeep), .json(.tooManyKeys), .json(.stringTooLong), .json(.numberTooLong):
            "This doesn't look like a plan; analyse the source again."
        case .json: "Correct the text there, or analyse the source again."
        case .unsupportedVersion: "Use the release that wrote it, or analyse the source again with this one."
        case .outOfRange: "Correct the value, or analyse the source again."
        case .duplicateTrack: "Give one of them an id that isn't used yet."
        case .unknownTrack: "Add the track to \"tracks\", or remove the region."
        case .tooFewKeyframes: "Add a keyframe where the face appears and one where it goes."
        case .keyframesOutOfOrder: "Put the keyframes in the order of their pts, each pts once."
        case .nothingToCover: "Use pts that appear in \"frames\"."
        case .tooManyFrames: "Remove the frames that were added, or analyse the source again."
        case .ambiguousFrames: "Put the frames that are missing back, or analyse the source again."
        case .tooManyManualRegions: "Use fewer or shorter manual tracks, or cover whole frames."
        case .sourceMismatch: "Use the file that the plan was made for, or analyse this one."
        }
    }
}

extension PlanError: CustomStringConvertible {
    /// Place, problem and advice on one line, without control characters.
    public var description: String {
        var place = path.description
        if let position { place += place.isEmpty ? "\(position)" : " (\(position))" }
        return (place.isEmpty ? "" : place + ": ") + "\(reason). \(advice)"
    }
}

extension PlanError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .json(let reason): "\(reason)"
        case .unsupportedVersion(let version):
            "the plan has version \(version), this release knows version \(RedactionPlan.version)"
        case .outOfRange(let allowed): "has to be \(allowed)"
        case .duplicateTrack(let id): "there are two tracks with the id \(id)"
        case .unknownTrack(let id): "there is no track with the id \(id)"
        case .tooFewKeyframes(let count): "a manual track needs at least two keyframes, this one has \(count)"
        case .keyframesOutOfOrder: "a keyframe isn't later than the one before"
        case .nothingToCover: "no frame lies between the first and the last keyframe"
        case .tooManyFrames(let planned, let source): "the plan has \(planned) frames, its source \(source)"
        case .ambiguousFrames(let planned, let source):
            "the plan has \(planned) of its source's \(source) frames, and some of them have the same pts"
        case .tooManyManualRegions(let limit): "the manual tracks make more than \(limit) regions"
        case .sourceMismatch(let differences):
            "the source isn't the one that the plan was made for: "
                + differences.map { difference in
                    let planned = quoted(difference.planned).dropFirst().dropLast()
                    let found = quoted(difference.found).dropFirst().dropLast()
                    return "\(difference.field) is \(found), planned \(planned)"
                }.joined(separator: "; ")
        }
    }
}

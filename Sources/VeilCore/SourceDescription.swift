/// Which file, and which video stream of it, a plan was made for.
public struct SourceDescription: Sendable, Hashable, Codable {
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case size, sha256, width, height, timeBase, duration, frames
    }

    /// A field in which a source isn't the one that the plan was made for.
    public struct Difference: Sendable, Hashable {
        public var field: Field
        public var planned: String
        public var found: String
    }

    /// The file's name without its folder, for people; a renamed file is still the same source.
    public var file: String
    /// In bytes.
    public var size: Int
    /// SHA-256 of the whole file, 64 lower-case hex digits.
    public var sha256: String
    /// Of the upright (displayed) picture, in pixels.
    public var width: Int
    public var height: Int
    /// Seconds per tick of a pts.
    public var timeBase: Rational
    /// In seconds.
    public var duration: Double
    /// How many frames the source shows.
    public var frames: Int

    public init(
        file: String, size: Int, sha256: String, width: Int, height: Int, timeBase: Rational, duration: Double,
        frames: Int
    ) {
        self.file = file
        self.size = size
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.timeBase = timeBase
        self.duration = duration
        self.frames = frames
    }

    /// The fields in which another source differs from this one. Durations may differ by a millisecond.
    public func differences(from other: SourceDescription, ignoring: Set<Field> = []) -> [Difference] {
        Field.allCases.compactMap { field in
            guard !ignoring.contains(field) else { return nil }
            if field == .duration, abs(duration - other.duration) <= 0.001 { return nil }
            let (planned, found) = (text(of: field), other.text(of: field))
            return planned == found ? nil : Difference(field: field, planned: planned, found: found)
        }
    }

    private func text(of field: Field) -> String {
        switch field {
        case .size: "\(size) bytes"
        case .sha256: sha256
        case .width: "\(width)"
        case .height: "\(height)"
        case .timeBase: "\(timeBase.num)/\(timeBase.den)"
        case .duration: "\(duration) s"
        case .frames: "\(frames)"
        }
    }
}

extension RedactionPlan {
    /// Makes sure that a source is the one that the plan was made for.
    ///
    /// - Parameter ignoring: fields that the caller can't know yet, such as the number of frames before decoding.
    /// - Throws: `PlanError` that names every field that differs. File names aren't compared.
    public func check(
        against found: SourceDescription, ignoring: Set<SourceDescription.Field> = []
    ) throws(PlanError) {
        let differences = source.differences(from: found, ignoring: ignoring)
        if !differences.isEmpty { throw PlanError(.sourceMismatch(differences), at: ["source"]) }
    }
}

extension JSONPath.Element: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .key(value) }
    public init(integerLiteral value: Int) { self = .index(value) }
}

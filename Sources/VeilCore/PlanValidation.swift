extension RedactionPlan {
    /// Makes sure that the plan can be carried out; reading and writing do this too.
    ///
    /// - Throws: `PlanError` with the path of the first problem.
    public func validate() throws(PlanError) {
        try source.validate()
        // Escaped, a text may grow sixfold; it has to stay within what the reader takes.
        guard detector.name.utf8.count <= SourceDescription.nameLimit else {
            throw PlanError(.outOfRange("at most \(SourceDescription.nameLimit) bytes"), at: ["detector", "name"])
        }
        if let digest = detector.modelSHA256 { try require(digest: digest, at: ["detector", "modelSHA256"]) }
        try settings.validate()
        let known = try validateTracks()
        for (index, pts) in cuts.enumerated() { try require(pts: pts) { ["cuts", .index(index)] } }
        try validateFrames(known)
    }

    /// - Returns: the ids of all tracks.
    private func validateTracks() throws(PlanError) -> Set<Int> {
        var known: Set<Int> = []
        for (index, track) in tracks.enumerated() {
            let path: JSONPath = ["tracks", .index(index)]
            try require(id: track.id, at: path.key("id"))
            guard known.insert(track.id).inserted else {
                throw PlanError(.duplicateTrack(track.id), at: path.key("id"))
            }
            try require(pts: track.firstPTS) { path.key("firstPTS") }
            try require(pts: track.lastPTS) { path.key("lastPTS") }
            guard (0...1).contains(track.score) else {
                throw PlanError(.outOfRange("from 0 to 1"), at: path.key("score"))
            }
            guard track.sightings >= 0 else { throw PlanError(.outOfRange("0 or more"), at: path.key("sightings")) }
        }
        for (index, track) in manual.enumerated() {
            let path: JSONPath = ["manual", .index(index)]
            try require(id: track.id, at: path.key("id"))
            guard known.insert(track.id).inserted else {
                throw PlanError(.duplicateTrack(track.id), at: path.key("id"))
            }
            try track.validate(at: path)
        }
        return known
    }

    private func validateFrames(_ known: Set<Int>) throws(PlanError) {
        for (index, frame) in frames.enumerated() {
            try require(pts: frame.pts) { ["frames", .index(index), "pts"] }
            guard frame.regions.count <= Self.regionLimit else { throw Self.tooManyRegions(index) }
            for (position, region) in frame.regions.enumerated() {
                func path() -> JSONPath { ["frames", .index(index), "regions", .index(position)] }
                guard known.contains(region.track) else {
                    throw PlanError(.unknownTrack(region.track), at: path().key("track"))
                }
                try region.shape.validate { path().key("shape") }
            }
        }
        guard frames.count <= source.frames else {
            throw PlanError(.tooManyFrames(planned: frames.count, source: source.frames), at: ["frames"])
        }
        // A plan that covers only some frames is read by pts alone.
        if frames.count < source.frames, Set(frames.map(\.pts)).count < frames.count {
            throw PlanError(.ambiguousFrames(planned: frames.count, source: source.frames), at: ["frames"])
        }
    }
}

extension SourceDescription {
    /// In bytes; file systems stop at 255.
    static let nameLimit = 1024

    func validate() throws(PlanError) {
        func check(_ holds: Bool, _ allowed: String, _ path: JSONPath.Element...) throws(PlanError) {
            if !holds { throw PlanError(.outOfRange(allowed), at: JSONPath([.key("source")] + path)) }
        }
        // A plan may be handed on; the folders that its source lay in shouldn't be.
        try check(
            !file.isEmpty && !file.utf8.contains(UInt8(ascii: "/")) && !file.utf8.contains(0),
            "a file's name without its folder", "file")
        try check(file.utf8.count <= Self.nameLimit, "at most \(Self.nameLimit) bytes", "file")
        try check(size >= 0, "0 or more", "size")
        try require(digest: sha256, at: ["source", "sha256"])
        try check((1...1_000_000).contains(width), "from 1 to 1000000", "width")
        try check((1...1_000_000).contains(height), "from 1 to 1000000", "height")
        let terms = 1...Int(Int32.max)
        try check(terms.contains(timeBase.num), "from 1 to \(Int32.max)", "timeBase", "num")
        try check(terms.contains(timeBase.den), "from 1 to \(Int32.max)", "timeBase", "den")
        try check(duration >= 0 && duration.isFinite, "0 or more", "duration")
        try check(frames >= 0, "0 or more", "frames")
    }
}

extension AnalysisSettings {
    /// Makes sure that every setting is in its range.
    public func validate() throws(PlanError) {
        for field in Self.fields {
            let path: JSONPath = ["settings", .key(field.name)]
            switch field.kind {
            case .double(let property, let range):
                guard range.contains(self[keyPath: property]) else {
                    throw PlanError(.outOfRange("from \(range.lowerBound) to \(range.upperBound)"), at: path)
                }
            case .int(let property, let range):
                guard range.contains(self[keyPath: property]) else {
                    throw PlanError(.outOfRange("from \(range.lowerBound) to \(range.upperBound)"), at: path)
                }
            case .bool: break
            }
        }
    }
}

extension ManualTrack {
    func validate(at path: JSONPath) throws(PlanError) {
        guard keyframes.count >= 2 else {
            throw PlanError(.tooFewKeyframes(keyframes.count), at: path.key("keyframes"))
        }
        for (index, keyframe) in keyframes.enumerated() {
            let place = path.key("keyframes").index(index)
            try require(pts: keyframe.pts) { place.key("pts") }
            guard index == 0 || keyframes[index - 1].pts < keyframe.pts else {
                throw PlanError(.keyframesOutOfOrder, at: place.key("pts"))
            }
            try keyframe.shape.validate { place.key("shape") }
        }
    }
}

extension Shape {
    /// How far from the picture's origin a centre may be, in picture widths and heights, and how large a radius.
    static let reach = 10.0

    func validate(at path: () -> JSONPath) throws(PlanError) {
        func check(_ holds: Bool, _ allowed: @autoclosure () -> String, _ key: String) throws(PlanError) {
            if !holds { throw PlanError(.outOfRange(allowed()), at: path().key(key)) }
        }
        try check(abs(center.x) <= Self.reach, "from -10 to 10", "centerX")
        try check(abs(center.y) <= Self.reach, "from -10 to 10", "centerY")
        try check(radiusX > 0 && radiusX <= Self.reach, "more than 0 and at most 10", "radiusX")
        try check(radiusY > 0 && radiusY <= Self.reach, "more than 0 and at most 10", "radiusY")
        try check(angle.isFinite, "a number of degrees", "angle")
    }
}

/// Both ends of Int64 are refused: the lower one is FFmpeg's AV_NOPTS_VALUE, and neither leaves room to count on.
private func require(pts: Int64, at path: () -> JSONPath) throws(PlanError) {
    guard pts > .min && pts < .max else {
        throw PlanError(.outOfRange("a time stamp, more than \(Int64.min) and less than \(Int64.max)"), at: path())
    }
}

private func require(id: Int, at path: JSONPath) throws(PlanError) {
    guard (0...Int(Int32.max)).contains(id) else {
        throw PlanError(.outOfRange("from 0 to \(Int32.max)"), at: path)
    }
}

private func require(digest: String, at path: JSONPath) throws(PlanError) {
    let isHex = digest.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    guard isHex && digest.utf8.count == 64 else { throw PlanError(.outOfRange("64 lower-case hex digits"), at: path) }
}

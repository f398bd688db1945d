extension RedactionPlan {
    /// Reads a plan from its JSON and checks it.
    ///
    /// Made for files that nobody vouches for: whatever the bytes, it returns a valid plan or throws. Keys may come in
    /// any order; keys that it doesn't know are refused, since a misspelt one could leave a face uncovered.
    ///
    /// - Throws: `PlanError` with the path, line and column of the first problem.
    public init(json: [UInt8], limits: JSONReader.Limits = JSONReader.Limits()) throws(PlanError) {
        do throws(JSONError) {
            var reader = try JSONReader(json, limits: limits)
            self = try RedactionPlan(from: &reader)
            try reader.finish()
        } catch {
            // A plan of another version may have any form, so its version is the better answer.
            let versionPath: JSONPath = ["version"]
            if var reader = JSONReader.reader(at: versionPath, in: json, limits: limits) {
                let position = reader.position(at: reader.nextOffset())
                if let found = try? reader.readInt(), found != Self.version {
                    throw PlanError(.unsupportedVersion(found), at: versionPath, position: position)
                }
            }
            throw PlanError(.json(error.reason), at: error.path, position: error.position)
        }
        do throws(PlanError) {
            try validate()
        } catch {
            var located = error
            located.position = JSONReader.position(of: error.path, in: json, limits: limits)
            throw located
        }
    }

    private init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var version: Int?
        var source: SourceDescription?
        var detector: DetectorDescription?
        var settings: AnalysisSettings?
        var tracks: [TrackSummary]?
        var manual: [ManualTrack] = []
        var cuts: [Int64] = []
        var frames: [PlannedFrame]?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "version":
                version = try reader.readInt()
                guard version == Self.version else {
                    // Stops here; the caller turns this into an unsupported version.
                    throw reader.failure(.notOneOf(found: "\(version ?? 0)", allowed: ["\(Self.version)"]))
                }
            case "source": source = try SourceDescription(from: &reader)
            case "detector": detector = try DetectorDescription(from: &reader)
            case "settings": settings = try AnalysisSettings(from: &reader)
            case "tracks": tracks = try reader.readArray { r throws(JSONError) in try TrackSummary(from: &r) }
            case "manual": manual = try reader.readArray { r throws(JSONError) in try ManualTrack(from: &r) }
            case "cuts": cuts = try reader.readArray { r throws(JSONError) in Int64(try r.readInt()) }
            case "frames": frames = try reader.readArray { r throws(JSONError) in try PlannedFrame(from: &r) }
            default: throw reader.unknownKey(key)
            }
        }
        _ = try reader.require(version, "version", objectAt: start)
        self.init(
            source: try reader.require(source, "source", objectAt: start),
            detector: try reader.require(detector, "detector", objectAt: start),
            settings: try reader.require(settings, "settings", objectAt: start),
            tracks: try reader.require(tracks, "tracks", objectAt: start), manual: manual, cuts: cuts,
            frames: try reader.require(frames, "frames", objectAt: start))
    }
}

extension JSONReader {
    /// Reads an array whose elements all have one form.
    mutating func readArray<Element>(
        _ readElement: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try beginArray()
        while try nextElement() { elements.append(try readElement(&self)) }
        return elements
    }
}

extension SourceDescription {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var (file, sha256): (String?, String?)
        var (size, frames, width, height): (Int?, Int?, Int?, Int?)
        var timeBase: Rational?
        var duration: Double?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "file": file = try reader.readString()
            case "size": size = try reader.readInt()
            case "sha256": sha256 = try reader.readString()
            case "width": width = try reader.readInt()
            case "height": height = try reader.readInt()
            case "timeBase": timeBase = try Rational(from: &reader)
            case "duration": duration = try reader.readDouble()
            case "frames": frames = try reader.readInt()
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            file: try reader.require(file, "file", objectAt: start),
            size: try reader.require(size, "size", objectAt: start),
            sha256: try reader.require(sha256, "sha256", objectAt: start),
            width: try reader.require(width, "width", objectAt: start),
            height: try reader.require(height, "height", objectAt: start),
            timeBase: try reader.require(timeBase, "timeBase", objectAt: start),
            duration: try reader.require(duration, "duration", objectAt: start),
            frames: try reader.require(frames, "frames", objectAt: start))
    }
}

extension Rational {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var (num, den): (Int?, Int?)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "num": num = try reader.readInt()
            case "den": den = try reader.readInt()
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            try reader.require(num, "num", objectAt: start), try reader.require(den, "den", objectAt: start))
    }
}

extension DetectorDescription {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var (name, modelSHA256): (String?, String?)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "name": name = try reader.readString()
            case "modelSHA256": modelSHA256 = try reader.readString()
            default: throw reader.unknownKey(key)
            }
        }
        self.init(name: try reader.require(name, "name", objectAt: start), modelSHA256: modelSHA256)
    }
}

extension AnalysisSettings {
    init(from reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            guard let field = Self.fields.first(where: { $0.name == key }) else { throw reader.unknownKey(key) }
            switch field.kind {
            case .double(let property, _): self[keyPath: property] = try reader.readDouble()
            case .int(let property, _): self[keyPath: property] = try reader.readInt()
            case .bool(let property): self[keyPath: property] = try reader.readBool()
            }
        }
    }
}

extension TrackSummary {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var (id, first, last, sightings): (Int?, Int?, Int?, Int?)
        var action: Action?
        var score: Double?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "id": id = try reader.readInt()
            case "action": action = try reader.readChoice(Action.self)
            case "firstPTS": first = try reader.readInt()
            case "lastPTS": last = try reader.readInt()
            case "score": score = try reader.readDouble()
            case "sightings": sightings = try reader.readInt()
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            id: try reader.require(id, "id", objectAt: start),
            firstPTS: Int64(try reader.require(first, "firstPTS", objectAt: start)),
            lastPTS: Int64(try reader.require(last, "lastPTS", objectAt: start)),
            action: try reader.require(action, "action", objectAt: start),
            score: try reader.require(score, "score", objectAt: start),
            sightings: try reader.require(sightings, "sightings", objectAt: start))
    }
}

extension ManualTrack {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var id: Int?
        var action: TrackSummary.Action?
        var keyframes: [Keyframe]?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "id": id = try reader.readInt()
            case "action": action = try reader.readChoice(TrackSummary.Action.self)
            case "keyframes": keyframes = try reader.readArray { r throws(JSONError) in try Keyframe(from: &r) }
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            id: try reader.require(id, "id", objectAt: start),
            action: try reader.require(action, "action", objectAt: start),
            keyframes: try reader.require(keyframes, "keyframes", objectAt: start))
    }
}

extension ManualTrack.Keyframe {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var pts: Int?
        var shape: Shape?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "pts": pts = try reader.readInt()
            case "shape": shape = try Shape(from: &reader)
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            pts: Int64(try reader.require(pts, "pts", objectAt: start)),
            shape: try reader.require(shape, "shape", objectAt: start))
    }
}

extension PlannedFrame {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var pts: Int?
        var coverWhole = false
        var regions: [Region]?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "pts": pts = try reader.readInt()
            case "coverWhole": coverWhole = try reader.readBool()
            case "regions": regions = try reader.readArray { r throws(JSONError) in try Region(from: &r) }
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            pts: Int64(try reader.require(pts, "pts", objectAt: start)), coverWhole: coverWhole,
            // A frame without faces says so with an empty list; a frame that says nothing isn't one without faces.
            regions: coverWhole ? regions ?? [] : try reader.require(regions, "regions", objectAt: start))
    }
}

extension Region {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var track: Int?
        var shape: Shape?
        var origin: Origin?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "track": track = try reader.readInt()
            case "origin": origin = try reader.readChoice(Origin.self)
            case "shape": shape = try Shape(from: &reader)
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            track: try reader.require(track, "track", objectAt: start),
            shape: try reader.require(shape, "shape", objectAt: start),
            origin: try reader.require(origin, "origin", objectAt: start))
    }
}

extension Shape {
    init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.nextOffset()
        var (x, y, radiusX, radiusY): (Double?, Double?, Double?, Double?)
        var angle = 0.0
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "centerX": x = try reader.readDouble()
            case "centerY": y = try reader.readDouble()
            case "radiusX": radiusX = try reader.readDouble()
            case "radiusY": radiusY = try reader.readDouble()
            case "angle": angle = try reader.readDouble()
            default: throw reader.unknownKey(key)
            }
        }
        self.init(
            center: NormalizedPoint(
                x: try reader.require(x, "centerX", objectAt: start),
                y: try reader.require(y, "centerY", objectAt: start)),
            radiusX: try reader.require(radiusX, "radiusX", objectAt: start),
            radiusY: try reader.require(radiusY, "radiusY", objectAt: start), angle: angle)
    }
}

extension RedactionPlan {
    /// The plan as JSON: one track and one frame per line, so that differences and edits by hand are small.
    ///
    /// The same plan gives the same bytes, and reading them back gives the same plan.
    ///
    /// - Throws: `PlanError` for a plan that reading would refuse.
    public func encoded() throws(PlanError) -> [UInt8] {
        try validate()
        var json = JSONWriter()
        json.reserveCapacity(frames.reduce(4096) { $0 + 40 + 180 * $1.regions.count })
        json.beginObject(.lines)
        json.key("version")
        json.value(Self.version)
        json.key("source")
        source.write(to: &json)
        json.key("detector")
        json.beginObject(.lines)
        json.key("name")
        json.value(detector.name)
        if let digest = detector.modelSHA256 {
            json.key("modelSHA256")
            json.value(digest)
        }
        json.endObject()
        json.key("settings")
        settings.write(to: &json)
        json.key("tracks")
        json.beginArray(.lines)
        for track in tracks { track.write(to: &json) }
        json.endArray()
        json.key("manual")
        json.beginArray(.lines)
        for track in manual { track.write(to: &json) }
        json.endArray()
        json.key("cuts")
        json.beginArray()
        for pts in cuts { json.value(Int(pts)) }
        json.endArray()
        json.key("frames")
        json.beginArray(.lines)
        for frame in frames { frame.write(to: &json) }
        json.endArray()
        json.endObject()
        return json.finish()
    }
}

extension SourceDescription {
    /// Writes the source as an object.
    public func write(to json: inout JSONWriter) {
        json.beginObject(.lines)
        json.key("file")
        json.value(file)
        json.key("size")
        json.value(size)
        json.key("sha256")
        json.value(sha256)
        json.key("width")
        json.value(width)
        json.key("height")
        json.value(height)
        json.key("timeBase")
        json.beginObject()
        json.key("num")
        json.value(timeBase.num)
        json.key("den")
        json.value(timeBase.den)
        json.endObject()
        json.key("duration")
        json.value(duration)
        json.key("frames")
        json.value(frames)
        json.endObject()
    }
}

extension AnalysisSettings {
    /// Writes the settings as an object.
    public func write(to json: inout JSONWriter) {
        json.beginObject(.lines)
        for field in Self.fields {
            json.key(field.name)
            switch field.kind {
            case .double(let property, _): json.value(self[keyPath: property])
            case .int(let property, _): json.value(self[keyPath: property])
            case .bool(let property): json.value(self[keyPath: property])
            }
        }
        json.endObject()
    }
}

extension TrackSummary {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("id")
        json.value(id)
        json.key("action")
        json.value(action.rawValue)
        json.key("firstPTS")
        json.value(Int(firstPTS))
        json.key("lastPTS")
        json.value(Int(lastPTS))
        json.key("score")
        json.value(score)
        json.key("sightings")
        json.value(sightings)
        json.endObject()
    }
}

extension ManualTrack {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("id")
        json.value(id)
        json.key("action")
        json.value(action.rawValue)
        json.key("keyframes")
        json.beginArray(.lines)
        for keyframe in keyframes {
            json.beginObject()
            json.key("pts")
            json.value(Int(keyframe.pts))
            json.key("shape")
            keyframe.shape.write(to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension PlannedFrame {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("pts")
        json.value(Int(pts))
        if coverWhole {
            json.key("coverWhole")
            json.value(true)
        }
        json.key("regions")
        json.beginArray()
        for region in regions {
            json.beginObject()
            json.key("track")
            json.value(region.track)
            json.key("origin")
            json.value(region.origin.rawValue)
            json.key("shape")
            region.shape.write(to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension Shape {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("centerX")
        json.value(center.x)
        json.key("centerY")
        json.value(center.y)
        json.key("radiusX")
        json.value(radiusX)
        json.key("radiusY")
        json.value(radiusY)
        // -0 is written so that it reads back the same.
        if angle != 0 || angle.sign == .minus {
            json.key("angle")
            json.value(angle)
        }
        json.endObject()
    }
}

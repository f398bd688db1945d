import VeilCore

/// What is told of one file's redaction, in a manifest and in a report: numbers and words, no pictures.
public struct FileDetails: Sendable, Hashable {
    public struct Track: Sendable, Hashable {
        public var id: Int
        /// Seconds from the first frame.
        public var start: Double
        public var end: Double
        /// The best detection's score, and in which share of its frames a detector saw it; 0…1.
        public var score: Double
        public var share: Double
        /// Whether it was left uncovered on purpose.
        public var isKept: Bool

        public init(id: Int, start: Double, end: Double, score: Double, share: Double, isKept: Bool) {
            self.id = id
            self.start = start
            self.end = end
            self.score = score
            self.share = share
            self.isKept = isKept
        }
    }

    /// "encoded", "copied" or "skipped".
    public var outcome = ""
    public var encoder = ""
    public var width = 0
    public var height = 0
    /// Seconds.
    public var duration = 0.0
    public var frames = 0
    public var framesWithFaces = 0
    public var framesCoveredWhole = 0
    public var trackCount = 0
    /// At most `mostTracks`, the least sure first.
    public var tracks: [Track] = []
    public var notices: [String] = []
    public var analysisSeconds = 0.0
    public var renderSeconds = 0.0

    /// A crowd of an hour has more tracks than anybody looks through.
    public static let mostTracks = 200
    static let mostNotices = 100

    public init() {}

    public func write(to json: inout JSONWriter) {
        json.beginObject()
        for (key, text) in [("outcome", outcome), ("encoder", encoder)] {
            json.key(key)
            json.value(text)
        }
        for (key, count) in [
            ("width", width), ("height", height), ("frames", frames), ("framesWithFaces", framesWithFaces),
            ("framesCoveredWhole", framesCoveredWhole), ("trackCount", trackCount),
        ] {
            json.key(key)
            json.value(count)
        }
        for (key, number) in [
            ("duration", duration), ("analysisSeconds", analysisSeconds), ("renderSeconds", renderSeconds),
        ] {
            json.key(key)
            json.value(Self.thousandths(number))
        }
        json.key("notices")
        json.beginArray()
        for notice in notices.prefix(Self.mostNotices) { json.value(notice) }
        json.endArray()
        json.key("tracks")
        json.beginArray()
        for track in tracks.prefix(Self.mostTracks) { track.write(to: &json) }
        json.endArray()
        json.endObject()
    }

    public init(_ json: inout JSONReader) throws(JSONError) {
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "outcome": outcome = try json.readString()
            case "encoder": encoder = try json.readString()
            case "width": width = try json.readInt()
            case "height": height = try json.readInt()
            case "frames": frames = try json.readInt()
            case "framesWithFaces": framesWithFaces = try json.readInt()
            case "framesCoveredWhole": framesCoveredWhole = try json.readInt()
            case "trackCount": trackCount = try json.readInt()
            case "duration": duration = try json.readDouble()
            case "analysisSeconds": analysisSeconds = try json.readDouble()
            case "renderSeconds": renderSeconds = try json.readDouble()
            case "notices":
                try json.beginArray()
                while try json.nextElement() {
                    let notice = try json.readString()
                    if notices.count < Self.mostNotices { notices.append(notice) }
                }
            case "tracks":
                try json.beginArray()
                while try json.nextElement() {
                    let track = try Track(&json)
                    if tracks.count < Self.mostTracks { tracks.append(track) }
                }
            default: try json.skipValue()
            }
        }
    }

    static func thousandths(_ value: Double) -> Double {
        value.isFinite && abs(value) < 1e12 ? (value * 1000).rounded() / 1000 : 0
    }
}

extension FileDetails.Track {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("id")
        json.value(id)
        for (key, number) in [("start", start), ("end", end), ("score", score), ("share", share)] {
            json.key(key)
            json.value(FileDetails.thousandths(number))
        }
        if isKept {
            json.key("isKept")
            json.value(true)
        }
        json.endObject()
    }

    init(_ json: inout JSONReader) throws(JSONError) {
        self.init(id: 0, start: 0, end: 0, score: 0, share: 0, isKept: false)
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "id": id = try json.readInt()
            case "start": start = try json.readDouble()
            case "end": end = try json.readDouble()
            case "score": score = try json.readDouble()
            case "share": share = try json.readDouble()
            case "isKept": isKept = try json.readBool()
            default: try json.skipValue()
            }
        }
    }
}

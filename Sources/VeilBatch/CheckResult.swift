import VeilCore

/// A face that shows in a file: over which time, and where when it is clearest.
public struct FaceFinding: Sendable, Hashable {
    /// Seconds from the first frame.
    public var start: Double
    public var end: Double
    public var time: Double
    /// Frames that show it, of those that were looked at.
    public var frames: Int
    /// Pixels of the upright picture.
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int
    /// 0…1.
    public var score: Double
    /// Whether it shows in a thumbnail or preview within a picture's file; its place is one in that.
    public var isInPreview = false
    /// Whether a baseline knows it.
    public var isAccepted = false

    public init(
        start: Double, end: Double, time: Double, frames: Int, x: Int, y: Int, width: Int, height: Int, score: Double
    ) {
        self.start = start
        self.end = end
        self.time = time
        self.frames = frames
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.score = score
    }

    /// "face 34×41 at 120,56"
    public var words: String {
        "face \(width)×\(height) at \(x),\(y)" + (isInPreview ? " of a thumbnail or preview within" : "")
    }

    /// The share that two boxes have in common of what they cover together.
    func overlap(_ other: FaceFinding) -> Double {
        let width = min(x + self.width, other.x + other.width) - max(x, other.x)
        let height = min(y + self.height, other.y + other.height) - max(y, other.y)
        guard width > 0, height > 0 else { return 0 }
        let common = Double(width) * Double(height)
        let both = Double(self.width) * Double(self.height) + Double(other.width) * Double(other.height) - common
        return both > 0 ? common / both : 0
    }

    public func write(to json: inout JSONWriter) {
        json.beginObject()
        for (key, number) in [("start", start), ("end", end), ("time", time), ("score", score)] {
            json.key(key)
            json.value(FileDetails.thousandths(number))
        }
        for (key, number) in [("frames", frames), ("x", x), ("y", y), ("width", width), ("height", height)] {
            json.key(key)
            json.value(number)
        }
        if isInPreview {
            json.key("inPreview")
            json.value(true)
        }
        if isAccepted {
            json.key("accepted")
            json.value(true)
        }
        json.endObject()
    }

    public init(_ json: inout JSONReader) throws(JSONError) {
        self.init(start: 0, end: 0, time: 0, frames: 0, x: 0, y: 0, width: 0, height: 0, score: 0)
        /// Sums of two stay far from overflowing.
        func bounded(_ value: Int) -> Int { max(-1 << 30, min(value, 1 << 30)) }
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "start": start = try json.readDouble()
            case "end": end = try json.readDouble()
            case "time": time = try json.readDouble()
            case "score": score = try json.readDouble()
            case "frames": frames = bounded(try json.readInt())
            case "x": x = bounded(try json.readInt())
            case "y": y = bounded(try json.readInt())
            case "width": width = bounded(try json.readInt())
            case "height": height = bounded(try json.readInt())
            case "inPreview": isInPreview = try json.readBool()
            default: try json.skipValue()
            }
        }
    }
}

/// What a check found in one file.
public struct CheckedFile: Sendable, Hashable {
    public var path: String
    /// Frames that were looked at; 1 for a picture.
    public var frames = 0
    public var width = 0
    public var height = 0
    public var faces: [FaceFinding] = []
    /// Why it couldn't be looked through: it is unknown what it shows.
    public var failure: String?
    /// Of its contents, where a baseline needs it.
    public var sha256: String?

    public init(path: String) { self.path = path }

    /// The faces that no baseline accepts.
    public var showing: [FaceFinding] { faces.filter { !$0.isAccepted } }

    /// "clip.mp4:1.280: face 34×41 at 120,56, until 2.400 (29 frames), score 84 %"; a picture has no time.
    public func line(_ face: FaceFinding) -> String {
        let time = frames > 1 ? ":\(Self.seconds(face.time))" : ""
        let span =
            face.frames > 1
            ? ", shown from \(Self.seconds(face.start)) to \(Self.seconds(face.end)) s (\(face.frames) frames)" : ""
        return "\(path)\(time): \(face.words)\(span), score \(Int((face.score * 100).rounded())) %"
    }

    /// Three digits behind the point.
    static func seconds(_ value: Double) -> String {
        let whole = Int((max(0, min(value, 1e9)) * 1000).rounded())
        return "\(whole / 1000).\(String(whole % 1000 + 1000).dropFirst())"
    }
}

/// Faces that were looked at by a person and are accepted.
///
/// They are known by the contents of their file, wherever it lies: a file that has changed in any way is looked at anew.
public struct Baseline: Sendable, Hashable {
    static let version = 1
    /// By the digest of a file's contents.
    private var known: [String: [FaceFinding]] = [:]
    private var paths: [String: String] = [:]

    public init() {}

    /// - Throws: `JSONError` for what isn't a baseline.
    public init(json bytes: [UInt8]) throws(JSONError) {
        var json = try JSONReader(bytes)
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "version":
                let start = json.nextOffset()
                if try json.readInt() != Self.version { throw json.failure(.numberOutOfRange, at: start) }
            case "files":
                try json.beginArray()
                while try json.nextElement() { try readFile(&json) }
            default: try json.skipValue()
            }
        }
        try json.finish()
    }

    private mutating func readFile(_ json: inout JSONReader) throws(JSONError) {
        var (path, digest, faces): (String, String, [FaceFinding]) = ("", "", [])
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "path": path = try json.readString()
            case "sha256": digest = try json.readString()
            case "faces":
                try json.beginArray()
                while try json.nextElement() { faces.append(try FaceFinding(&json)) }
            default: try json.skipValue()
            }
        }
        known[digest, default: []] += faces
        paths[digest] = path
    }

    /// Takes in what was found in a file whose digest is known.
    public mutating func add(_ file: CheckedFile) {
        guard let digest = file.sha256, !file.faces.isEmpty else { return }
        if known[digest] == nil { paths[digest] = file.path }
        known[digest] = file.faces
    }

    /// The file with those faces marked that are known in its contents, at about the same place and time.
    public func marking(_ file: CheckedFile) -> CheckedFile {
        guard let digest = file.sha256, let accepted = known[digest] else { return file }
        var file = file
        for index in file.faces.indices {
            let face = file.faces[index]
            file.faces[index].isAccepted = accepted.contains {
                $0.isInPreview == face.isInPreview && $0.overlap(face) >= 0.5 && $0.start <= face.end + 0.5
                    && $0.end >= face.start - 0.5
            }
        }
        return file
    }

    /// As JSON, sorted by path.
    public func encoded() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject(.lines)
        json.key("version")
        json.value(Self.version)
        json.key("files")
        json.beginArray(.lines)
        let order = known.keys.sorted { (paths[$0] ?? "", $0) < (paths[$1] ?? "", $1) }
        for digest in order {
            json.beginObject(.lines)
            json.key("path")
            json.value(paths[digest] ?? "")
            json.key("sha256")
            json.value(digest)
            json.key("faces")
            json.beginArray(.lines)
            for var face in known[digest] ?? [] {
                face.isAccepted = false
                face.write(to: &json)
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.finish()
    }
}

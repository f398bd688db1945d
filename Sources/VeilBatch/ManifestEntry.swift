import VeilCore

/// What a manifest knows of one output.
public struct ManifestEntry: Sendable, Hashable {
    public enum Result: Sendable, Hashable {
        /// There is an output, and it is this.
        case written(KnownFile)
        /// Nothing had to be covered, and such files were to be skipped.
        case nothing
        /// The file itself is at fault: trying again would end alike.
        case failed(String)
    }

    /// The output's place below the manifest's folder.
    public var key: String
    /// The input's path as it was found.
    public var sourcePath: String
    public var source: KnownFile
    /// What the output was made with: a digest of the settings, the program's version, the models' digest.
    public var settings: String
    public var program: String
    public var models: String
    public var result: Result
    public var details: FileDetails

    public init(
        key: String, sourcePath: String, source: KnownFile, settings: String, program: String, models: String,
        result: Result, details: FileDetails
    ) {
        self.key = key
        self.sourcePath = sourcePath
        self.source = source
        self.settings = settings
        self.program = program
        self.models = models
        self.result = result
        self.details = details
    }

    /// The line of the manifest, with its line feed.
    func line() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (name, text) in [
            ("done", key), ("path", sourcePath), ("settings", settings), ("veil", program), ("models", models),
        ] {
            json.key(name)
            json.value(text)
        }
        json.key("source")
        source.write(to: &json)
        switch result {
        case .written(let output):
            json.key("output")
            output.write(to: &json)
        case .nothing: break
        case .failed(let reason):
            json.key("failed")
            json.value(reason)
        }
        json.key("details")
        details.write(to: &json)
        json.endObject()
        return json.finish()
    }
}

/// A line of a manifest.
enum ManifestLine: Equatable {
    /// The first line: the form's version.
    case version(Int)
    /// An output that is being made: should it be there without being done, it is the program's own.
    case begun(String)
    /// One that came to nothing: what is there now isn't the program's.
    case dropped(String)
    case done(ManifestEntry)

    /// Nil for a line that isn't whole or means nothing: it is as if it weren't there.
    init?(_ bytes: [UInt8]) {
        var limits = JSONReader.Limits()
        limits.size = 1 << 24
        limits.string = 1 << 16
        do throws(JSONError) {
            guard let line = try Self.read(JSONReader(bytes, limits: limits)) else { return nil }
            self = line
        } catch { return nil }
    }

    private static func read(_ reader: consuming JSONReader) throws(JSONError) -> ManifestLine? {
        var json = reader
        var (version, begun, dropped, key): (Int?, String?, String?, String?) = (nil, nil, nil, nil)
        var texts: [String: String] = [:]
        var (source, output): (KnownFile?, KnownFile?) = (nil, nil)
        var details = FileDetails()
        try json.beginObject()
        while let name = try json.nextKey() {
            switch name {
            case "version": version = try json.readInt()
            case "begun": begun = try json.readString()
            case "dropped": dropped = try json.readString()
            case "done": key = try json.readString()
            case "path", "settings", "veil", "models", "failed": texts[name] = try json.readString()
            case "source": source = try KnownFile(&json)
            case "output": output = try KnownFile(&json)
            case "details": details = try FileDetails(&json)
            default: try json.skipValue()
            }
        }
        try json.finish()
        if let version { return .version(version) }
        if let begun { return .begun(begun) }
        if let dropped { return .dropped(dropped) }
        guard let key, let source else { return nil }
        let result: ManifestEntry.Result =
            if let output { .written(output) } else if let reason = texts["failed"] { .failed(reason) } else {
                .nothing
            }
        return .done(
            ManifestEntry(
                key: key, sourcePath: texts["path"] ?? "", source: source, settings: texts["settings"] ?? "",
                program: texts["veil"] ?? "", models: texts["models"] ?? "", result: result, details: details))
    }

    static func begunLine(_ key: String) -> [UInt8] { line("begun") { $0.value(key) } }

    static func droppedLine(_ key: String) -> [UInt8] { line("dropped") { $0.value(key) } }

    static func versionLine(_ version: Int) -> [UInt8] { line("version") { $0.value(version) } }

    private static func line(_ name: String, _ value: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key(name)
        value(&json)
        json.endObject()
        return json.finish()
    }
}

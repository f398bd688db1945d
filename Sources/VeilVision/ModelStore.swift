import FoundationEssentials
import Glibc
import VeilDigest

/// A model whose bytes are those that the manifest names.
public struct Model: Sendable {
    public var name: String
    public var path: String
    public var version: String
    public var bytes: [UInt8]

    public init(name: String, path: String, version: String, bytes: [UInt8]) {
        self.name = name
        self.path = path
        self.version = version
        self.bytes = bytes
    }
}

/// What the manifest says of one model.
public struct ModelEntry: Sendable, Hashable, Codable {
    public var name: String
    /// Relative to the manifest's folder, or absolute.
    public var file: String
    public var use: String
    public var version: String
    public var source: String
    /// 64 hexadecimal digits.
    public var sha256: String
    /// In bytes.
    public var size: Int
    public var licence: String
}

/// The models that detectors read, and the check that they are the ones we know.
///
/// A model is read once, whole, and checked in memory, so what is used is what was checked.
public struct ModelStore: Sendable {
    public static let manifestName = "manifest.json"
    /// The environment variable that names a folder of models.
    public static let environmentName = "VEIL_MODELS"

    /// The folder that holds the manifest.
    public let directory: String
    public let entries: [ModelEntry]

    /// A model is read into memory whole.
    private static let sizes = 1...(1 << 30)

    private struct Manifest: Codable {
        var version: Int
        var models: [ModelEntry]
    }

    /// Reads the manifest of a folder. Throws `.unreadableManifest`.
    public init(directory: String) throws(ModelError) {
        let path = Self.join(directory, Self.manifestName)
        let bytes: [UInt8]
        do {
            bytes = try Self.read(path, limit: 1 << 20)
        } catch {
            throw .unreadableManifest(file: path, reason: error.reason)
        }
        let manifest: Manifest
        do {
            manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw .unreadableManifest(file: path, reason: "it is not a manifest of models")
        }
        guard manifest.version == 1 else {
            throw .unreadableManifest(file: path, reason: "version \(manifest.version) is not known")
        }
        for entry in manifest.models where !Self.sizes.contains(entry.size) {
            throw .unreadableManifest(file: path, reason: "the size of \(entry.name) is out of range")
        }
        self.directory = directory
        entries = manifest.models
    }

    /// Finds the folder of models: the one given, else the environment's, else `<executable>/../share/veil/models`, else
    /// `Models` in a folder above the executable (a checkout).
    ///
    /// A folder that was named, by flag or environment, is the only one looked at.
    public static func locate(
        flag: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        executable: String? = ModelStore.executablePath()
    ) throws(ModelError) -> ModelStore {
        if let named = flag ?? environment[environmentName].flatMap({ $0.isEmpty ? nil : $0 }) {
            return try ModelStore(directory: named)
        }
        let candidates = executable.map(candidates(executable:)) ?? []
        for folder in candidates where access(join(folder, manifestName), F_OK) == 0 {
            return try ModelStore(directory: folder)
        }
        throw .noFolder(searched: candidates)
    }

    /// Where models may lie, seen from an executable, nearest first.
    static func candidates(executable: String) -> [String] {
        var folder = parent(executable)
        var found = [join(parent(folder), "share/veil/models")]
        while true {
            found.append(join(folder, "Models"))
            if folder == "/" || folder == "." { return found }
            folder = parent(folder)
        }
    }

    /// The running program's path, with links followed.
    public static func executablePath() -> String? {
        guard let resolved = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A model's bytes, checked against the manifest's size and SHA-256.
    ///
    /// Throws `.notListed`, `.missing`, `.unreadable` or `.altered`.
    public func model(_ name: String) throws(ModelError) -> Model {
        guard let entry = entries.first(where: { $0.name == name }) else {
            throw .notListed(name: name, file: Self.join(directory, Self.manifestName))
        }
        let path = path(of: entry)
        let bytes: [UInt8]
        do {
            // One byte more than allowed tells a longer file from the right one.
            bytes = try Self.read(path, limit: entry.size + 1)
        } catch {
            throw error.code == ENOENT ? .missing(file: path) : .unreadable(file: path, reason: error.reason)
        }
        guard bytes.count == entry.size else {
            throw .altered(file: path, reason: "its size differs from the manifest's \(entry.size) bytes")
        }
        let digest = SHA256.hex(of: bytes)
        guard digest == entry.sha256.lowercased() else {
            throw .altered(file: path, reason: "its SHA-256 is \(digest), not \(entry.sha256)")
        }
        return Model(name: name, path: path, version: entry.version, bytes: bytes)
    }

    /// Where a listed model lies.
    public func path(of entry: ModelEntry) -> String {
        entry.file.hasPrefix("/") ? entry.file : Self.join(directory, entry.file)
    }

    private struct ReadError: Error {
        var code: Int32
        var reason: String { String(cString: strerror(code)) }
    }

    /// Up to `limit` bytes of a file.
    private static func read(_ path: String, limit: Int) throws(ReadError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ReadError(code: errno) }
        defer { close(file) }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, limit)) { buffer, filled in
            while filled < buffer.count {
                let space = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
                let count = Glibc.read(file, space.baseAddress, space.count)
                if count == 0 { return }
                if count < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                    return
                }
                filled += count
            }
        }
        guard failure == 0 else { throw ReadError(code: failure) }
        return bytes
    }

    private static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

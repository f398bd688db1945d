import Glibc

/// What a folder's outputs were made from: a journal of lines, one for each output that was begun or done.
///
/// A line is added with one call, so that a run that is killed leaves at most one line that isn't whole, at the end; it is
/// passed over and cut off. When a run is over, the journal is written anew without what it no longer needs and takes the
/// old one's place by renaming. Only its owner may read it, for it tells where people's pictures are.
///
/// Runs over the same folder wait for one another. Shards of one run don't: each has a journal of its own, which the others
/// and later runs read.
public final class Manifest {
    /// What names of manifests begin with.
    public static let prefix = ".veil-manifest"
    static let version = 1

    public let folder: String
    private let name: String
    private let lock: ManifestLock
    private var journal: Journal
    /// What other shards have done.
    private let foreign: [String: ManifestEntry]
    private var own: [String: ManifestEntry]
    private var begun: Set<String>

    /// Opens the manifest of a folder, which must be there, and waits for whoever works on it.
    ///
    /// - Parameters:
    ///   - shard: the name of this run's share, "2-of-8"; nil for a run over all.
    ///   - waiting: called about ten times a second while another run holds the folder; false gives up.
    /// - Returns: nil when `waiting` gave up.
    public static func open(
        folder: String, shard: String? = nil, waiting: () -> Bool
    ) throws(BatchError) -> Manifest? {
        guard let lock = try ManifestLock(folder: folder, shard: shard, waiting: waiting) else { return nil }
        return try Manifest(folder: folder, shard: shard, lock: lock)
    }

    private init(folder: String, shard: String?, lock: ManifestLock) throws(BatchError) {
        self.folder = folder
        self.lock = lock
        name = Self.prefix + (shard.map { "." + $0 } ?? "") + ".jsonl"
        var foreign: [String: ManifestEntry] = [:]
        for other in (Folder.list(folder) ?? Folder.Listing()).names
        where other != name && other.hasPrefix(Self.prefix) && other.hasSuffix(".jsonl") {
            for (key, entry) in try Journal.contents(of: Path.join(folder, other)).done
            where entry.source.readAt >= foreign[key]?.source.readAt ?? .min {
                foreign[key] = entry
            }
        }
        self.foreign = foreign
        journal = try Journal(Path.join(folder, name))
        own = journal.found.done
        begun = journal.found.begun
    }

    /// What is known of an output; nil for one that was never done.
    public func entry(_ key: String) -> ManifestEntry? {
        guard let entry = own[key] else { return foreign[key] }
        if let other = foreign[key], other.source.readAt > entry.source.readAt { return other }
        return entry
    }

    /// Whether an output is this program's own, done or not, and may be written over.
    ///
    /// A file that failed, or in which nothing had to be covered, has no output: what lies there is somebody else's.
    public func owns(_ key: String) -> Bool {
        if begun.contains(key) { return true }
        if case .written? = entry(key)?.result { return true }
        return false
    }

    /// Whether it was begun and not done: a run was killed.
    public func isUnfinished(_ key: String) -> Bool { begun.contains(key) }

    /// Notes that an output is going to be made. On disk when this returns.
    public func begin(_ key: String) throws(BatchError) {
        guard begun.insert(key).inserted else { return }
        try journal.append(ManifestLine.begunLine(key))
        try journal.synchronise()
    }

    /// Notes what came of it.
    public func finish(_ entry: ManifestEntry) throws(BatchError) {
        try journal.append(entry.line())
        own[entry.key] = entry
        begun.remove(entry.key)
    }

    /// Notes that nothing came of it, and that the next run should try again.
    public func drop(_ key: String) throws(BatchError) {
        guard begun.remove(key) != nil else { return }
        try journal.append(ManifestLine.droppedLine(key))
    }

    /// Writes the journal anew, sorted, without what it no longer needs.
    public func compact() throws(BatchError) {
        var bytes = ManifestLine.versionLine(Self.version)
        for key in own.keys.sorted() { if let entry = own[key] { bytes += entry.line() } }
        for key in begun.sorted() { bytes += ManifestLine.begunLine(key) }
        try journal.replace(with: bytes)
    }
}

/// A file of lines that is only added to.
struct Journal {
    struct Contents {
        var done: [String: ManifestEntry] = [:]
        var begun: Set<String> = []
    }

    private let path: String
    private var descriptor: Int32
    let found: Contents
    /// Bytes on disk, to write nothing where nothing has changed.
    private var bytes: [UInt8]

    /// Opens it, makes it if it isn't there, and cuts off a line that isn't whole.
    init(_ path: String) throws(BatchError) {
        self.path = path
        bytes = try Self.read(path) ?? []
        found = try Self.contents(bytes, path)
        // Of a run that was killed before the renaming.
        unlink(path + ".new")
        descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("opening the manifest", path) }
        fchmod(descriptor, 0o600)
        let whole = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        if whole < bytes.count {
            guard ftruncate(descriptor, off_t(whole)) == 0 else { throw Self.failure("mending the manifest", path) }
            bytes.removeLast(bytes.count - whole)
        }
        if bytes.isEmpty { try append(ManifestLine.versionLine(Manifest.version)) }
    }

    static func contents(of path: String) throws(BatchError) -> Contents {
        try contents(read(path) ?? [], path)
    }

    static func contents(_ bytes: [UInt8], _ path: String) throws(BatchError) -> Contents {
        var contents = Contents()
        // What isn't ended by a line feed may be cut off.
        for line in bytes.prefix(bytes.lastIndex(of: 0x0A) ?? 0).split(separator: 0x0A) {
            switch ManifestLine(Array(line)) {
            case .version(let version):
                guard version <= Manifest.version else {
                    throw BatchError(
                        "reading the manifest", file: path,
                        detail: "it is of form \(version), which a newer veil has written")
                }
            case .begun(let key):
                contents.begun.insert(key)
            case .done(let entry):
                contents.done[entry.key] = entry
                contents.begun.remove(entry.key)
            case .dropped(let key): contents.begun.remove(key)
            case nil: continue
            }
        }
        return contents
    }

    /// Adds a line with a single call.
    mutating func append(_ line: [UInt8]) throws(BatchError) {
        try Self.write(line, to: descriptor, path)
        bytes += line
    }

    func synchronise() throws(BatchError) {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("writing the manifest", path) }
    }

    /// Takes the place of the old file by renaming, when it is whole on disk.
    mutating func replace(with fresh: [UInt8]) throws(BatchError) {
        guard fresh != bytes else { return }
        let part = path + ".new"
        unlink(part)
        let new = Glibc.open(part, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard new >= 0 else { throw Self.failure("writing the manifest", path) }
        do throws(BatchError) {
            try Self.write(fresh, to: new, path)
            guard fsync(new) == 0, rename(part, path) == 0 else { throw Self.failure("writing the manifest", path) }
        } catch {
            close(new)
            unlink(part)
            throw error
        }
        close(descriptor)
        descriptor = new
        bytes = fresh
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(BatchError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("writing the manifest", path) }
            done += count
        }
    }

    /// Nil where there is no such file.
    private static func read(_ path: String) throws(BatchError) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 && errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure("reading the manifest", path) }
        defer { close(descriptor) }
        return try ManifestLock.readAll(descriptor, path)
    }

    private static func failure(_ doing: String, _ path: String) -> BatchError {
        BatchError(doing, file: path, detail: String(cString: strerror(errno)))
    }
}

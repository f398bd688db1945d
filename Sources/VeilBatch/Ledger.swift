import Glibc

/// Decides what of a batch is still to be done, and notes what was.
public final class Ledger {
    /// What outputs are made with: a change makes them anew.
    public struct Maker: Sendable, Hashable {
        /// A digest of all settings.
        public var settings: String
        public var program: String
        public var models: String

        public init(settings: String, program: String, models: String) {
            self.settings = settings
            self.program = program
            self.models = models
        }

        /// For files that are copied as they are.
        public static let copies = Maker(settings: "copied as it is", program: "", models: "")
    }

    public enum Verdict: Sendable {
        /// It was done, and nothing has changed since.
        case upToDate(ManifestEntry)
        /// It failed, and would fail again.
        case failedBefore(ManifestEntry, reason: String)
        /// Work on `source`; write over what is at the output if that is the program's own.
        case due(source: String, overwrite: Bool, keepsBackup: Bool)
        /// It can't be done.
        case refused(String)
    }

    private var manifests: [String: Manifest] = [:]
    private let rehashes: Bool
    private let retriesFailed: Bool
    private let overwrites: Bool
    /// Outputs that were there and weren't the program's own when they were to be replaced.
    private var foreign: Set<String> = []

    /// - Parameter overwrites: replace files that aren't the program's own, too.
    public init(rehashes: Bool, retriesFailed: Bool, overwrites: Bool) {
        self.rehashes = rehashes
        self.retriesFailed = retriesFailed
        self.overwrites = overwrites
    }

    /// Opens the manifests of all folders, always in the same order, so that two runs don't wait for each other for ever.
    ///
    /// - Returns: false when `waiting` gave up.
    public func open(
        _ folders: Set<String>, shard: String?, waiting: (String) -> Bool
    ) throws(BatchError) -> Bool {
        for folder in folders.sorted() {
            guard let manifest = try Manifest.open(folder: folder, shard: shard, waiting: { waiting(folder) }) else {
                return false
            }
            manifests[folder] = manifest
        }
        return true
    }

    private func manifest(_ item: Mirror.Item) -> Manifest? { item.folder.flatMap { manifests[$0] } }

    public func verdict(_ item: Mirror.Item, by maker: Maker, tick: () -> Bool) throws(BatchError) -> Verdict {
        guard let manifest = manifest(item) else {
            return .due(source: item.source, overwrite: overwrites, keepsBackup: false)
        }
        let entry = manifest.entry(item.key)
        if let backup = item.backup { return try verdict(item, backup, entry, manifest, maker, tick) }
        let isOwn = manifest.owns(item.key)
        let mayOverwrite = overwrites || isOwn
        if !isOwn && Files.exists(item.output) { foreign.insert(item.output) }
        if !mayOverwrite && foreign.contains(item.output) {
            return .refused(
                "its output \(item.output) exists already and isn't known to be veil's; --force replaces it")
        }
        let due = Verdict.due(source: item.source, overwrite: mayOverwrite, keepsBackup: false)
        guard var entry, Self.isMade(entry, by: maker), !manifest.isUnfinished(item.key),
            let source = try same(item.source, entry.source, tick)
        else { return due }
        let before = entry
        entry.source = source
        switch entry.result {
        case .written(let output):
            guard let output = try same(item.output, output, tick) else { return due }
            entry.result = .written(output)
        case .nothing: if Files.exists(item.output) { return due }
        case .failed(let reason):
            if retriesFailed || Files.exists(item.output) { return due }
            if entry != before { try manifest.finish(entry) }
            return .failedBefore(entry, reason: reason)
        }
        // The stamps that were found are surer than those that were known.
        if entry != before { try manifest.finish(entry) }
        return .upToDate(entry)
    }

    /// In place: the output lies where the input lay.
    private func verdict(
        _ item: Mirror.Item, _ backup: String, _ known: ManifestEntry?, _ manifest: Manifest, _ maker: Maker,
        _ tick: () -> Bool
    ) throws(BatchError) -> Verdict {
        if Files.isLink(item.source) { return .refused("it is a symbolic link: name the file itself to work in place") }
        if var entry = known {
            switch entry.result {
            case .written(let output):
                guard let output = try same(item.output, output, tick) else { break }
                if Self.isMade(entry, by: maker) {
                    if .written(output) != entry.result {
                        entry.result = .written(output)
                        try manifest.finish(entry)
                    }
                    return .upToDate(entry)
                }
                guard Files.exists(backup), try same(backup, entry.source, tick) != nil else {
                    return .refused(
                        "it was redacted with other settings before, and its original isn't at \(backup) any more")
                }
                return .due(source: backup, overwrite: true, keepsBackup: true)
            case .nothing, .failed:
                guard Self.isMade(entry, by: maker), let source = try same(item.source, entry.source, tick) else {
                    break
                }
                if source != entry.source {
                    entry.source = source
                    try manifest.finish(entry)
                }
                if case .failed(let reason) = entry.result {
                    if retriesFailed { break }
                    return .failedBefore(entry, reason: reason)
                }
                return .upToDate(entry)
            }
        }
        if let obstacle = Replacement.obstacle(for: item.source, backup: backup) { return .refused(obstacle) }
        return .due(source: item.source, overwrite: true, keepsBackup: false)
    }

    private static func isMade(_ entry: ManifestEntry, by maker: Maker) -> Bool {
        entry.settings == maker.settings && entry.program == maker.program && entry.models == maker.models
    }

    /// What is known of a file now, if it has the contents that were known; nil if it hasn't, or isn't there.
    private func same(_ path: String, _ known: KnownFile, _ tick: () -> Bool) throws(BatchError) -> KnownFile? {
        guard let stamp = FileStamp(path), stamp.size == known.stamp.size else { return nil }
        if !rehashes && known.isSurely(stamp) { return known }
        guard let now = try KnownFile.read(path, tick: tick), now.sha256 == known.sha256 else { return nil }
        return now
    }

    /// Notes that an output is going to be made.
    public func begin(_ item: Mirror.Item) throws(BatchError) {
        if item.backup == nil { try manifest(item)?.begin(item.key) }
    }

    /// Notes what came of it.
    public func finish(_ item: Mirror.Item, _ entry: ManifestEntry) throws(BatchError) {
        try manifest(item)?.finish(entry)
        if case .written = entry.result { return }
        // What an earlier run has made there is still the program's own.
        if hasOwnOutput(item) { try begin(item) }
    }

    /// Notes that it came to nothing, for reasons that may pass.
    public func drop(_ item: Mirror.Item) throws(BatchError) {
        if !hasOwnOutput(item) { try manifest(item)?.drop(item.key) }
    }

    private func hasOwnOutput(_ item: Mirror.Item) -> Bool {
        Files.exists(item.output) && !foreign.contains(item.output)
    }

    public func close() throws(BatchError) {
        for folder in manifests.keys.sorted() { try manifests[folder]?.compact() }
    }
}

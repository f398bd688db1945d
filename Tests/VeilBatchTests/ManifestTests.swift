import Glibc
import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct ManifestTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ shard: String? = nil) throws -> Manifest {
        try #require(try Manifest.open(folder: folder.path, shard: shard) { false })
    }

    private func entry(_ key: String, _ result: ManifestEntry.Result = .nothing, readAt: Int = 5) -> ManifestEntry {
        var details = FileDetails()
        details.tracks = [.init(id: 3, start: 0.5, end: 1, score: 0.75, share: 0.5, isKept: true)]
        details.notices = ["a \"word\"\n"]
        return ManifestEntry(
            key: key, sourcePath: "in/" + key,
            source: KnownFile(
                stamp: FileStamp(size: 1, modified: 2, changed: 3, inode: 4), sha256: "ab", readAt: readAt),
            settings: "s", program: "p", models: "m", result: result, details: details)
    }

    @Test func `what was noted is known to the next run`() throws {
        let known = KnownFile(stamp: FileStamp(size: 9, modified: 8, changed: 7, inode: 6), sha256: "cd", readAt: 5)
        let entries = [entry("a"), entry("b/ü\n.mp4", .written(known)), entry("c", .failed("why"))]
        do {
            let manifest = try open()
            for entry in entries {
                try manifest.begin(entry.key)
                try manifest.finish(entry)
            }
            try manifest.begin("d")
            try manifest.begin("e")
            try manifest.drop("e")
        }
        for compacts in [true, false] {
            let manifest = try open()
            for entry in entries { #expect(manifest.entry(entry.key) == entry) }
            #expect(manifest.isUnfinished("d") && manifest.owns("d") && !manifest.owns("e") && !manifest.owns("f"))
            if compacts { try manifest.compact() }
        }
        #expect(FileBytes.mode(folder.file(".veil-manifest.jsonl")) == 0o600)
    }

    @Test func `a file without an output owns nothing at its place`() throws {
        let known = KnownFile(stamp: FileStamp(size: 9, modified: 8, changed: 7, inode: 6), sha256: "cd", readAt: 5)
        let manifest = try open()
        try manifest.finish(entry("written", .written(known)))
        try manifest.finish(entry("failed", .failed("why")))
        try manifest.finish(entry("nothing"))
        try manifest.begin("begun")
        #expect(manifest.owns("written") && manifest.owns("begun"))
        #expect(!manifest.owns("failed") && !manifest.owns("nothing") && !manifest.owns("unknown"))
    }

    /// What comes of a file whose output's place is taken, or was made before.
    @Test(arguments: [ManifestEntry.Result.nothing, .failed("why")])
    func `a file that somebody put there is refused, an older output is replaced`(result: ManifestEntry.Result) throws {
        let maker = Ledger.Maker(settings: "s", program: "p", models: "m")
        try FileBytes.write([1], to: folder.file("in"))
        let item = Mirror.Item(
            source: folder.file("in"), output: folder.file("out"), folder: folder.path, key: "out", backup: nil)
        func verdict(_ settings: String, forced: Bool = false) throws -> (Ledger, Ledger.Verdict) {
            let ledger = Ledger(rehashes: false, retriesFailed: false, overwrites: forced)
            #expect(try ledger.open([folder.path], shard: nil) { _ in false })
            var maker = maker
            maker.settings = settings
            return (ledger, try ledger.verdict(item, by: maker) { true })
        }
        func entry(_ result: ManifestEntry.Result) throws -> ManifestEntry {
            ManifestEntry(
                key: "out", sourcePath: item.source, source: try #require(try KnownFile.read(item.source)),
                settings: "s", program: "p", models: "m", result: result, details: FileDetails())
        }
        /// Runs once, with something made or not, and ends with a result.
        func run(_ settings: String, _ result: ManifestEntry.Result?, makes bytes: [UInt8]? = nil, forced: Bool = false)
            throws -> Bool
        {
            let (ledger, found) = try verdict(settings, forced: forced)
            guard case .due(_, let mayOverwrite, _) = found else { return false }
            #expect(mayOverwrite || !FileBytes.exists(item.output))
            try ledger.begin(item)
            if let bytes { try FileBytes.write(bytes, to: item.output) }
            if let result {
                try ledger.finish(item, entry(result))
            } else {
                try ledger.drop(item)
            }
            try ledger.close()
            return true
        }
        // Nothing was made, and somebody puts a file there.
        #expect(try run("s", result))
        try FileBytes.write([7], to: item.output)
        #expect(try !run("s", result) && !run("other", result))
        // With force it may be replaced; where that fails, the file is still somebody else's.
        #expect(try run("other", nil, forced: true) && !run("other", result))
        #expect(try run("other", result, forced: true) && !run("another", result))
        // Made once, it is the program's own, though a later run comes to nothing.
        unlink(item.output)
        #expect(try run("new", .written(#require(try KnownFile.read(item.source))), makes: [8]))
        #expect(try run("other", result) && run("another", nil) && run("another", result))
    }

    @Test func `cut off anywhere, it knows all whole lines and goes on from there`() throws {
        let path = folder.file(".veil-manifest.jsonl")
        var ends: [Int] = []
        do {
            let manifest = try open()
            for key in ["a", "b", "c"] {
                try manifest.begin(key)
                ends.append(FileBytes.size(path))
                try manifest.finish(entry(key))
                ends.append(FileBytes.size(path))
            }
        }
        let bytes = try FileBytes.read(path)
        let cuts = Set(stride(from: 0, through: bytes.count, by: 37) + ends.flatMap { [$0 - 1, $0, $0 + 1] })
        for cut in cuts where cut <= bytes.count {
            try FileBytes.write(bytes[..<cut], to: path)
            let manifest = try open()
            let whole = ends.count { $0 <= cut }
            #expect(["a", "b", "c"].count { manifest.entry($0) != nil } == whole / 2, "cut at \(cut)")
            #expect(["a", "b", "c"].count { manifest.isUnfinished($0) } == whole % 2, "cut at \(cut)")
            try manifest.finish(entry("z"))
            #expect(try open2(path).done["z"] != nil)
        }
    }

    private func open2(_ path: String) throws -> Journal.Contents { try Journal.contents(of: path) }

    @Test func `killed while it is written anew, the old one holds`() throws {
        do { try open().finish(entry("a")) }
        // What a run that was killed before the renaming leaves.
        try FileBytes.write(Array("{\"version\": 1}\n{\"done\": \"b".utf8), to: folder.file(".veil-manifest.jsonl.new"))
        let manifest = try open()
        #expect(manifest.entry("a") != nil && manifest.entry("b") == nil)
        try manifest.finish(entry("b"))
        try manifest.compact()
        #expect(folder.names == [".veil-manifest.jsonl", ".veil-manifest.lock"])
    }

    @Test func `rubbish in it is passed over, and a newer form is refused`() throws {
        let path = folder.file(".veil-manifest.jsonl")
        do { try open().finish(entry("a")) }
        try FileBytes.write(Array("\0\0\0\n[1\n{\"done\": 3}\n".utf8) + FileBytes.read(path), to: path)
        #expect(try open().entry("a") != nil)
        try FileBytes.write(Array("{\"version\": 2}\n".utf8), to: path)
        #expect(throws: BatchError.self) { try open() }
    }

    @Test func `a second run waits, shards don't wait for each other and read what others did`() throws {
        do {
            let first = try open("1-of-2")
            try first.finish(entry("a", readAt: 9))
            #expect(try Manifest.open(folder: folder.path, shard: "1-of-2") { false } == nil)
            #expect(try Manifest.open(folder: folder.path) { false } == nil)
            let second = try open("2-of-2")
            #expect(second.entry("a") != nil)
            try second.finish(entry("b"))
        }
        let all = try open()
        #expect(all.entry("a") != nil && all.entry("b") != nil)
        var asked = 0
        let other = try Manifest.open(folder: folder.path) {
            asked += 1
            return asked < 3
        }
        #expect(other == nil && asked == 3)
        // Of two who did the same, the later one counts.
        try all.finish(entry("a", .failed("older"), readAt: 1))
        #expect(all.entry("a")?.result == .nothing)
    }

    @Test func `a folder is free when its run ends, though copies of the descriptors are about`() throws {
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        for shard in [nil, "1-of-2"] {
            do {
                let manifest = try open(shard)
                try manifest.finish(entry("a"))
                let copied = copyDescriptors(of: folder.path)
                #expect(copied.count >= (shard == nil ? 2 : 3), "the journal and each lock")
                copies += copied
            }
            try open(shard).compact()
        }
    }

    /// What a fork leaves: one more descriptor of each file that is open below the folder.
    private func copyDescriptors(of folder: String) -> [Int32] {
        (0..<1024).compactMap { (descriptor: Int32) in
            var name = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
            guard count > 0, String(decoding: name[..<count], as: UTF8.self).hasPrefix(folder) else { return nil }
            return fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        }
    }

    @Test func `a stamp counts only when it was old at the reading`() {
        let second = 1_000_000_000
        let stamp = FileStamp(size: 1, modified: 10 * second + 5, changed: 10 * second + 5, inode: 1)
        #expect(!stamp.isSettled(at: 10 * second + second / 20))
        #expect(stamp.isSettled(at: 10 * second + second / 5))
        // Whole seconds look like a coarse clock.
        let coarse = FileStamp(size: 1, modified: 10 * second, changed: 10 * second, inode: 1)
        #expect(!coarse.isSettled(at: 12 * second) && coarse.isSettled(at: 13 * second))
        #expect(!FileStamp(size: 1, modified: 99 * second, changed: 5, inode: 1).isSettled(at: 20 * second))
    }

    @Test func `an original is kept before its place is taken, at whatever step a run ends`() throws {
        let (input, stage, backup) = (folder.file("a.mp4"), folder.file(".veil-new.a.mp4"), folder.file("a.mp4.orig"))
        func reset() throws -> String {
            for path in [input, stage, backup] { unlink(path) }
            try FileBytes.write([1, 2, 3], to: input)
            chmod(input, 0o644)
            try FileBytes.write([4], to: stage)
            return try #require(try KnownFile.read(input)).sha256
        }
        func expectPlaced() throws {
            #expect(try FileBytes.read(input) == [4] && FileBytes.read(backup) == [1, 2, 3])
            #expect(FileBytes.mode(backup) == 0o600 && FileBytes.mode(input) == 0o644)
            #expect(!FileBytes.exists(stage))
        }
        var digest = try reset()
        try Replacement.place(stage, over: input, backup: backup, original: digest)
        try expectPlaced()
        // Killed behind the link, or behind a copy.
        digest = try reset()
        link(input, backup)
        #expect(Replacement.obstacle(for: input, backup: backup) == nil)
        try Replacement.place(stage, over: input, backup: backup, original: digest)
        try expectPlaced()
        digest = try reset()
        try FileBytes.write([1, 2, 3], to: backup)
        #expect(Replacement.obstacle(for: input, backup: backup) == nil)
        try Replacement.place(stage, over: input, backup: backup, original: digest)
        try expectPlaced()
        // Somebody else's file is not replaced, and then nor is the input.
        digest = try reset()
        try FileBytes.write([9], to: backup)
        #expect(Replacement.obstacle(for: input, backup: backup) != nil)
        #expect(throws: BatchError.self) {
            try Replacement.place(stage, over: input, backup: backup, original: digest)
        }
        #expect(try FileBytes.read(input) == [1, 2, 3] && FileBytes.read(backup) == [9])
    }
}

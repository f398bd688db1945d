import Glibc
import VeilDigest

extension KnownFile {
    /// Reads a file and computes its digest.
    ///
    /// - Parameter tick: called every few megabytes; false breaks off.
    /// - Returns: nil when `tick` broke off, or when the file changed meanwhile.
    public static func read(_ path: String, tick: () -> Bool = { true }) throws(BatchError) -> KnownFile? {
        func failure() -> BatchError { BatchError("reading", file: path, detail: String(cString: strerror(errno))) }
        let readAt = FileStamp.now
        guard let before = FileStamp(path) else { throw failure() }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        var sha = SHA256()
        var unticked = 0
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            if count == 0 { break }
            sha.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            unticked += count
            if unticked >= 4 << 20 {
                unticked = 0
                guard tick() else { return nil }
            }
        }
        guard FileStamp(path) == before else { return nil }
        return KnownFile(stamp: before, sha256: sha.hex(), readAt: readAt)
    }
}

/// Files that are written beside their final names, and what is done with folders.
public enum Files {
    /// Makes a folder and those above it.
    public static func makeFolder(_ path: String) throws(BatchError) {
        var info = stat()
        if stat(path, &info) == 0 {
            guard info.st_mode & S_IFMT == S_IFDIR else {
                throw BatchError("making the folder", file: path, detail: "there is a file of that name")
            }
            return
        }
        let above = Path.folder(Path.withoutSlashes(path))
        if above != path { try makeFolder(above) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw BatchError("making the folder", file: path, detail: String(cString: strerror(errno)))
        }
    }

    public static func isFolder(_ path: String) -> Bool { FileFacts(path, followsLinks: true)?.kind == .folder }

    public static func exists(_ path: String) -> Bool { FileFacts(path, followsLinks: false) != nil }

    public static func isLink(_ path: String) -> Bool { FileFacts(path, followsLinks: false)?.kind == .link }

    /// The folder that a path's file lies in.
    public static func folder(of path: String) -> String { Path.folder(path) }

    static let stagePrefix = ".veil-new."

    /// The name under which the result is made before it takes its input's place.
    public static func stage(for path: String) -> String {
        Path.join(Path.hasFolder(path) ? Path.folder(path) : "", stagePrefix + Path.name(path))
    }

    /// What a file is told by; no bytes where it can't be read.
    public static func head(_ path: String) -> FileHead {
        FileHead(name: Path.name(path), bytes: beginning(path, count: FileHead.size))
    }

    /// The first bytes of a file; none where it can't be read.
    static func beginning(_ path: String, count: Int) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            while filled < count {
                let got = read(descriptor, bytes.baseAddress.map { $0 + filled }, count - filled)
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
    }

    /// The whole of a small file, or of standard input for `-`.
    public static func contents(_ path: String) throws(BatchError) -> [UInt8] {
        if path == "-" { return try ManifestLock.readAll(0, "standard input") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw BatchError("reading", file: path, detail: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        return try ManifestLock.readAll(descriptor, path)
    }

    /// Writes a copy of `path` into a file that is there, from its beginning.
    public static func copy(_ path: String, into part: String, tick: () -> Bool) throws(BatchError) {
        func failure(_ file: String) -> BatchError {
            BatchError("copying", file: file, detail: String(cString: strerror(errno)))
        }
        let from = open(path, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { throw failure(path) }
        defer { close(from) }
        let to = open(part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard to >= 0 else { throw failure(part) }
        defer { close(to) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while tick() {
            let count = read(from, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            if count == 0 { return }
            var done = 0
            while done < count {
                let written = buffer.withUnsafeBytes { write(to, $0.baseAddress.map { $0 + done }, count - done) }
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw failure(part) }
                done += written
            }
        }
        throw BatchError("copying", file: path, detail: "interrupted")
    }

    /// Whether two names lead to the same file.
    static func areOne(_ a: String, _ b: String) -> Bool {
        guard let a = FileFacts(a, followsLinks: false), let b = FileFacts(b, followsLinks: false) else { return false }
        return a.identity == b.identity
    }
}

/// Puts a result in its input's place and keeps the input under another name.
public enum Replacement {
    /// - Parameters:
    ///   - stage: the whole result, beside the input.
    ///   - backup: where the input is kept; nil when it is kept already.
    ///   - original: the input's digest: a backup that is there already must have it.
    public static func place(
        _ stage: String, over path: String, backup: String?, original: String
    ) throws(BatchError) {
        func failure(_ doing: String, _ file: String) -> BatchError {
            BatchError(doing, file: file, detail: String(cString: strerror(errno)))
        }
        var info = stat()
        guard stat(path, &info) == 0 else { throw failure("replacing", path) }
        // The result is as readable as the input was; the input, under its new name, to its owner only.
        guard chmod(stage, info.st_mode & 0o777) == 0 else { throw failure("replacing", path) }
        if let backup {
            try keep(path, as: backup, original: original)
            guard chmod(backup, 0o600) == 0 else { throw failure("keeping the original", backup) }
        }
        guard rename(stage, path) == 0 else { throw failure("replacing", path) }
        let folder = open(Path.folder(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    /// Why a result can't take its input's place, said before it is made; nil when it can.
    public static func obstacle(for path: String, backup: String) -> String? {
        guard Files.exists(backup), !Files.areOne(path, backup) else { return nil }
        let isSame = (try? KnownFile.read(path)?.sha256) == (try? KnownFile.read(backup)?.sha256)
        return isSame ? nil : "\(backup) exists already and is another file: move it away"
    }

    private static func keep(_ path: String, as backup: String, original: String) throws(BatchError) {
        if Files.exists(backup) {
            // A run that was killed here has left it.
            if Files.areOne(path, backup) { return }
            guard try KnownFile.read(backup)?.sha256 == original else {
                throw BatchError("keeping the original", file: backup, detail: "it exists already and is another file")
            }
            return
        }
        if link(path, backup) == 0 { return }
        // File systems without hard links, as on memory cards: a copy, which gets its name when it is whole.
        let part = Files.stage(for: backup)
        unlink(part)
        let made = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else {
            throw BatchError("keeping the original", file: backup, detail: String(cString: strerror(errno)))
        }
        defer { close(made) }
        try Files.copy(path, into: part) { true }
        guard fsync(made) == 0, rename(part, backup) == 0 else {
            throw BatchError("keeping the original", file: backup, detail: String(cString: strerror(errno)))
        }
    }
}

import Glibc

/// The names of unfinished outputs: `.NAME.1a2b3c4d.veil-part` in the folder where NAME will be.
///
/// Whoever writes one holds a lock on it (`flock`), which the kernel gives up when the writer ends, however it ends. So
/// one that can be locked is one that nobody writes any more.
struct PartName {
    /// With its slash; empty for the working directory.
    private let folder: String
    private let prefix: String
    private static let suffix = ".veil-part"

    /// Nil for a path that names no file.
    init?(finalPath: String) {
        let slash = finalPath.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { finalPath[finalPath.utf8.index(after: $0)...] } ?? finalPath[...]
        guard !name.isEmpty else { return nil }
        folder = slash.map { String(finalPath[...$0]) } ?? ""
        // File names end at 255 bytes: a long one is cut to leave room for the tag.
        prefix = "." + String(decoding: name.utf8.prefix(200), as: UTF8.self) + "."
    }

    /// Creates and locks a new file; nil, with `errno` set, where that can't be done.
    func create(mode: mode_t) -> (path: String, descriptor: Int32)? {
        while true {
            let tag = String(UInt32.random(in: 0...UInt32.max), radix: 16)
            let path = folder + prefix + tag + Self.suffix
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                return nil
            }
            // Between creation and lock another run may have taken it for a stale one: then it is gone, or about to go.
            // File systems that know no locks are left unlocked; nobody can take a file for stale there either.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            if !isTaken && Self.leads(path, to: descriptor) { return (path, descriptor) }
            close(descriptor)
        }
    }

    /// Removes what runs that were killed have left of the same output. Says nothing where that can't be done: it is not
    /// what the user asked for.
    func removeStale() {
        guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if isPart(name) { Self.removeIfStale(folder + name) }
        }
    }

    private func isPart(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
        let tag = name.utf8.dropFirst(prefix.utf8.count).dropLast(Self.suffix.utf8.count)
        return (1...8).contains(tag.count)
            && tag.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func removeIfStale(_ path: String) {
        // Without O_NONBLOCK a FIFO of such a name would be waited for.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_uid == geteuid(),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0, leads(path, to: descriptor)
        else { return }
        unlink(path)
    }

    /// Whether the path still is the name of the open file.
    private static func leads(_ path: String, to descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev
            && named.st_ino == opened.st_ino
    }
}

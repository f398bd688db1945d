import Glibc

/// Keeps runs over one folder apart, with locks that the kernel gives up when their holder ends, however it ends.
///
/// A run over all holds the folder alone. Runs over shards share it, and each holds its own shard alone.
final class ManifestLock {
    private var descriptors: [Int32] = []

    /// Nil when `waiting` gave up.
    init?(folder: String, shard: String?, waiting: () -> Bool) throws(BatchError) {
        let whole = Path.join(folder, Manifest.prefix + ".lock")
        guard try take(whole, shard == nil ? LOCK_EX : LOCK_SH, waiting) else { return nil }
        if let shard {
            guard try take(Path.join(folder, Manifest.prefix + ".\(shard).lock"), LOCK_EX, waiting) else { return nil }
        }
    }

    /// Gives the locks up in so many words: closing isn't enough while a program that another thread is about to start
    /// still holds a copy of the descriptor, between its fork and its exec.
    deinit {
        for descriptor in descriptors {
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    private func take(_ path: String, _ kind: Int32, _ waiting: () -> Bool) throws(BatchError) -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw BatchError("locking the folder", file: path, detail: String(cString: strerror(errno)))
        }
        descriptors.append(descriptor)
        while flock(descriptor, kind | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            // A file system without locks: nobody can be kept apart there.
            guard errno == EWOULDBLOCK else { return true }
            guard waiting() else { return false }
            usleep(100_000)
        }
        return true
    }

    static func readAll(_ descriptor: Int32, _ path: String) throws(BatchError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw BatchError("reading", file: path, detail: String(cString: strerror(errno)))
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }
}

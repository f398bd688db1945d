import Glibc
import VeilCore

/// A file that appears under its final name only when it is whole.
///
/// It is written beside it (same folder, so that the last step is a rename), and removed if it never gets whole. What a
/// killed run left behind is removed by the next run that writes the same output: unfinished files are locked as long as
/// their writer lives.
public final class AtomicOutput {
    public let finalPath: String
    public let partPath: String
    private let overwrite: Bool
    private let descriptor: Int32
    private var isCommitted = false

    /// - Parameters:
    ///   - input: the file being read: refused as output under any name (link or path).
    ///   - overwrite: replace a file of that name.
    ///   - ownerOnly: readable by its owner only.
    /// - Throws: `MediaError` `.exists`, `.unwritable`.
    public init(path: String, input: String? = nil, overwrite: Bool, ownerOnly: Bool = false) throws(MediaError) {
        finalPath = path
        self.overwrite = overwrite
        var info = stat()
        if stat(path, &info) == 0 {
            var source = stat()
            if let input, stat(input, &source) == 0, source.st_dev == info.st_dev, source.st_ino == info.st_ino {
                throw MediaError(
                    .exists, "opening the output", file: path, detail: "it is the input itself",
                    advice: "name another file with -o")
            }
            if info.st_mode & S_IFMT == S_IFDIR {
                throw MediaError(
                    .unwritable, "opening the output", file: path, detail: "it is a directory",
                    advice: "name a file in it with -o")
            }
            if !overwrite {
                throw MediaError(
                    .exists, "opening the output", file: path, detail: "it exists already",
                    advice: "--force replaces it, -o FILE names another")
            }
            guard info.st_mode & S_IFMT == S_IFREG else {
                throw MediaError(
                    .unwritable, "opening the output", file: path, detail: "it is not a regular file",
                    advice: "-o - writes to standard output, which may be led anywhere")
            }
        }
        guard let name = PartName(finalPath: path) else {
            throw MediaError(.unwritable, "opening the output", file: path, detail: "it has no name")
        }
        name.removeStale()
        let made = name.create(mode: ownerOnly ? 0o600 : 0o666)
        guard let made else {
            throw MediaError(.unwritable, "creating the output", file: path, detail: String(cString: strerror(errno)))
        }
        (partPath, descriptor) = made
    }

    deinit {
        // Removed before the lock is given up, so that nobody else takes it for a stale one meanwhile.
        if !isCommitted { unlink(partPath) }
        close(descriptor)
    }

    /// Brings the data to disk and gives the file its final name.
    public func commit() throws(MediaError) {
        guard fsync(descriptor) == 0 else { throw failure("writing the output to disk") }
        if overwrite {
            guard rename(partPath, finalPath) == 0 else { throw failure("renaming the output") }
        } else if link(partPath, finalPath) == 0 {
            // A hard link refuses to replace what has come there meanwhile; a rename would not.
            unlink(partPath)
        } else if errno == EEXIST {
            throw MediaError(
                .exists, "renaming the output", file: finalPath, detail: "it has come to exist meanwhile",
                advice: "--force replaces it")
        } else {
            // File systems without hard links.
            guard access(finalPath, F_OK) != 0, rename(partPath, finalPath) == 0 else {
                throw failure("renaming the output")
            }
        }
        isCommitted = true
        let slash = finalPath.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = open(slash.map { String(finalPath[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    /// Writes bytes as the whole file and commits it.
    public func write(_ bytes: [UInt8]) throws(MediaError) {
        guard ftruncate(descriptor, 0) == 0 else { throw failure("writing") }
        var done = 0
        while done < bytes.count {
            let n = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
            }
            if n < 0 && errno == EINTR { continue }
            guard n > 0 else { throw failure("writing") }
            done += n
        }
        try commit()
    }

    private func failure(_ operation: String) -> MediaError {
        MediaError(.unwritable, operation, file: finalPath, detail: String(cString: strerror(errno)))
    }
}

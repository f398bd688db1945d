import Glibc

/// A file that goes to standard output once it is whole: containers are finished by going back to their beginning, which
/// a pipe doesn't allow, and nobody is to be handed half a redaction.
///
/// It lies in a folder of its own that only its owner may enter, and is removed before the first byte is sent.
public final class StandardOutput {
    /// The name to use in messages.
    public static let name = "standard output"
    /// Where to write the file.
    public let path: String
    /// The folder of its own in which the file lies.
    public let folder: String
    private let lock: Int32

    private static let prefix = "veil-out-"

    /// - Parameter stillExtension: the extension of a picture's format, which no container has.
    /// - Throws: `MediaError` `.unwritable`, or `.unsupported` where no such container is known.
    public init(format: String, stillExtension: String? = nil) throws(MediaError) {
        let known =
            if let stillExtension { stillExtension } else {
                try OutputFormat(forFile: Self.name, named: format).fileExtension
            }
        guard let ending = known else {
            throw MediaError(
                .unsupported, "choosing the container", file: Self.name, detail: "\(format) isn't written to files")
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw MediaError(
                .unwritable, "opening the output", file: Self.name, detail: "it is a terminal",
                advice: "lead it to a file or a program")
        }
        Self.removeStale()
        var template = Array((SpoolFolder.path + "/" + Self.prefix + "XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SpoolFolder.failure("keeping the output", String(cString: strerror(errno)))
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/out." + ending
        lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if lock >= 0 { flock(lock, LOCK_EX | LOCK_NB) }
    }

    deinit {
        unlink(path)
        rmdir(folder)
        if lock >= 0 { close(lock) }
    }

    /// Sends the file.
    ///
    /// - Parameter isCancelled: asked between pieces of a megabyte.
    /// - Returns: false when it was cancelled.
    /// - Throws: `MediaError` `.unwritable`.
    public func send(isCancelled: () -> Bool) throws(MediaError) -> Bool {
        func failure() -> MediaError {
            MediaError(.unwritable, "sending the output", file: Self.name, detail: String(cString: strerror(errno)))
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure() }
        defer { close(file) }
        unlink(path)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            if count == 0 { return true }
            var done = 0
            while done < count {
                if isCancelled() { return false }
                var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                if poll(&ready, 1, 200) <= 0 { continue }
                // No more than a pipe takes at once: a blocking write couldn't be cancelled.
                let piece = min(count - done, Int(PIPE_BUF))
                let sent = buffer.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress.map { $0 + done }, piece) }
                if sent < 0 && (errno == EINTR || errno == EAGAIN) { continue }
                guard sent > 0 else { throw failure() }
                done += sent
            }
        }
    }

    /// Removes what killed runs of the same user have left: folders that nobody holds locked any more.
    private static func removeStale() {
        guard let directory = opendir(SpoolFolder.path) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasPrefix(prefix) else { continue }
            let path = SpoolFolder.path + "/" + name
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            var info = stat()
            guard fstat(folder, &info) == 0, info.st_uid == geteuid(), info.st_mode & 0o077 == 0,
                // One that was made a moment ago may not be locked yet.
                info.st_mtim.tv_sec + 10 < time(nil), flock(folder, LOCK_EX | LOCK_NB) == 0,
                let inner = fdopendir(dup(folder))
            else { continue }
            defer { closedir(inner) }
            while let entry = readdir(inner) {
                _ = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { unlinkat(folder, $0, 0) }
                }
            }
            rmdir(path)
        }
    }
}

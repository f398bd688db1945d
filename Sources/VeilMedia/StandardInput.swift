import Glibc

/// Standard input as a file that can be read twice and from any place, which a pipe can't.
///
/// A regular file that was led there (`veil - <clip.ts`) is used as it is. Anything else is written to a file without a
/// name first, that only its owner could read and that is gone when the program ends.
public final class StandardInput {
    /// The name to use in messages.
    public static let name = "standard input"
    /// A path that opens it, as long as this value lives.
    public var path: String { "/proc/self/fd/\(descriptor)" }
    private let descriptor: Int32
    private let isOwned: Bool

    /// Reads standard input to its end.
    ///
    /// - Parameter isCancelled: asked at least five times a second; true ends the reading, and the result is nil.
    /// - Throws: `MediaError` `.unreadable` where it can't be read, `.notMedia` where it is empty, `.unwritable` where the
    ///   disk has no room for it.
    public init?(isCancelled: () -> Bool) throws(MediaError) {
        var info = stat()
        guard fstat(STDIN_FILENO, &info) == 0 else {
            throw MediaError(.unreadable, "reading", file: Self.name, detail: String(cString: strerror(errno)))
        }
        guard isatty(STDIN_FILENO) == 0 else {
            throw MediaError(
                .unreadable, "reading", file: Self.name, detail: "it is a terminal",
                advice: "lead a video there: veil - -o OUT <IN")
        }
        if info.st_mode & S_IFMT == S_IFREG && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 {
            descriptor = STDIN_FILENO
            isOwned = false
            return
        }
        let spool = try SpoolFolder.openNameless(for: "keeping standard input")
        do throws(MediaError) {
            guard try Self.copy(to: spool, isCancelled) else {
                close(spool)
                return nil
            }
        } catch {
            close(spool)
            throw error
        }
        descriptor = spool
        isOwned = true
    }

    deinit { if isOwned { close(descriptor) } }

    private static func copy(to spool: Int32, _ isCancelled: () -> Bool) throws(MediaError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            if isCancelled() { return false }
            var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 200) <= 0 { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count >= 0 else {
                throw MediaError(.unreadable, "reading", file: name, detail: String(cString: strerror(errno)))
            }
            if count == 0 { return true }
            guard SpoolFolder.hasRoom(spool, for: count) else {
                throw SpoolFolder.failure(
                    "keeping standard input",
                    "no room is left for more of it (\(SpoolFolder.reserve >> 20) MiB are to stay free)")
            }
            var done = 0
            while done < count {
                let written = buffer.withUnsafeBytes { write(spool, $0.baseAddress.map { $0 + done }, count - done) }
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else {
                    throw SpoolFolder.failure("keeping standard input", String(cString: strerror(errno)))
                }
                done += written
            }
        }
    }
}

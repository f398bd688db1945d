import Glibc

/// What a file descriptor leads to.
enum Terminal {
    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    /// Whether it is a terminal on which a line can be rewritten (`TERM=dumb` can't).
    static func canRewriteLines(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && environment("TERM").map { $0 != "dumb" && !$0.isEmpty } ?? false
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Columns of the terminal; 80 where none is known.
    static func width(_ descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return 80
    }

    /// Rows of the terminal; 24 where none is known.
    static func height(_ descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        return 24
    }

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A failed write: the system's error number.
struct WriteError: Error, Equatable {
    let errno: Int32

    /// The system's words, such as "No space left on device".
    var words: String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
}

/// Writes all of a text in as few system calls as the descriptor takes, so that lines of several threads or programs
/// don't mix. Waits where the descriptor is non-blocking and full.
func writeWhole(_ text: String, to descriptor: Int32) throws(WriteError) {
    var text = text
    let failure: Int32? = text.withUTF8 { bytes in
        var rest = UnsafeRawBufferPointer(bytes)
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = write(descriptor, base, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, 1000)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
    if let failure { throw WriteError(errno: failure) }
}

import CFFmpeg
import Glibc
import Synchronization

/// What FFmpeg says in its log: kept for error messages, passed on to standard error only when asked for.
public enum LibraryLog {
    private struct State {
        var last: String?
        var verbose = false
    }

    private static let state = Mutex(State())

    /// Takes FFmpeg's log over; with `verbose`, its warnings and errors go to standard error as well.
    ///
    /// Process-wide, as FFmpeg's log is.
    public static func install(verbose: Bool) {
        state.withLock { $0.verbose = verbose }
        // SVT-AV1 writes to standard error by itself; 1 leaves its errors.
        setenv("SVT_LOG", verbose ? "3" : "1", 0)
        av_log_set_level(verbose ? AV_LOG_INFO : AV_LOG_ERROR)
        av_log_set_callback { context, level, format, arguments in
            guard level <= av_log_get_level(), let format, let arguments else { return }
            let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> String in
                guard let base = buffer.baseAddress else { return "" }
                var prefix: Int32 = 1
                av_log_format_line(context, level, format, arguments, base, Int32(buffer.count), &prefix)
                return String(cString: base)
            }
            LibraryLog.note(line, isError: level <= AV_LOG_ERROR)
        }
    }

    /// Whether FFmpeg's words go to standard error.
    public static var isVerbose: Bool { state.withLock { $0.verbose } }

    private static func note(_ raw: String, isError: Bool) {
        var line = withoutAddresses(raw)
        while let end = line.last, end.isWhitespace { line.removeLast() }
        // FFmpeg names all formats and protocols that are allowed: two thousand letters that help nobody.
        if let list = line.firstRange(of: " not on whitelist") {
            line = line[..<list.lowerBound] + " isn't one that is opened"
        }
        guard !line.isEmpty else { return }
        let verbose = state.withLock { state in
            if isError { state.last = line }
            return state.verbose
        }
        if verbose {
            // One write call, so that lines of several threads don't mix.
            var text = Array((withoutControls(line) + "\n").utf8)
            _ = write(STDERR_FILENO, &text, text.count)
        }
    }

    /// Tags and names of the file stand in these lines: escape sequences in them must not reach a terminal.
    static func withoutControls(_ line: String) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// "[mp4] …" for "[mp4 @ 0x55d0c3a7f200] …": addresses tell people nothing, and differ from run to run.
    static func withoutAddresses(_ line: String) -> String { line.replacing(#/ @ 0x[0-9a-f]+(?=\])/#, with: "") }

    /// The last error line, which stays.
    static var last: String? { state.withLock { $0.last } }

    /// The last error line since the previous call, and forgets it.
    static func takeLast() -> String? {
        state.withLock { state in
            defer { state.last = nil }
            return state.last
        }
    }
}

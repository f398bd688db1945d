import Synchronization

/// Where messages to people go: whole lines, and at most one status line that is rewritten in place.
///
/// May be used from any thread. A line that comes while a status is shown takes its place, and the status is drawn
/// again below it.
final class Console: Sendable {
    /// Whether a status can be drawn at all.
    let showsStatus: Bool
    private let sink: @Sendable (String) -> Void
    /// The status on the terminal; empty when there's none.
    private let status = Mutex("")

    /// Clears a status: from the cursor to the end of the line (ECMA-48, EL), or, where it has several lines, from its first
    /// line to the end of the screen (CUU and ED).
    private static func clear(_ shown: String) -> String {
        let lines = shown.utf8.count { $0 == 0x0A }
        return lines == 0 ? "\r\u{1B}[K" : "\r\u{1B}[\(lines)A\u{1B}[J"
    }

    init(showsStatus: Bool, sink: @escaping @Sendable (String) -> Void) {
        self.showsStatus = showsStatus
        self.sink = sink
    }

    /// Standard error. A failure to write there can be told to nobody and is passed over.
    static let standardError = Console(
        showsStatus: Terminal.canRewriteLines(Terminal.standardError),
        sink: { try? writeWhole($0, to: Terminal.standardError) })

    /// Prints one line (without its line feed), which must hold nothing unsanitised.
    func line(_ text: String) {
        status.withLock { shown in
            sink(shown.isEmpty ? text + "\n" : Console.clear(shown) + text + "\n" + shown)
        }
    }

    /// Draws or replaces the status, of one line or several; an empty one removes it. Does nothing where a status can't be drawn.
    func setStatus(_ text: String) {
        guard showsStatus else { return }
        status.withLock { shown in
            guard shown != text else { return }
            sink(Console.clear(shown) + text)
            shown = text
        }
    }
}

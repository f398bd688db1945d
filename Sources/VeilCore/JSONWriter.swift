/// Writes a JSON text (RFC 8259) piece by piece: the same calls give the same bytes.
///
/// Numbers are written in the shortest form that reads back as the same double. The order of keys is the order of calls.
public struct JSONWriter: Sendable {
    public enum Layout: Sendable, Hashable {
        /// Each member or element on its own line, indented by two spaces.
        case lines
        /// All on one line.
        case inline
    }

    private struct Level {
        var layout: Layout
        var count = 0
    }

    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []
    private var levels: [Level] = []
    private var followsKey = false

    public init() {}

    public mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    public mutating func beginObject(_ layout: Layout = .inline) { begin("{", layout) }
    public mutating func endObject() { end("}") }
    public mutating func beginArray(_ layout: Layout = .inline) { begin("[", layout) }
    public mutating func endArray() { end("]") }

    public mutating func key(_ name: String) {
        precondition(!followsKey, "a key after a key")
        separate()
        append(string: name)
        append(": ")
        followsKey = true
    }

    public mutating func value(_ value: Int) {
        separate()
        append(value.description)
    }

    public mutating func value(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    public mutating func value(_ value: String) {
        separate()
        append(string: value)
    }

    /// Writes a number, or null for NaN and infinity, which JSON doesn't have.
    public mutating func value(_ value: Double) {
        separate()
        append(value.isFinite ? value.description : "null")
    }

    public mutating func null() {
        separate()
        append("null")
    }

    /// The whole text, ended by a line feed.
    public mutating func finish() -> [UInt8] {
        precondition(levels.isEmpty && !followsKey, "finish inside a container")
        append("\n")
        return bytes
    }

    // MARK: Inside

    private mutating func begin(_ bracket: String, _ layout: Layout) {
        separate()
        append(bracket)
        levels.append(Level(layout: layout))
    }

    private mutating func end(_ bracket: String) {
        precondition(!followsKey && !levels.isEmpty, "an end without a beginning")
        let level = levels.removeLast()
        if level.layout == .lines && level.count > 0 { newLine() }
        append(bracket)
    }

    /// Writes what has to stand between the element before and the one to come.
    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        guard let level = levels.last else { return }
        if level.count > 0 { append(level.layout == .inline ? ", " : ",") }
        if level.layout == .lines { newLine() }
        levels[levels.count - 1].count += 1
    }

    private mutating func newLine() {
        append("\n")
        for level in levels where level.layout == .lines { append("  ") }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func append(string: String) {
        append("\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20, 0x7F:
                let hex = String(byte, radix: 16)
                append(hex.count == 1 ? "\\u000\(hex)" : "\\u00\(hex)")
            default: bytes.append(byte)
            }
        }
        append("\"")
    }
}

/// The head of subtitles in ASS or SSA: what a renderer needs of it.
///
/// A script may hold whole pictures and fonts as text ([Graphics], [Fonts]), and what its editor remembers (Aegisub's names
/// of files). Only known sections are kept.
enum ScriptHeader {
    private enum Section { case info, styles, events, fonts, other }

    /// What says how words are drawn; the others tell who wrote them.
    private static let info: Set<String> = [
        "scripttype", "wrapstyle", "playresx", "playresy", "layoutresx", "layoutresy", "playdepth",
        "scaledborderandshadow", "collisions", "timer", "ycbcr matrix", "kerning", "language",
    ]

    static func cleaned(_ data: [UInt8], _ metadata: MetadataPolicy) -> [UInt8] {
        var section = Section.other
        var kept: [UInt8] = []
        for line in data.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) {
            // A byte order mark may stand before the first.
            let text = String(
                decoding: line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line, as: UTF8.self)
            // Lines of fonts may begin with a bracket, too.
            if text.utf8.first == UInt8(ascii: "["), text.utf8.contains(UInt8(ascii: "]")) {
                section = Self.section(text)
                if section == .other || section == .fonts && metadata != .keep { continue }
            } else if !stays(text, section, metadata) {
                continue
            }
            kept += Array(text.utf8) + [0x0D, 0x0A]
        }
        return kept
    }

    private static func section(_ line: String) -> Section {
        switch String(line.prefix { $0 != "]" }).lowercased() + "]" {
        case "[script info]": .info
        case "[v4 styles]", "[v4+ styles]", "[v4 styles+]": .styles
        case "[events]": .events
        case "[fonts]": .fonts
        default: .other
        }
    }

    private static func stays(_ line: String, _ section: Section, _ metadata: MetadataPolicy) -> Bool {
        guard let colon = line.firstIndex(of: ":") else { return section == .fonts && metadata == .keep }
        let name = line[..<colon].lowercased()
        let value = String(line[line.index(after: colon)...])
        switch section {
        case .info:
            return !TagFilter.mayHoldPicture(name: name, value: value) && (metadata == .keep || info.contains(name))
        case .styles: return ["format", "style"].contains(name) && value.utf8.count < 1024
        case .events: return name == "format" && value.utf8.count < 1024
        case .fonts: return metadata == .keep
        case .other: return false
        }
    }
}

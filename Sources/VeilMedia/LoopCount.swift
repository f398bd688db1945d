import CFFmpeg

/// How often an animation is shown, which FFmpeg's demuxers don't tell: GIF's application extension and APNG's acTL.
enum LoopCount {
    /// The muxer's option and its value for an animation of the same kind; nil where there is nothing to say.
    static func option(ofFile path: String, for format: OutputFormat) -> (name: String, value: String)? {
        guard format.name == "gif" || format.name == "apng", let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        // Both stand before the first picture, behind tables of colours and profiles.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        if format.name == "gif", bytes.starts(with: "GIF8".utf8) {
            return ("loop", "\(gif(bytes) ?? -1)")
        }
        if format.name == "apng", bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), let plays = apng(bytes) {
            return ("plays", "\(plays)")
        }
        return nil
    }

    /// GIF89a, section 26, with Netscape's block: repeats, 0 for ever; nil for an animation that is shown once.
    private static func gif(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 13 else { return nil }
        var at = 13 + (bytes[10] & 0x80 != 0 ? 3 << (Int(bytes[10] & 7) + 1) : 0)
        while at + 3 < bytes.count, bytes[at] == 0x21 {
            let isNetscape =
                bytes[at + 1] == 0xFF && at + 19 <= bytes.count
                && bytes[(at + 3)..<(at + 14)].elementsEqual("NETSCAPE2.0".utf8) && bytes[at + 14] == 3
            if isNetscape { return Int(bytes[at + 16]) | Int(bytes[at + 17]) << 8 }
            at += 2
            while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
            at += 1
        }
        return nil
    }

    private static func apng(_ bytes: [UInt8]) -> Int? {
        var at = 8
        while at + 16 <= bytes.count {
            if bytes[(at + 4)..<(at + 8)].elementsEqual("acTL".utf8) {
                return bytes[(at + 12)..<(at + 16)].reduce(0) { $0 << 8 | Int($1) }
            }
            at += 12 + bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        return nil
    }
}

/// Which files in a folder are taken for pictures and videos.
///
/// In a folder a file's name decides, so that nobody waits for thousands of other files to be opened; a file that is named
/// itself is opened whatever its name. What it holds is seen when it is opened.
public enum MediaKind {
    /// Endings of videos, lower case.
    public static let videos: Set<String> = [
        "3g2", "3gp", "asf", "avi", "divx", "dv", "f4v", "flv", "insv", "lrv", "m1v", "m2t", "m2ts", "m2v", "m4v",
        "mjpeg",
        "mjpg", "mkv", "mod", "mov", "mp4", "mpe", "mpeg", "mpg", "mpv", "mts", "mxf", "nut", "ogm", "ogv", "qt", "rm",
        "rmvb", "tod", "ts", "vob", "webm", "wmv", "y4m",
    ]
    /// Endings of pictures, lower case.
    public static let pictures: Set<String> = [
        "apng", "avif", "bmp", "gif", "heic", "heif", "jfif", "jpe", "jpeg", "jpg", "png", "tif", "tiff", "webp",
    ]

    /// Endings that texts have, too: TypeScript, Go's modules, Squirrel.
    static let shared: Set<String> = ["mod", "mts", "nut", "ts"]

    /// Whether what stands at a file's beginning is a text, which has no control characters but white space. An empty file
    /// is one as well.
    static func isText(_ head: [UInt8]) -> Bool {
        head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    }

    /// Whether a name in a folder is that of a picture or video.
    public static func isMedia(name: String) -> Bool {
        fileExtension(name).map { videos.contains($0) || pictures.contains($0) } ?? false
    }

    /// Whether a name's ending is that of a picture.
    public static func isPicture(name: String) -> Bool { fileExtension(name).map(pictures.contains) ?? false }

    /// What follows the last dot, in lower case; nil for `.hidden` and names without a dot.
    static func fileExtension(_ name: String) -> String? {
        let name = Path.name(name)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Whether a file begins as pictures and videos do, whatever its name: such a file is never copied along.
    ///
    /// Signatures are those of the formats' own specifications.
    public static func looksLikeMedia(_ head: [UInt8]) -> Bool {
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
        func has(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }
        return has([0xFF, 0xD8, 0xFF])  // JPEG
            || has([0x89, 0x50, 0x4E, 0x47]) || has("GIF8") || has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A])
            || has("BM") || has("RIFF") || has("ftyp", at: 4) || has("moov", at: 4) || has("mdat", at: 4)
            || has("wide", at: 4) || has("skip", at: 4) || has("free", at: 4)
            || has([0x1A, 0x45, 0xDF, 0xA3])  // Matroska
            || has("FLV") || has("OggS") || has([0x30, 0x26, 0xB2, 0x75])  // ASF
            || has([0, 0, 1, 0xBA]) || has([0, 0, 1, 0xB3]) || has([0, 0, 0, 1]) || has([0, 0, 1])
            || has([0x06, 0x0E, 0x2B, 0x34])  // MXF
            || has(".RMF") || has("YUV4MPEG2")
            || has([0xFF, 0x0A]) || has([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C])  // JPEG XL
            || has([0, 0, 0, 0x0C, 0x6A, 0x50])  // JPEG 2000
            || has("8BPS")  // Photoshop
            || head.count > 188 && head[0] == 0x47 && head[188] == 0x47  // transport stream
            || head.count > 196 && head[4] == 0x47 && head[196] == 0x47
    }
}

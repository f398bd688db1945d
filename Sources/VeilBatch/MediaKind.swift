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

    /// Endings of camera raw files, lower case. They aren't redacted; each holds a whole JPEG to look at.
    static let raws: Set<String> = [
        "3fr", "arw", "cr2", "cr3", "crw", "dcr", "dng", "iiq", "kdc", "mos", "mrw", "nef", "nrw", "orf", "pef", "raf",
        "raw", "rw2", "srw", "x3f",
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
}

import Glibc
import VeilMedia

/// A kind of picture file, told by its content.
public enum StillFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, bmp, tiff, webp, heic, avif

    /// The kind of a file; nil where it is none of these, or can't be read.
    ///
    /// GIFs, and animated PNGs that are named .apng, are taken for videos: they go the way of clips.
    public static func recognise(_ path: String) -> StillFormat? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // A pipe has nothing to read twice.
        var info = stat()
        guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        // An acTL chunk stands before the picture's data, behind a colour profile at most.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0, let format = recognise(bytes[..<count]) else { return nil }
        if format == .png, path.lowercased().hasSuffix(".apng"), isAnimatedPNG(file) { return nil }
        return format
    }

    /// The kind that a file's first bytes stand for; a few dozen are enough.
    static func recognise(_ bytes: ArraySlice<UInt8>) -> StillFormat? {
        func has(_ text: String, at offset: Int) -> Bool {
            bytes.dropFirst(offset).starts(with: text.utf8)
        }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if has("RIFF", at: 0), has("WEBP", at: 8) { return .webp }
        if bytes.starts(with: [0x49, 0x49, 42, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 42])
            || bytes.starts(with: [0x49, 0x49, 43, 0]) || bytes.starts(with: [0x4D, 0x4D, 0, 43])
        {
            return .tiff
        }
        // The size of the header that follows tells a bitmap from a text that begins with BM.
        if has("BM", at: 0), bytes.count >= 18, [12, 40, 52, 56, 64, 108, 124].contains(bytes.dropFirst(14).first),
            bytes.dropFirst(15).prefix(3).allSatisfy({ $0 == 0 })
        {
            return .bmp
        }
        guard has("ftyp", at: 4) else { return nil }
        let length = min(bytes.count, bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) })
        var brands: [String] = []
        var offset = 8
        while offset + 4 <= length {
            if offset != 12 { brands.append(String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)) }
            offset += 4
        }
        if brands.contains("avif") { return .avif }
        return brands.contains { ["heic", "heix", "heim", "heis"].contains($0) } ? .heic : nil
    }

    /// The usual extension and the others, lower case.
    public var fileExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif", "jif"]
        case .png: ["png"]
        case .bmp: ["bmp", "dib"]
        case .tiff: ["tif", "tiff"]
        case .webp: ["webp"]
        case .heic: ["heic", "heif", "hif"]
        case .avif: ["avif"]
        }
    }

    /// As people write it, with its article: "a JPEG".
    var described: String {
        switch self {
        case .jpeg: "a JPEG"
        case .png: "a PNG"
        case .bmp: "a BMP"
        case .tiff: "a TIFF"
        case .webp: "a WebP"
        case .heic: "an HEIC"
        case .avif: "an AVIF"
        }
    }

    /// Makes sure that a picture of this format isn't written under the name of another kind, unless it already has such
    /// a name.
    func check(output: String, input: String) throws(MediaError) {
        func ending(_ path: String) -> String? {
            let name = path.split(separator: "/").last ?? ""
            guard let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex else { return nil }
            return name[name.index(after: dot)...].lowercased()
        }
        guard let wanted = ending(output), !fileExtensions.contains(wanted), wanted != ending(input) else { return }
        throw MediaError(
            .unsupported, "choosing the format", file: output,
            detail: "the picture is \(described) and stays one, which .\(wanted) isn't the name of",
            advice: "name the output .\(fileExtensions[0]) with -o")
    }

    private static func isAnimatedPNG(_ file: Int32) -> Bool {
        var offset = 8
        var head = [UInt8](repeating: 0, count: 8)
        for _ in 0..<1000 {
            guard pread(file, &head, 8, off_t(offset)) == 8 else { return false }
            let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
            switch String(decoding: head[4...], as: UTF8.self) {
            case "acTL": return true
            case "IDAT", "IEND": return false
            default: offset += 12 + length
            }
        }
        return false
    }
}

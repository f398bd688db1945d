import CFFmpeg
import Glibc

/// Files that hold pictures, told by what they begin with.
enum PictureFile {
    /// FFmpeg's demuxer for a picture; nil for all else. Chosen here, since FFmpeg would go by the file's name and take it
    /// for the first of a numbered series.
    static func demuxer(for file: String) -> UnsafePointer<AVInputFormat>? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &head, head.count)
        return name(Array(head.prefix(max(0, count)))).flatMap { av_find_input_format($0) }.map { UnsafePointer($0) }
    }

    /// The signatures are those of the formats' specifications.
    static func name(_ head: [UInt8]) -> String? {
        func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: bytes) }
        if has([0xFF, 0xD8, 0xFF]) { return "jpeg_pipe" }
        if has([0x89, 0x50, 0x4E, 0x47]) { return "png_pipe" }
        if has(Array("RIFF".utf8)) && has(Array("WEBP".utf8), at: 8) { return "webp_pipe" }
        if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) { return "tiff_pipe" }
        if has(Array("BM".utf8)) { return "bmp_pipe" }
        if has(Array("GIF8".utf8)) { return "gif" }
        return nil
    }
}

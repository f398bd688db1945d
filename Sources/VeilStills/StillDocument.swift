import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// One picture of a file, in the file's own memory: valid until the document moves on.
struct StillPicture {
    /// What is to be covered, each by the same masks: one view, or two where a fourth colour has a plane of its own.
    var views: [PlanarView]
    /// What faces are looked for in, of the same size.
    var looks: [PlanarView]
    /// How it is turned for display.
    var orientation = Orientation.up
    /// A sample's width over its height, as coded.
    var sampleAspectRatio = Rational(1, 1)
    /// When it is shown, in milliseconds from the first.
    var time = 0
    /// It can't be read whole: it mustn't be shown as it is.
    var isDamaged = false
    /// It is a smaller copy of another picture of the file.
    var isPreview = false

    var width: Int { views[0].width }
    var height: Int { views[0].height }
}

/// A picture file in memory: its pictures one after the other, to be looked at and covered, and the file made anew.
///
/// Goes through the pictures twice: once to look, once to cover.
protocol StillDocument: AnyObject {
    /// Goes to the next picture, the first at first; nil behind the last.
    func next() throws(MediaError) -> StillPicture?
    /// Back to before the first.
    func rewind() throws(MediaError)
    /// The picture at hand has its final samples.
    ///
    /// - Parameter masks: where it was covered; nil for everywhere, empty for nowhere.
    func keep(masks: [MaskRegion]?) throws(MediaError)
    /// The file made anew, when the last picture was kept.
    func finish() throws(MediaError) -> [UInt8]
    /// What differs from the source, for a person.
    var notices: [String] { get }
    /// Whether the pictures are frames of one scene, so that a face in one says something of the next.
    var isAnimation: Bool { get }
}

extension StillDocument {
    var isAnimation: Bool { false }
}

/// Samples that belong to the document.
final class PixelBuffer {
    let base: UnsafeMutableRawPointer
    let size: Int

    /// - Throws: `MediaError` `.internalFailure` where there isn't the memory.
    init(size: Int, file: String) throws(MediaError) {
        // Zeroed by the system: samples that nobody writes aren't somebody else's.
        guard let memory = calloc(max(1, size), 1) else {
            throw MediaError(.internalFailure, "reading the picture", file: file, detail: "out of memory")
        }
        base = memory
        self.size = size
    }

    convenience init(copying bytes: [UInt8], file: String) throws(MediaError) {
        try self.init(size: bytes.count, file: file)
        bytes.withUnsafeBytes { source in
            if let start = source.baseAddress { base.copyMemory(from: start, byteCount: source.count) }
        }
    }

    convenience init(copying other: PixelBuffer, file: String) throws(MediaError) {
        try self.init(size: other.size, file: file)
        base.copyMemory(from: other.base, byteCount: size)
    }

    deinit { free(base) }

    func plane(at offset: Int = 0, width: Int, height: Int, stride: Int, bytesPerSample: Int = 1) -> Plane {
        precondition(offset >= 0 && offset + (height - 1) * stride + width * bytesPerSample <= size)
        return Plane(
            base: base + offset, width: width, height: height, stride: stride, bytesPerSample: bytesPerSample)
    }
}

/// A whole file, read at once: pictures are small against memory.
enum StillFile {
    /// The largest file that is read, in bytes.
    static let most = 1 << 30

    static func read(_ path: String) throws(MediaError) -> [UInt8] {
        func failure(_ detail: String) -> MediaError { MediaError(.unreadable, "opening", file: path, detail: detail) }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(file) }
        var info = stat()
        guard fstat(file, &info) == 0 else { throw failure(String(cString: strerror(errno))) }
        guard info.st_mode & S_IFMT == S_IFREG else { throw failure("it is not a regular file") }
        let size = Int(info.st_size)
        guard size <= most else { throw failure("a picture of more than \(most >> 20) MB isn't opened") }
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let n = pread(file, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                if n < 0 && errno == EINTR { continue }
                if n < 0 { code = errno }
                guard n > 0 else { return }
                count += n
            }
        }
        guard code == 0 else { throw failure(String(cString: strerror(code))) }
        guard bytes.count == size else { throw failure("the file has changed while it was read") }
        return bytes
    }
}

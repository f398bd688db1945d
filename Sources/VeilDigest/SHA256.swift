import CFFmpeg
import Glibc

/// A file's digest could not be computed.
public struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The C library's error number.
    public var code: Int32
    /// What failed: "open" or "read".
    public var doing: String
    public var file: String

    public var description: String { "can't \(doing) \(file): \(String(cString: strerror(code)))" }
}

/// The SHA-256 digest of bytes that arrive in pieces (FIPS 180-4, computed by libavutil's av_sha).
public struct SHA256: ~Copyable {
    private let context: OpaquePointer

    public init() {
        context = OpaquePointer(UnsafeMutableRawPointer.allocate(byteCount: Int(av_sha_size), alignment: 16))
        av_sha_init(context, 256)
    }

    deinit {
        UnsafeMutableRawPointer(context).deallocate()
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        av_sha_update(context, base.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// The digest as 64 lower-case hexadecimal digits.
    public consuming func hex() -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            av_sha_final(context, digest.baseAddress)
            let text = digest.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// The digest of bytes in memory.
    public static func hex(of bytes: UnsafeRawBufferPointer) -> String {
        var sha = SHA256()
        sha.update(bytes)
        return sha.hex()
    }

    /// The digest of bytes in memory.
    public static func hex(of bytes: [UInt8]) -> String { bytes.withUnsafeBytes { hex(of: $0) } }

    /// The digest of a file, read in pieces of 256 KiB.
    ///
    /// Throws `DigestError` if the file can't be opened or read; a directory can't be read.
    public static func hex(ofFile path: String) throws(DigestError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw DigestError(code: errno, doing: "open", file: path) }
        defer { close(file) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 64)
        defer { buffer.deallocate() }
        var sha = SHA256()
        while true {
            let count = read(file, buffer.baseAddress, buffer.count)
            if count == 0 { return sha.hex() }
            if count < 0 {
                if errno == EINTR { continue }
                throw DigestError(code: errno, doing: "read", file: path)
            }
            sha.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

import Glibc
import VeilMedia

/// A PNG file as its chunks (PNG specification, third edition), parsed as far as IEND; what lies behind it is dropped.
struct PNGChunks {
    struct Chunk {
        var type: String
        var data: ArraySlice<UInt8>
    }

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private(set) var chunks: [Chunk] = []

    init(_ bytes: ArraySlice<UInt8>) {
        var at = bytes.startIndex + 8
        while at + 12 <= bytes.endIndex {
            let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard at + 12 + length <= bytes.endIndex else { return }
            let type = String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self)
            chunks.append(Chunk(type: type, data: bytes[(at + 8)..<(at + 8 + length)]))
            if type == "IEND" { return }
            at += 12 + length
        }
    }

    subscript(type: String) -> ArraySlice<UInt8>? { chunks.first { $0.type == type }?.data }

    /// What stands before the palette and may stay: how colours are meant, and how large a pixel is.
    ///
    /// - Parameter keepsDepth: whether samples still are what sBIT says of them.
    func head(_ policy: MetadataPolicy, keepsDepth: Bool) -> [UInt8] {
        var out: [UInt8] = []
        let allowed: Set<String> = ["gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI", "pHYs"]
        var seen: Set<String> = []
        for chunk in chunks where allowed.contains(chunk.type) || (chunk.type == "sBIT" && keepsDepth) {
            if seen.insert(chunk.type).inserted { Self.append(chunk.type, chunk.data, to: &out) }
        }
        if let exif = self["eXIf"], let cleaned = Metadata.exif(exif, policy) {
            Self.append("eXIf", cleaned[...], to: &out)
        }
        guard policy == .keep else { return out }
        for chunk in chunks {
            switch chunk.type {
            case "tIME": Self.append("tIME", chunk.data, to: &out)
            // Profiles as text hold whatever a program put there, thumbnails too; zTXt and iTXt may be packed.
            case "tEXt" where !chunk.data.starts(with: "Raw profile".utf8) && chunk.data.count <= 8192:
                Self.append("tEXt", chunk.data, to: &out)
            case "iTXt" where chunk.data.starts(with: Self.xmpHead):
                if let packet = Metadata.xmp(chunk.data.dropFirst(Self.xmpHead.count), policy) {
                    Self.append("iTXt", (Self.xmpHead + packet)[...], to: &out)
                }
            default: break
            }
        }
        return out
    }

    /// XMP in an iTXt chunk: keyword, not compressed, no language, no translated keyword.
    private static let xmpHead = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)

    /// The chunks of these types, as they are.
    func append(_ types: Set<String>, to out: inout [UInt8]) {
        for chunk in chunks where types.contains(chunk.type) { Self.append(chunk.type, chunk.data, to: &out) }
    }

    static func append(_ type: String, _ data: ArraySlice<UInt8>, to out: inout [UInt8]) {
        out += number(data.count)
        let start = out.count
        out += type.utf8
        out += data
        out += number(Int(CRC32.of(out[start...])))
    }

    static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}

/// The checksum of PNG's chunks (annex D of its specification).
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { n in
        (0..<8).reduce(UInt32(n)) { c, _ in c & 1 == 1 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var crc: UInt32 = 0xFFFF_FFFF
                for byte in bytes { crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
                return crc ^ 0xFFFF_FFFF
            }
        }
    }
}

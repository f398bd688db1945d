import Glibc
import VeilCore
import VeilMedia

/// Pictures that lie in a picture's file beside the one that it shows: thumbnails, previews, gain maps. Redacting leaves
/// them out; a check looks at them.
enum FurtherPictures {
    /// No more than so many are looked at; a file with more isn't looked through.
    static let most = 64

    /// Where a JPEG begins: as it is, or as base64 text.
    enum Place: Hashable {
        case bytes(at: Int)
        case text(at: Int)
    }

    /// JPEGs within a file, wherever they lie: in Exif data, behind the picture's end, in a maker's notes; or, in XMP, as
    /// base64 text.
    ///
    /// - Parameter known: beginnings of streams that belong to the picture itself.
    /// - Throws: `.unsupported` where there are more than `most`.
    static func jpegs(in data: [UInt8], but known: Set<Int> = [], file: String) throws(MediaError) -> [Place] {
        var found: [Place] = []
        var at = 1
        while at + 4 < data.count {
            if data[at] == 0xFF, data[at + 1] == 0xD8, data[at + 2] == 0xFF {
                if !known.contains(at), isJPEG(data[at...]) { found.append(.bytes(at: at)) }
                at += 3
            } else if data[at] == UInt8(ascii: "/"), data[at..<at + 4].elementsEqual("/9j/".utf8) {
                let (bytes, end) = base64(data, at)
                if isJPEG(bytes[...]) { found.append(.text(at: at)) }
                at = max(end, at + 1)
            } else {
                at += 1
            }
            guard found.count <= most else {
                throw MediaError(
                    .unsupported, "looking through", file: file, detail: "more than \(most) pictures lie in it")
            }
        }
        return found
    }

    /// The JPEG at a place; what follows it may come along.
    static func jpeg(at place: Place, in data: [UInt8]) -> [UInt8] {
        switch place {
        case .bytes(let at): Array(data[at...])
        case .text(let at): base64(data, at).0
        }
    }

    /// Whether a frame header (T.81, B.2.2) comes after nothing but whole marker segments: what random bytes don't have.
    static func isJPEG(_ data: ArraySlice<UInt8>) -> Bool {
        var at = data.startIndex + 2
        while at + 4 <= data.endIndex, data[at] == 0xFF {
            let marker = data[at + 1]
            if marker == 0xFF {
                at += 1
                continue
            }
            let length = Int(data[at + 2]) << 8 | Int(data[at + 3])
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard at + 10 <= data.endIndex else { return false }
                return length == 8 + 3 * Int(data[at + 9]) && data[at + 9] > 0
            case 0xC4, 0xCC, 0xDB...0xDF, 0xE0...0xEF, 0xF0...0xFE:
                guard length >= 2 else { return false }
                at += 2 + length
            default: return false
            }
        }
        return false
    }

    /// A picture that lies in another one's file, as far as it can be decoded.
    ///
    /// - Throws: `MediaError` where nothing can be made of it: other programs may.
    static func preview(_ jpeg: [UInt8], file: String) throws(MediaError) -> any StillDocument {
        do throws(MediaError) {
            return try JPEGStill(jpeg, file: file, policy: .none, onError: .cover)
        } catch { throw unknown(error.detail, file) }
    }

    private static func unknown(_ why: String, _ file: String) -> MediaError {
        MediaError(
            .unsupported, "looking through", file: file,
            detail: "a thumbnail or preview within can't be looked at (\(why)); Veil leaves it out of its copies")
    }

    /// The most bytes of a PNG's texts that are unpacked: they may grow a thousandfold.
    private static let mostPacked = 1 << 18

    /// Previews that don't lie in the file as JPEGs: thumbnails without compression, and what a PNG has in its packed texts.
    ///
    /// - Parameter known: JPEGs that are looked at anyway; more may follow each.
    static func packed(
        in data: [UInt8], _ format: StillFormat, but known: [[UInt8]], file: String
    ) throws(MediaError) -> [any StillDocument] {
        switch format {
        // Their pages and items are all looked at.
        case .tiff, .heic, .avif, .bmp: return []
        case .png:
            let texts = PNGChunks(data[...]).chunks.filter { ["zTXt", "iTXt", "tEXt"].contains($0.type) }
            guard texts.reduce(0, { $0 + $1.data.count }) <= mostPacked else {
                throw unknown("its texts are too long to be unpacked", file)
            }
        case .jpeg, .webp: break
        }
        var found: [any StillDocument] = []
        var index = 0
        while let bytes = Metadata.preview(index, of: data) {
            index += 1
            guard index <= most else { throw unknown("there are too many", file) }
            if known.contains(where: { $0.starts(with: bytes) }) { continue }
            do throws(MediaError) {
                switch StillFormat.recognise(bytes[...]) {
                case .jpeg: found.append(try preview(bytes, file: file))
                case .tiff: found.append(try TIFFStill(bytes, file: file, policy: .none))
                default: throw MediaError(.unsupported, "decoding", file: file, detail: "it is of an unknown kind")
                }
            } catch { throw unknown(error.detail, file) }
        }
        return found
    }

    /// Base64 text from `start` on (RFC 4648, 4), line breaks within skipped, also as XML writes them.
    private static func base64(_ data: [UInt8], _ start: Int) -> ([UInt8], Int) {
        var (bytes, word, bits, at): ([UInt8], UInt32, Int, Int) = ([], 0, 0, start)
        while at < data.count {
            let value: UInt32
            switch data[at] {
            case 0x41...0x5A: value = UInt32(data[at] - 0x41)
            case 0x61...0x7A: value = UInt32(data[at] - 0x61 + 26)
            case 0x30...0x39: value = UInt32(data[at] - 0x30 + 52)
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case 0x0A, 0x0D, 0x20, 0x09:
                at += 1
                continue
            case UInt8(ascii: "&"):
                // &#xA; and &#10;
                let rest = data[at..<min(at + 6, data.count)]
                guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return (bytes, at) }
                at = end + 1
                continue
            default: return (bytes, at)
            }
            at += 1
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        return (bytes, at)
    }

    /// Whether a video lies in the picture's file, as phones make them: an ISO file behind the picture's end, or a box of one.
    static func holdsVideo(_ data: [UInt8]) -> Bool {
        var at = 12
        while at + 12 < data.count {
            // The smallest such box has a brand and a version, the largest some dozens of brands.
            if data[at] == 0, data[at + 1] == 0, data[at + 4] == UInt8(ascii: "f"),
                data[at + 4..<at + 8].elementsEqual("ftyp".utf8), data[at + 2] < 4, data[at + 3] >= 16
            {
                return true
            }
            at += 1
        }
        return false
    }
}

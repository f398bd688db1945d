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
    /// base64 text. What only looks like the beginning of one is among them.
    ///
    /// - Throws: `.unsupported` where there are more than `most`.
    static func jpegs(in data: [UInt8], file: String) throws(MediaError) -> [Place] {
        var found: [Place] = []
        var at = 1
        while at + 4 < data.count {
            if data[at] == 0xFF, data[at + 1] == 0xD8, data[at + 2] == 0xFF, isMarker(data[at + 3]) {
                found.append(.bytes(at: at))
                at += 3
            } else if data[at] == UInt8(ascii: "/"), data[at..<at + 4].elementsEqual("/9j/".utf8) {
                let (bytes, end) = base64(data, at)
                if bytes.count > 64 { found.append(.text(at: at)) }
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

    /// What may follow the start of an image: a table, a frame, an application's segment or a comment.
    private static func isMarker(_ byte: UInt8) -> Bool {
        byte == 0xDB || byte == 0xC4 || byte == 0xDD || byte == 0xFE || (0xC0...0xC2).contains(byte)
            || (0xE0...0xEF).contains(byte)
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

    /// Whether a film lies in the picture's file, as phones make them: an ISO file behind the picture's end, or a box of one.
    static func holdsFilm(_ data: [UInt8]) -> Bool {
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

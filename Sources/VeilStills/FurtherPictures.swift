import Glibc
import VeilCore
import VeilMedia

/// Pictures that lie in a picture's file beside the one that it shows: thumbnails, previews, gain maps. Redacting leaves
/// them out; a check looks at them.
enum FurtherPictures {
    /// No more than so many are looked at; a file with more isn't looked through.
    static let most = 64
    /// The most marker segments before a JPEG's frame header: 64 MB of metadata.
    static let mostSegments = 1000
    /// The most steps of all walks through segments. Random bytes hold the beginning of a JPEG once in 16 MB, and hardly ever
    /// a second segment.
    static let mostSteps = 1_000_000

    /// Where a JPEG begins: as it is, or as base64 text.
    enum Place: Hashable {
        case bytes(at: Int)
        case text(at: Int)
    }

    /// JPEGs within a file, wherever they lie: in Exif data, behind the picture's end, in a maker's notes; or, in XMP, as
    /// base64 text.
    ///
    /// - Parameter known: beginnings of streams that belong to the picture itself.
    /// - Throws: `.unsupported` where there are more than `most`, or beginnings without end.
    static func jpegs(in data: [UInt8], but known: Set<Int> = [], file: String) throws(MediaError) -> [Place] {
        func refuse(_ detail: String) -> MediaError {
            MediaError(.unsupported, "looking through", file: file, detail: detail)
        }
        var found: [Place] = []
        var (at, steps) = (1, 0)
        func isJPEG(_ bytes: ArraySlice<UInt8>) throws(MediaError) -> Bool {
            let walk = Walk(bytes)
            steps += walk.steps
            guard walk.segments <= mostSegments, steps <= mostSteps else {
                throw refuse("it is full of beginnings of pictures that can't be looked at")
            }
            return walk.meetsFrame
        }
        while at + 4 < data.count {
            if data[at] == 0xFF, data[at + 1] == 0xD8, data[at + 2] == 0xFF {
                if !known.contains(at), try isJPEG(data[at...]) { found.append(.bytes(at: at)) }
                at += 3
            } else if data[at] == UInt8(ascii: "/"), data[at..<at + 4].elementsEqual("/9j/".utf8) {
                let (bytes, end) = base64(data, at)
                if try isJPEG(bytes[...]) { found.append(.text(at: at)) }
                at = max(end, at + 1)
            } else {
                at += 1
            }
            guard found.count <= most else { throw refuse("more than \(most) pictures lie in it") }
        }
        return found
    }

    /// The JPEG at a place, as far as it goes: a part of the data, or of what its text says.
    static func jpeg(at place: Place, in data: [UInt8]) -> ArraySlice<UInt8> {
        let bytes: ArraySlice<UInt8> =
            switch place {
            case .bytes(let at): data[at...]
            case .text(let at): base64(data, at).0[...]
            }
        return bytes[..<JPEGSegments(bytes).end]
    }

    /// Whether a frame header (T.81, B.2.2) comes after nothing but whole marker segments: what random bytes don't have.
    static func isJPEG(_ data: ArraySlice<UInt8>) -> Bool { Walk(data).meetsFrame }

    /// A walk over a JPEG's marker segments up to its frame header.
    struct Walk {
        private(set) var meetsFrame = false
        /// No more than one above `mostSegments`.
        private(set) var segments = 0
        /// Segments and fill bytes.
        private(set) var steps = 0

        init(_ data: ArraySlice<UInt8>) {
            var at = data.startIndex + 2
            while at + 4 <= data.endIndex, data[at] == 0xFF, steps <= mostSteps {
                steps += 1
                let marker = data[at + 1]
                if marker == 0xFF {
                    at += 1
                    continue
                }
                let length = Int(data[at + 2]) << 8 | Int(data[at + 3])
                switch marker {
                case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                    meetsFrame =
                        at + 10 <= data.endIndex && length == 8 + 3 * Int(data[at + 9]) && data[at + 9] > 0
                    return
                case 0xC4, 0xCC, 0xDB...0xDF, 0xE0...0xEF, 0xF0...0xFE:
                    segments += 1
                    guard length >= 2, segments <= mostSegments else { return }
                    at += 2 + length
                default: return
                }
            }
        }
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
    /// - Parameter known: JPEGs that are looked at anyway.
    /// - Throws: `.unsupported` where one can't be looked at, or where the metadata that may hold one can't be read.
    static func packed(
        in data: [UInt8], _ format: StillFormat, but known: [ArraySlice<UInt8>], file: String
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
        let metadata = MetadataParts(data, format)
        guard metadata.exif.allSatisfy({ Metadata.canBeRead(exif: $0) }) else { throw unreadable(file) }
        var found: [any StillDocument] = []
        var index = 0
        while true {
            let preview = Metadata.preview(index, of: data)
            if preview == .noMore { return found }
            guard case .picture(let bytes) = preview else {
                // A file without metadata may be of a kind that the library doesn't know: there is nothing to find in it.
                if metadata.isEmpty { return found }
                throw index == 0 ? unreadable(file) : unknown("it can't be read", file)
            }
            index += 1
            guard index <= most else { throw unknown("there are too many", file) }
            // One of the two may have bytes behind its end.
            if known.contains(where: { $0.starts(with: bytes) || bytes.starts(with: $0) }) { continue }
            do throws(MediaError) {
                switch StillFormat.recognise(bytes[...]) {
                case .jpeg: found.append(try self.preview(bytes, file: file))
                case .tiff: found.append(try TIFFStill(bytes, file: file, policy: .none))
                default: throw MediaError(.unsupported, "decoding", file: file, detail: "it is of an unknown kind")
                }
            } catch { throw unknown(error.detail, file) }
        }
    }

    private static func unreadable(_ file: String) -> MediaError {
        MediaError(
            .unsupported, "looking through", file: file,
            detail:
                "its metadata can't be read, so thumbnails in it can't be looked at; Veil leaves them out of its copies"
        )
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

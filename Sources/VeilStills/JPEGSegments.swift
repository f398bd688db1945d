import VeilCore
import VeilMedia

/// A JPEG file as its marker segments (ITU-T T.81, annex B): parsed from a file, and written without what may not stay.
struct JPEGSegments {
    struct Segment {
        /// The second byte of the marker.
        var marker: UInt8
        /// What follows the length; for a scan, the coded data too.
        var payload: ArraySlice<UInt8>
        /// How many bytes of the payload the length counts; the rest is coded data.
        var headLength: Int

        fileprivate func starts(with text: String) -> Bool { payload.starts(with: text.utf8) }
    }

    private(set) var segments: [Segment] = []
    /// Whether the picture's end is there.
    private(set) var isComplete = false
    /// Where the picture ends: behind its end marker, or with the bytes.
    private(set) var end: Int

    private static let soi: [UInt8] = [0xFF, 0xD8]
    private static let eoi: [UInt8] = [0xFF, 0xD9]
    private static let exifHead = Array("Exif\0\0".utf8)
    private static let xmpHead = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let photoshopHead = Array("Photoshop 3.0\0".utf8)
    private static let iccHead = Array("ICC_PROFILE\0".utf8)

    /// Reads as far as the first picture goes; what lies behind its end is another file's business, and nobody's here.
    init(_ bytes: ArraySlice<UInt8>) {
        end = bytes.endIndex
        var at = bytes.startIndex + 2
        while at + 1 < bytes.endIndex {
            guard bytes[at] == 0xFF else {
                at += 1
                continue
            }
            let marker = bytes[at + 1]
            switch marker {
            case 0xFF: at += 1
            case 0x00, 0x01, 0xD0...0xD8: at += 2
            case 0xD9:
                isComplete = true
                end = at + 2
                return
            default:
                guard at + 4 <= bytes.endIndex else { return }
                let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
                guard length >= 2, at + 2 + length <= bytes.endIndex else { return }
                var end = at + 2 + length
                if marker == 0xDA { end = Self.endOfScan(bytes, from: end) }
                segments.append(
                    Segment(marker: marker, payload: bytes[(at + 4)..<end], headLength: length - 2))
                at = end
            }
        }
    }

    /// The next marker that isn't one of coded data (a stuffed zero or a restart).
    private static func endOfScan(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        bytes.withUnsafeBufferPointer { buffer in
            var at = start - bytes.startIndex
            while at + 1 < buffer.count {
                if buffer[at] == 0xFF, buffer[at + 1] != 0, !(0xD0...0xD7).contains(buffer[at + 1]),
                    buffer[at + 1] != 0xFF
                {
                    return at + bytes.startIndex
                }
                at += 1
            }
            return buffer.count + bytes.startIndex
        }
    }

    /// The Exif data of the first such segment, without its head: what a viewer reads.
    var exif: ArraySlice<UInt8>? {
        segments.first { $0.marker == 0xE1 && $0.payload.starts(with: Self.exifHead) }?.payload.dropFirst(
            Self.exifHead.count)
    }

    /// Whether an Adobe segment says how the colours are stored.
    var hasAdobe: Bool { segments.contains { $0.marker == 0xEE && $0.starts(with: "Adobe") } }

    /// The file with the picture's own coded data.
    func rebuilt(_ policy: MetadataPolicy) -> [UInt8] {
        var out = Self.soi
        appendMetadata(policy, to: &out)
        appendPicture(to: &out)
        return out + Self.eoi
    }

    /// The file with other coded data: a whole JPEG that has no metadata of its own.
    func rebuilt(_ policy: MetadataPolicy, picture: JPEGSegments) -> [UInt8] {
        var out = Self.soi
        appendMetadata(policy, to: &out)
        picture.appendPicture(to: &out)
        return out + Self.eoi
    }

    /// Tables, frame and scans: what a decoder needs, and nothing else (B.1.1.3, table B.1).
    private func appendPicture(to out: inout [UInt8]) {
        for segment in segments {
            switch segment.marker {
            // SOF0…15 with DHT (C4) and DAC (CC) among them but for C8; SOS, DQT, DNL, DRI.
            case 0xC0...0xC7, 0xC9...0xCF, 0xDA, 0xDB, 0xDC, 0xDD:
                let length = segment.headLength + 2
                out += [0xFF, segment.marker, UInt8(length >> 8), UInt8(length & 0xFF)]
                out += segment.payload
            default: break
            }
        }
    }

    private func appendMetadata(_ policy: MetadataPolicy, to out: inout [UInt8]) {
        func append(_ marker: UInt8, _ payload: [UInt8]) {
            let length = payload.count + 2
            // What is too long for a segment is left out: it can't have come from one.
            guard length <= 0xFFFF else { return }
            out += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
        }
        // JFIF first: version, units and density; its thumbnail is replaced by none.
        if let jfif = segments.first(where: { $0.marker == 0xE0 && $0.starts(with: "JFIF\0") && $0.headLength >= 14 }) {
            append(0xE0, Array(jfif.payload.prefix(12)) + [0, 0])
        }
        let cleaned: [UInt8]?
        if let exif { cleaned = Metadata.exif(exif, policy) } else { cleaned = nil }
        if let cleaned { append(0xE1, Self.exifHead + cleaned) }
        if policy == .keep {
            if let xmp = segments.first(where: { $0.marker == 0xE1 && $0.payload.starts(with: Self.xmpHead) }),
                let packet = Metadata.xmp(xmp.payload.dropFirst(Self.xmpHead.count), policy)
            {
                append(0xE1, Self.xmpHead + packet)
            }
            if let photoshop = segments.first(where: {
                $0.marker == 0xED && $0.payload.starts(with: Self.photoshopHead)
            }),
                let resources = PhotoshopResources.cleaned(
                    photoshop.payload.dropFirst(Self.photoshopHead.count), policy)
            {
                append(0xED, Self.photoshopHead + resources)
            }
        }
        for segment in segments {
            switch segment.marker {
            case 0xE2 where segment.payload.starts(with: Self.iccHead): append(0xE2, Array(segment.payload))
            // Version, flags and colour transform: twelve bytes.
            case 0xEE where segment.starts(with: "Adobe") && segment.headLength >= 12:
                append(0xEE, Array(segment.payload.prefix(12)))
            case 0xFE where policy == .keep: append(0xFE, Array(segment.payload))
            default: break
            }
        }
    }
}

/// The resources that Photoshop keeps in a picture ("8BIM"): only IPTC data and the resolution may stay, for others hold
/// thumbnails, paths and history.
enum PhotoshopResources {
    static func cleaned(_ bytes: ArraySlice<UInt8>, _ policy: MetadataPolicy) -> [UInt8]? {
        var out: [UInt8] = []
        var at = bytes.startIndex
        while at + 12 <= bytes.endIndex, bytes[at..<(at + 4)].elementsEqual("8BIM".utf8) {
            let id = Int(bytes[at + 4]) << 8 | Int(bytes[at + 5])
            // A name as a Pascal string, padded to an even length with its count.
            let name = (Int(bytes[at + 6]) + 2) & ~1
            let sizeAt = at + 6 + name
            guard sizeAt + 4 <= bytes.endIndex else { break }
            let size = bytes[sizeAt..<(sizeAt + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard sizeAt + 4 + size <= bytes.endIndex else { break }
            let data = bytes[(sizeAt + 4)..<(sizeAt + 4 + size)]
            let kept: [UInt8]? = id == 0x0404 ? Metadata.iptc(data, policy) : id == 0x03ED ? Array(data) : nil
            if let kept {
                out += Array("8BIM".utf8) + [UInt8(id >> 8), UInt8(id & 0xFF), 0, 0]
                out += (0..<4).map { UInt8(truncatingIfNeeded: kept.count >> (24 - 8 * $0)) } + kept
                if !kept.count.isMultiple(of: 2) { out.append(0) }
            }
            at = sizeAt + 4 + ((size + 1) & ~1)
        }
        return out.isEmpty ? nil : out
    }
}

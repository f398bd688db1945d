/// What a file is told by without reading the whole of it.
public struct FileHead: Sendable {
    public var name: String
    /// What it begins with.
    public var bytes: [UInt8]

    /// So many bytes are enough to walk along the segments of a JPEG that begins in the first `MediaKind.searched`.
    static let size = 1 << 20
}

extension MediaKind {
    /// Whether a file is a picture or video by its first bytes, or a camera's raw file by its name: such a file is never
    /// copied along.
    public static func looksLikeMedia(_ head: FileHead) -> Bool {
        fileExtension(head.name).map(raws.contains) ?? false || looksLikeMedia(head.bytes)
    }

    /// Whether a file begins as pictures, videos and papers with pictures in them do, or has a JPEG near its beginning.
    ///
    /// Archives (ZIP and those kinds of documents that are such) aren't told.
    public static func looksLikeMedia(_ head: [UInt8]) -> Bool {
        signatures.contains { head.dropFirst($0.offset).starts(with: $0.bytes) } || isBareMap(head)
            || isTransportStream(head) || hasJPEG(head)
    }

    private struct Signature {
        var offset = 0
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        init(_ text: String, at offset: Int = 0) {
            self.offset = offset
            bytes = Array(text.utf8)
        }
    }

    /// Those of the formats' own specifications; of the raw files without one, of ExifTool's and LibRaw's descriptions.
    private static let signatures: [Signature] =
        boxes + [
            // Pictures.
            Signature([0xFF, 0xD8, 0xFF]),  // JPEG
            Signature([0x89, 0x50, 0x4E, 0x47]), Signature([0x8A, 0x4D, 0x4E, 0x47]),
            Signature([0x8B, 0x4A, 0x4E, 0x47]),  // PNG, MNG, JNG
            Signature("GIF8"), Signature("BM"), Signature("8BPS"), Signature("gimp xcf"), Signature("qoif"),
            Signature([0x49, 0x49, 0x2A, 0]), Signature([0x4D, 0x4D, 0, 0x2A]),  // TIFF, and many a raw file
            Signature([0x49, 0x49, 0x2B, 0]), Signature([0x4D, 0x4D, 0, 0x2B]),  // BigTIFF
            Signature([0x49, 0x49, 0xBC]),  // JPEG XR
            Signature([0xFF, 0x0A]), Signature([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C]),  // JPEG XL
            Signature([0, 0, 0, 0x0C, 0x6A, 0x50]), Signature([0xFF, 0x4F, 0xFF, 0x51]),  // JPEG 2000
            Signature([0x76, 0x2F, 0x31, 0x01]),  // OpenEXR
            Signature("SDPX"), Signature("XPDS"),  // DPX
            Signature([0x80, 0x2A, 0x5F, 0xD7]), Signature([0xD7, 0x5F, 0x2A, 0x80]),  // Cineon
            Signature("AT&TFORM"), Signature("%PDF"),
            // Raw files.
            Signature("FUJIFILMCCD-RAW"), Signature("IIRO"), Signature("IIRS"), Signature("MMOR"),
            Signature([0x49, 0x49, 0x55, 0]), Signature("FOVb"), Signature([0, 0x4D, 0x52, 0x4D]),
            Signature("HEAPCCDR", at: 6), Signature("ARRI"),
            // Videos.
            Signature("RIFF"), Signature("FORM"), Signature("FLV"), Signature("OggS"), Signature(".RMF"),
            Signature("YUV4MPEG2"), Signature("DKIF"), Signature("DHAV"), Signature("IMKH"),
            Signature([0x1A, 0x45, 0xDF, 0xA3]),  // Matroska
            Signature([0x30, 0x26, 0xB2, 0x75]),  // ASF
            Signature([0xB7, 0xD8, 0x00, 0x20]),  // WTV
            Signature([0, 0, 1]), Signature([0, 0, 0, 1]),  // MPEG's start codes
            Signature([0x1F, 0x07, 0]),  // DV
            Signature([0x06, 0x0E, 0x2B, 0x34]),  // MXF
            // Sound with a cover.
            Signature("ID3"), Signature("fLaC"),
        ]

    /// What ISO media and QuickTime files begin with, and RED's, behind its length.
    private static let boxes: [Signature] =
        ["ftyp", "moov", "mdat", "moof", "wide", "skip", "free", "pnot", "uuid", "RED1", "RED2"]
        .map { Signature($0, at: 4) }

    /// PBM, PGM, PPM and PAM: a P, a digit and white space.
    private static func isBareMap(_ head: [UInt8]) -> Bool {
        head.count > 2 && head[0] == UInt8(ascii: "P") && (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(head[1])
            && (head[2] == 0x20 || (0x09...0x0D).contains(head[2]))
    }

    private static func isTransportStream(_ head: [UInt8]) -> Bool {
        head.count > 188 && head[0] == 0x47 && head[188] == 0x47
            || head.count > 196 && head[4] == 0x47 && head[196] == 0x47
    }

    /// Where a JPEG inside another file is looked for.
    static let searched = 1 << 16

    /// Whether a JPEG stands near the beginning: its start, then whole marker segments up to a frame header (ISO 10918-1,
    /// annex B).
    private static func hasJPEG(_ head: [UInt8]) -> Bool {
        for start in 0..<max(0, min(searched, head.count - 3))
        where head[start] == 0xFF && head[start + 1] == 0xD8 && head[start + 2] == 0xFF {
            if leadsToFrame(head, from: start + 2) { return true }
        }
        return false
    }

    private static func leadsToFrame(_ bytes: [UInt8], from start: Int) -> Bool {
        var position = start
        while position + 3 < bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // Bytes that fill up.
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            switch marker {
            case 0xC4, 0xC8, 0xCC, 0xDA...0xFE: break
            // A frame header has eight bytes and three for each of its components.
            case 0xC0...0xCF:
                return length >= 11 && position + 9 < bytes.count && length == 8 + 3 * Int(bytes[position + 9])
            default: return false
            }
            guard length >= 2, marker != 0xDA else { return false }
            position += 2 + length
        }
        return false
    }
}

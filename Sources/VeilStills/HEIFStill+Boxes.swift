import CHEIF

/// What libheif doesn't tell of a file, read from its boxes.
extension HEIFStill {
    /// How the pictures are coded; left to itself, libheif makes RGB of them.
    ///
    /// It doesn't tell their chroma sampling: that is read from the decoders' configurations (ISO/IEC 14496-15, 8.3.3.1.2;
    /// AV1 in ISOBMFF, 2.3.3). Of several, the finest is taken: a thumbnail's may be coarser, alpha has none.
    static func codedForm(_ data: [UInt8]) -> (space: heif_colorspace, chroma: heif_chroma) {
        var finest = 0
        data.withUnsafeBufferPointer { bytes in
            for at in 0..<max(0, bytes.count - 24) where bytes[at + 3] == UInt8(ascii: "C") {
                let name = (bytes[at], bytes[at + 1], bytes[at + 2])
                if name == (UInt8(ascii: "h"), UInt8(ascii: "v"), UInt8(ascii: "c")), bytes[at + 4] == 1 {
                    finest = max(finest, Int(bytes[at + 4 + 16] & 3))
                } else if name == (UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "1")), bytes[at + 4] == 0x81 {
                    let flags = bytes[at + 4 + 2]
                    if flags & 0x10 != 0 { continue }
                    finest = max(finest, flags & 0x08 == 0 ? 3 : flags & 0x04 == 0 ? 2 : 1)
                }
            }
        }
        switch finest {
        case 1: return (heif_colorspace_YCbCr, heif_chroma_420)
        case 2: return (heif_colorspace_YCbCr, heif_chroma_422)
        case 3: return (heif_colorspace_YCbCr, heif_chroma_444)
        default: return (heif_colorspace_undefined, heif_chroma_undefined)
        }
    }

    /// Whether there is a movie beside the pictures (ISO 23008-12, 7: a box `moov` at the top).
    static func holdsSequence(_ data: [UInt8]) -> Bool {
        var at = 0
        while at + 16 <= data.count {
            if data[at + 4..<at + 8].elementsEqual("moov".utf8) { return true }
            var size = data[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            // 1: the size follows in 64 bits; 0: the box reaches to the end.
            if size == 1 { size = Int(clamping: data[at + 8..<at + 16].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
            guard size >= 8, size <= data.count - at else { return false }
            at += size
        }
        return false
    }
}

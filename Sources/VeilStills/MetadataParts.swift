/// What of a picture's file is metadata that may hold previews, before anybody has tried to read it.
struct MetadataParts {
    /// Exif blocks, without their "Exif\0\0".
    private(set) var exif: [ArraySlice<UInt8>] = []
    /// Whether there is XMP, IPTC, or text that may pack any of the three.
    private(set) var hasOther = false

    var isEmpty: Bool { exif.isEmpty && !hasOther }

    /// Of a JPEG, PNG or WebP; other kinds are taken to have none.
    init(_ data: [UInt8], _ format: StillFormat) {
        let head = Array("Exif\0\0".utf8)
        switch format {
        case .jpeg:
            for segment in JPEGSegments(data[...]).segments where [0xE1, 0xED].contains(segment.marker) {
                if segment.marker == 0xE1, segment.payload.starts(with: head) {
                    exif.append(segment.payload.dropFirst(head.count))
                } else {
                    hasOther = true
                }
            }
        case .png:
            for chunk in PNGChunks(data[...]).chunks {
                if chunk.type == "eXIf" { exif.append(chunk.data) }
                if ["zTXt", "iTXt", "tEXt"].contains(chunk.type) { hasOther = true }
            }
        case .webp:
            for chunk in WebPChunks(data[...]).chunks {
                if chunk.type == "EXIF" {
                    exif.append(chunk.data.starts(with: head) ? chunk.data.dropFirst(head.count) : chunk.data)
                }
                if chunk.type == "XMP " { hasOther = true }
            }
        case .bmp, .tiff, .heic, .avif: break
        }
    }
}

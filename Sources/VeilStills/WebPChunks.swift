import VeilMedia

/// A WebP file as its RIFF chunks ("WebP Container Specification"); what lies behind the RIFF's end is dropped.
struct WebPChunks {
    struct Chunk {
        var type: String
        var data: ArraySlice<UInt8>
    }

    private(set) var chunks: [Chunk]

    init(_ bytes: ArraySlice<UInt8>) {
        let size = Self.number(bytes.dropFirst(4), 4)
        chunks = Self.parse(bytes.dropFirst(12).prefix(max(0, size - 4)))
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> [Chunk] {
        var chunks: [Chunk] = []
        var at = bytes.startIndex
        while at + 8 <= bytes.endIndex {
            let size = number(bytes[(at + 4)...], 4)
            guard at + 8 + size <= bytes.endIndex else { break }
            chunks.append(
                Chunk(
                    type: String(decoding: bytes[at..<(at + 4)], as: UTF8.self), data: bytes[(at + 8)..<(at + 8 + size)]
                ))
            at += 8 + size + size % 2
        }
        return chunks
    }

    static func number(_ bytes: ArraySlice<UInt8>, _ count: Int) -> Int {
        bytes.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    subscript(type: String) -> ArraySlice<UInt8>? { chunks.first { $0.type == type }?.data }

    /// The chunks that code what the file shows, and nothing that rides along: of a still the first picture with its alpha;
    /// of an animation the first ANIM and the frames, each with its first picture.
    func pictures(isAnimated: Bool) -> [Chunk] {
        guard isAnimated else { return Self.firstPicture(chunks) }
        let head = chunks.first { $0.type == "ANIM" }.map { [$0] } ?? []
        return head
            + chunks.filter { $0.type == "ANMF" && $0.data.count >= 16 }.map { frame in
                var data = Array(frame.data.prefix(16))
                for part in Self.firstPicture(Self.parse(frame.data.dropFirst(16))) {
                    Self.append(part.type, part.data, to: &data)
                }
                return Chunk(type: "ANMF", data: data[...])
            }
    }

    /// The first coded picture, and before it the alpha that a decoder takes for it: the last one there. VP8L has its own.
    private static func firstPicture(_ chunks: [Chunk]) -> [Chunk] {
        guard let at = chunks.firstIndex(where: { $0.type == "VP8 " || $0.type == "VP8L" }) else { return [] }
        let alpha = chunks[at].type == "VP8 " ? chunks[..<at].last { $0.type == "ALPH" } : nil
        return (alpha.map { [$0] } ?? []) + [chunks[at]]
    }

    /// The coded pictures of an animation's frames, or the one there is.
    func codedPictures(isAnimated: Bool) -> [Chunk] {
        pictures(isAnimated: isAnimated).filter { $0.type != "ANIM" }.flatMap {
            $0.type == "ANMF" ? Self.parse($0.data.dropFirst(16)) : [$0]
        }
    }

    static func append(_ type: String, _ data: ArraySlice<UInt8>, to out: inout [UInt8]) {
        out += type.utf8
        out += bytes(data.count, 4)
        out += data
        if data.count % 2 == 1 { out.append(0) }
    }

    /// A file of these pictures, with the metadata of this one that may stay.
    ///
    /// - Parameter isAnimated: whether they are frames.
    func rebuilt(
        _ policy: MetadataPolicy, pictures: [Chunk], isAnimated: Bool, width: Int, height: Int, hasAlpha: Bool
    ) -> [UInt8] {
        let profile = self["ICCP"]
        let exif = self["EXIF"].flatMap { data in
            // Some programs put JPEG's head before the data.
            Metadata.exif(data.starts(with: "Exif\0\0".utf8) ? data.dropFirst(6) : data, policy)
        }
        let xmp = self["XMP "].flatMap { Metadata.xmp($0, policy) }
        var body: [UInt8] = Array("WEBP".utf8)
        if profile != nil || exif != nil || xmp != nil || isAnimated || pictures.contains(where: { $0.type == "ALPH" })
        {
            let flags =
                (profile != nil ? 0x20 : 0) | (hasAlpha ? 0x10 : 0) | (exif != nil ? 0x08 : 0)
                | (xmp != nil ? 0x04 : 0) | (isAnimated ? 0x02 : 0)
            Self.append(
                "VP8X", (Self.bytes(flags, 4) + Self.bytes(width - 1, 3) + Self.bytes(height - 1, 3))[...], to: &body)
        }
        if let profile { Self.append("ICCP", profile, to: &body) }
        for picture in pictures { Self.append(picture.type, picture.data, to: &body) }
        if let exif { Self.append("EXIF", exif[...], to: &body) }
        if let xmp { Self.append("XMP ", xmp[...], to: &body) }
        return Array("RIFF".utf8) + Self.bytes(body.count, 4) + body
    }
}

/// What a VP8 key frame says of its quality (RFC 6386, 9.2 to 9.6 and 19.2).
enum VP8Quality {
    /// The quality, 0…100, at which libwebp quantises as finely as the frame does at its finest; nil where it can't be read.
    static func of(_ frame: ArraySlice<UInt8>) -> Float? {
        guard frame.count > 10 else { return nil }
        var bits = BoolDecoder(frame.dropFirst(10))
        _ = bits.literal(2)
        var quantisers: [Int] = []
        var isAbsolute = false
        if bits.flag() {
            let updatesMap = bits.flag()
            if bits.flag() {
                isAbsolute = bits.flag()
                for _ in 0..<4 { quantisers.append(bits.flag() ? bits.signed(7) : 0) }
                for _ in 0..<4 where bits.flag() { _ = bits.signed(6) }
            }
            if updatesMap { for _ in 0..<3 where bits.flag() { _ = bits.literal(8) } }
        }
        _ = bits.literal(10)
        if bits.flag(), bits.flag() { for _ in 0..<8 where bits.flag() { _ = bits.signed(6) } }
        _ = bits.literal(2)
        let base = bits.literal(7)
        let all = quantisers.isEmpty ? [base] : quantisers.map { isAbsolute ? $0 : base + $0 }
        let finest = Double(min(127, max(0, all.min() ?? base)))
        // libwebp's src/enc/quant_enc.c the other way round: index = 127 × (1 - c^(1/3)), c bent at three quarters.
        let linear = (1 - finest / 127) * (1 - finest / 127) * (1 - finest / 127)
        return Float(100 * (linear < 0.5 ? 1.5 * linear : (linear + 1) / 2))
    }

    /// RFC 6386, section 7.
    private struct BoolDecoder {
        private var bytes: ArraySlice<UInt8>
        private var value = 0
        private var range = 255
        private var shifted = 0

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            value = next() << 8
            value |= next()
        }

        private mutating func next() -> Int { Int(bytes.popFirst() ?? 0) }

        mutating func flag() -> Bool {
            let split = 1 + ((range - 1) * 128) >> 8
            let isSet = value >= split << 8
            if isSet {
                range -= split
                value -= split << 8
            } else {
                range = split
            }
            while range < 128 {
                value <<= 1
                range <<= 1
                shifted += 1
                if shifted == 8 {
                    shifted = 0
                    value |= next()
                }
            }
            return isSet
        }

        mutating func literal(_ count: Int) -> Int { (0..<count).reduce(0) { sum, _ in sum << 1 | (flag() ? 1 : 0) } }

        mutating func signed(_ count: Int) -> Int {
            let size = literal(count)
            return flag() ? -size : size
        }
    }
}

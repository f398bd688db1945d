import CFFmpeg

/// What a codec's private data may keep when a stream is copied: what a decoder needs, no comments, no pictures.
///
/// Vorbis and Theora keep their comment header there, which may hold a cover (METADATA_BLOCK_PICTURE, COVERART), names and
/// places; Matroska's ASS keeps whole sections of attached pictures and fonts.
enum CodecHeaders {
    /// - Returns: nil for private data that can't be understood and must not be copied.
    static func cleaned(_ data: [UInt8], of codec: AVCodecID, metadata: MetadataPolicy) -> [UInt8]? {
        switch codec {
        case AV_CODEC_ID_VORBIS: Xiph.vorbis.cleaned(data, metadata)
        case AV_CODEC_ID_THEORA: Xiph.theora.cleaned(data, metadata)
        case AV_CODEC_ID_OPUS: opus(data)
        case AV_CODEC_ID_FLAC: flac(data)
        case AV_CODEC_ID_SPEEX: Array(data.prefix(80))
        case AV_CODEC_ID_ASS, AV_CODEC_ID_SSA: ScriptHeader.cleaned(data, metadata)
        // Styles may draw pictures that they hold themselves.
        case AV_CODEC_ID_WEBVTT:
            mayDraw(String(decoding: data, as: UTF8.self).lowercased()) ? [] : data
        default: data
        }
    }

    private static func mayDraw(_ styles: String) -> Bool { styles.contains("data:") || styles.contains("url(") }

    /// Brings the parameters of an output's stream to what may be kept.
    static func clean(
        _ parameters: UnsafeMutablePointer<AVCodecParameters>, metadata: MetadataPolicy, file: String, stream: Int
    ) throws(MediaError) {
        guard let own = parameters.pointee.extradata, parameters.pointee.extradata_size > 0 else { return }
        let data = Array(UnsafeBufferPointer(start: own, count: Int(parameters.pointee.extradata_size)))
        guard let kept = cleaned(data, of: parameters.pointee.codec_id, metadata: metadata) else {
            throw MediaError(
                .damaged, "copying a stream", file: file, stream: stream,
                detail: "the headers of its codec, \(String(cString: avcodec_get_name(parameters.pointee.codec_id))), "
                    + "are broken",
                advice: parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO
                    ? "--audio drop leaves the sound out" : nil)
        }
        if kept == data { return }
        // The library wants zeros behind it.
        guard let fresh = av_mallocz(kept.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw MediaError(.internalFailure, "copying a stream", file: file, detail: "out of memory")
        }
        kept.withUnsafeBytes { if let base = $0.baseAddress { fresh.copyMemory(from: base, byteCount: kept.count) } }
        av_freep(&parameters.pointee.extradata)
        parameters.pointee.extradata = fresh.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(kept.count)
    }

    /// Whether a packet is one of the codec's headers instead of sound or a picture: joined Ogg files have them in the
    /// middle, comments among them.
    static func isHeader(_ packet: borrowing Packet, of codec: AVCodecID) -> Bool {
        guard let data = packet.pointer.pointee.data, packet.size > 0 else { return false }
        return switch codec {
        // Vorbis I, section 4.2.1, and Theora, section 6.1: the first bit is set.
        case AV_CODEC_ID_VORBIS: data[0] & 1 == 1
        case AV_CODEC_ID_THEORA: data[0] & 0x80 != 0
        // RFC 7845, section 5.
        case AV_CODEC_ID_OPUS:
            packet.size >= 8
                && ["OpusHead", "OpusTags"].contains(
                    String(decoding: UnsafeBufferPointer(start: data, count: 8), as: UTF8.self))
        // Frames begin with a sync code (RFC 9639, section 9.1).
        case AV_CODEC_ID_FLAC: data[0] != 0xFF
        default: false
        }
    }

    /// The identification header alone (RFC 7845, section 5.1).
    private static func opus(_ data: [UInt8]) -> [UInt8]? {
        guard data.count >= 19, data.starts(with: Array("OpusHead".utf8)) else { return nil }
        guard data[18] != 0 else { return Array(data.prefix(19)) }
        let channels = Int(data[9])
        guard data.count >= 21 + channels else { return nil }
        // Family 3 has a matrix of 16-bit numbers (RFC 8486, section 3.2) in the place of a map.
        let map = data[18] == 3 ? 2 * channels * (Int(data[19]) + Int(data[20])) : channels
        return data.count >= 21 + map ? Array(data.prefix(21 + map)) : nil
    }

    /// The stream's description alone (RFC 9639, section 8.2), without the blocks behind it.
    private static func flac(_ data: [UInt8]) -> [UInt8]? {
        let start = data.starts(with: Array("fLaC".utf8)) ? 8 : 0
        return data.count >= start + 34 ? Array(data[start..<start + 34]) : nil
    }
}

/// The three headers of a codec by Xiph, of which the second holds comments.
private struct Xiph {
    let name: [UInt8]
    /// What each of the headers begins with.
    let types: [UInt8]
    let identificationSize: Int
    /// Vorbis closes its comments with a set bit.
    let isFramed: Bool

    static let vorbis = Xiph(name: Array("vorbis".utf8), types: [1, 3, 5], identificationSize: 30, isFramed: true)
    static let theora = Xiph(
        name: Array("theora".utf8), types: [0x80, 0x81, 0x82], identificationSize: 42, isFramed: false)

    func cleaned(_ data: [UInt8], _ metadata: MetadataPolicy) -> [UInt8]? {
        guard let parts = split(data), parts[0].count >= identificationSize else { return nil }
        for (part, type) in zip(parts, types) where !part.starts(with: [type] + name) { return nil }
        let first = Array(parts[0].prefix(identificationSize))
        var second = [types[1]] + name
        if metadata == .keep, let comments = Comments(parts[1].dropFirst(7)) {
            second += comments.withoutPictures.bytes
        } else {
            second += Comments().bytes
        }
        if isFramed { second.append(1) }
        return [2] + Self.lace(first.count) + Self.lace(second.count) + first + second + parts[2]
    }

    /// Xiph's lacing, as Matroska has it, or each part behind its length in 16 bits (libavcodec/xiph.c).
    private func split(_ data: [UInt8]) -> [ArraySlice<UInt8>]? {
        guard data.count >= 6 else { return nil }
        if Int(data[0]) << 8 | Int(data[1]) == identificationSize {
            var rest = data[...]
            var parts: [ArraySlice<UInt8>] = []
            for _ in 0..<3 {
                guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
                let count = Int(high) << 8 | Int(low)
                guard rest.count >= count else { return nil }
                parts.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            return parts
        }
        guard data[0] == 2 else { return nil }
        var rest = data.dropFirst()
        var counts: [Int] = []
        for _ in 0..<2 {
            var count = 0
            while true {
                guard let byte = rest.popFirst() else { return nil }
                count += Int(byte)
                if byte < 255 { break }
            }
            counts.append(count)
        }
        guard counts[0] + counts[1] <= rest.count else { return nil }
        return [
            rest.prefix(counts[0]), rest.dropFirst(counts[0]).prefix(counts[1]), rest.dropFirst(counts[0] + counts[1]),
        ]
    }

    private static func lace(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 255, count: count / 255) + [UInt8(count % 255)]
    }

    /// Who wrote it, and lines of NAME=value (Vorbis I, section 5).
    private struct Comments {
        var vendor: [UInt8] = []
        var lines: [[UInt8]] = []

        init() {}

        init?(_ data: ArraySlice<UInt8>) {
            var rest = data
            func number() -> Int? {
                guard rest.count >= 4 else { return nil }
                let value = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(4)
                return value
            }
            func text() -> [UInt8]? {
                guard let count = number(), count <= rest.count else { return nil }
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            }
            guard let vendor = text(), let count = number() else { return nil }
            self.vendor = vendor
            for _ in 0..<count {
                guard let line = text() else { return nil }
                lines.append(line)
            }
        }

        var withoutPictures: Comments {
            var kept = self
            kept.lines.removeAll { line in
                let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                return TagFilter.mayHoldPicture(
                    name: String(decoding: parts[0], as: UTF8.self),
                    value: String(decoding: parts.count > 1 ? parts[1] : [], as: UTF8.self))
            }
            return kept
        }

        var bytes: [UInt8] {
            func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            return number(vendor.count) + vendor + number(lines.count) + lines.flatMap { number($0.count) + $0 }
        }
    }
}

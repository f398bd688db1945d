import CPNG
import VeilCore
import VeilMedia
import VeilPixels

/// An animated PNG (APNG 1.0): every frame as it is shown, covered, for as long as before. Each is written whole, so that
/// none rests on another.
final class AnimatedPNG: StillDocument {
    private(set) var notices: [String] = []
    let isAnimation = true
    private let file: String
    private let policy: MetadataPolicy
    private let chunks: PNGChunks
    private let frames: [Frame]
    private let first: PNGPicture
    /// Whether the picture for programs that don't know APNG is a frame too.
    private let showsDefault: Bool
    private let raster: Raster
    private let isDeep: Bool
    private let channels: Int
    private let width: Int
    private let height: Int
    /// Samples of the canvas, `channels` to a pixel, alpha the last.
    private var canvas: [UInt16]
    private var index = 0
    private var time = 0
    private var encoded: [[UInt8]] = []
    private var isCovered = false

    /// The most frames that are read.
    private static let mostFrames = 10_000

    private struct Frame {
        var control: ArraySlice<UInt8>
        var data: [UInt8] = []

        func number(_ at: Int, _ count: Int) -> Int {
            control.dropFirst(at).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        var width: Int { number(4, 4) }
        var height: Int { number(8, 4) }
        var x: Int { number(12, 4) }
        var y: Int { number(16, 4) }
        var milliseconds: Int { number(20, 2) * 1000 / (number(22, 2) == 0 ? 100 : number(22, 2)) }
        var dispose: Int { number(24, 1) }
        var isBlended: Bool { number(25, 1) == 1 }
    }

    init(_ bytes: [UInt8], file: String, policy: MetadataPolicy) throws(MediaError) {
        self.file = file
        self.policy = policy
        // The default picture: read first, for it sets sizes and forms.
        first = try PNGPicture(bytes, file: file)
        chunks = PNGChunks(bytes[...])
        (width, height) = (Int(first.info.width), Int(first.info.height))
        var frames: [Frame] = []
        var isBeforeData = true
        var showsDefault = false
        func broken(_ detail: String) -> MediaError { MediaError(.damaged, "decoding", file: file, detail: detail) }
        for chunk in chunks.chunks {
            switch chunk.type {
            case "fcTL":
                guard chunk.data.count == 26 else { throw broken("a frame's header is broken") }
                if isBeforeData { showsDefault = true }
                frames.append(Frame(control: chunk.data))
            case "IDAT":
                isBeforeData = false
                if showsDefault { frames[0].data += chunk.data }
            case "fdAT":
                guard !frames.isEmpty, chunk.data.count >= 4 else { throw broken("a frame has no header") }
                frames[frames.count - 1].data += chunk.data.dropFirst(4)
            default: break
            }
        }
        guard chunks.chunks.last?.type == "IEND" else { throw broken("the file breaks off") }
        guard !frames.isEmpty, frames.count <= Self.mostFrames else { throw broken("the number of frames is wrong") }
        for frame in frames {
            guard frame.width > 0, frame.height > 0, frame.x + frame.width <= width, frame.y + frame.height <= height,
                !frame.data.isEmpty
            else { throw broken("a frame lies outside the picture") }
        }
        self.frames = frames
        self.showsDefault = showsDefault
        isDeep = first.info.bit_depth == 16
        channels = [0, 4].contains(first.info.color_type) ? 2 : 4
        canvas = [UInt16](repeating: 0, count: channels * width * height)
        raster = try Raster(
            width: width, height: height, depth: isDeep ? 16 : 8, layout: channels == 2 ? .grayAlpha : .rgba, file: file
        )
    }

    func rewind() {
        (index, time) = (0, 0)
        canvas = [UInt16](repeating: 0, count: canvas.count)
        encoded = []
    }

    private var peak: UInt32 { isDeep ? 65535 : 255 }
    private var kept: (canvas: [UInt16], frame: Frame)?

    func next() throws(MediaError) -> StillPicture? {
        if let kept {
            dispose(kept.frame, before: kept.canvas)
            self.kept = nil
        }
        guard index < frames.count else { return nil }
        let frame = frames[index]
        let before = frame.dispose == 2 ? canvas : []
        try draw(frame)
        kept = (before, frame)
        let now = time
        // Frames without a duration share a time; a plan needs one for each.
        time += max(1, frame.milliseconds)
        index += 1
        show()
        return StillPicture(
            views: [raster.view], looks: try raster.looks(),
            orientation: chunks["eXIf"].map { Metadata.orientation($0) } ?? .up, time: now)
    }

    /// The frame's own picture, as a PNG of its own, laid on the canvas.
    private func draw(_ frame: Frame) throws(MediaError) {
        var png = PNGChunks.signature
        guard var header = chunks["IHDR"].map(Array.init), header.count == 13 else { return }
        header.replaceSubrange(0..<8, with: PNGChunks.number(frame.width) + PNGChunks.number(frame.height))
        PNGChunks.append("IHDR", header[...], to: &png)
        chunks.append(["PLTE", "tRNS"], to: &png)
        PNGChunks.append("IDAT", frame.data[...], to: &png)
        PNGChunks.append("IEND", [], to: &png)
        let picture = try PNGPicture(png, file: file)
        let own = try picture.raster(file: file)
        let count = own.channels
        let bytes = isDeep ? 2 : 1
        var pixels = [UInt8](repeating: 0, count: frame.width * frame.height * count * bytes)
        pixels.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { own.give(base, stride: frame.width * count * bytes) }
        }
        let colors = channels - 1
        for y in 0..<frame.height {
            for x in 0..<frame.width {
                let from = (y * frame.width + x) * count * bytes
                let to = ((frame.y + y) * width + frame.x + x) * channels
                func sample(_ c: Int) -> UInt32 {
                    isDeep
                        ? UInt32(pixels[from + 2 * c]) | UInt32(pixels[from + 2 * c + 1]) << 8
                        : UInt32(pixels[from + c])
                }
                let alpha = own.hasAlpha ? sample(count - 1) : picture.isTransparent(at: y * frame.width + x) ? 0 : peak
                let under = UInt32(canvas[to + colors])
                if !frame.isBlended || alpha == peak || under == 0 {
                    for c in 0..<colors { canvas[to + c] = UInt16(sample(c)) }
                    canvas[to + colors] = UInt16(alpha)
                } else if alpha > 0 {
                    // Over, colours not multiplied by alpha (PNG specification, 13.16).
                    let rest = UInt64(under) * UInt64(peak - alpha) / UInt64(peak)
                    let all = UInt64(alpha) + rest
                    for c in 0..<colors {
                        let sum = UInt64(sample(c)) * UInt64(alpha) + UInt64(canvas[to + c]) * rest
                        canvas[to + c] = UInt16(sum / all)
                    }
                    canvas[to + colors] = UInt16(all)
                }
            }
        }
    }

    private func dispose(_ frame: Frame, before: [UInt16]) {
        switch frame.dispose {
        case 1:
            for y in frame.y..<(frame.y + frame.height) {
                let start = (y * width + frame.x) * channels
                for i in start..<(start + frame.width * channels) { canvas[i] = 0 }
            }
        case 2: canvas = before
        default: break
        }
    }

    private func show() {
        let stride = width * channels * (isDeep ? 2 : 1)
        if isDeep {
            canvas.withUnsafeBytes { bytes in if let base = bytes.baseAddress { raster.take(base, stride: stride) } }
        } else {
            raster.take(canvas.map { UInt8(truncatingIfNeeded: $0) }, stride: stride)
        }
    }

    func keep(masks: [MaskRegion]?) throws(MediaError) {
        if masks == nil || masks?.isEmpty == false { isCovered = true }
        var picture = first
        picture.info.color_type = channels == 2 ? 4 : 6
        picture.info.channels = Int32(channels)
        picture.info.bit_depth = isDeep ? 16 : 8
        picture.info.bytes_per_sample = isDeep ? 2 : 1
        picture.info.palette_count = 0
        picture.info.transparent_count = 0
        picture.info.has_key = 0
        picture.info.is_interlaced = 0
        picture.rows = [UInt8](repeating: 0, count: height * picture.stride)
        let stride = picture.stride
        picture.rows.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { raster.give(base, stride: stride) }
        }
        encoded.append(try picture.encoded(file: file))
    }

    func finish() throws(MediaError) -> [UInt8] {
        var out = PNGChunks.signature
        if !isCovered, showsDefault {
            chunks.append(["IHDR"], to: &out)
            out += chunks.head(policy, keepsDepth: true)
            chunks.append(["PLTE", "tRNS", "acTL", "fcTL", "IDAT", "fdAT", "IEND"], to: &out)
            return out
        }
        guard let head = encoded.first.map({ PNGChunks($0[...]) }) else { return out }
        if !showsDefault { notices.append("programs that don't know animated PNGs will show the first frame") }
        head.append(["IHDR"], to: &out)
        out += chunks.head(policy, keepsDepth: false)
        let plays = chunks["acTL"].map { Array($0.dropFirst(4).prefix(4)) } ?? [0, 0, 0, 0]
        PNGChunks.append("acTL", (PNGChunks.number(frames.count) + plays)[...], to: &out)
        var sequence = 0
        for (index, bytes) in encoded.enumerated() {
            let delay = Array(frames[index].control.dropFirst(20).prefix(4))
            let control =
                PNGChunks.number(sequence) + PNGChunks.number(width) + PNGChunks.number(height) + PNGChunks.number(0)
                + PNGChunks.number(0) + delay + [0, 0]
            PNGChunks.append("fcTL", control[...], to: &out)
            sequence += 1
            let data = PNGChunks(bytes[...]).chunks.filter { $0.type == "IDAT" }.flatMap { Array($0.data) }
            if index == 0 {
                PNGChunks.append("IDAT", data[...], to: &out)
            } else {
                PNGChunks.append("fdAT", (PNGChunks.number(sequence) + data)[...], to: &out)
                sequence += 1
            }
        }
        PNGChunks.append("IEND", [], to: &out)
        return out
    }
}

extension PNGPicture {
    /// Whether a pixel has the colour that stands for "transparent".
    func isTransparent(at pixel: Int) -> Bool {
        guard info.has_key != 0 else { return false }
        let (channels, bytes) = (Int(info.channels), Int(info.bytes_per_sample))
        let keys = [info.key.0, info.key.1, info.key.2]
        return (0..<min(channels, 3)).allSatisfy { c in
            let at = (pixel * channels + c) * bytes
            return (bytes == 1 ? UInt16(rows[at]) : UInt16(rows[at]) | UInt16(rows[at + 1]) << 8) == keys[c]
        }
    }
}

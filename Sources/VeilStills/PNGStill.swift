import CPNG
import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// One picture in PNG's form, in memory: decoded and encoded by libpng.
struct PNGPicture {
    var info: cpng_info
    /// Rows without gaps; samples of less than 8 bits in a byte each.
    var rows: [UInt8]

    init(_ data: [UInt8], file: String) throws(MediaError) {
        var info = cpng_info()
        var error = cpng_error()
        var rows: UnsafeMutablePointer<UInt8>?
        guard cpng_read(data, data.count, Int64(MediaLimits.pixels), &info, &rows, &error) == 0, let rows else {
            throw Self.failure(error, error.is_unsupported != 0 ? .unsupported : .damaged, "decoding", file)
        }
        defer { free(rows) }
        self.info = info
        let size = Int(info.width) * Int(info.height) * Int(info.channels * info.bytes_per_sample)
        self.rows = Array(UnsafeBufferPointer(start: rows, count: size))
    }

    func encoded(file: String) throws(MediaError) -> [UInt8] {
        var info = info
        var error = cpng_error()
        var data: UnsafeMutablePointer<UInt8>?
        var size = 0
        guard cpng_write(&info, rows, &data, &size, &error) == 0, let data else {
            throw Self.failure(error, .internalFailure, "encoding", file)
        }
        defer { free(data) }
        return Array(UnsafeBufferPointer(start: data, count: size))
    }

    private static func failure(
        _ error: cpng_error, _ kind: MediaError.Kind, _ operation: String, _ file: String
    ) -> MediaError {
        let words = withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return MediaError(kind, operation, file: file, detail: words)
    }

    var stride: Int { Int(info.width) * Int(info.channels * info.bytes_per_sample) }
    private var isPalette: Bool { info.color_type == 3 }

    /// The table of colours, if there is one.
    private var palette: Palette {
        let count = Int(info.palette_count)
        let colors = withUnsafeBytes(of: info.palette) { rgb in
            withUnsafeBytes(of: info.transparent) { alpha in
                (0..<count).map { i in
                    Palette.Color(
                        red: rgb[3 * i], green: rgb[3 * i + 1], blue: rgb[3 * i + 2],
                        alpha: i < Int(info.transparent_count) ? alpha[i] : 255)
                }
            }
        }
        return Palette(colors, room: 1 << Int(info.bit_depth))
    }

    /// The samples as the kernels want them: palettes as RGB with alpha, 1 to 4 bits as 8, a transparent colour as alpha.
    func raster(file: String) throws(MediaError) -> Raster {
        let (width, height) = (Int(info.width), Int(info.height))
        if isPalette {
            let palette = palette
            let raster = try Raster(width: width, height: height, depth: 8, layout: .rgba, file: file)
            var pixels: [UInt8] = []
            pixels.reserveCapacity(4 * rows.count)
            for index in rows {
                let color = palette[index]
                pixels += [color.red, color.green, color.blue, color.alpha]
            }
            raster.take(pixels, stride: 4 * width)
            return raster
        }
        let channels = Int(info.channels)
        let layouts: [Raster.Layout] = [.gray, .grayAlpha, .rgb, .rgba]
        guard (1...4).contains(channels) else {
            throw MediaError(.unsupported, "decoding", file: file, detail: "its pixels have an unknown form")
        }
        let raster = try Raster(
            width: width, height: height, depth: info.bit_depth == 16 ? 16 : 8, layout: layouts[channels - 1],
            file: file)
        if info.bit_depth < 8 {
            let peak = (1 << Int(info.bit_depth)) - 1
            raster.take(rows.map { UInt8(Int($0) * 255 / peak) }, stride: stride)
        } else {
            raster.take(rows, stride: stride)
        }
        return raster
    }

    /// Takes the samples of a covered raster; false where the palette had to give way to plain colours.
    ///
    /// - Parameter masks: where it was covered; nil for everywhere.
    mutating func take(_ raster: Raster, masks: [MaskRegion]?) -> Bool {
        if isPalette { return takeIndices(raster) }
        let before = rows
        let stride = stride
        rows.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { raster.give(base, stride: stride) }
        }
        if info.bit_depth < 8 {
            let peak = (1 << Int(info.bit_depth)) - 1
            for i in rows.indices { rows[i] = UInt8((Int(rows[i]) * peak + 127) / 255) }
        }
        if info.has_key != 0 { keepTransparency(before, masks: masks) }
        return true
    }

    /// One colour stands for "transparent": pixels that have it keep it, and no other comes to have it.
    ///
    /// Not where that would draw what a mask hides: if transparency is the picture there, or the samples are so coarse that
    /// the key is one of a few levels, every pixel becomes opaque.
    private mutating func keepTransparency(_ before: [UInt8], masks: [MaskRegion]?) {
        let (width, height) = (Int(info.width), Int(info.height))
        let (channels, bytes) = (Int(info.channels), Int(info.bytes_per_sample))
        let keys = [info.key.0, info.key.1, info.key.2]
        func isKey(_ rows: [UInt8], _ pixel: Int) -> Bool {
            (0..<channels).allSatisfy { channel in
                let at = (pixel * channels + channel) * bytes
                return (bytes == 1 ? UInt16(rows[at]) : UInt16(rows[at]) | UInt16(rows[at + 1]) << 8) == keys[channel]
            }
        }
        var alpha = (0..<width * height).map { isKey(before, $0) ? UInt8(0) : 255 }
        var becomesOpaque = [Bool](repeating: masks == nil, count: alpha.count)
        let drawn = alpha.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return [MaskRegion]() }
            let plane = Plane(base: base, width: width, height: height, stride: width, bytesPerSample: 1)
            return (masks ?? []).filter { info.bit_depth < 8 || $0.isDrawn(in: plane, depth: 8) }
        }
        for mask in drawn {
            let box = mask.box(width: width, height: height)
            for y in box.y { for x in box.x { becomesOpaque[y * width + x] = true } }
        }
        for pixel in alpha.indices {
            let at = pixel * channels * bytes
            if alpha[pixel] == 0, !becomesOpaque[pixel] {
                for i in at..<(at + channels * bytes) { rows[i] = before[i] }
            } else if isKey(rows, pixel) {
                rows[at] ^= 1
            }
        }
    }

    /// The samples with the key as alpha, to be looked at as they are shown; nil where nothing is transparent by it.
    func keyedRaster(file: String) throws(MediaError) -> Raster? {
        let (width, height, count) = (Int(info.width), Int(info.height), Int(info.channels))
        let bytes = Int(info.bytes_per_sample)
        guard info.has_key != 0, count == 1 || count == 3,
            (0..<width * height).contains(where: { isTransparent(at: $0) })
        else { return nil }
        let raster = try Raster(
            width: width, height: height, depth: 8 * bytes, layout: count == 1 ? .grayAlpha : .rgba, file: file)
        let peak = bytes == 1 ? (1 << Int(info.bit_depth)) - 1 : 255
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * (count + 1) * bytes)
        for pixel in 0..<width * height {
            let at = pixel * count * bytes
            for i in at..<(at + count * bytes) { pixels.append(UInt8(Int(rows[i]) * 255 / peak)) }
            let alpha: UInt8 = isTransparent(at: pixel) ? 0 : 255
            for _ in 0..<bytes { pixels.append(alpha) }
        }
        raster.take(pixels, stride: width * (count + 1) * bytes)
        return raster
    }

    private mutating func takeIndices(_ raster: Raster) -> Bool {
        let (width, height) = (Int(info.width), Int(info.height))
        var pixels = [UInt8](repeating: 0, count: 4 * width * height)
        pixels.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { raster.give(base, stride: 4 * width) }
        }
        var palette = palette
        let indices = rows.withUnsafeBufferPointer { old in
            pixels.withUnsafeBufferPointer { new in
                palette.indices(old) { i in
                    Palette.Color(red: new[4 * i], green: new[4 * i + 1], blue: new[4 * i + 2], alpha: new[4 * i + 3])
                }
            }
        }
        guard let indices else {
            let isOpaque = palette.colors.allSatisfy { $0.alpha == 255 }
            info.color_type = isOpaque ? 2 : 6
            info.channels = isOpaque ? 3 : 4
            info.bit_depth = 8
            info.palette_count = 0
            info.transparent_count = 0
            rows =
                isOpaque ? pixels.indices.filter { $0 % 4 != 3 }.map { pixels[$0] } : pixels
            return false
        }
        rows = indices
        let colors = palette.colors
        info.palette_count = Int32(colors.count)
        info.transparent_count = Int32((colors.lastIndex { $0.alpha != 255 } ?? -1) + 1)
        withUnsafeMutableBytes(of: &info.palette) { bytes in
            for (i, color) in colors.enumerated() {
                bytes[3 * i] = color.red
                bytes[3 * i + 1] = color.green
                bytes[3 * i + 2] = color.blue
            }
        }
        withUnsafeMutableBytes(of: &info.transparent) { bytes in
            for (i, color) in colors.enumerated() { bytes[i] = color.alpha }
        }
        return true
    }
}

/// A PNG of one picture.
final class PNGStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private let chunks: PNGChunks
    private var png: PNGPicture
    private let raster: Raster
    /// What the last look was taken of, where a colour stands for "transparent".
    private var keyed: Raster?
    private var isDone = false
    private var isCovered = false

    init(_ bytes: [UInt8], file: String, policy: MetadataPolicy) throws(MediaError) {
        self.file = file
        self.policy = policy
        png = try PNGPicture(bytes, file: file)
        chunks = PNGChunks(bytes[...])
        raster = try png.raster(file: file)
    }

    func rewind() { isDone = false }

    func next() throws(MediaError) -> StillPicture? {
        if isDone { return nil }
        isDone = true
        var looks = try raster.looks()
        if let shown = try png.keyedRaster(file: file) {
            keyed = shown
            looks += try shown.looks().dropFirst()
        }
        return StillPicture(
            views: [raster.view], looks: looks,
            orientation: chunks["eXIf"].map { Metadata.orientation($0) } ?? .up,
            sampleAspectRatio: aspect)
    }

    /// pHYs: pixels per unit, across and down.
    private var aspect: Rational {
        guard let size = chunks["pHYs"], size.count == 9 else { return Rational(1, 1) }
        let numbers = [0, 4].map { at in size.dropFirst(at).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        guard numbers.allSatisfy({ (1..<1 << 31).contains($0) }) else { return Rational(1, 1) }
        return Rational(numbers[1], numbers[0])
    }

    func keep(masks: [MaskRegion]?) {
        if let masks, masks.isEmpty { return }
        isCovered = true
        let type = png.info.color_type
        if !png.take(raster, masks: masks) {
            notices.append("the palette has no colours for the masks: it becomes RGB")
        }
        isPlain = png.info.color_type == type
    }

    private var isPlain = true

    func finish() throws(MediaError) -> [UInt8] {
        // Without a mask the coded data is the source's, byte for byte, unless something hides behind it.
        let isSource = !isCovered && png.info.has_stray_bytes == 0
        let picture = isSource ? chunks : PNGChunks(try png.encoded(file: file)[...])
        var out = PNGChunks.signature
        picture.append(["IHDR"], to: &out)
        out += chunks.head(policy, keepsDepth: isPlain)
        picture.append(isSource && png.info.color_type != 3 ? ["tRNS"] : ["PLTE", "tRNS"], to: &out)
        picture.append(["IDAT"], to: &out)
        picture.append(["IEND"], to: &out)
        return out
    }
}

import CTIFF
import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// A TIFF of one page or more: gray, RGB or palette, with alpha or without. The file is written anew, page by page; smaller
/// copies of pages (thumbnails) are left out.
final class TIFFStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private let reader: OpaquePointer
    // libtiff reads from it for as long as the reader lives.
    private let bytes: PixelBuffer
    private var writer: OpaquePointer?
    private var index = 0
    private var shown = 0
    private var page = ctiff_page()
    private var rows: [UInt8] = []
    private var raster: Raster?
    /// The last sample of each pixel, where it is neither colour nor alpha (near infrared, say).
    private var extra: Raster?
    private var leftOut = 0
    /// The first page's Exif and GPS directories, as far as they may stay, by the tag that points to them.
    private var directories: [UInt16: TIFFDirectory] = [:]

    /// For looking at, not for copying: thumbnails are given too, and what isn't given is refused.
    var isLookedThrough = false
    /// Where JPEG streams of the pages begin that were given.
    private(set) var jpegStarts: Set<Int> = []

    /// The most pages that are read.
    private static let mostPages = 1000
    /// Bytes of one page's samples.
    private static let mostBytes = 1 << 30
    /// Tags for people, which may stay under `MetadataPolicy.keep`: ImageDescription, Make, Model, Software, DateTime,
    /// Artist, HostComputer, Copyright, DocumentName, PageName.
    private static let texts: [UInt32] = [270, 271, 272, 305, 306, 315, 316, 33432, 269, 285]

    init(_ data: [UInt8], file: String, policy: MetadataPolicy) throws(MediaError) {
        self.file = file
        self.policy = policy
        bytes = try PixelBuffer(copying: data, file: file)
        if data.count > 10, data[8] == 0x43, data[9] == 0x52 {
            throw MediaError(.unsupported, "opening", file: file, detail: "raw pictures of cameras aren't opened")
        }
        var error = ctiff_error()
        guard let reader = ctiff_open(bytes.base.assumingMemoryBound(to: UInt8.self), data.count, &error) else {
            throw Self.failure(error, .damaged, "opening", file)
        }
        self.reader = reader
    }

    deinit {
        ctiff_close(reader)
        if let writer {
            var size = 0
            free(ctiff_finish(writer, &size))
        }
    }

    private static func failure(
        _ error: ctiff_error, _ kind: MediaError.Kind, _ operation: String, _ file: String
    ) -> MediaError {
        let words = withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return MediaError(error.is_unsupported != 0 ? .unsupported : kind, operation, file: file, detail: words)
    }

    func rewind() { (index, shown, leftOut) = (0, 0, 0) }

    func next() throws(MediaError) -> StillPicture? {
        func refuse(_ detail: String) -> MediaError { MediaError(.unsupported, "decoding", file: file, detail: detail) }
        var error = ctiff_error()
        while true {
            guard index < Self.mostPages else { throw refuse("it has too many pages") }
            let code = ctiff_next(reader, Int32(index), &page, &error)
            guard code >= 0 else { throw Self.failure(error, .damaged, "decoding", file) }
            if code == 0 {
                guard shown > 0 else { throw refuse("it holds nothing but a thumbnail") }
                return nil
            }
            index += 1
            guard page.is_raw == 0 else { throw refuse("raw pictures of cameras aren't opened") }
            if isLookedThrough {
                guard page.has_children == 0 else {
                    throw refuse(
                        "further pictures hang on a page (SubIFDs) and aren't looked at; Veil leaves them out of its copies"
                    )
                }
                noteStreams()
                break
            }
            if page.is_reduced == 0 { break }
            leftOut += 1
        }
        guard page.bits > 0 else { throw refuse("its colours are stored in a way that isn't opened") }
        let (width, height, samples) = (Int(page.width), Int(page.height), Int(page.samples))
        // Divided: the product of what a file claims may be more than there are numbers.
        let bytes = page.bits == 16 ? 2 : 1
        guard width <= MediaLimits.pixels / height, samples <= Self.mostBytes / (width * height * bytes) else {
            throw refuse("it claims to be too large")
        }
        let size = width * height * samples * bytes
        let memory = try PixelBuffer(size: size, file: file)
        guard ctiff_read(reader, &page, memory.base.assumingMemoryBound(to: UInt8.self), &error) == 0 else {
            throw Self.failure(error, .damaged, "decoding", file)
        }
        rows = Array(UnsafeRawBufferPointer(start: memory.base, count: size))
        let raster = try makeRaster()
        self.raster = raster
        extra = try makeExtra()
        let time = shown
        shown += 1
        return StillPicture(
            views: [raster.view] + (extra.map { [$0.view] } ?? []),
            looks: try raster.looks() + (extra.map { [$0.view] } ?? []),
            orientation: Orientation(rawValue: Int(page.orientation)) ?? .up, sampleAspectRatio: aspect, time: time,
            isPreview: page.is_reduced != 0)
    }

    /// Samples per unit, across and down.
    private var aspect: Rational {
        let ratio = Double(page.y_resolution) / Double(page.x_resolution)
        // No resolution, or none that anybody means.
        guard page.x_resolution > 0, page.y_resolution > 0, (0.01...100).contains(ratio), abs(ratio - 1) >= 0.01 else {
            return Rational(1, 1)
        }
        return Rational(Int((ratio * 1000).rounded()), 1000)
    }

    private func noteStreams() {
        guard [6, 7].contains(page.compression) else { return }
        for index in 0..<ctiff_part_count(reader) {
            jpegStarts.insert(Int(clamping: ctiff_part_start(reader, index)))
        }
    }

    private var isPalette: Bool { page.photometric == 3 }
    private var isInverted: Bool { page.photometric == 0 }
    private var stride: Int { Int(page.width) * Int(page.samples) * (page.bits == 16 ? 2 : 1) }

    private var palette: Palette {
        withUnsafeBytes(of: page.palette) { bytes in
            let levels = bytes.bindMemory(to: UInt16.self)
            return Palette(
                (0..<(1 << Int(page.bits))).map { i in
                    Palette.Color(
                        red: UInt8(levels[i] >> 8), green: UInt8(levels[256 + i] >> 8),
                        blue: UInt8(levels[512 + i] >> 8))
                }, room: 1 << Int(page.bits))
        }
    }

    private func makeRaster() throws(MediaError) -> Raster {
        let (width, height) = (Int(page.width), Int(page.height))
        if isPalette {
            let palette = palette
            let raster = try Raster(width: width, height: height, depth: 8, layout: .rgb, file: file)
            var pixels: [UInt8] = []
            pixels.reserveCapacity(3 * rows.count)
            for index in rows {
                let color = palette[index]
                pixels += [color.red, color.green, color.blue]
            }
            raster.take(pixels, stride: 3 * width)
            return raster
        }
        let layouts: [Raster.Layout] = [.gray, .grayAlpha, .rgb, .rgba]
        let raster = try Raster(
            width: width, height: height, depth: page.bits == 16 ? 16 : 8, layout: layouts[channels - 1],
            file: file)
        raster.take(scaled(rows, toFile: false), stride: stride, order: colorOrder)
        return raster
    }

    /// How many samples of a pixel are colour or alpha.
    private var channels: Int { Int(page.samples) - (hasExtra ? 1 : 0) }
    private var hasExtra: Bool { page.extra == 3 && page.samples > 1 }
    /// Where in a pixel the colours' samples lie, and where the extra one.
    private var colorOrder: [Int] { Array(0..<Int(page.samples)) }
    private var extraOrder: [Int] { [channels] + Array(0..<channels) }

    private func makeExtra() throws(MediaError) -> Raster? {
        guard hasExtra else { return nil }
        let raster = try Raster(
            width: Int(page.width), height: Int(page.height), depth: page.bits == 16 ? 16 : 8, layout: .gray, file: file
        )
        // Never inverted, and never of less than 8 bits.
        raster.take(rows, stride: stride, order: extraOrder)
        return raster
    }

    /// Samples of 1 to 4 bits as 8 and back; white as zero the other way round.
    private func scaled(_ rows: [UInt8], toFile: Bool) -> [UInt8] {
        let peak = (1 << Int(page.bits)) - 1
        var out = rows
        // Colours alone are inverted, not alpha.
        let colors = page.extra != 0 ? Int(page.samples) - 1 : Int(page.samples)
        let bytes = page.bits == 16 ? 2 : 1
        func invert() {
            guard isInverted else { return }
            for i in out.indices where (i / bytes) % Int(page.samples) < colors { out[i] = 255 - out[i] }
        }
        if toFile { invert() }
        if page.bits < 8 {
            out = out.map { toFile ? UInt8((Int($0) * peak + 127) / 255) : UInt8(Int($0) * 255 / peak) }
        }
        if !toFile { invert() }
        return out
    }

    func keep(masks: [MaskRegion]?) throws(MediaError) {
        guard let raster else { return }
        if masks == nil || masks?.isEmpty == false { take(raster) }
        var error = ctiff_error()
        if writer == nil {
            let isBig =
                bytes.size > 2
                && (bytes.base.load(fromByteOffset: 2, as: UInt8.self) == 43
                    || bytes.base.load(fromByteOffset: 3, as: UInt8.self) == 43)
            writer = ctiff_create(isBig ? 1 : 0, &error)
        }
        guard let writer else { throw Self.failure(error, .internalFailure, "encoding", file) }
        var page = page
        // Old JPEG, and what only special encoders write, becomes deflate; bits that were a fax's stay one's if they can.
        let lossless: Set<Int32> = [1, 2, 3, 4, 5, 7, 8, 32773, 32946, 34925, 50000]
        if !lossless.contains(page.compression) { page.compression = 8 }
        if page.compression == 7 { notices = ["the picture is encoded anew"] }
        copyTags(to: writer)
        guard ctiff_write(writer, &page, rows, &error) == 0 else {
            throw Self.failure(error, .internalFailure, "encoding", file)
        }
    }

    private func copyTags(to writer: OpaquePointer) {
        func bytes(_ tag: UInt32) -> [UInt8]? {
            var size = 0
            guard let start = ctiff_bytes(reader, tag, &size), size > 0 else { return nil }
            return Array(UnsafeBufferPointer(start: start, count: size))
        }
        func set(_ tag: UInt32, _ data: [UInt8]?) {
            if let data { _ = ctiff_set(writer, tag, data, data.count) }
        }
        set(34675, bytes(34675))
        if shown == 1 {
            // A TIFF is itself what an Exif block is.
            let source = UnsafeRawBufferPointer(start: self.bytes.base, count: self.bytes.size)
            let exif = Metadata.exif(source, policy) ?? []
            for pointer in [TIFFDirectory.exif, TIFFDirectory.gps] {
                directories[pointer] = TIFFDirectory(pointer, ofExif: exif)
                if directories[pointer] != nil { _ = ctiff_set(writer, UInt32(pointer), nil, 0) }
            }
        }
        guard policy == .keep else { return }
        for tag in Self.texts { set(tag, bytes(tag)) }
        set(700, bytes(700).flatMap { Metadata.xmp($0, policy) })
        set(33723, bytes(33723).flatMap { Metadata.iptc($0, policy) })
    }

    /// The samples of a covered raster.
    private func take(_ raster: Raster) {
        if isPalette { return takeIndices(raster) }
        let (stride, colorOrder, extraOrder) = (stride, colorOrder, extraOrder)
        rows.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            raster.give(base, stride: stride, order: colorOrder)
            extra?.give(base, stride: stride, order: extraOrder)
        }
        rows = scaled(rows, toFile: true)
    }

    private func takeIndices(_ raster: Raster) {
        let (width, height) = (Int(page.width), Int(page.height))
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        pixels.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { raster.give(base, stride: 3 * width) }
        }
        var palette = palette
        let indices = rows.withUnsafeBufferPointer { old in
            palette.indices(old) { i in
                Palette.Color(red: pixels[3 * i], green: pixels[3 * i + 1], blue: pixels[3 * i + 2])
            }
        }
        if let indices {
            rows = indices
            return
        }
        notices.append("the palette has no colours for the masks: it becomes RGB")
        page.photometric = 2
        page.samples = 3
        page.bits = 8
        rows = pixels
    }

    func finish() throws(MediaError) -> [UInt8] {
        guard let writer else { throw MediaError(.damaged, "encoding", file: file, detail: "it holds no page") }
        self.writer = nil
        var size = 0
        guard let data = ctiff_finish(writer, &size) else {
            throw MediaError(.internalFailure, "encoding", file: file, detail: "libtiff wrote nothing")
        }
        defer { free(data) }
        if leftOut > 0 { notices.append("\(leftOut) thumbnail\(leftOut == 1 ? " is" : "s are") left out") }
        var file = Array(UnsafeBufferPointer(start: data, count: size))
        TIFFDirectory.append(directories, to: &file)
        return file
    }
}

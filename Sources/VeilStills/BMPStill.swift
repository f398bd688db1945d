import VeilCore
import VeilMedia
import VeilPixels

/// A Windows bitmap: its pixels aren't packed, so covered samples are put back into the very bits that they came from.
///
/// Headers of OS/2 and of Windows up to version 5; 1 to 32 bits, with masks or a table of colours. Packed ones (RLE) and
/// those that hold a JPEG or a PNG are refused.
final class BMPStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private var header: [UInt8]
    private var palette: Palette?
    /// Rows as stored, padded to four bytes.
    private var rows: [UInt8]
    private let bits: Int
    private let stride: Int
    private let isTopDown: Bool
    private let masks: [UInt32]
    private let colorProfile: ArraySlice<UInt8>?
    private let raster: Raster
    private var isDone = false

    private struct Reader {
        let bytes: [UInt8]
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | (at + $1 < bytes.count ? Int(bytes[at + $1]) : 0) }
        }
        func signed(_ at: Int) -> Int { Int(Int32(truncatingIfNeeded: number(at, 4))) }
    }

    init(_ bytes: [UInt8], file: String, policy: MetadataPolicy) throws(MediaError) {
        self.file = file
        self.policy = policy
        func refuse(_ detail: String, _ kind: MediaError.Kind = .unsupported) -> MediaError {
            MediaError(kind, "decoding", file: file, detail: detail)
        }
        let reader = Reader(bytes: bytes)
        let start = reader.number(10, 4)
        let size = reader.number(14, 4)
        let isOld = size == 12
        let width = isOld ? reader.number(18, 2) : reader.signed(18)
        let tall = isOld ? reader.number(20, 2) : reader.signed(22)
        bits = isOld ? reader.number(24, 2) : reader.number(28, 2)
        let packing = isOld ? 0 : reader.number(30, 4)
        isTopDown = tall < 0
        let height = abs(tall)
        guard width > 0, height > 0, bytes.count >= 14 + size else { throw refuse("its header is broken", .damaged) }
        guard width * height <= MediaLimits.pixels, width < 1 << 24, height < 1 << 24 else {
            throw refuse("it claims to be too large")
        }
        guard [1, 4, 8, 16, 24, 32].contains(bits), [0, 3, 6].contains(packing),
            packing == 0 || bits == 16 || bits == 32
        else { throw refuse("it is packed in a way that isn't opened") }
        stride = (width * bits + 31) / 32 * 4
        // A version 3 header is followed by its masks; later ones hold them.
        let maskCount = packing == 6 ? 4 : packing == 3 ? 3 : 0
        let tableAt = 14 + size + (size == 40 ? 4 * maskCount : 0)
        let entry = isOld ? 3 : 4
        var count = 0
        if bits <= 8 {
            let named = isOld ? 0 : reader.number(46, 4)
            count = named == 0 || named > 1 << bits ? 1 << bits : named
            count = max(0, min(count, (start - tableAt) / entry))
        }
        guard start >= tableAt + count * entry, start <= bytes.count, bytes.count - start >= stride * height else {
            throw refuse("the file breaks off", .damaged)
        }
        header = Array(bytes[14..<tableAt])
        if bits <= 8 {
            let colors = (0..<count).map { i in
                let at = tableAt + i * entry
                return Palette.Color(red: bytes[at + 2], green: bytes[at + 1], blue: bytes[at])
            }
            palette = Palette(colors, room: 1 << bits)
        }
        rows = Array(bytes[start..<(start + stride * height)])
        var masks: [UInt32] = bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
        if maskCount > 0 {
            let alpha = size >= 56 || packing == 6
            masks = (0..<4).map { $0 == 3 && !alpha ? 0 : UInt32(truncatingIfNeeded: reader.number(54 + 4 * $0, 4)) }
        }
        guard masks[..<3].allSatisfy({ $0 != 0 }), masks.allSatisfy({ $0 == 0 || Self.isOneRun($0) }) else {
            throw refuse("its colour masks are broken", .damaged)
        }
        self.masks = masks
        var profile: ArraySlice<UInt8>?
        // An embedded profile ('MBED'); a linked one is the name of a file on somebody's machine.
        if size >= 124, reader.number(14 + 56, 4) == 0x4D42_4544 {
            let (at, length) = (14 + reader.number(14 + 112, 4), reader.number(14 + 116, 4))
            if length > 0, at + length <= bytes.count { profile = bytes[at..<(at + length)] }
        }
        colorProfile = profile
        raster = try Raster(
            width: width, height: height, depth: 8, layout: masks[3] != 0 && bits > 8 ? .rgba : .rgb, file: file)
        read()
    }

    private static func isOneRun(_ mask: UInt32) -> Bool {
        let run = mask >> UInt32(mask.trailingZeroBitCount)
        return run & (run &+ 1) == 0
    }

    func rewind() { isDone = false }

    func next() throws(MediaError) -> StillPicture? {
        if isDone { return nil }
        isDone = true
        return StillPicture(views: [raster.view], looks: try raster.looks())
    }

    /// Where the n-th row as shown lies.
    private func offset(_ y: Int) -> Int { (isTopDown ? y : raster.height - 1 - y) * stride }

    private func index(_ x: Int, _ row: Int) -> UInt8 {
        let byte = rows[row + x * bits / 8]
        return byte >> UInt8(8 - bits - x * bits % 8) & UInt8((1 << bits) - 1)
    }

    private func pixel(_ x: Int, _ row: Int) -> UInt32 {
        (0..<(bits / 8)).reversed().reduce(0) { $0 << 8 | UInt32(rows[row + x * bits / 8 + $1]) }
    }

    private func level(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
        let shift = UInt32(mask.trailingZeroBitCount)
        return UInt8(UInt64((pixel & mask) >> shift) * 255 / UInt64(mask >> shift))
    }

    private func read() {
        let channels = raster.channels
        var line = [UInt8](repeating: 0, count: raster.width * channels * raster.height)
        for y in 0..<raster.height {
            let row = offset(y)
            for x in 0..<raster.width {
                let at = (y * raster.width + x) * channels
                if let palette {
                    let color = palette[index(x, row)]
                    (line[at], line[at + 1], line[at + 2]) = (color.red, color.green, color.blue)
                } else {
                    let pixel = pixel(x, row)
                    for c in 0..<channels { line[at + c] = level(pixel, masks[c]) }
                }
            }
        }
        raster.take(line, stride: raster.width * channels)
    }

    func keep(masks regions: [MaskRegion]?) {
        if let regions, regions.isEmpty { return }
        let channels = raster.channels
        var line = [UInt8](repeating: 0, count: raster.width * channels * raster.height)
        line.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { raster.give(base, stride: raster.width * channels) }
        }
        if palette != nil { return putIndices(line) }
        for y in 0..<raster.height {
            let row = offset(y)
            for x in 0..<raster.width {
                let at = (y * raster.width + x) * channels
                let old = pixel(x, row)
                var new = old
                for c in 0..<channels where level(old, masks[c]) != line[at + c] {
                    let shift = UInt32(masks[c].trailingZeroBitCount)
                    let value = (UInt64(line[at + c]) * UInt64(masks[c] >> shift) + 127) / 255
                    new = new & ~masks[c] | UInt32(value) << shift
                }
                guard new != old else { continue }
                for byte in 0..<(bits / 8) {
                    rows[row + x * bits / 8 + byte] = UInt8(truncatingIfNeeded: new >> UInt32(8 * byte))
                }
            }
        }
    }

    private func putIndices(_ pixels: [UInt8]) {
        guard var palette else { return }
        let (width, height) = (raster.width, raster.height)
        var old: [UInt8] = []
        old.reserveCapacity(width * height)
        for y in 0..<height { for x in 0..<width { old.append(index(x, offset(y))) } }
        let indices = old.withUnsafeBufferPointer { old in
            palette.indices(old) { i in
                Palette.Color(red: pixels[3 * i], green: pixels[3 * i + 1], blue: pixels[3 * i + 2])
            }
        }
        guard let indices else { return becomeRGB(pixels) }
        self.palette = palette
        let most = UInt8((1 << bits) - 1)
        for y in 0..<height {
            for x in 0..<width {
                let shift = UInt8(8 - bits - x * bits % 8)
                let at = offset(y) + x * bits / 8
                rows[at] = rows[at] & ~(most << shift) | indices[y * width + x] << shift
            }
        }
    }

    /// 24 bits instead of a table of colours that has none for the masks.
    private func becomeRGB(_ pixels: [UInt8]) {
        notices.append("the palette has no colours for the masks: it becomes RGB")
        palette = nil
        let (width, height) = (raster.width, raster.height)
        let stride = (24 * width + 31) / 32 * 4
        rows = [UInt8](repeating: 0, count: stride * height)
        for y in 0..<height {
            for x in 0..<width {
                let at = (isTopDown ? y : height - 1 - y) * stride + 3 * x
                for c in 0..<3 { rows[at + c] = pixels[3 * (y * width + x) + 2 - c] }
            }
        }
        header[header.count > 12 ? 14 : 10] = 24
    }

    func finish() -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        var table: [UInt8] = []
        for color in palette?.colors ?? [] {
            table += [color.blue, color.green, color.red] + (header.count == 12 ? [] : [0])
        }
        if header.count >= 40 {
            header.replaceSubrange(20..<24, with: number(rows.count))
            header.replaceSubrange(32..<40, with: number(palette?.colors.count ?? 0) + number(0))
        } else if let palette, header.count == 12 {
            // The old header has no room for a count: the table is always whole.
            table += [UInt8](repeating: 0, count: 3 * (palette.room - palette.colors.count))
        }
        let start = 14 + header.count + table.count
        if header.count >= 124 {
            let profile = colorProfile.map(Array.init) ?? []
            if profile.isEmpty,
                Array(header[56..<60]) == Array("KNIL".utf8) || Array(header[56..<60]) == Array("DEBM".utf8)
            {
                header.replaceSubrange(56..<60, with: "BGRs".utf8)
            }
            header.replaceSubrange(
                112..<120,
                with: number(profile.isEmpty ? 0 : header.count + table.count + rows.count) + number(profile.count))
            rows += profile
        }
        return Array("BM".utf8) + number(start + rows.count) + number(0) + number(start) + header + table + rows
    }
}

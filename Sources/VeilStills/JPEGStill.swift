import CJPEG
import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// A JPEG's coefficients, and the samples that they stand for; owns the handle.
final class JPEGCoefficients {
    let info: cjpeg_info
    /// One for each component.
    let components: [cjpeg_component]
    private let handle: OpaquePointer
    private let file: String
    // libjpeg reads from it for as long as the handle lives.
    private let bytes: PixelBuffer

    /// - Parameter acceptsDamage: take what can be read of a broken file.
    init(_ data: [UInt8], file: String, acceptsDamage: Bool = false) throws(MediaError) {
        self.file = file
        bytes = try PixelBuffer(copying: data, file: file)
        var created: OpaquePointer?
        var error = cjpeg_error()
        let code = cjpeg_open(
            bytes.base.assumingMemoryBound(to: UInt8.self), data.count, Int64(MediaLimits.pixels),
            acceptsDamage ? 1 : 0, &created, &error)
        guard code == CJPEG_OK, let created else { throw Self.failure(error, "decoding", file) }
        handle = created
        info = cjpeg_describe(created)
        let all = [info.component.0, info.component.1, info.component.2, info.component.3]
        components = Array(all.prefix(Int(info.component_count)))
    }

    deinit { cjpeg_free(handle) }

    /// The samples of a component, in whole blocks.
    func draw(_ index: Int) throws(MediaError) -> PixelBuffer {
        let component = components[index]
        let stride = 8 * Int(component.blocks_across)
        let buffer = try PixelBuffer(size: stride * 8 * Int(component.blocks_down), file: file)
        var error = cjpeg_error()
        let code = cjpeg_draw(
            handle, Int32(index), buffer.base.assumingMemoryBound(to: UInt8.self), stride, &error)
        guard code == CJPEG_OK else { throw Self.failure(error, "decoding", file) }
        return buffer
    }

    /// Codes the marked blocks of a component from its samples.
    func code(_ index: Int, from buffer: PixelBuffer, marked: [UInt8]) throws(MediaError) {
        let component = components[index]
        precondition(marked.count == Int(component.blocks_across * component.blocks_down))
        var error = cjpeg_error()
        let code = cjpeg_code_blocks(
            handle, Int32(index), buffer.base.assumingMemoryBound(to: UInt8.self), 8 * Int(component.blocks_across),
            marked, &error)
        guard code == CJPEG_OK else { throw Self.failure(error, "encoding", file) }
    }

    /// A file of these coefficients without metadata.
    func write() throws(MediaError) -> [UInt8] {
        var data: UnsafeMutablePointer<UInt8>?
        var size = 0
        var error = cjpeg_error()
        guard cjpeg_write(handle, &data, &size, &error) == CJPEG_OK, let data else {
            throw Self.failure(error, "encoding", file)
        }
        defer { free(data) }
        return Array(UnsafeBufferPointer(start: data, count: size))
    }

    /// 64 to a block, row by row.
    func coefficients(_ index: Int) throws(MediaError) -> [Int16] {
        let component = components[index]
        var out = [Int16](repeating: 0, count: 64 * Int(component.blocks_across * component.blocks_down))
        var error = cjpeg_error()
        guard cjpeg_copy_coefficients(handle, Int32(index), &out, &error) == CJPEG_OK else {
            throw Self.failure(error, "decoding", file)
        }
        return out
    }

    private static func failure(_ error: cjpeg_error, _ operation: String, _ file: String) -> MediaError {
        let words = withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let kind: MediaError.Kind =
            switch error.code {
            case CJPEG_DAMAGED: .damaged
            case CJPEG_UNSUPPORTED: .unsupported
            default: .internalFailure
            }
        return MediaError(kind, operation, file: file, detail: words)
    }
}

/// A JPEG of which only the blocks under a mask change.
final class JPEGStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private let segments: JPEGSegments
    private let coefficients: JPEGCoefficients
    private let planes: [PixelBuffer]
    private let original: [PixelBuffer]
    private let look: PixelBuffer?
    private let isDamaged: Bool
    private var isDone = false
    private var isCovered = false

    init(_ bytes: [UInt8], file: String, policy: MetadataPolicy, onError: DamagePolicy) throws(MediaError) {
        self.file = file
        self.policy = policy
        segments = JPEGSegments(bytes[...])
        var damage: MediaError?
        do throws(MediaError) {
            coefficients = try JPEGCoefficients(bytes, file: file)
        } catch {
            guard onError == .cover, error.kind == .damaged else { throw error }
            coefficients = try JPEGCoefficients(bytes, file: file, acceptsDamage: true)
            damage = error
        }
        isDamaged = damage != nil
        if let damage { notices.append("the picture is broken (\(damage.detail)): it is covered whole") }
        try Self.check(coefficients, file)
        var planes: [PixelBuffer] = []
        var original: [PixelBuffer] = []
        for index in coefficients.components.indices {
            let plane = try coefficients.draw(index)
            let copy = try PixelBuffer(copying: plane, file: file)
            planes.append(plane)
            original.append(copy)
        }
        self.planes = planes
        self.original = original
        look =
            planes.count == 4
            ? try Self.printed(planes, coefficients, hasAdobe: segments.hasAdobe, file) : nil
    }

    /// Refuses what the kernels can't work on as it is.
    private static func check(_ coefficients: JPEGCoefficients, _ file: String) throws(MediaError) {
        func refuse(_ detail: String) -> MediaError { MediaError(.unsupported, "decoding", file: file, detail: detail) }
        let components = coefficients.components
        guard let first = components.first else { throw refuse("it has no components") }
        let sides = (h: components.map(\.h).max() ?? 1, v: components.map(\.v).max() ?? 1)
        switch coefficients.info.space {
        case CJPEG_GRAY: return
        case CJPEG_YCC where components.count == 3, CJPEG_YCCK where components.count == 4:
            let (b, r) = (components[1], components[2])
            guard first.h == sides.h, first.v == sides.v, b.h == r.h, b.v == r.v, shift(first.h, b.h) != nil,
                shift(first.v, b.v) != nil,
                components.count == 3 || (components[3].h == first.h && components[3].v == first.v)
            else { throw refuse("its chroma sampling is unusual") }
        case CJPEG_RGB where components.count == 3, CJPEG_CMYK where components.count == 4:
            guard components.allSatisfy({ $0.h == sides.h && $0.v == sides.v }) else {
                throw refuse("its colours are sampled differently")
            }
        default: throw refuse("its colours are stored in an unknown way")
        }
    }

    private static func shift(_ luma: Int32, _ chroma: Int32) -> Int? {
        [1: 0, 2: 1, 4: 2][luma % chroma == 0 ? luma / chroma : 0]
    }

    func rewind() { isDone = false }

    func next() -> StillPicture? {
        if isDone { return nil }
        isDone = true
        let views = views
        return StillPicture(
            views: views, looks: look.map { [gray($0)] } ?? views,
            orientation: segments.exif.map { Metadata.orientation($0) } ?? .up, isDamaged: isDamaged)
    }

    private func plane(_ index: Int, of buffer: PixelBuffer) -> Plane {
        let component = coefficients.components[index]
        return buffer.plane(
            width: Int(component.width), height: Int(component.height), stride: 8 * Int(component.blocks_across))
    }

    private func gray(_ buffer: PixelBuffer, component: Int = 0) -> PlanarView {
        PlanarView(
            planes: [plane(component, of: buffer)], model: .gray, hasAlpha: false, depth: 8, chromaShiftX: 0,
            chromaShiftY: 0, fullRange: true, bt709: false)
    }

    private var views: [PlanarView] {
        let components = coefficients.components
        let all = planes.indices.map { plane($0, of: planes[$0]) }
        if all.count == 1 { return [gray(planes[0])] }
        let isRGB = [CJPEG_RGB, CJPEG_CMYK].contains(coefficients.info.space)
        let colors = PlanarView(
            planes: isRGB ? [all[1], all[2], all[0]] : Array(all[..<3]), model: isRGB ? .gbr : .yuv, hasAlpha: false,
            depth: 8, chromaShiftX: isRGB ? 0 : Self.shift(components[0].h, components[1].h) ?? 0,
            chromaShiftY: isRGB ? 0 : Self.shift(components[0].v, components[1].v) ?? 0, fullRange: true, bt709: false)
        return all.count == 4 ? [colors, gray(planes[3], component: 3)] : [colors]
    }

    /// How bright a picture of four inks looks, to look for faces in.
    ///
    /// With Adobe's marker the inks are stored inverted, so that 255 is none; luma of YCCK runs the other way once more.
    private static func printed(
        _ planes: [PixelBuffer], _ coefficients: JPEGCoefficients, hasAdobe: Bool, _ file: String
    ) throws(MediaError) -> PixelBuffer {
        let out = try PixelBuffer(size: planes[0].size, file: file)
        let isYCCK = coefficients.info.space == CJPEG_YCCK
        let ink = planes.map { $0.base.assumingMemoryBound(to: UInt8.self) }
        let bright = out.base.assumingMemoryBound(to: UInt8.self)
        for i in 0..<out.size {
            let colors =
                isYCCK ? 255 - Int(ink[0][i]) : (3 * Int(ink[0][i]) + 6 * Int(ink[1][i]) + Int(ink[2][i])) / 10
            let key = Int(ink[3][i])
            let value = hasAdobe || isYCCK ? colors * key / 255 : (255 - colors) * (255 - key) / 255
            bright[i] = UInt8(truncatingIfNeeded: value)
        }
        return out
    }

    func keep(masks: [MaskRegion]?) throws(MediaError) {
        if let masks, masks.isEmpty { return }
        isCovered = true
        let luma = coefficients.components[0]
        for index in planes.indices {
            let component = coefficients.components[index]
            let marked = mark(
                index, masks: masks, scale: (Double(component.h) / Double(luma.h), Double(component.v) / Double(luma.v))
            )
            pad(index, marked)
            try coefficients.code(index, from: planes[index], marked: marked)
        }
    }

    /// The blocks that have to be coded anew: those in which a sample has changed, and those whose middle lies under a
    /// mask (the samples may be the same by chance, but not what the coefficients hold beyond them).
    private func mark(_ index: Int, masks: [MaskRegion]?, scale: (x: Double, y: Double)) -> [UInt8] {
        let component = coefficients.components[index]
        let (across, down) = (Int(component.blocks_across), Int(component.blocks_down))
        var marked = [UInt8](repeating: masks == nil ? 1 : 0, count: across * down)
        guard let masks else { return marked }
        let stride = 8 * across
        let (before, after) = (original[index].base, planes[index].base)
        for y in 0..<down {
            for x in 0..<across {
                let start = 8 * y * stride + 8 * x
                for row in 0..<8 where memcmp(before + start + row * stride, after + start + row * stride, 8) != 0 {
                    marked[y * across + x] = 1
                    break
                }
            }
        }
        for mask in masks {
            let ellipse = CodedEllipse(
                centerX: mask.centerX, centerY: mask.centerY, radiusX: max(mask.radiusX, 1e-3),
                radiusY: max(mask.radiusY, 1e-3), angle: mask.angle)
            let half = ellipse.halfExtents
            let columns = Self.blocks(from: ellipse.centerX - half.x, to: ellipse.centerX + half.x, scale.x, across)
            let rows = Self.blocks(from: ellipse.centerY - half.y, to: ellipse.centerY + half.y, scale.y, down)
            for y in rows {
                for x in columns
                where ellipse.distance(x: (8 * Double(x) + 4) / scale.x, y: (8 * Double(y) + 4) / scale.y) <= 1 {
                    marked[y * across + x] = 1
                }
            }
        }
        return marked
    }

    /// The blocks that a stretch of luma pixels touches; all of them where it isn't one of numbers.
    static func blocks(from low: Double, to high: Double, _ scale: Double, _ count: Int) -> Range<Int> {
        guard low.isFinite, high.isFinite else { return 0..<count }
        let first = Int(min(max((low * scale / 8).rounded(.down), 0), Double(count)))
        let end = Int(min(max((high * scale / 8).rounded(.down) + 1, 0), Double(count)))
        return first..<max(first, end)
    }

    /// Blocks reach beyond the picture's edge: what lies there is the edge again, not what was there before.
    private func pad(_ index: Int, _ marked: [UInt8]) {
        let component = coefficients.components[index]
        let (across, down) = (Int(component.blocks_across), Int(component.blocks_down))
        let (width, height, stride) = (Int(component.width), Int(component.height), 8 * across)
        let samples = planes[index].base.assumingMemoryBound(to: UInt8.self)
        for block in 0..<down where marked[block * across + across - 1] != 0 && width < stride {
            for y in 8 * block..<8 * (block + 1) {
                (samples + y * stride + width).update(repeating: samples[y * stride + width - 1], count: stride - width)
            }
        }
        for block in 0..<across where marked[(down - 1) * across + block] != 0 {
            for y in height..<max(height, 8 * down) {
                (samples + y * stride + 8 * block).update(
                    from: samples + (height - 1) * stride + 8 * block, count: 8)
            }
        }
    }

    func finish() throws(MediaError) -> [UInt8] {
        // Without a mask, and if nothing hides between its parts, the coded data is the source's, byte for byte.
        if !isCovered, !isDamaged, coefficients.info.has_stray_bytes == 0, segments.isComplete {
            return segments.rebuilt(policy)
        }
        let written = try coefficients.write()
        return segments.rebuilt(policy, picture: JPEGSegments(written[...]))
    }
}

import CFFmpeg
import VeilPixels

/// An FFmpeg pixel format and what Veil needs to know of it.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
    let raw: AVPixelFormat

    init(_ raw: AVPixelFormat) { self.raw = raw }

    public static func == (a: PixelFormat, b: PixelFormat) -> Bool { a.raw.rawValue == b.raw.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(raw.rawValue) }

    public var description: String { av_get_pix_fmt_name(raw).map { String(cString: $0) } ?? "unknown" }

    private var descriptor: AVPixFmtDescriptor? { av_pix_fmt_desc_get(raw)?.pointee }

    private func has(_ flag: Int32) -> Bool { (descriptor?.flags ?? 0) & UInt64(flag) != 0 }

    /// Bits of the deepest component.
    public var depth: Int {
        guard let d = av_pix_fmt_desc_get(raw) else { return 0 }
        return (0..<Int32(d.pointee.nb_components)).map { Int(cff_component(d, $0).depth) }.max() ?? 0
    }
    public var isRGB: Bool { has(AV_PIX_FMT_FLAG_RGB) || has(AV_PIX_FMT_FLAG_PAL) }
    public var hasAlpha: Bool { has(AV_PIX_FMT_FLAG_ALPHA) || has(AV_PIX_FMT_FLAG_PAL) }
    public var isGray: Bool { !isRGB && (descriptor?.nb_components ?? 0) <= 2 }
    public var isHardware: Bool { has(AV_PIX_FMT_FLAG_HWACCEL) }
    public var chromaShiftX: Int { Int(descriptor?.log2_chroma_w ?? 0) }
    public var chromaShiftY: Int { Int(descriptor?.log2_chroma_h ?? 0) }

    /// Whether the kernels can work on it in place: planar, whole samples of 8 to 16 bits in native byte order.
    public var isDirect: Bool {
        guard let d = av_pix_fmt_desc_get(raw), !isHardware, !has(AV_PIX_FMT_FLAG_PAL), !has(AV_PIX_FMT_FLAG_BITSTREAM),
            !has(AV_PIX_FMT_FLAG_FLOAT), !has(AV_PIX_FMT_FLAG_BAYER)
        else { return false }
        let count = Int(d.pointee.nb_components)
        if has(AV_PIX_FMT_FLAG_RGB) && !has(AV_PIX_FMT_FLAG_PLANAR) { return false }
        var depths: Set<Int32> = []
        var planes: Set<Int32> = []
        for i in 0..<count {
            let c = cff_component(d, Int32(i))
            let bytes: Int32 = c.depth > 8 ? 2 : 1
            // Each component has a plane of its own; planar RGB has them in the order green, blue, red.
            planes.insert(c.plane)
            guard c.offset == 0, c.shift == 0, c.step == bytes, (8...16).contains(c.depth) else {
                return false
            }
            depths.insert(c.depth)
        }
        guard count > 0, planes.count == count, depths.count == 1 else { return false }
        return depth == 8 || !has(AV_PIX_FMT_FLAG_BE)
    }

    /// A format that the kernels can work on and that holds every sample of this one: itself where it is direct.
    ///
    /// Lossless except for floating point (to 16 bits) and Bayer patterns; `isLosslessDirect` tells.
    public var direct: PixelFormat {
        if isDirect { return self }
        let deep = depth > 8 ? (depth <= 10 ? 10 : depth <= 12 ? 12 : 16) : 8
        let native = "le"
        func named(_ name: String) -> PixelFormat? {
            let f = av_get_pix_fmt(name)
            return f == AV_PIX_FMT_NONE ? nil : PixelFormat(f)
        }
        let wide = has(AV_PIX_FMT_FLAG_FLOAT) ? 16 : deep
        let suffix = wide == 8 ? "" : "\(wide)\(native)"
        if isRGB || has(AV_PIX_FMT_FLAG_BAYER) {
            let d = wide == 8 ? "" : (hasAlpha && wide < 16 && wide != 10 && wide != 12 ? "16\(native)" : suffix)
            return named((hasAlpha ? "gbrap" : "gbrp") + d) ?? PixelFormat(AV_PIX_FMT_GBRP)
        }
        if isGray {
            // Gray with alpha has no planar form; as 4:4:4 with alpha nothing of it is lost.
            return named(hasAlpha ? "yuva444p" + (wide == 8 ? "" : "16\(native)") : "gray" + suffix)
                ?? PixelFormat(AV_PIX_FMT_GRAY8)
        }
        let sampling: String
        switch (chromaShiftX, chromaShiftY) {
        case (0, 0): sampling = "444"
        case (1, 0): sampling = "422"
        case (0, 1): sampling = "440"
        case (2, 0): sampling = "411"
        case (2, 2): sampling = "410"
        default: sampling = "420"
        }
        let name = (hasAlpha ? "yuva" : "yuv") + sampling + "p"
        return named(name + suffix) ?? named(name + "16\(native)") ?? named("yuv444p" + suffix)
            ?? PixelFormat(AV_PIX_FMT_YUV444P)
    }

    /// The plain form of the deprecated full-range `yuvj…` formats; itself for all others.
    public var withoutRange: PixelFormat {
        switch raw {
        case AV_PIX_FMT_YUVJ420P: PixelFormat(AV_PIX_FMT_YUV420P)
        case AV_PIX_FMT_YUVJ422P: PixelFormat(AV_PIX_FMT_YUV422P)
        case AV_PIX_FMT_YUVJ444P: PixelFormat(AV_PIX_FMT_YUV444P)
        case AV_PIX_FMT_YUVJ440P: PixelFormat(AV_PIX_FMT_YUV440P)
        case AV_PIX_FMT_YUVJ411P: PixelFormat(AV_PIX_FMT_YUV411P)
        default: self
        }
    }

    /// The `yuvj…` form of a full-range format where there is one.
    var withFullRange: PixelFormat {
        switch raw {
        case AV_PIX_FMT_YUV420P: PixelFormat(AV_PIX_FMT_YUVJ420P)
        case AV_PIX_FMT_YUV422P: PixelFormat(AV_PIX_FMT_YUVJ422P)
        case AV_PIX_FMT_YUV444P: PixelFormat(AV_PIX_FMT_YUVJ444P)
        case AV_PIX_FMT_YUV440P: PixelFormat(AV_PIX_FMT_YUVJ440P)
        case AV_PIX_FMT_YUV411P: PixelFormat(AV_PIX_FMT_YUVJ411P)
        default: self
        }
    }

    var impliesFullRange: Bool { withoutRange != self }

    /// What would be lost by storing this format's samples in another, as phrases for a person.
    func losses(storedAs other: PixelFormat) -> [String] {
        let from = withoutRange
        let to = other.withoutRange
        if from == to { return [] }
        var said: [String] = []
        if to.depth < from.depth { said.append("\(from.depth)-bit samples become \(to.depth)-bit") }
        if from.isRGB != to.isRGB && !to.isGray && !(from.isGray && to.isRGB) {
            said.append(from.isRGB ? "RGB becomes YUV" : "YUV becomes RGB")
        }
        if to.isGray && !from.isGray { said.append("colour is lost") }
        if !from.isGray && !from.isRGB
            && (to.chromaShiftX > from.chromaShiftX || to.chromaShiftY > from.chromaShiftY)
        {
            said.append("chroma is subsampled")
        } else if from.isRGB && !to.isRGB && (to.chromaShiftX > 0 || to.chromaShiftY > 0) {
            said.append("chroma is subsampled")
        }
        if from.hasAlpha && !to.hasAlpha { said.append("transparency is lost") }
        return said
    }
}

/// A picture's planes and what their samples mean. A view: it owns nothing.
public struct PlanarView {
    public enum ColorModel: Sendable, Hashable {
        /// One plane of luma.
        case gray
        /// Luma, Cb, Cr.
        case yuv
        /// Green, blue, red (FFmpeg's GBR order).
        case gbr
    }

    /// Colour planes in the model's order, then alpha if there is one.
    public let planes: [Plane]
    public let model: ColorModel
    public let hasAlpha: Bool
    /// Bits per sample, 8…16.
    public let depth: Int
    /// log2 of luma samples per chroma sample, across and down.
    /// Chroma sizes are ceilings: (width + (1 << shift) - 1) >> shift.
    public let chromaShiftX: Int
    public let chromaShiftY: Int
    /// Whether luma and chroma use all code values (JPEG range).
    public let fullRange: Bool
    /// Whether yuv samples follow BT.709 (else BT.601; BT.2020 is near enough to BT.709 for looking).
    public let bt709: Bool

    public init(
        planes: [Plane], model: ColorModel, hasAlpha: Bool, depth: Int, chromaShiftX: Int, chromaShiftY: Int,
        fullRange: Bool,
        bt709: Bool = true
    ) {
        self.planes = planes
        self.model = model
        self.hasAlpha = hasAlpha
        self.depth = depth
        self.chromaShiftX = chromaShiftX
        self.chromaShiftY = chromaShiftY
        self.fullRange = fullRange
        self.bt709 = bt709
    }

    public var width: Int { planes[0].width }
    public var height: Int { planes[0].height }
    public var colorPlaneCount: Int { planes.count - (hasAlpha ? 1 : 0) }

    /// The alpha plane as a picture of its own; nil where there is none.
    var alphaAsGray: PlanarView? {
        guard hasAlpha, let plane = planes.last else { return nil }
        return PlanarView(
            planes: [plane], model: .gray, hasAlpha: false, depth: depth, chromaShiftX: 0, chromaShiftY: 0,
            fullRange: true, bt709: bt709)
    }
}

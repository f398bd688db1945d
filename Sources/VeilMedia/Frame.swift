import CFFmpeg
import VeilCore
import VeilPixels

/// One decoded picture; owns its AVFrame (and so a reference to its buffers).
public struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>
    /// Bits of the picture are missing or were guessed by the decoder: it mustn't be shown as it is.
    public var isDamaged = false

    /// An AVFrame without buffers.
    init() throws(MediaError) {
        guard let frame = av_frame_alloc() else {
            throw MediaError(.internalFailure, "allocating a frame", detail: "out of memory")
        }
        pointer = frame
    }

    /// A frame with buffers of its own, its samples undefined.
    static func allocate(width: Int, height: Int, format: PixelFormat) throws(MediaError) -> Frame {
        let frame = try Frame()
        frame.pointer.pointee.width = Int32(width)
        frame.pointer.pointee.height = Int32(height)
        frame.pointer.pointee.format = format.raw.rawValue
        try check(av_frame_get_buffer(frame.pointer, 0), .internalFailure, "allocating a frame", file: nil)
        return frame
    }

    deinit {
        var p: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&p)
    }

    /// In samples of luma, as coded (not turned).
    public var width: Int { Int(pointer.pointee.width) }
    public var height: Int { Int(pointer.pointee.height) }
    public var format: PixelFormat { PixelFormat(AVPixelFormat(rawValue: pointer.pointee.format)) }

    /// Presentation time in the stream's time base; nil where neither container nor decoder know it.
    public var pts: Int64? {
        get { pointer.pointee.pts == cff_no_pts ? nil : pointer.pointee.pts }
        set { pointer.pointee.pts = newValue ?? cff_no_pts }
    }

    /// In the stream's time base; 0 where unknown.
    public var duration: Int64 {
        get { pointer.pointee.pkt_duration }
        set { pointer.pointee.pkt_duration = newValue }
    }

    public var isInterlaced: Bool { pointer.pointee.interlaced_frame != 0 }
    public var isTopFieldFirst: Bool { pointer.pointee.top_field_first != 0 }

    public var sampleAspectRatio: Rational {
        let r = pointer.pointee.sample_aspect_ratio
        return r.num > 0 && r.den > 0 ? Rational(Int(r.num), Int(r.den)) : Rational(1, 1)
    }

    /// How the picture itself says it is to be turned (a JPEG's EXIF, an SEI message); nil where it doesn't say.
    var displayMatrix: [Int32]? {
        guard let side = av_frame_get_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX), side.pointee.size >= 36 else {
            return nil
        }
        return side.pointee.data.withMemoryRebound(to: Int32.self, capacity: 9) { base in (0..<9).map { base[$0] } }
    }

    /// Copies everything but samples and size: time, colour tags, side data.
    func copyProperties(from other: borrowing Frame) throws(MediaError) {
        try check(
            av_frame_copy_props(pointer, other.pointer), .internalFailure, "copying a frame's properties", file: nil)
    }

    /// Another frame that shares the samples.
    borrowing func reference() throws(MediaError) -> Frame {
        var result = try Frame()
        try check(av_frame_ref(result.pointer, pointer), .internalFailure, "sharing a frame", file: nil)
        result.isDamaged = isDamaged
        return result
    }

    /// Makes sure that nobody else (a decoder's reference picture) sees changes to the samples: copies them if shared.
    public mutating func makeWritable() throws(MediaError) {
        try check(av_frame_make_writable(pointer), .internalFailure, "copying a shared frame", file: nil)
    }

    /// Hands over the planes for the length of the call.
    ///
    /// - Precondition: `format.isDirect`; other formats are brought to a direct one by `Scaler` first.
    public borrowing func withPlanes<R, E: Error>(_ body: (PlanarView) throws(E) -> R) throws(E) -> R {
        let format = self.format
        precondition(format.isDirect, "planes asked of \(format)")
        let bytes = format.depth > 8 ? 2 : 1
        let isRGB = format.isRGB
        let hasAlpha = format.hasAlpha
        let colors = format.isGray ? 1 : 3
        var planes: [Plane] = []
        for i in 0..<(colors + (hasAlpha ? 1 : 0)) {
            guard let data = cff_frame_data(pointer, Int32(i)) else { break }
            let isChroma = !isRGB && (i == 1 || i == 2)
            let w = isChroma ? -((-width) >> format.chromaShiftX) : width
            let h = isChroma ? -((-height) >> format.chromaShiftY) : height
            planes.append(
                Plane(
                    base: UnsafeMutableRawPointer(data), width: w, height: h,
                    stride: Int(cff_frame_linesize(pointer, Int32(i))), bytesPerSample: bytes))
        }
        let matrix = pointer.pointee.colorspace
        let is601 =
            matrix == AVCOL_SPC_BT470BG || matrix == AVCOL_SPC_SMPTE170M
            || (matrix == AVCOL_SPC_UNSPECIFIED && height < 720)
        return try body(
            PlanarView(
                planes: planes, model: isRGB ? .gbr : colors == 1 ? .gray : .yuv, hasAlpha: hasAlpha,
                depth: format.depth, chromaShiftX: isRGB ? 0 : format.chromaShiftX,
                chromaShiftY: isRGB ? 0 : format.chromaShiftY,
                fullRange: isRGB || format.impliesFullRange || pointer.pointee.color_range == AVCOL_RANGE_JPEG,
                bt709: !is601))
    }
}

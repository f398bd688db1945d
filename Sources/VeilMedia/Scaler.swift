import CFFmpeg

/// Brings frames from one pixel format to another (libswscale), exactly where the formats allow it; and to one size, if
/// one is given.
final class Scaler {
    private var context: OpaquePointer?
    private var from: PixelFormat?
    private var size = (0, 0)
    let to: PixelFormat
    private let target: (width: Int, height: Int)?

    init(to: PixelFormat, size: (width: Int, height: Int)? = nil) {
        self.to = to
        target = size
    }

    deinit { sws_freeContext(context) }

    /// A new frame in the target format, with the properties of `frame`. Range and matrix stay as they are.
    ///
    /// - Parameter spreadsRange: make full range of narrow range. The same in all calls.
    func convert(_ frame: borrowing Frame, spreadsRange: Bool = false) throws(MediaError) -> Frame {
        let width = frame.width
        let height = frame.height
        let target = target ?? (width, height)
        if context == nil || from != frame.format || size != (width, height) {
            sws_freeContext(context)
            // Accurate rounding and full chroma keep packed RGB and 4:4:4 exact.
            let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT
            context = sws_getContext(
                Int32(width), Int32(height), frame.format.raw, Int32(target.width), Int32(target.height), to.raw, flags,
                nil, nil, nil)
            guard let context else {
                throw MediaError(
                    .unsupported, "converting pixels", detail: "no way from \(frame.format) to \(to)")
            }
            from = frame.format
            size = (width, height)
            let isFull =
                frame.format.impliesFullRange || frame.pointer.pointee.color_range == AVCOL_RANGE_JPEG
            let range: Int32 = isFull ? 1 : 0
            let space = frame.pointer.pointee.colorspace
            let table = sws_getCoefficients(space == AVCOL_SPC_UNSPECIFIED ? SWS_CS_DEFAULT : Int32(space.rawValue))
            let fromRange: Int32 = frame.format.isRGB ? 1 : range
            let toRange: Int32 = to.isRGB || spreadsRange ? 1 : range
            // Fails harmlessly where the pair needs no matrix.
            _ = sws_setColorspaceDetails(context, table, fromRange, table, toRange, 0, 1 << 16, 1 << 16)
        }
        var result = try Frame.allocate(width: target.width, height: target.height, format: to)
        try result.copyProperties(from: frame)
        result.isDamaged = frame.isDamaged
        try check(
            cff_scale_frame(context, frame.pointer, result.pointer), .internalFailure, "converting pixels", file: nil)
        return result
    }
}

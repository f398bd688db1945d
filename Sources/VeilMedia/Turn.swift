import CFFmpeg
import VeilCore
import VeilPixels

/// Turns and flips pixels for containers that hold no display matrix.
enum Turn {
    /// The upright picture as a new frame: sizes, chroma sampling and sample aspect ratio turned with it.
    ///
    /// 4:2:2 becomes 4:4:0 when width and height swap: nothing is resampled.
    static func upright(_ frame: borrowing Frame, orientation: Orientation) throws(MediaError) -> Frame {
        let swaps = orientation.swapsAxes
        let format = swaps ? transposed(frame.format) : frame.format
        var result = try Frame.allocate(
            width: swaps ? frame.height : frame.width, height: swaps ? frame.width : frame.height, format: format)
        try result.copyProperties(from: frame)
        result.isDamaged = frame.isDamaged
        av_frame_remove_side_data(result.pointer, AV_FRAME_DATA_DISPLAYMATRIX)
        let sar = frame.pointer.pointee.sample_aspect_ratio
        if swaps && sar.num > 0 {
            result.pointer.pointee.sample_aspect_ratio = AVRational(num: sar.den, den: sar.num)
        }
        frame.withPlanes { from in
            result.withPlanes { to in
                for (a, b) in zip(from.planes, to.planes) { turn(a, into: b, orientation) }
            }
        }
        return result
    }

    /// The format with its chroma sampling across and down swapped.
    static func transposed(_ format: PixelFormat) -> PixelFormat {
        let name = format.description
        let swapped: String
        if name.contains("422p") {
            swapped = name.replacing("422p", with: "440p")
        } else if name.contains("440p") {
            swapped = name.replacing("440p", with: "422p")
        } else if name.contains("411p") {
            // There is no format with a quarter of the rows: 4:1:1 and 4:1:0 are brought to 4:4:4 before they come here.
            return format
        } else {
            return format
        }
        let raw = av_get_pix_fmt(swapped)
        return raw == AV_PIX_FMT_NONE ? format : PixelFormat(raw)
    }

    /// Whether `upright` can turn this format exactly as it is.
    static func canTurn(_ format: PixelFormat) -> Bool {
        format.chromaShiftX == format.chromaShiftY || transposed(format) != format
    }

    private static func turn(_ from: Plane, into to: Plane, _ orientation: Orientation) {
        // For each upright row: where it starts in the coded plane and how far apart its samples are.
        let bytes = from.bytesPerSample
        let lastX = (from.width - 1) * bytes
        let lastY = (from.height - 1) * from.stride
        let (origin, stepX, stepY): (Int, Int, Int) =
            switch orientation {
            case .up: (0, bytes, from.stride)
            case .upMirrored: (lastX, -bytes, from.stride)
            case .down: (lastX + lastY, -bytes, -from.stride)
            case .downMirrored: (lastY, bytes, -from.stride)
            case .leftMirrored: (0, from.stride, bytes)
            case .right: (lastY, -from.stride, bytes)
            case .rightMirrored: (lastX + lastY, -from.stride, -bytes)
            case .left: (lastX, from.stride, -bytes)
            }
        for y in 0..<to.height {
            let source = from.base + origin + y * stepY
            let target = to.row(y)
            if bytes == 1 {
                let out = target.assumingMemoryBound(to: UInt8.self)
                for x in 0..<to.width { out[x] = source.load(fromByteOffset: x &* stepX, as: UInt8.self) }
            } else {
                let out = target.assumingMemoryBound(to: UInt16.self)
                for x in 0..<to.width { out[x] = source.load(fromByteOffset: x &* stepX, as: UInt16.self) }
            }
        }
    }
}

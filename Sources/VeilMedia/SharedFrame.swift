import CFFmpeg

/// A picture that several threads hold. Nobody writes to it: a change is made to a copy.
// @unchecked: the frame is never changed once it is in here, and FFmpeg counts references atomically.
public final class SharedFrame: @unchecked Sendable {
    public let frame: Frame

    public init(_ frame: consuming Frame) { self.frame = frame }

    /// A frame with samples of its own, to be changed.
    public func copy() throws(MediaError) -> Frame {
        var result = try frame.reference()
        // The other reference is in here, so this makes a copy of the samples.
        try result.makeWritable()
        return result
    }

    public var width: Int { frame.width }
    public var height: Int { frame.height }
}

extension SharedFrame {
    /// A `yuv420p` picture of given luma (`width` × `height` samples, row by row), without colour: for pictures that no
    /// decoder gives.
    package convenience init(width: Int, height: Int, luma: [UInt8]) throws(MediaError) {
        precondition(luma.count == width * height, "one sample per pixel")
        let frame = try Frame.allocate(width: width, height: height, format: PixelFormat(AV_PIX_FMT_YUV420P))
        frame.withPlanes { view in
            for (index, plane) in view.planes.enumerated() {
                for y in 0..<plane.height {
                    let row = plane.row(y)
                    if index == 0 {
                        luma.withUnsafeBytes { bytes in
                            if let base = bytes.baseAddress {
                                row.copyMemory(from: base + y * width, byteCount: width)
                            }
                        }
                    } else {
                        row.initializeMemory(as: UInt8.self, repeating: 128, count: plane.width)
                    }
                }
            }
        }
        self.init(frame)
    }
}

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
    /// A `yuv420p` picture of given luma, without colour: for pictures that no decoder gives.
    package convenience init(
        width: Int, height: Int, luma: (_ x: Int, _ y: Int) -> UInt8
    ) throws(MediaError) {
        let frame = try Frame.allocate(width: width, height: height, format: PixelFormat(AV_PIX_FMT_YUV420P))
        frame.withPlanes { view in
            for (index, plane) in view.planes.enumerated() {
                for y in 0..<plane.height {
                    let row = plane.row(y).assumingMemoryBound(to: UInt8.self)
                    for x in 0..<plane.width { row[x] = index == 0 ? luma(x, y) : 128 }
                }
            }
        }
        self.init(frame)
    }
}

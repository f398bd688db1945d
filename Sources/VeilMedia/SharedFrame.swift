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

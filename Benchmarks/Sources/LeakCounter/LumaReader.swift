import VeilMedia

/// Reads the luma of a file's frames in presentation order, as displayed.
public final class LumaReader {
    private let source: VideoSource

    /// - Throws: `MediaError` when the file can't be opened or has no picture.
    public init(file: String) throws(MediaError) {
        source = try VideoSource(file: file)
    }

    /// The next frame and its presentation time in seconds; nil at the end.
    ///
    /// - Throws: `MediaError` when a frame can't be decoded: a broken picture would be counted as a covered one.
    public func next() throws(MediaError) -> (luma: Luma, time: Double)? {
        guard let frame = try source.nextFrame() else { return nil }
        let orientation = source.orientation(of: frame)
        let luma = frame.withPlanes { Luma($0, orientation: orientation) }
        return (luma, source.seconds(frame.pts ?? 0))
    }
}

/// Reads a file's frames by time: for each time asked for, in order, the frame that is nearest.
///
/// Times count from each file's own first frame.
struct LumaByTime {
    private let reader: LumaReader
    private var current: (luma: Luma, time: Double)?
    private var following: (luma: Luma, time: Double)?
    private let start: Double

    init(_ reader: LumaReader) throws(MediaError) {
        self.reader = reader
        current = try reader.next()
        following = try reader.next()
        start = current?.time ?? 0
    }

    /// - Parameter time: in seconds after the first frame; not before the one asked for last.
    /// - Returns: nil if the file has no frame at all.
    mutating func frame(at time: Double) throws(MediaError) -> Luma? {
        while let next = following, let now = current,
            abs(next.time - start - time) <= abs(now.time - start - time)
        {
            current = next
            following = try reader.next()
        }
        return current?.luma
    }
}

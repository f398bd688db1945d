/// Brings a source's time stamps to the session's clock: 0 at the first frame, rising, and near to real time.
///
/// The differences between frames are the source's own. Where its clock jumps (a stream that starts anew, a camera that
/// comes back), the time of arrival says where it goes on.
struct CaptureClock {
    /// Seconds by which the source's clock may be off from the time of arrival before it counts as having jumped.
    private static let farthest = 3.0
    /// The least time between two frames.
    private static let step = 0.000_1

    private let start: Double
    private var offset: Double?
    private var last = -Double.infinity

    /// - Parameter start: the session's zero on the monotonic clock.
    init(start: Double) { self.start = start }

    /// The session's time of a picture.
    mutating func stamp(_ source: Double?, arrival: Double) -> Double {
        let real = max(0, arrival - start)
        var time = real
        if let source {
            if offset == nil { offset = real - source }
            time = source + (offset ?? 0)
            if abs(time - real) > Self.farthest || time < last - Self.farthest / 10 {
                offset = real - source
                time = real
            }
        }
        time = max(time, last + Self.step)
        last = time
        return time
    }

    /// The session's time of sound from the same source.
    mutating func soundStamp(_ source: Double?, arrival: Double) -> Double {
        let real = max(0, arrival - start)
        guard let source else { return real }
        if offset == nil { offset = real - source }
        let time = source + (offset ?? 0)
        return abs(time - real) > Self.farthest ? real : time
    }
}

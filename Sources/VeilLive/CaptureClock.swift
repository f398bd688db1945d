/// Brings a source's time stamps to the session's clock: 0 at the first frame, rising, and near to real time.
///
/// The differences between frames are the source's own. Where its clock jumps (a stream that starts anew, a camera that
/// comes back), the time of arrival says where it goes on.
struct CaptureClock {
    /// Seconds by which the source's clock may be off from the time of arrival before it counts as having jumped.
    private static let farthest = 3.0
    /// The least time between two frames: what Matroska can tell apart.
    private static let step = 0.001

    private let start: Double
    private let wall: Double?
    private var offset: Double?
    private var last = -Double.infinity

    /// - Parameters:
    ///   - start: the session's zero on the monotonic clock.
    ///   - wall: for devices, which stamp what they take by a clock of this machine: how far the time of day is ahead of
    ///     the monotonic clock. A picture and a sound that were taken at once are then shown at once, whichever of them
    ///     came through sooner.
    init(start: Double, wall: Double? = nil) {
        self.start = start
        self.wall = wall
    }

    /// The source was opened anew: its times have nothing to do with those before.
    mutating func restart() { offset = nil }

    /// The session's time of a picture.
    mutating func stamp(_ source: Double?, arrival: Double) -> Double {
        let real = max(0, arrival - start)
        var time = real
        if let source {
            time = source + (offset ?? anchor(source, real: real))
            if abs(time - real) > Self.farthest || time < last - Self.farthest / 10 {
                offset = nil
                time = source + anchor(source, real: real)
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
        let time = source + (offset ?? anchor(source, real: real))
        return abs(time - real) > Self.farthest ? real : time
    }

    /// What the source's times are to be moved by.
    private mutating func anchor(_ source: Double, real: Double) -> Double {
        var result = real - source
        // The machine's clocks: the monotonic one, and the time of day.
        if let wall {
            for zero in [start, start + wall] where abs(source - zero - real) <= Self.farthest && source <= zero + real
            {
                result = -zero
            }
        }
        offset = result
        return result
    }
}

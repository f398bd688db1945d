import VeilPipeline
import VeilVision

/// Notices that the picture changed all at once: a cut, another camera, a jump of the exposure, a wake from sleep.
struct BreakDetector {
    enum Kind: Equatable {
        /// Nothing of the picture before is left.
        case scene
        /// The same scene in another light, or after a pause: places may still hold.
        case light
    }

    /// A jump of the mean luma by this many levels of 256 from one frame to the next. Automatic exposure moves by a few
    /// levels a frame; a light that is switched on, or a camera that wakes, by dozens.
    private static let lightJump = 24.0
    /// Seconds without a frame after which the picture counts as new.
    private static let longestPause = 0.5

    private var cuts: CutDetector
    private var lastMean: Double?
    private var lastTime: Double?
    private var lastArrival: Double?
    private var lastSize: (width: Int, height: Int)?

    init() throws(VisionError) { cuts = try CutDetector() }

    /// To be called for every frame, in order. The first one of all is no break.
    ///
    /// A pause counts by either clock. A source that only numbers its frames (raw pictures in a pipe) stamps no pause
    /// at all when the machine or the program stood still, and the world went on.
    ///
    /// - Parameters:
    ///   - small: at most 160 pixels a side.
    ///   - time: of capture, in seconds.
    ///   - arrival: on the monotonic clock, in seconds.
    mutating func look(at small: LumaPicture, time: Double, arrival: Double) throws(VisionError) -> Kind? {
        let isCut = try cuts.isCut(before: small)
        var sum = 0
        for sample in small.samples { sum &+= Int(sample) }
        let mean = Double(sum) / Double(max(1, small.samples.count))
        defer {
            lastMean = mean
            lastTime = time
            lastArrival = arrival
            lastSize = (small.width, small.height)
        }
        guard let lastMean, let lastTime, let lastArrival, let lastSize else { return nil }
        // Another shape is another camera, or another view of this one.
        let isReshaped = lastSize != (small.width, small.height)
        let pause = max(time - lastTime, arrival - lastArrival)
        if isCut || isReshaped || pause > Self.longestPause { return .scene }
        return abs(mean - lastMean) > Self.lightJump ? .light : nil
    }
}

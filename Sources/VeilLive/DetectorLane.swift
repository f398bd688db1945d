import Synchronization
import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

/// A frame to look at.
struct DetectionJob: Sendable {
    var picture: SharedFrame
    var frame: Int
    var time: Double
}

/// Looks for faces beside the picture, always in the newest frame, at the rate that the processor gives.
// @unchecked: everything that changes is used by the lane's own thread only; the box, the places and the handler are
// Sendable.
final class DetectorLane: @unchecked Sendable {
    private let detector: any FaceDetector
    private let box = NewestBox<DetectionJob>()
    private let deliver: @Sendable (DetectionReport) -> Void
    private var sizer: LookSizer
    private let threshold: Double
    private let expected = Mutex<[NormalizedRect]>([])
    private var isNetworkNew = false
    private var thread: PlainThread?

    init(
        _ detector: any FaceDetector, size: Int?, threshold: Double,
        deliver: @escaping @Sendable (DetectionReport) -> Void
    ) {
        self.detector = detector
        self.threshold = threshold
        self.deliver = deliver
        sizer = LookSizer(fixed: size)
    }

    func start() { thread = PlainThread("veil-detect") { [self] in run() } }

    /// Replaces whatever waits to be looked at; from any thread.
    func look(at job: DetectionJob) { box.put(job) }

    /// Where faces are thought to be by now: one that a look misses there is looked at closer; from any thread.
    func expect(_ places: [NormalizedRect]) { expected.withLock { $0 = places } }

    /// Waits for the look that is going on, but not for ever: one that hangs must not keep recordings from being ended.
    func stop() {
        box.close()
        thread?.join(until: monotonicSeconds() + Self.patience)
    }

    /// Seconds that a look has to come to its end.
    private static let patience = 5.0

    private func run() {
        guard let first = box.take() else { return }
        calibrate(with: first)
        while let job = box.take() { deliver(look(job)) }
    }

    /// Makes the networks and finds the size that this processor manages, while the picture is covered whole anyway: made
    /// later, a network would be late by its making.
    private func calibrate(with job: DetectionJob) {
        /// Seconds that a look takes on a canvas, or in a square of the closer side.
        func look(side: Int?) -> Double {
            let start = monotonicSeconds()
            // What goes wrong here goes wrong again in the first real look, and is reported there.
            _ = try? job.picture.frame.withPlanes { (view) throws(VisionError) in
                let canvas =
                    side.map { CanvasSize.fitting(width: view.width, height: view.height, longSide: $0) }
                    ?? CanvasSize(width: Self.closerSide, height: Self.closerSide)
                return try detector.detect(in: view, orientation: .up, canvas: canvas, threshold: 1)
            }
            return monotonicSeconds() - start
        }
        while let side = sizer.candidate { sizer.measured(min(look(side: side), look(side: side))) }
        // Only the networks that are used from now on stay in memory.
        detector.rest()
        _ = (look(side: sizer.side), look(side: nil))
    }

    /// Looks at one frame, in the caller's thread.
    func look(_ job: DetectionJob) -> DetectionReport {
        let start = monotonicSeconds()
        var report = DetectionReport(frame: job.frame, time: job.time, detections: nil, failure: nil)
        do throws(VisionError) {
            let found = try job.picture.frame.withPlanes { (view) throws(VisionError) in
                let canvas = CanvasSize.fitting(
                    width: view.width, height: view.height, longSide: sizer.side)
                var found = try detector.detect(in: view, orientation: .up, canvas: canvas, threshold: threshold)
                // Where a face should be that doesn't show, a closer look; one of them, as the next frame waits.
                let missing = expected.withLock({ $0 }).first { box in !found.contains { $0.bounds.iou(box) > 0.2 } }
                if let missing, let closer = try closer(at: missing, in: view) { found.append(closer) }
                return found
            }
            report.detections = found
        } catch { report.failure = error }
        let side = sizer.side
        // The look that has made the network says nothing of how long the next ones take.
        if !isNetworkNew { sizer.took(monotonicSeconds() - start) }
        isNetworkNew = sizer.side != side
        if isNetworkNew { detector.rest() }
        return report
    }

    /// The side of the square that a closer look is brought to, and how many sizes of the face it takes in.
    private static let closerSide = 96
    private static let closerReach = 3.0

    private func closer(at face: NormalizedRect, in view: PlanarView) throws(VisionError) -> Detection? {
        let (width, height) = (Double(view.width), Double(view.height))
        let side = Self.closerReach * max(face.width * width, face.height * height)
        let region = NormalizedRect(center: face.center, width: side / width, height: side / height)
            .intersection(.whole)
        guard region.width * width >= 16, region.height * height >= 16 else { return nil }
        let canvas = CanvasSize(width: Self.closerSide, height: Self.closerSide)
        let found = try detector.detect(
            in: view, orientation: .up, canvas: canvas, roi: region, threshold: max(threshold, 0.2))
        return found.filter { $0.bounds.iou(face) > 0.25 }.max { $0.bounds.iou(face) < $1.bounds.iou(face) }
    }
}

/// Chooses the size at which the detector looks, so that its answers come in time.
struct LookSizer {
    /// Multiples of 32, as CenterFace wants them: between them nothing is gained.
    static let sides = [320, 384, 448, 512, 576, 640, 704, 768, 896, 1024, 1280]
    /// Seconds that a look may take. An answer is used until the next one is in, which is two looks and a frame later at
    /// the most: about 0.2 s, within the 0.25 s after which the picture is covered whole.
    private static let budget = 0.075

    private let fixed: Int?
    private var index = 0
    private var usual: Double?
    private var looks = 0
    private var isCalibrated = false

    init(fixed: Int? = nil) { self.fixed = fixed }

    var side: Int { fixed ?? Self.sides[index] }

    /// The next size to be tried before the first look; nil when there is nothing more to try.
    var candidate: Int? { isCalibrated ? nil : side }

    /// A look at the candidate took so long, its network being made already.
    mutating func measured(_ seconds: Double) {
        // Time grows with the area. Every second step is tried, to be soon done.
        let next = min(index + 2, Self.sides.count - 1)
        let growth = Double(Self.sides[next]) / Double(Self.sides[index])
        if fixed == nil, next > index, seconds * growth * growth < Self.budget {
            index = next
        } else {
            isCalibrated = true
            if seconds > Self.budget, index > 0 { index -= 1 }
        }
    }

    /// A look at the present size took so long.
    mutating func took(_ seconds: Double) {
        guard fixed == nil else { return }
        looks += 1
        usual = usual.map { 0.8 * $0 + 0.2 * seconds } ?? seconds
        guard looks >= 6, let usual else { return }
        if usual > Self.budget, index > 0 {
            change(to: index - 1)
        } else if looks >= 30, index < Self.sides.count - 1 {
            let growth = Double(Self.sides[index + 1]) / Double(Self.sides[index])
            if usual * growth * growth < 0.8 * Self.budget { change(to: index + 1) }
        }
    }

    private mutating func change(to new: Int) {
        index = new
        usual = nil
        looks = 0
    }
}

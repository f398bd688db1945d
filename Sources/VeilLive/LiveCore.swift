import VeilCore
import VeilMedia
import VeilPipeline
import VeilPixels
import VeilVision

/// A captured picture on its way.
struct LiveFrame: Sendable {
    var picture: SharedFrame
    /// From 0, without gaps.
    var number: Int
    /// Seconds since the first frame, by the capture's clock.
    var time: Double
    /// When it came, on the monotonic clock.
    var arrival: Double
    var isDamaged: Bool
    /// Another part of the source's picture than before, or turned another way.
    var isNewView = false
}

/// What the detector says of one frame.
struct DetectionReport: Sendable {
    var frame: Int
    var time: Double
    /// Nil where looking failed.
    var detections: [Detection]?
    var failure: VisionError?
}

/// A picture that may be shown.
struct ShownFrame: Sendable {
    var picture: SharedFrame
    var time: Double
    var arrival: Double
    var verdict: LiveGuard.Verdict
    var regions: [LiveRegion]
    /// The masks as they were drawn; for showing them.
    var masks: [MaskRegion]
    /// How old the newest detection was for it, in seconds; nil before the first.
    var age: Double?
}

/// The way of a live frame between capture and outputs: takes frames and detections as they come, and hands over covered
/// frames when they are due. Has no threads and no clock of its own.
final class LiveCore {
    private(set) var settings: LiveSettings
    private var guardian: LiveGuard
    private var breaks: BreakDetector
    private var tracker: LiveTracker
    private var redactor: Redactor
    private var delay: DelayKeeper
    private var pending: [LiveFrame] = []
    private var sceneStarts: Set<Int> = []
    /// When the last frames came; nil for a broken one.
    private var arrivals: [Int: Double?] = [:]
    private var still: SharedFrame?

    private var sharpness: [Int: Double] = [:]

    /// Frames whose arrival and sharpness are kept: more than are ever held back, or than a look takes.
    private static let memory = 512

    /// Shows one still cover instead of the picture.
    var isPaused = false {
        didSet { if isPaused != oldValue { still = nil } }
    }

    /// Throws `VeilError` `.filters` for a chain that would leave faces visible.
    init(_ settings: LiveSettings) throws(VeilError) {
        self.settings = settings
        guardian = LiveGuard(maxAge: settings.maxAge, failsOpen: settings.failsOpen)
        var tracking = LiveTracker.Settings()
        tracking.linger = settings.linger
        tracking.maxAge = settings.maxAge
        if let threshold = settings.threshold {
            tracking.threshold = threshold
            tracking.continueThreshold = min(threshold, tracking.continueThreshold)
        }
        do throws(VisionError) {
            breaks = try BreakDetector()
            tracker = try LiveTracker(tracking)
        } catch { throw .vision(error, file: settings.input.address.label) }
        do throws(FilterChainError) { redactor = try Redactor(settings.chain) } catch { throw .filters(error) }
        delay = DelayKeeper(settings.delay)
    }

    /// Another effect, from the next frame on. A chain that covers nothing is refused, and the old one stays.
    func use(_ chain: FilterChain) {
        guard let fresh = try? Redactor(chain) else { return }
        redactor = fresh
        settings.chain = chain
        still = nil
    }

    func scaleMask(by factor: Double) { settings.maskScale = min(4, max(1, settings.maskScale * factor)) }

    /// Faces known now.
    var faces: Int { tracker.faces }
    /// Seconds that frames are held back at present.
    var currentDelay: Double { delay.seconds }
    /// Where the detector should look closer if it misses a face.
    var expected: [NormalizedRect] { tracker.expected }

    /// Takes a captured frame.
    func arrive(_ frame: LiveFrame) {
        delay.arrived(frame.number, at: frame.arrival)
        var isBreak = frame.isDamaged
        do throws(VisionError) {
            let luma = try frame.picture.frame.withPlanes { (view) throws(VisionError) in
                try LumaPicture(
                    of: view, orientation: .up,
                    canvas: .fitting(width: view.width, height: view.height, longSide: Follower.canvasSide))
            }
            sharpness[frame.number] = Sharpness.of(luma)
            let small = try luma.shrunk(to: Follower.cameraSide)
            let kind = try breaks.look(at: small, time: frame.time, arrival: frame.arrival)
            let endsScene = kind == .scene || frame.isNewView
            isBreak = isBreak || kind != nil || endsScene
            if endsScene { sceneStarts.insert(frame.number) }
            try tracker.add(frame.number, luma: luma, small: small, time: frame.time, endsScene: endsScene)
        } catch {
            // What can't be looked at isn't shown until a detection has seen a newer frame.
            guardian.detectionFailed(frame: frame.number)
            isBreak = true
        }
        if isBreak { guardian.breaks(at: frame.number) }
        arrivals[frame.number] = .some(frame.isDamaged ? nil : frame.arrival)
        arrivals[frame.number - Self.memory] = nil
        sharpness[frame.number - Self.memory] = nil
        pending.append(frame)
    }

    /// Takes what the detector says, whenever it comes.
    func take(_ report: DetectionReport, now: Double) {
        guard let detections = report.detections else {
            guardian.detectionFailed(frame: report.frame)
            return
        }
        // Whoever looked at a broken frame has seen nothing of what comes after it.
        guard let arrival = arrivals[report.frame] ?? nil else { return }
        do throws(VisionError) {
            guard try tracker.see(detections, in: report.frame, held: pending.first?.number ?? report.frame) else {
                return
            }
            guardian.detected(
                frame: report.frame, time: report.time, arrival: arrival, sharpness: sharpness[report.frame])
            delay.detected(report.frame, at: now)
        } catch {
            guardian.detectionFailed(frame: report.frame)
        }
    }

    /// When the next frame is to be shown; nil while there is none.
    var nextDue: Double? { pending.first.map { $0.arrival + delay.seconds } }
    var hasPending: Bool { !pending.isEmpty }

    /// The next frame that is due, covered; nil when there is none yet.
    ///
    /// - Throws: `MediaError` where there is no memory for a copy; the frame is then not shown at all.
    func nextShown(now: Double) throws(MediaError) -> ShownFrame? {
        guard let frame = pending.first else { return nil }
        let isFull = pending.count >= LiveTracker.memory - 8
        guard isFull || frame.arrival + delay.seconds <= now else { return nil }
        pending.removeFirst()
        return try cover(frame)
    }

    private func cover(_ frame: LiveFrame) throws(MediaError) -> ShownFrame {
        let isSceneStart = sceneStarts.remove(frame.number) != nil
        let age = guardian.age(time: frame.time)
        var shown = ShownFrame(
            picture: frame.picture, time: frame.time, arrival: frame.arrival, verdict: .whole(.paused), regions: [],
            masks: [], age: age)
        if isPaused, let still {
            shown.picture = still
            return shown
        }
        var verdict =
            isPaused
            ? .whole(.paused)
            : guardian.verdict(
                frame: frame.number, time: frame.time, arrival: frame.arrival,
                sharpness: sharpness[frame.number], isDamaged: frame.isDamaged)
        if verdict == .faces {
            if let regions = tracker.regions(in: frame.number) {
                shown.regions = regions
            } else if !settings.failsOpen {
                // What was found can't be brought to this frame.
                verdict = .whole(.failed)
            }
        }
        shown.verdict = verdict
        switch verdict {
        case .whole:
            let copy = try frame.picture.copy()
            copy.withPlanes { redactor.coverWhole($0, time: frame.time, cutBefore: isSceneStart) }
            shown.picture = SharedFrame(copy)
            if isPaused { still = shown.picture }
        case .faces:
            // Also where nothing is covered: a source's frames come from a pool of its own, which would keep for ever
            // whatever once waited for a slow output.
            let copy = try frame.picture.copy()
            let (width, height) = (frame.picture.width, frame.picture.height)
            shown.masks = shown.regions.map { Self.mask($0, width, height, scale: settings.maskScale) }
            if !shown.masks.isEmpty {
                copy.withPlanes {
                    redactor.apply(to: $0, regions: shown.masks, time: frame.time, cutBefore: isSceneStart)
                }
            }
            shown.picture = SharedFrame(copy)
        }
        return shown
    }

    private static func mask(_ region: LiveRegion, _ width: Int, _ height: Int, scale: Double) -> MaskRegion {
        let ellipse = CodedEllipse(
            Shape(inscribedIn: region.cover), orientation: .up, codedWidth: width, codedHeight: height)
        // Where nobody has looked, cells are as coarse as those of a picture that is covered whole.
        let coarse = Double(min(width, height)) * Double(FilterChain.defaultCells) / 12
        let grow = region.isUnsearched ? 1 : scale
        return MaskRegion(
            track: region.track, centerX: ellipse.centerX, centerY: ellipse.centerY, radiusX: ellipse.radiusX * grow,
            radiusY: ellipse.radiusY * grow,
            faceWidth: region.isUnsearched ? coarse : region.face.width * Double(width),
            faceHeight: region.isUnsearched ? coarse : region.face.height * Double(height))
    }
}

/// How long frames are held back: a fixed time, or the time after which a detection has seen each of them or a later one.
struct DelayKeeper {
    private(set) var seconds: Double
    private let isAutomatic: Bool
    private var arrivals: [(frame: Int, time: Double)] = []
    private var lastSeen = -1

    /// At most so long; and as long as that before the first detection, which says how long it takes.
    static let limit = 1.5
    private static let margin = 0.012
    /// The automatic delay shrinks by this share with each detection, so that one slow look isn't followed by ages.
    private static let shrink = 0.01

    init(_ delay: LiveDelay) {
        switch delay {
        case .fixed(let seconds):
            isAutomatic = false
            self.seconds = min(max(0, seconds), Self.limit)
        case .auto:
            isAutomatic = true
            seconds = Self.limit
        }
    }

    mutating func arrived(_ frame: Int, at time: Double) {
        guard isAutomatic else { return }
        arrivals.append((frame, time))
        if arrivals.count > 256 { arrivals.removeFirst() }
    }

    /// A detection of a frame is in: the frames since the one before had to wait for it, the oldest the longest.
    mutating func detected(_ frame: Int, at time: Double) {
        guard isAutomatic else { return }
        if let oldest = arrivals.first(where: { $0.frame > lastSeen }), oldest.frame <= frame {
            let needed = time - oldest.time + Self.margin
            let least = lastSeen < 0 ? 0 : seconds * (1 - Self.shrink)
            seconds = min(Self.limit, max(needed, least))
        }
        lastSeen = max(lastSeen, frame)
        arrivals.removeAll { $0.frame <= frame }
    }
}

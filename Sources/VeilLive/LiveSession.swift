import CLive
import Glibc
import Synchronization
import VeilCore
import VeilMedia
import VeilPipeline
import VeilPixels
import VeilVision

/// A running live picture: the threads around `LiveCore`, and the loop that feeds it.
///
///     capture ─▶ [inbox] ─▶ this loop ─▶ outputs, each with a queue and a thread
///        │                      ▲
///        └─▶ newest picture ────┘ detections
public final class LiveSession {
    /// How the session talks to whoever started it.
    public struct Observer: Sendable {
        public var notice: @Sendable (String) -> Void
        /// About once a second.
        public var progress: @Sendable (LiveStats) -> Void
        public var isInterrupted: @Sendable () -> Bool

        public init(
            notice: @escaping @Sendable (String) -> Void = { _ in },
            progress: @escaping @Sendable (LiveStats) -> Void = { _ in },
            isInterrupted: @escaping @Sendable () -> Bool = { false }
        ) {
            self.notice = notice
            self.progress = progress
            self.isInterrupted = isInterrupted
        }
    }

    private enum Event: Sendable {
        case picture(Captured)
        case report(DetectionReport)
        case command(LiveCommand)
        /// No picture comes any more; what is found in the last ones still does.
        case ended
    }

    private var settings: LiveSettings
    private let observer: Observer
    private let core: LiveCore
    private let overlay: Overlay
    private let inbox: Inbox<Event>
    /// Frames that wait for this loop. Where they are held back anyway, more of them: bringing a crowd's faces to all held
    /// frames takes a moment.
    private static let room = (atOnce: 6, held: 24)
    private let detector: DetectorLane
    private let hub = Hub()
    private var stats = LiveStats()
    private var clock: (first: Double, last: Double)?
    private var numbers = FrameNumbers()
    private var lastShown: ShownFrame?
    private var isQuitting = false
    private var stills = 0
    private var nextNote = 0.0

    /// What the session's threads share.
    private final class Hub: Sendable {
        let outputs = Mutex<[OutputLane]>([])
        /// Frames that the loop was too slow for.
        let lost = Atomic<Int>(0)
        let failure = Mutex<MediaError?>(nil)
        /// The source's frames per second, and whether it brings sound.
        let opened = Mutex<(rate: Double, hasSound: Bool)>((30, false))

        func distribute(_ sound: SharedFrame, _ time: Double) {
            for lane in outputs.withLock({ $0 }) where lane.takesSound { lane.put(.sound(sound, time)) }
        }
    }

    /// Loads and checks the detector's model.
    ///
    /// - Throws: `VeilError` `.model` where the model is missing or altered, `.filters`.
    public convenience init(
        _ settings: LiveSettings, models: String?, observer: Observer
    ) throws(VeilError) {
        var loading = RedactionSettings()
        loading.models = models
        loading.threads = settings.threads
        try self.init(settings, detector: DetectorLoader.load(loading).detector, observer: observer)
    }

    /// With a detector of the caller's own.
    public init(_ settings: LiveSettings, detector: any FaceDetector, observer: Observer) throws(VeilError) {
        self.settings = settings
        self.observer = observer
        inbox = Inbox(capacity: settings.delay == .fixed(0) ? Self.room.atOnce : Self.room.held)
        core = try LiveCore(settings)
        overlay = Overlay(
            Overlay.Parts(boxes: settings.showsBoxes, mask: settings.showsMask, numbers: settings.showsNumbers))
        let inbox = inbox
        self.detector = DetectorLane(
            detector, size: settings.detectSize,
            threshold: min(settings.threshold ?? 1, LiveTracker.Settings().continueThreshold)
        ) { report in inbox.putUrgent(.report(report)) }
    }

    /// Asks for something while the session runs; from any thread.
    public var command: @Sendable (LiveCommand) -> Void {
        let inbox = inbox
        return { inbox.putUrgent(.command($0)) }
    }

    /// Runs until the source ends, a person quits, or the observer says that it is interrupted.
    ///
    /// - Throws: `VeilError` `.media` when the source can't be opened or goes away for good.
    public func run() throws(VeilError) -> LiveStats {
        try registerDevices()
        let start = monotonicSeconds()
        let microphone = startMicrophone(start)
        let capture = startCapture(start)
        detector.start()
        loop(capture)
        capture.askToStop()
        microphone?.askToStop()
        // First of all what people want to keep: whatever else hangs, recordings are ended in good order.
        for output in hub.outputs.withLock({ $0 }) { output.stop() }
        capture.stop()
        microphone?.stop()
        detector.stop()
        note(now: monotonicSeconds())
        if let failure = hub.failure.withLock({ $0 }), !isQuitting { throw .media(failure) }
        return stats
    }

    private func registerDevices() throws(VeilError) {
        let inputs = [settings.input.address] + (settings.microphone.map { [$0.address] } ?? [])
        let writesToDevice = settings.outputs.contains {
            if case .target(let target) = $0 { target.kind == .device } else { false }
        }
        guard inputs.contains(where: \.needsDevices) || writesToDevice else { return }
        try LiveDevices.register(for: settings.input.address.label)
    }

    private func startMicrophone(_ start: Double) -> CaptureLane? {
        guard var input = settings.microphone else { return nil }
        input.isSoundOnly = true
        let lane = CaptureLane(
            input, view: LiveView(), reconnects: settings.reconnects, start: start,
            handlers: CaptureLane.Handlers(
                picture: { _ in }, sound: { [hub] in hub.distribute($0, $1) }, notice: observer.notice,
                ended: { [observer, label = input.address.label] error in
                    if let error { observer.notice("\(label): \(error.operation): \(error.detail)") }
                }, opened: { _, _ in }))
        lane.begin()
        return lane
    }

    private func startCapture(_ start: Double) -> CaptureLane {
        var input = settings.input
        input.bringsSound = settings.microphone == nil
        let lane = CaptureLane(
            input, view: settings.view, reconnects: settings.reconnects, start: start,
            handlers: CaptureLane.Handlers(
                picture: { [inbox, hub, detector] captured in
                    if inbox.put(.picture(captured)) != nil { hub.lost.add(1, ordering: .relaxed) }
                    // At once, however busy the loop is. What is found in a broken picture says nothing; the next whole one
                    // is looked at the sooner.
                    guard !captured.isDamaged else { return }
                    detector.look(
                        at: DetectionJob(picture: captured.picture, frame: captured.number, time: captured.time))
                }, sound: { [hub] in hub.distribute($0, $1) }, notice: observer.notice,
                ended: { [inbox, hub] error in
                    // What ended the session first is what is told.
                    hub.failure.withLock { $0 = $0 ?? error }
                    inbox.putUrgent(.ended)
                },
                opened: { [hub] rate, hasSound in hub.opened.withLock { $0 = (rate, hasSound) } }))
        lane.begin()
        return lane
    }

    // MARK: The loop

    private func loop(_ capture: CaptureLane) {
        var hasEnded = false
        while !isQuitting {
            if observer.isInterrupted() { isQuitting = true }
            let now = monotonicSeconds()
            let wake = min(core.nextDue ?? .infinity, now + 0.1)
            switch inbox.take(until: max(now, wake)) {
            case .picture(let captured)?: take(captured)
            case .report(let report)?: take(report)
            case .command(let command)?: carryOut(command, capture)
            case .ended?: hasEnded = true
            case nil: break
            }
            show()
            if monotonicSeconds() >= nextNote {
                nextNote = monotonicSeconds() + 1
                note(now: monotonicSeconds())
                observer.progress(stats)
                if isUseless {
                    hub.failure.withLock {
                        $0 = MediaError(
                            .unwritable, "showing the picture", file: settings.input.address.label,
                            detail: "no output works")
                    }
                    return
                }
            }
            if hasEnded && inbox.count == 0 && !core.hasPending { return }
        }
    }

    private func take(_ captured: Captured) {
        if numbers.next == 0 { beginOutputs() }
        clock = (clock?.first ?? captured.arrival, captured.arrival)
        stats.captured += 1
        if captured.isDamaged { stats.broken += 1 }
        core.arrive(
            LiveFrame(
                picture: captured.picture, number: numbers.next, time: captured.time, arrival: captured.arrival,
                isDamaged: captured.isDamaged, isNewView: captured.isNewView))
        for report in numbers.took(captured.number) { tell(report) }
        detector.expect(core.expected)
        if let duration = settings.duration, captured.time >= duration { isQuitting = true }
    }

    private func take(_ report: DetectionReport) {
        if let report = numbers.resolve(report) { tell(report) }
        if report.detections != nil {
            stats.detections += 1
        } else {
            stats.failedDetections += 1
            if stats.failedDetections == 1, let failure = report.failure {
                observer.notice("\(failure); the picture is covered whole until it works again")
            }
        }
    }

    private func tell(_ report: DetectionReport) {
        core.take(report, now: monotonicSeconds())
        detector.expect(core.expected)
    }

    private func show() {
        while true {
            let shown: ShownFrame?
            do throws(MediaError) {
                shown = try core.nextShown(now: monotonicSeconds())
            } catch {
                // Not shown at all: better than bare.
                stats.dropped += 1
                continue
            }
            guard let shown else { return }
            lastShown = shown
            stats.shown += 1
            let isLater = shown.time >= 1
            if isLater { stats.shownLater += 1 }
            if case .whole(let reason) = shown.verdict {
                stats.whole[reason, default: 0] += 1
                if isLater { stats.wholeLater += 1 }
            }
            if let age = shown.age { stats.age.add(age) }
            for output in hub.outputs.withLock({ $0 }) { output.put(.picture(shown)) }
            stats.latency.add(monotonicSeconds() - shown.arrival)
        }
    }

    private func note(now: Double) {
        stats.dropped = hub.lost.load(ordering: .relaxed)
        stats.elapsed = clock.map { max(0, $0.last - $0.first) } ?? 0
        stats.delay = core.currentDelay
        stats.faces = core.faces
        for output in hub.outputs.withLock({ $0 }) { stats.outputs[output.name] = output.numbers }
        let lines = stats.overlayLines
        overlay.change { $0.lines = lines }
    }

    /// Whether no output has ever taken a picture, and each has failed again and again.
    private var isUseless: Bool {
        let outputs = hub.outputs.withLock { $0 }
        return !outputs.isEmpty && outputs.map(\.numbers).allSatisfy { $0.written == 0 && $0.failures >= 3 }
    }

    // MARK: Outputs

    private func beginOutputs() {
        let opened = hub.opened.withLock { $0 }
        var lanes: [OutputLane] = []
        for output in settings.outputs {
            let notice = observer.notice
            switch output {
            case .window:
                let (overlay, command) = (overlay, command)
                // Few frames in the queue: a preview that lags is of no use.
                lanes.append(
                    OutputLane("window", capacity: 3, takesSound: false, notice: notice) { _, _ in
                        WindowSink(overlay: overlay, command: command)
                    })
            case .serve(let address, let port):
                lanes.append(
                    OutputLane("http", capacity: 3, takesSound: false, notice: notice) { (_, _) throws(MediaError) in
                        try HTTPSink(address: address, port: port, notice: notice)
                    })
            case .target(let target):
                let writing = WriterSink.Settings(
                    target: target, encoding: settings.encoding, overwrite: settings.overwrite,
                    joinsTakes: settings.joinsTakes, rate: opened.rate,
                    hasSound: opened.hasSound || settings.microphone != nil)
                let takes = Takes()
                lanes.append(
                    OutputLane(target.label, takesSound: target.holdsSound, notice: notice) { _, isGivenUp in
                        WriterSink(writing, takes: takes, notice: notice, isGivenUp: isGivenUp)
                    })
            }
        }
        for lane in lanes { lane.begin() }
        hub.outputs.withLock { $0 = lanes }
    }

    // MARK: Commands

    private func carryOut(_ command: LiveCommand, _ capture: CaptureLane) {
        switch command {
        case .quit: isQuitting = true
        case .pause: core.isPaused.toggle()
        case .record: for output in hub.outputs.withLock({ $0 }) { output.put(.toggleRecording) }
        case .still: saveStill()
        case .nextEffect: core.use(Self.effect(after: core.settings.chain))
        case .toggleMask: overlay.change { $0.mask.toggle() }
        case .toggleBoxes: overlay.change { $0.boxes.toggle() }
        case .toggleNumbers: overlay.change { $0.numbers.toggle() }
        case .larger: core.scaleMask(by: 1.1)
        case .smaller: core.scaleMask(by: 1 / 1.1)
        default:
            settings.view.apply(command)
            capture.change(settings.view)
        }
    }

    /// Mosaic, blur, one colour, and from the start.
    private static func effect(after chain: FilterChain) -> FilterChain {
        var next = chain
        switch chain.effects.last {
        case .pixellate(let cells): next.effects = [.blur(cells: cells)]
        case .blur: next.effects = [.solid(color: RGBColor(red: 0, green: 0, blue: 0))]
        default: next.effects = [.pixellate()]
        }
        return next
    }

    /// The last picture as it was shown, beside what else is in the folder.
    private func saveStill() {
        guard let lastShown else { return }
        let (notice, encoder) = (observer.notice, Result { () throws(MediaError) in try LiveJPEG(quality: 2) })
        repeat { stills += 1 } while access("veil-still-\(stills).jpg", F_OK) == 0
        let name = "veil-still-\(stills).jpg"
        do throws(MediaError) {
            let bytes = try encoder.get().encode(lastShown.picture)
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            defer { if file >= 0 { close(file) } }
            let isWritten = file >= 0 && bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
            notice(isWritten ? "\(name): saved" : "\(name): \(String(cString: strerror(errno)))")
        } catch { notice("\(name): \(error.detail)") }
    }
}

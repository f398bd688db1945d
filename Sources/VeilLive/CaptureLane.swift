import CLive
import Glibc
import Synchronization
import VeilCore
import VeilMedia

/// What capturing hands over.
struct Captured: Sendable {
    var picture: SharedFrame
    /// From 0, without gaps.
    var number: Int
    var time: Double
    var arrival: Double
    var isDamaged: Bool
    /// The view was changed before this picture.
    var isNewView = false
}

/// Reads the source in a thread of its own and hands every picture on at once; nobody downstream can hold it up.
// @unchecked: what changes is used by the lane's own thread only, or is a lock.
final class CaptureLane: @unchecked Sendable {
    struct Handlers: Sendable {
        var picture: @Sendable (Captured) -> Void
        var sound: @Sendable (SharedFrame, Double) -> Void
        /// For a person.
        var notice: @Sendable (String) -> Void
        /// The source has ended, or can't be opened or read any more.
        var ended: @Sendable (MediaError?) -> Void
        /// The source was opened: frames per second, and whether there is sound.
        var opened: @Sendable (Double, Bool) -> Void
    }

    private let settings: LiveInputSettings
    private let reconnects: Bool
    private let start: Double
    private let handlers: Handlers
    private let isStopped = Atomic<Bool>(false)
    private let view: Mutex<LiveView>
    private var clock: CaptureClock
    private var last: SharedFrame?
    private var count = 0
    private var thread: PlainThread?

    /// Seconds between attempts to open a source that went away.
    private static let retry = 1.0
    /// Seconds that the source has to let go.
    private static let patience = 2.0

    init(_ settings: LiveInputSettings, view: LiveView, reconnects: Bool, start: Double, handlers: Handlers) {
        self.settings = settings
        self.reconnects = reconnects
        self.start = start
        self.handlers = handlers
        self.view = Mutex(view)
        clock = CaptureClock(start: start, wall: settings.address.isByTheMachinesClock ? wallClockLead() : nil)
    }

    func begin() { thread = PlainThread("veil-capture") { [self] in run() } }

    func change(_ new: LiveView) { view.withLock { $0 = new } }

    /// Asks the lane to end.
    func askToStop() { isStopped.store(true, ordering: .relaxed) }

    /// Asks the lane to end and waits for it, but not for ever: a pipe that nobody writes to, or a device that hangs,
    /// can't be told.
    func stop() {
        askToStop()
        thread?.join(until: monotonicSeconds() + Self.patience)
    }

    private var stopped: Bool { isStopped.load(ordering: .relaxed) }

    private func run() {
        var failure: MediaError?
        var wasOpen = false
        // What was said last, so that a source that is long away isn't spoken of every second.
        var said = ""
        while !stopped {
            failure = nil
            do throws(MediaError) {
                try capture(isReturn: wasOpen) {
                    wasOpen = true
                    said = ""
                }
            } catch { failure = error }
            if stopped || !reconnects || (!wasOpen && failure?.kind == .unsupported) { break }
            let words = "\(settings.address.label): \(failure?.detail ?? "it has ended"); waiting for it"
            if words != said { handlers.notice(words) }
            said = words
            waitForReturn()
        }
        handlers.ended(stopped ? nil : failure)
    }

    /// While the source is away, the last picture is shown, covered whole.
    private func waitForReturn() {
        let end = monotonicSeconds() + Self.retry
        while !stopped, monotonicSeconds() < end {
            usleep(100_000)
            guard let last else { continue }
            let now = monotonicSeconds()
            handOver(last, time: clock.stamp(nil, arrival: now), arrival: now, isDamaged: true)
        }
    }

    private func handOver(
        _ picture: SharedFrame, time: Double, arrival: Double, isDamaged: Bool, isNewView: Bool = false
    ) {
        handlers.picture(
            Captured(
                picture: picture, number: count, time: time, arrival: arrival, isDamaged: isDamaged,
                isNewView: isNewView))
        count += 1
    }

    /// Opens the source and reads it to its end.
    ///
    /// - Parameter isReturn: the source was away: what it shows now has nothing to do with what it showed before.
    private func capture(isReturn: Bool, _ opened: () -> Void) throws(MediaError) {
        let input = try LiveInput(settings) { [self] in stopped }
        opened()
        if isReturn { clock.restart() }
        handlers.opened(input.frameRate, input.hasSound)
        let geometry = LiveGeometry()
        var pacer = Pacer(isPaced: settings.isPaced)
        var isBroken = false
        // What comes first of all is new anyway.
        var isChanged = isReturn
        geometry.view = view.withLock { $0 }
        while !stopped, let event = try input.next() {
            switch consume event {
            case .broken: isBroken = true
            case .sound(let frame, let time, _):
                if settings.isSoundOnly { pacer.wait(for: time) { [self] in stopped } }
                let arrival = monotonicSeconds()
                let stamp = clock.soundStamp(time, arrival: arrival)
                handlers.sound(SharedFrame(frame), stamp)
            case .picture(let frame, let time):
                let isDamaged = frame.isDamaged || isBroken
                let orientation = input.orientation(of: frame)
                let aspect = input.sampleAspectRatio(of: frame)
                let wanted = view.withLock { $0 }
                let isNewView = isChanged || wanted != geometry.view
                geometry.view = wanted
                let picture: SharedFrame
                do throws(MediaError) {
                    picture = SharedFrame(
                        try geometry.convert(frame, orientation: orientation, sampleAspectRatio: aspect))
                } catch {
                    // A picture that can't be prepared is as good as a broken one.
                    (isBroken, isChanged) = (true, isNewView)
                    continue
                }
                isChanged = false
                pacer.wait(for: time) { [self] in stopped }
                let arrival = monotonicSeconds()
                last = picture
                isBroken = false
                handOver(
                    picture, time: clock.stamp(time, arrival: arrival), arrival: arrival, isDamaged: isDamaged,
                    isNewView: isNewView)
            }
        }
    }
}

/// Plays a file as a camera would: each frame comes when its time stamp says.
struct Pacer {
    private let isPaced: Bool
    private var start: (source: Double, real: Double)?

    init(isPaced: Bool) { self.isPaced = isPaced }

    /// Sleeps until a frame is due.
    mutating func wait(for time: Double?, _ isStopped: () -> Bool) {
        guard isPaced, let time else { return }
        guard let start else {
            start = (time, monotonicSeconds())
            return
        }
        let due = start.real + time - start.source
        while !isStopped() {
            let rest = due - monotonicSeconds()
            if rest <= 0 { return }
            usleep(UInt32(min(rest, 0.1) * 1e6))
        }
    }
}

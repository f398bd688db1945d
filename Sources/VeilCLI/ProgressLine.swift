import Synchronization

/// Decides when progress is worth a word; knows no clock and no terminal, so that tests need neither.
struct ProgressPacer {
    enum Manner: Sendable { case status, log, silent }

    let manner: Manner
    private var lastTime: Double?
    private var lastStage: ProgressSnapshot.Stage?
    private var lastTenth = 0

    init(_ manner: Manner) { self.manner = manner }

    /// Ten a second is as fast as one can read.
    static let statusInterval = 0.1
    static let logInterval = 5.0
    /// A log of known length gets a line for each tenth done; one this long after the last shows that all is well.
    static let longestSilence = 60.0

    /// Whether to show the snapshot that was taken at `now`, in seconds of any clock that only goes forward.
    mutating func isDue(_ snapshot: ProgressSnapshot, now: Double) -> Bool {
        let isNewStage = snapshot.stage != lastStage
        let elapsed = lastTime.map { now - $0 } ?? .infinity
        let tenth = (snapshot.percent ?? 0) / 10
        let due =
            switch manner {
            case .silent: false
            case .status: isNewStage || elapsed >= ProgressPacer.statusInterval
            case .log:
                elapsed >= ProgressPacer.logInterval
                    && (isNewStage || snapshot.percent == nil || tenth > lastTenth
                        || elapsed >= ProgressPacer.longestSilence)
            }
        if due {
            lastTime = now
            lastStage = snapshot.stage
            lastTenth = tenth
        }
        return due
    }
}

/// Shows how far the work has come: a line that is rewritten on a terminal, now and then a line elsewhere, nothing when
/// quiet. May be fed from any thread, as often as one likes.
final class ProgressLine: Sendable {
    private let console: Console
    private let width: @Sendable () -> Int
    private let pacer: Mutex<ProgressPacer>
    private let start = ContinuousClock.now

    init(
        console: Console = .standardError, quiet: Bool,
        width: @escaping @Sendable () -> Int = { Terminal.width(Terminal.standardError) }
    ) {
        self.console = console
        self.width = width
        pacer = Mutex(ProgressPacer(quiet ? .silent : console.showsStatus ? .status : .log))
    }

    func update(_ snapshot: ProgressSnapshot) {
        let elapsed = start.duration(to: .now)
        let now = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        // Shown under the lock: else an older snapshot could be drawn over a newer one.
        pacer.withLock { pacer in
            guard pacer.isDue(snapshot, now: now) else { return }
            switch pacer.manner {
            // A terminal that is filled to its last column may wrap: one column stays free.
            case .status: console.setStatus(ProgressText.status(snapshot, width: width() - 1))
            case .log: console.line(ProgressText.logLine(snapshot))
            case .silent: break
            }
        }
    }

    /// Removes the line; call it when a file is done, however it ended.
    func finish() { console.setStatus("") }
}

import CFFmpeg
import Synchronization
import VeilMedia

/// One end of a live picture. Used from its lane's thread only.
protocol LiveSink: AnyObject {
    /// Shows, writes or sends a picture.
    func write(_ frame: ShownFrame) throws(MediaError)
    func write(_ sound: SharedFrame, time: Double) throws(MediaError)
    /// Called every few hundredths of a second, pictures or not.
    func idle() throws(MediaError)
    /// Starts or ends a take, where the sink records.
    func toggleRecording() throws(MediaError)
    /// Ends in good order.
    func finish() throws(MediaError)
}

extension LiveSink {
    func write(_ sound: SharedFrame, time: Double) throws(MediaError) {}
    func idle() throws(MediaError) {}
    func toggleRecording() throws(MediaError) {}
    func finish() throws(MediaError) {}
}

/// An output with a thread and a short queue of its own: a slow or failed one never holds up the others. What doesn't
/// fit the queue is lost for this output and counted; what failed is told, and tried again.
// @unchecked: the sink is used by the lane's thread only, the rest is locks and atomics.
final class OutputLane: @unchecked Sendable {
    enum Item: Sendable {
        case picture(ShownFrame)
        case sound(SharedFrame, Double)
        case toggleRecording
    }

    /// Makes the sink; called again after a failure, with the number of the attempt from 0. `isGivenUp` turns true when
    /// nobody waits for it any more.
    typealias Maker =
        @Sendable (_ attempt: Int, _ isGivenUp: @escaping @Sendable () -> Bool) throws(MediaError) ->
        any LiveSink

    let name: String
    let takesSound: Bool
    private let make: Maker
    private let inbox: Inbox<Item>
    private let notice: @Sendable (String) -> Void
    private let stats = Mutex(LiveStats.OutputStats())
    private let giveUpAt = Atomic<UInt64>(.max)
    private let done = Monitor()
    private var isDone = false
    private var thread: PlainThread?

    /// Frames in the queue: a second and a half of 30 a second.
    static let capacity = 45
    /// Frames that waited, after which their memory is given back once they are gone: about ten megabytes of 720p.
    private static let backlog = 8
    /// Seconds between attempts: doubled each time, up to the limit.
    private static let retry = (first: 0.5, limit: 8.0)
    /// Seconds that an output has to end in good order.
    private static let patience = 5.0

    init(
        _ name: String, capacity: Int = OutputLane.capacity, takesSound: Bool,
        notice: @escaping @Sendable (String) -> Void, make: @escaping Maker
    ) {
        self.name = name
        self.takesSound = takesSound
        self.make = make
        self.notice = notice
        inbox = Inbox(capacity: capacity)
    }

    func begin() { thread = PlainThread("veil-output") { [self] in run() } }

    /// Hands something over without waiting.
    func put(_ item: Item) {
        guard let lost = inbox.put(item) else { return }
        if case .picture = lost {
            let count = stats.withLock { stats in
                stats.dropped += 1
                return stats.dropped
            }
            if count == 1 { notice("\(name): too slow; frames are left out") }
        }
    }

    var numbers: LiveStats.OutputStats { stats.withLock { $0 } }

    private var isGivenUp: Bool { UInt64(monotonicSeconds() * 1000) >= giveUpAt.load(ordering: .relaxed) }

    /// Asks the lane to write what it has and to end. Gives up on one that takes too long.
    func stop() {
        inbox.close()
        giveUpAt.store(UInt64((monotonicSeconds() + Self.patience) * 1000), ordering: .relaxed)
        let deadline = monotonicSeconds() + Self.patience + 1
        let ended = done.locked {
            while !isDone {
                if !done.wait(until: deadline), monotonicSeconds() >= deadline { return false }
            }
            return true
        }
        if ended { thread?.join() } else { notice("\(name): doesn't end; left as it is") }
    }

    private func run() {
        var sink: (any LiveSink)?
        var attempt = 0
        var pause = Self.retry.first
        var retryAt = 0.0
        var longestQueue = 0
        func fail(_ error: MediaError) {
            sink = nil
            attempt += 1
            retryAt = monotonicSeconds() + pause
            stats.withLock { $0.failures += 1 }
            notice("\(name): \(error.operation): \(error.detail); trying again in \(pause) s")
            pause = min(Self.retry.limit, pause * 2)
        }
        while !inbox.isFinished {
            if sink == nil, monotonicSeconds() >= retryAt, !isGivenUp {
                do throws(MediaError) {
                    sink = try make(attempt) { [self] in isGivenUp }
                } catch { fail(error) }
            }
            let item = inbox.take(until: monotonicSeconds() + 0.03)
            let waiting = inbox.count
            longestQueue = max(longestQueue, waiting)
            if waiting == 0, longestQueue > Self.backlog {
                // The allocator would keep what they took for the rest of the session.
                cff_give_back_memory()
                longestQueue = 0
            }
            guard let current = sink else {
                if case .picture? = item { stats.withLock { $0.dropped += 1 } }
                continue
            }
            do throws(MediaError) {
                switch item {
                case .picture(let frame)?:
                    try current.write(frame)
                    stats.withLock { $0.written += 1 }
                    pause = Self.retry.first
                case .sound(let sound, let time)?: try current.write(sound, time: time)
                case .toggleRecording?: try current.toggleRecording()
                case nil: break
                }
                try current.idle()
            } catch { fail(error) }
        }
        do throws(MediaError) {
            try sink?.finish()
        } catch {
            stats.withLock { $0.failures += 1 }
            notice("\(name): \(error.operation): \(error.detail)")
        }
        sink = nil
        done.locked {
            isDone = true
            done.signal()
        }
    }
}

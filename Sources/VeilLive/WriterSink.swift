import Synchronization
import VeilMedia

/// How far the takes of an output have come: outlives its sinks, each of which ends when it fails.
final class Takes: Sendable {
    private let state: Mutex<(last: Int, isRecording: Bool)>

    /// - Parameter isRecording: whether the first take begins with the first picture.
    init(isRecording: Bool = true) { state = Mutex((0, isRecording)) }

    var isRecording: Bool { state.withLock { $0.isRecording } }

    /// Whether it records from now on.
    func toggle() -> Bool {
        state.withLock { state in
            state.isRecording.toggle()
            return state.isRecording
        }
    }

    /// The number of a new take, from 1; none is given twice, so that no take replaces another.
    func begin() -> Int {
        state.withLock { state in
            state.last += 1
            return state.last
        }
    }
}

/// Pictures and sound into a file, a stream, a pipe or a device. A recording can be ended and begun again: each take
/// becomes a file of its own, or all of them one.
final class WriterSink: LiveSink {
    struct Settings: Sendable {
        var target: LiveTarget
        var encoding: LiveEncoding
        var overwrite: Bool
        var joinsTakes: Bool
        var rate: Double
        var hasSound: Bool
    }

    private let settings: Settings
    private let isGivenUp: @Sendable () -> Bool
    private let notice: @Sendable (String) -> Void
    private var writer: LiveWriter?
    private let takes: Takes
    /// The number of the file that is being written.
    private var take = 1
    /// What is taken off the session's times.
    private var zero: Double?
    /// The end of what was written, in the output's times.
    private var end = 0.0

    init(
        _ settings: Settings, takes: Takes, notice: @escaping @Sendable (String) -> Void,
        isGivenUp: @escaping @Sendable () -> Bool
    ) {
        self.settings = settings
        self.takes = takes
        self.notice = notice
        self.isGivenUp = isGivenUp
    }

    func write(_ frame: ShownFrame) throws(MediaError) {
        guard takes.isRecording else { return }
        let writer = try open(for: frame)
        // A joined take goes on one frame after the last.
        if zero == nil { zero = frame.time - (end > 0 ? end + 1 / settings.rate : 0) }
        let time = max(0, frame.time - (zero ?? 0))
        try writer.write(frame.picture, time: time)
        end = time
    }

    func write(_ sound: SharedFrame, time: Double) throws(MediaError) {
        guard takes.isRecording, let writer, let zero, time >= zero else { return }
        try writer.write(sound, soundTime: time - zero)
    }

    private func open(for frame: ShownFrame) throws(MediaError) -> LiveWriter {
        if let writer { return writer }
        take = takes.begin()
        let target = settings.target.take(take)
        let fresh = try LiveWriter(
            target, like: frame.picture, rate: settings.rate, soundRate: settings.hasSound ? 48_000 : nil,
            encoding: settings.encoding, overwrite: settings.overwrite, isCancelled: isGivenUp)
        writer = fresh
        zero = nil
        end = 0
        if take > 1 { notice("\(target.label): \(target.kind == .recording ? "recording" : "opened again")") }
        return fresh
    }

    func toggleRecording() throws(MediaError) {
        guard settings.target.kind == .recording else { return }
        let isRecording = takes.toggle()
        zero = nil
        guard !isRecording, !settings.joinsTakes, let writer else { return }
        self.writer = nil
        try writer.finish()
        notice("\(settings.target.take(take).label): ended")
    }

    func finish() throws(MediaError) {
        guard let writer else { return }
        self.writer = nil
        try writer.finish()
    }
}

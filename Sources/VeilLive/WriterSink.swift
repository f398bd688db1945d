import VeilMedia

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
        /// Whether a recording begins with the first picture.
        var startsAtOnce = true
    }

    private let settings: Settings
    private let isGivenUp: @Sendable () -> Bool
    private let notice: @Sendable (String) -> Void
    private var writer: LiveWriter?
    private var take: Int
    private var isRecording: Bool
    /// What is taken off the session's times.
    private var zero: Double?
    /// The end of what was written, in the output's times.
    private var end = 0.0

    /// - Parameter take: which file of a series is to be written next, from 1.
    init(
        _ settings: Settings, take: Int, notice: @escaping @Sendable (String) -> Void,
        isGivenUp: @escaping @Sendable () -> Bool
    ) {
        self.settings = settings
        self.take = take
        self.notice = notice
        self.isGivenUp = isGivenUp
        isRecording = settings.startsAtOnce
    }

    func write(_ frame: ShownFrame) throws(MediaError) {
        guard isRecording else { return }
        let writer = try open(for: frame)
        // A joined take goes on one frame after the last.
        if zero == nil { zero = frame.time - (end > 0 ? end + 1 / settings.rate : 0) }
        let time = max(0, frame.time - (zero ?? 0))
        try writer.write(frame.picture, time: time)
        end = time
    }

    func write(_ sound: SharedFrame, time: Double) throws(MediaError) {
        guard isRecording, let writer, let zero, time >= zero else { return }
        try writer.write(sound, soundTime: time - zero)
    }

    private func open(for frame: ShownFrame) throws(MediaError) -> LiveWriter {
        if let writer { return writer }
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
        isRecording.toggle()
        zero = nil
        guard !isRecording, !settings.joinsTakes, let writer else { return }
        self.writer = nil
        try writer.finish()
        notice("\(settings.target.take(take).label): ended")
        take += 1
    }

    func finish() throws(MediaError) {
        guard let writer else { return }
        self.writer = nil
        try writer.finish()
    }
}

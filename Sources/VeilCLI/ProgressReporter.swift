import VeilPipeline

/// Turns the pipeline's progress into the line that people see.
final class ProgressReporter: Sendable {
    private let line: ProgressLine
    private let name: String

    init(input: String, console: Console, quiet: Bool) {
        line = ProgressLine(console: console, quiet: quiet)
        name = input.split(separator: "/").last.map(String.init) ?? input
    }

    var observer: Observer {
        Observer(
            progress: { [line, name] progress in
                let rate = progress.elapsed > 0.5 ? Double(progress.frames) / progress.elapsed : nil
                let left = progress.expected.flatMap { expected in
                    rate.flatMap { $0 > 0 ? Double(max(0, expected - progress.frames)) / $0 : nil }
                }
                line.update(
                    ProgressSnapshot(
                        stage: progress.stage == .analysing ? .analysing : .rendering, name: name,
                        framesDone: progress.frames, framesExpected: progress.expected, framesPerSecond: rate,
                        faces: progress.faces, secondsLeft: left))
            },
            isCancelled: { Interruption.isRequested })
    }

    func finish() { line.finish() }
}

import Synchronization
import Testing

@testable import VeilCLI

private func snapshot(
    stage: ProgressSnapshot.Stage = .analysing, name: String = "clip.mp4", done: Int = 1024, expected: Int? = 2400,
    speed: Double? = 38.21, faces: Int = 3, left: Double? = 36
) -> ProgressSnapshot {
    ProgressSnapshot(
        stage: stage, name: name, framesDone: done, framesExpected: expected, framesPerSecond: speed, faces: faces,
        secondsLeft: left)
}

@Suite struct ProgressTextTests {
    @Test(arguments: [
        (79, "analysing clip.mp4 [#########..............]  42%  3 faces  38.2 fps  0:36 left"),
        (66, "analysing clip.mp4 [####......]  42%  3 faces  38.2 fps  0:36 left"),
        (65, "analysing clip.mp4 [#######............]  42%  3 faces  0:36 left"),
        (60, "analysing clip.mp4 [#####.........]  42%  3 faces  0:36 left"),
        (50, "analysing clip.mp4  42%  3 faces  0:36 left"),
        (40, "analysing clip.mp4  42%  0:36 left"),
        (26, "analysing  42%  0:36 left"), (20, "analysing  42%"), (5, "analy"), (0, ""),
    ])
    func `what matters less is left out as the room shrinks`(width: Int, expected: String) {
        #expect(ProgressText.status(snapshot(), width: width) == expected)
    }

    @Test func `a line fits any width whatever it says`() {
        let names = [
            "a", "clip.mp4", String(repeating: "long ", count: 40), String(repeating: "日本", count: 40), "", "\u{1B}[2J",
        ]
        for name in names {
            for expected in [nil, 0, 1, 2400, Int.max / 1000] {
                for left in [nil, 0.4, 1e5, .infinity, .nan] as [Double?] {
                    for width in 0...120 {
                        let line = ProgressText.status(
                            snapshot(name: name, expected: expected, left: left), width: width)
                        #expect(displayWidth(line) <= width, "\(line)")
                        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
                    }
                }
            }
        }
    }

    @Test func `an unknown total shows the frames done and no bar`() {
        #expect(
            ProgressText.status(snapshot(expected: nil, left: nil), width: 79)
                == "analysing clip.mp4 1024 frames  3 faces  38.2 fps")
        #expect(snapshot(expected: 0).percent == nil)
    }

    @Test func `nothing done yet is 0 percent`() {
        #expect(
            ProgressText.status(snapshot(done: 0, speed: nil, faces: 0, left: nil), width: 60)
                == "analysing clip.mp4 [.........................]   0%  0 faces")
    }

    @Test func `more frames than expected are 100 percent`() {
        #expect(snapshot(done: 2500).percent == 100)
        #expect(snapshot(done: 2399).percent == 99)
    }

    @Test func `a log line says it in words`() {
        #expect(
            ProgressText.logLine(snapshot())
                == "veil: clip.mp4: analysing 42% (1024 of 2400 frames), 38.2 fps, 3 faces, 0:36 left")
        #expect(
            ProgressText.logLine(
                snapshot(stage: .rendering, name: "a\nb", done: 1, expected: nil, speed: nil, faces: 1, left: nil))
                == "veil: a\\x0Ab: rendering 1 frame, 1 face")
    }

    @Test(
        arguments: [
            (0, "0:00"), (6.6, "0:07"), (59.6, "1:00"), (725, "12:05"), (3600, "1:00:00"), (3723, "1:02:03"),
            (-1, nil), (.nan, nil), (.infinity, nil), (1e300, nil),
        ] as [(Double, String?)])
    func `times read as a clock`(seconds: Double, expected: String?) {
        #expect(ProgressText.clock(seconds) == expected)
    }

    @Test(
        arguments: [
            (0, "0.0 fps"), (0.44, "0.4 fps"), (38.25, "38.3 fps"), (99.96, "100 fps"), (240.4, "240 fps"), (.nan, nil),
            (.infinity, nil),
        ] as [(Double, String?)])
    func `rates have a digit after the point below 100`(rate: Double, expected: String?) {
        #expect(ProgressText.rate(rate) == expected)
    }
}

@Suite struct ProgressPacerTests {
    /// The times, in seconds, at which something is shown when a snapshot comes every 10 ms.
    private func shown(
        _ manner: ProgressPacer.Manner, seconds: Double, expected: Int?, stageChange: Double = .infinity
    ) -> [Double] {
        var pacer = ProgressPacer(manner)
        return (0...Int(seconds * 100)).compactMap { tick in
            let now = Double(tick) / 100
            let moment = snapshot(
                stage: now >= stageChange ? .rendering : .analysing, done: tick, expected: expected)
            return pacer.isDue(moment, now: now) ? now : nil
        }
    }

    @Test func `a terminal sees at most ten a second`() {
        let times = shown(.status, seconds: 2, expected: 1000)
        #expect((15...21).contains(times.count))
        for (a, b) in zip(times, times.dropFirst()) { #expect(b - a >= ProgressPacer.statusInterval) }
    }

    @Test func `a new stage is shown at once on a terminal`() {
        #expect(shown(.status, seconds: 2, expected: 1000, stageChange: 1.03).contains(1.03))
    }

    @Test func `a log gets a line for each tenth and never two in 5 seconds`() {
        // 100 frames a second: a tenth of 10,000 frames takes 10 seconds.
        #expect(shown(.log, seconds: 99, expected: 10_000) == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
        let times = shown(.log, seconds: 9, expected: 900)
        for (a, b) in zip(times, times.dropFirst()) { #expect(b - a >= 5) }
        #expect(times.count == 2)
    }

    @Test func `a log of unknown length gets a line every 5 seconds`() {
        #expect(shown(.log, seconds: 21, expected: nil) == [0, 5, 10, 15, 20])
    }

    @Test func `a long tenth doesn't mean silence`() {
        #expect(shown(.log, seconds: 130, expected: 1_000_000) == [0, 60, 120])
    }

    @Test func `quiet shows nothing`() {
        #expect(shown(.silent, seconds: 100, expected: 100).isEmpty)
    }
}

/// Keeps what a console wrote.
final class Transcript: Sendable {
    private let parts = Mutex<[String]>([])
    var written: [String] { parts.withLock { $0 } }

    func console(showsStatus: Bool) -> Console {
        Console(showsStatus: showsStatus) { text in self.parts.withLock { $0.append(text) } }
    }
}

@Suite struct ProgressLineTests {
    @Test func `on a terminal the line is drawn in place and removed`() {
        let transcript = Transcript()
        let line = ProgressLine(console: transcript.console(showsStatus: true), quiet: false, width: { 21 })
        line.update(snapshot())
        line.update(snapshot())
        line.finish()
        line.finish()
        #expect(transcript.written == ["\r\u{1B}[Kanalysing  42%", "\r\u{1B}[K"])
    }

    @Test func `elsewhere it is a plain line`() {
        let transcript = Transcript()
        let line = ProgressLine(console: transcript.console(showsStatus: false), quiet: false, width: { 21 })
        line.update(snapshot(expected: nil, speed: nil, left: nil))
        line.finish()
        #expect(transcript.written == ["veil: clip.mp4: analysing 1024 frames, 3 faces\n"])
    }

    @Test(arguments: [true, false]) func `quiet writes nothing`(showsStatus: Bool) {
        let transcript = Transcript()
        let line = ProgressLine(console: transcript.console(showsStatus: showsStatus), quiet: true, width: { 80 })
        line.update(snapshot())
        line.finish()
        #expect(transcript.written.isEmpty)
    }
}

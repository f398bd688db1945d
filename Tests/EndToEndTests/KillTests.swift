import Glibc
import Testing
import VeilTestSupport

/// Ending the program at any moment. `VEIL_KILLS` says how often (9 by default; `make soak` has 100).
@Suite struct KillTests {
    private static let kills = getenv("VEIL_KILLS").flatMap { Int(String(cString: $0)) } ?? 9
    private static let flags = Redacted.quick + ["--preset", "ultrafast"]

    /// Whether the file is a whole copy: every frame can be decoded.
    private func isWhole(_ file: String, frames: Int) throws -> Bool {
        let text = try Tool.ffprobe([
            "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", file,
        ])
        return text.split(separator: "\n").first.map(String.init) == "\(frames)"
    }

    @Test func `killed at any moment, there is a whole output or none, and the next run clears up`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 20, tones: 1, Clip.h264 + Clip.sound)
        let output = folder.file("out.mp4")
        // An encoder that takes its time, so that many signals come while there is an unfinished file.
        let arguments = ["redact", input, "-o", output, "-q"] + Redacted.quick + ["--preset", "veryslow"]
        var whole = Duration.seconds(60)
        for _ in 0..<2 {
            let start = ContinuousClock.now
            let run = try BuiltVeil.run(arguments)
            #expect(run.status == 0, "\(run)")
            whole = min(whole, ContinuousClock.now - start)
            unlink(output)
        }
        let most = Double(whole.components.attoseconds) / 1e12 + Double(whole.components.seconds) * 1e6
        var random = Numbers(11)
        var (killed, finished, left) = (0, 0, 0)
        for kill in 0..<Self.kills {
            let signal = [SIGINT, SIGTERM, SIGKILL][kill % 3]
            let before = folder.leftovers
            let run = try BuiltVeil.start(arguments)
            // Anywhere in the run, or, two times out of three, from the moment on at which the unfinished file is there.
            let share = Double.random(in: 0...1, using: &random)
            if kill % 9 < 3 {
                usleep(UInt32(share * 1.1 * most))
            } else {
                // It comes and goes once, when the name is looked at, before it comes to stay.
                _ = run.waits(seconds: 120) {
                    folder.leftovers.contains { !before.contains($0) && FileBytes.size(folder.file($0)) > 0 }
                }
                usleep(UInt32(share * 0.1 * most))
            }
            run.send(signal)
            let result = try run.finish()
            #expect(!result.timedOut, "\(result)")
            let parts = folder.leftovers
            // Each run clears up after the one before, so that never more than one is there.
            #expect(parts.count <= 1)
            if result.status == 0 {
                finished += 1
            } else {
                killed += 1
                if !parts.isEmpty { left += 1 }
                // The others clear up after themselves, unless they end before they have begun.
                #expect(signal == SIGKILL || parts.isEmpty || parts == before, "\(result) \(folder.names)")
                #expect(result.errorLines.count <= 1, "\(result)")
            }
            if FileBytes.exists(output) {
                #expect(try isWhole(output, frames: 20), "kill \(kill)")
                unlink(output)
            } else {
                #expect(result.status != 0, "\(result)")
            }
        }
        #expect(try BuiltVeil.run(["redact", input, "-o", output, "-q"] + Self.flags).status == 0)
        #expect(folder.names == ["in.mp4", "out.mp4"])
        print(
            "kill test: \(Self.kills) signals, \(killed) runs ended by them, \(finished) were done before; "
                + "\(left) left an unfinished file, all removed by the next run; 0 partial outputs")
    }

    @Test func `what a killed run left is removed by the next one only if it is of the same output`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 2)
        let stale = [".out.mp4.1a2b3c4d.veil-part", ".out.mp4.0.veil-part"]
        let others = [
            ".other.mp4.1a2b3c4d.veil-part", ".out.mp4.veil-part", ".out.mp4.1a2b3c4d5.veil-part",
            ".out.mp4.xyz.veil-part", ".out.mp4.1.mp4.1.veil-part", "out.mp4.1a2b3c4d.veil-part",
        ]
        for name in stale + others { try FileBytes.write([1], to: folder.file(name)) }
        symlink("in.mp4", folder.file(".out.mp4.2.veil-part"))
        mkdir(folder.file(".out.mp4.3.veil-part"), 0o700)
        mkfifo(folder.file(".out.mp4.4.veil-part"), 0o600)
        let run = try BuiltVeil.run(["redact", input, "-o", folder.file("out.mp4"), "-q"] + Self.flags)
        #expect(run.status == 0 && !run.timedOut, "\(run)")
        let kept = [".out.mp4.2.veil-part", ".out.mp4.3.veil-part", ".out.mp4.4.veil-part"]
        #expect(folder.names == (others + kept + ["in.mp4", "out.mp4"]).sorted())
    }

    @Test(arguments: [true, false])
    func `two runs on one output don't disturb each other`(force: Bool) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 20)
        let output = folder.file("out.mp4")
        let arguments = ["redact", input, "-o", output, "-q"] + Redacted.quick + (force ? ["--force"] : [])
        let slow = try BuiltVeil.start(arguments + ["--preset", "veryslow"])
        let isUnderWay = slow.waits(seconds: 120) { !folder.leftovers.isEmpty || FileBytes.exists(output) }
        #expect(isUnderWay)
        // Whoever comes second must not take the first one's file for a stale one.
        let runs = try [slow] + (0..<3).map { _ in try BuiltVeil.start(arguments + ["--preset", "ultrafast"]) }
        let results = try runs.map { try $0.finish() }
        let done = results.filter { $0.status == 0 }
        #expect(force ? done.count == results.count : done.count == 1, "\(results)")
        for result in results where result.status != 0 {
            #expect(result.errorLines.count == 1 && result.errors.contains("exist"), "\(result)")
        }
        #expect(try isWhole(output, frames: 20))
        #expect(folder.names == ["in.mp4", "out.mp4"])
    }

    @Test func `a worker ends with the program that started it`() throws {
        let folder = try TemporaryFolder()
        // So long that it is certainly still at work when the signal comes.
        let input = try Clip.make(in: folder, "in.mp4", frames: 150, before: ["-stream_loop", "-1"])
        let second = try Clip.make(in: folder, "second.mp4", frames: 2)
        for signal in [SIGTERM, SIGKILL] {
            let run = try BuiltVeil.start(["redact", input, second] + Redacted.quick + ["--preset", "veryslow"])
            #expect(run.waits(seconds: 120) { run.errorsSoFar.contains("analysing") })
            run.send(signal)
            #expect(try run.finish().status == (signal == SIGKILL ? 137 : 130))
            usleep(300_000)
            #expect(!FileBytes.exists(folder.file("in.redacted.mp4")))
            #expect(!FileBytes.exists(folder.file("second.redacted.mp4")))
            // The lock of a file that is still being written would keep it from being removed.
            let next = try BuiltVeil.run(["redact", input, "-q"] + Self.flags)
            #expect(next.status == 0 && folder.leftovers.isEmpty, "\(next)")
            unlink(folder.file("in.redacted.mp4"))
        }
    }
}

import Glibc
import Testing
import VeilTestSupport

/// Trials of the running program that take all of the machine: one at a time.
@Suite(.serialized) enum LiveTrials {}

extension LiveTrials {
    /// That `veil live` shows no face while something goes wrong, on the running program. Each case is played a second time
    /// with `--fail-open`, which takes the guard away: the face has to show then, or the case would prove nothing.
    @Suite struct NeverBareTests {
        private static let left = Result { try StillScene(x: 60) }
        private static let right = Result { try StillScene(x: 480) }
        private static let elsewhere = Result { try StillScene(x: 480, wall: 2) }

        /// A search that is soon done. It counts for long, so that a busy machine gets to see an uncovered picture at all.
        private static let easy = ["--threads", "1", "--detect-size", "320", "--max-age", "20"]

        private func flags(failsOpen: Bool, _ more: [String] = easy) -> [String] {
            more + (failsOpen ? ["--fail-open"] : [])
        }

        /// Feeds a scene until its face was covered and nothing else was, in several pictures in a row.
        private func settle(_ live: LiveRun, on scene: StillScene, _ seen: inout Sightings) throws {
            let isCalm = try live.play(scene) {
                seen.add(try live.newPictures())
                return seen.calmInARow >= 5
            }
            #expect(isCalm, "the face was never found: \(seen) \(live.program.errorsSoFar)")
        }

        private func finish(_ live: LiveRun, _ seen: inout Sightings) throws -> ToolResult {
            live.endFeed()
            let result = try live.finish()
            seen.add(try live.newPictures())
            #expect(result.status == 0, "\(result)")
            return result
        }

        @Test(arguments: [false, true])
        func `a program that stood still shows nothing before it has looked again`(failsOpen: Bool) throws {
            let (before, after) = (try Self.left.get(), try Self.right.get())
            let live = try LiveRun(flags(failsOpen: failsOpen))
            var seen = Sightings(of: [before, after])
            try settle(live, on: before, &seen)
            var awake = Sightings(of: [before, after])
            live.program.send(SIGSTOP)
            usleep(1_500_000)
            // Meanwhile somebody has moved; the pictures' own numbers go on as if no time had passed.
            live.program.send(SIGCONT)
            try settle(live, on: after, &awake)
            let result = try finish(live, &awake)
            if failsOpen {
                #expect(awake.bare > 0, "\(awake) \(result)")
            } else {
                #expect(seen.bare == 0 && awake.bare == 0, "\(seen) \(awake) \(result)")
                #expect(awake.whole > 0)
            }
        }

        @Test(arguments: [false, true], [0, 4])
        func `a new scene shows nothing before it was looked at, on a busy machine too`(failsOpen: Bool, load: Int)
            throws
        {
            let (before, after) = (try Self.left.get(), try Self.elsewhere.get())
            let busy = try (0..<load).map { _ in try Tool.start(["sh", "-c", "while :; do :; done"]) }
            defer {
                for program in busy {
                    program.send(SIGKILL)
                    _ = try? program.finish(timeout: 10)
                }
            }
            let live = try LiveRun(flags(failsOpen: failsOpen))
            var seen = Sightings(of: [before, after])
            try settle(live, on: before, &seen)
            var cut = Sightings(of: [before, after])
            try settle(live, on: after, &cut)
            let result = try finish(live, &cut)
            if failsOpen {
                #expect(seen.bare + cut.bare > 0 && cut.bare > 0, "\(seen) \(cut) \(result)")
            } else {
                #expect(seen.bare == 0 && cut.bare == 0, "\(seen) \(cut) \(result)")
                #expect(cut.whole > 0)
            }
        }

        @Test(arguments: [false, true])
        func `a busy machine covers too much rather than too little`(failsOpen: Bool) throws {
            let scene = try Self.left.get()
            let busy = try (0..<4).map { _ in try Tool.start(["sh", "-c", "while :; do :; done"]) }
            defer {
                for program in busy {
                    program.send(SIGKILL)
                    _ = try? program.finish(timeout: 10)
                }
            }
            // As it is out of the box: the machine may be too slow for it, and then the picture stays covered.
            let live = try LiveRun(flags(failsOpen: failsOpen, []))
            var seen = Sightings(of: [scene])
            try live.play(scene, frames: 75)
            let result = try finish(live, &seen)
            #expect(seen.pictures > 0)
            #expect(failsOpen ? seen.bare > 0 : seen.bare == 0, "\(seen) \(result)")
        }

        /// MPEG-TS packets are 188 bytes; one of 331 has another payload, and one of 487 is not there. A picture has some 100.
        private func damaged(_ clip: String) throws -> [UInt8] {
            let bytes = try FileBytes.read(clip)
            var result: [UInt8] = []
            let start = bytes.count / 188 / 5
            for index in 0..<bytes.count / 188 {
                var packet = Array(bytes[index * 188..<(index + 1) * 188])
                // The first second comes through: without tables and a first picture there is nothing to play.
                if index > start, index % 487 == 0 { continue }
                if index > start, index % 331 == 0 {
                    for i in 20..<188 { packet[i] = UInt8(truncatingIfNeeded: i &* 37) }
                }
                result += packet
            }
            return result
        }

        @Test(arguments: [false, true])
        func `a stream with broken packets shows no face`(failsOpen: Bool) throws {
            let folder = try TemporaryFolder()
            let scene = try Self.left.get()
            let clip = try scene.clip("in.ts", in: folder, seconds: 6, Clip.h264 + ["-g", "12", "-bf", "0"])
            try FileBytes.write(try damaged(clip), to: folder.file("broken.ts"))
            let live = try LiveRun(flags(failsOpen: failsOpen), from: .file(folder.file("broken.ts")))
            var seen = Sightings(of: [scene])
            let result = try live.finish()
            seen.add(try live.newPictures())
            #expect(result.status == 0, "\(result)")
            #expect(!result.errors.contains("\"broken\":0,"), "no picture was broken: \(result)")
            #expect(seen.pictures > 50, "\(seen) \(result)")
            #expect(failsOpen ? seen.bare > 0 : seen.bare == 0, "\(seen) \(result)")
        }
    }
}

import Glibc
import Testing
import VeilTestSupport

extension LiveTrials {
    /// `veil live` over real connections on this machine: FFmpeg is the other end.
    @Suite struct LiveNetworkTests {
        private static let left = Result { try StillScene(x: 60) }
        private static let right = Result { try StillScene(x: 480) }
        private static let easy = [
            "--threads", "1", "--detect-size", "320", "--max-age", "20", "--preset", "ultrafast",
        ]
        private static let ffmpeg = ["ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-y"]

        /// What ffmpeg can't do here can't be tried with it.
        private static let protocols: Set<String> = {
            let listed = try? Tool.run(["ffmpeg", "-hide_banner", "-protocols"]).text
            return Set((listed ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
        }()

        /// A scene with a tone.
        private func clip(_ scene: StillScene, _ name: String, seconds: Int = 4, in folder: TemporaryFolder) throws
            -> String
        {
            let picture = try scene.clip(
                "picture-" + name, in: folder, seconds: 4, Clip.h264 + ["-g", "12", "-bf", "0"])
            let file = folder.file(name)
            try Tool.ffmpeg(
                [
                    "-stream_loop", "-1", "-i", picture, "-f", "lavfi", "-i", "sine=r=48000", "-t", "\(seconds)",
                    "-c:v", "copy",
                ]
                    + Clip.sound + [file])
            return file
        }

        private func send(_ clip: String, _ output: [String]) throws -> Tool.Running {
            try Tool.start(Self.ffmpeg + ["-re", "-stream_loop", "-1", "-i", clip, "-c", "copy"] + output)
        }

        private func end(_ running: Tool.Running) {
            running.send(SIGKILL)
            _ = try? running.finish(timeout: 10)
        }

        /// Waits until pictures have come out in which the face, and only the face, was covered.
        private func waitForCalm(_ live: LiveRun, _ seen: inout Sightings) throws -> Bool {
            try live.wait {
                seen.add(try live.newPictures())
                return seen.calmInARow >= 5
            }
        }

        private func interrupt(_ live: LiveRun, _ seen: inout Sightings) throws -> ToolResult {
            live.program.send(SIGTERM)
            let result = try live.finish()
            seen.add(try live.newPictures())
            #expect(result.status == 0, "\(result)")
            return result
        }

        // MARK: A source that goes away

        @Test(arguments: [false, true])
        func `a source that went away and came back shows nothing that wasn't looked at`(failsOpen: Bool) throws {
            let folder = try TemporaryFolder()
            let (left, right) = (try Self.left.get(), try Self.right.get())
            let clips = (try clip(left, "left.mkv", in: folder), try clip(right, "right.mkv", in: folder))
            let recording = folder.file("rec.mkv")
            let port = try FreePort.take()
            let address = ["-f", "mpegts", "tcp://127.0.0.1:\(port)?listen=1"]
            let first = try send(clips.0, address)
            defer { end(first) }
            let live = try LiveRun(
                Self.easy + ["--reconnect", "-o", recording] + (failsOpen ? ["--fail-open"] : []),
                from: .named("tcp://127.0.0.1:\(port)"))
            var seen = Sightings(of: [left, right])
            #expect(try waitForCalm(live, &seen), "\(seen) \(live.program.errorsSoFar)")
            // Unplugged.
            end(first)
            var away = Sightings(of: [left, right])
            let isAway = try live.wait {
                away.add(try live.newPictures())
                return failsOpen ? live.program.errorsSoFar.contains("waiting for it") : away.wholeInARow >= 5
            }
            #expect(isAway, "\(away) \(live.program.errorsSoFar)")
            // Plugged in again, and somebody has moved.
            let second = try send(clips.1, address)
            defer { end(second) }
            var back = Sightings(of: [right])
            let isBack = try live.wait {
                let shown = try live.newPictures()
                back.add(shown)
                away.add(shown)
                return failsOpen ? back.bare > 0 : back.calmInARow >= 5
            }
            #expect(isBack, "\(back) \(live.program.errorsSoFar)")
            let result = try interrupt(live, &away)
            guard !failsOpen else { return }
            #expect(seen.bare == 0 && away.bare == 0, "\(seen) \(away) \(result)")
            // All of it is in one recording, in one run of time.
            let times = try Probe.times(recording)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
            let recorded = try RawPictures(recording)
            var played = Sightings(of: [left, right])
            for frame in 0..<recorded.count { played.add([recorded.picture(frame)]) }
            #expect(played.bare == 0 && played.whole >= 5 && played.pictures - played.whole >= 10, "\(played)")
            #expect(result.errors.components("waiting for it") <= 2, "it says so again and again: \(result)")
        }

        @Test func `a source that never comes back doesn't keep the program from ending`() throws {
            let folder = try TemporaryFolder()
            let recording = folder.file("rec.mkv")
            let live = try LiveRun(Self.easy + ["-o", recording])
            let scene = try Self.left.get()
            var seen = Sightings(of: [scene])
            let isCalm = try live.play(scene) {
                seen.add(try live.newPictures())
                return seen.calmInARow >= 5
            }
            #expect(isCalm)
            // The pipe stays open, and nothing comes any more.
            let result = try interrupt(live, &seen)
            #expect(!result.timedOut)
            let length = try Tool.ffprobe(["-show_entries", "format=duration", "-of", "csv=p=0", recording])
            #expect(Double(length.filter { $0 != "\n" }) ?? 0 > 0, "the recording wasn't ended: \(length)")
        }

        // MARK: Both ways

        @Test(arguments: ["rtmp", "rtsp", "srt", "http", "udp"])
        func `a stream from the network is covered`(kind: String) throws {
            guard kind == "rtsp" || Self.protocols.contains(kind) else { return }
            let folder = try TemporaryFolder()
            let scene = try Self.left.get()
            let clip = try clip(scene, "in.mkv", in: folder)
            let port = try FreePort.take(["srt", "udp"].contains(kind) ? SOCK_DGRAM : SOCK_STREAM)
            let host = "\(kind)://127.0.0.1:\(port)"
            let (output, input) =
                switch kind {
                case "rtmp": (["-f", "flv", "-listen", "1", host + "/live/x"], host + "/live/x")
                case "rtsp": ([], host + "/clip")
                case "srt": (["-f", "mpegts", host + "?mode=listener"], host)
                case "http": (["-f", "mpegts", "-listen", "1", host + "/x.ts"], host + "/x.ts")
                default: (["-f", "mpegts", host + "?pkt_size=1316"], host)
                }
            // FFmpeg can't serve RTSP.
            let camera = ["python3", Places.checkout + "/Tests/live/rtsp.py", clip, "\(port)"]
            let sender = try kind == "rtsp" ? Tool.start(camera) : send(clip, output)
            defer { end(sender) }
            // Whoever of the two is there first: it is tried again.
            let recording = folder.file("rec.mkv")
            let live = try LiveRun(Self.easy + ["--reconnect", "-o", recording], from: .named(input))
            var seen = Sightings(of: [scene])
            #expect(try waitForCalm(live, &seen), "\(seen) \(live.program.errorsSoFar) \(sender.errorsSoFar)")
            let result = try interrupt(live, &seen)
            #expect(seen.bare == 0, "\(seen) \(result)")
            let probe = try Probe(recording)
            #expect(probe.indices("video").count == 1 && probe.indices("audio").count == (kind == "rtsp" ? 0 : 1))
            #expect(try RawPictures(recording).count >= 5)
        }

        /// Where the covered picture is sent, and how ffmpeg takes it.
        private static let receivers: [(kind: String, input: [String], path: String, query: String)] = [
            ("rtmp", ["-listen", "1"], "/live/x", ""), ("rtsp", ["-rtsp_flags", "listen"], "/live.sdp", ""),
            ("srt", [], "", "?mode=listener"), ("udp", [], "", "?timeout=60000000"),
        ]

        @Test(arguments: receivers.map(\.kind))
        func `the covered picture is sent over the network, with the sound`(kind: String) throws {
            let receiver = try #require(Self.receivers.first { $0.kind == kind })
            guard kind == "rtsp" || Self.protocols.contains(kind) else { return }
            let folder = try TemporaryFolder()
            let scene = try Self.left.get()
            // Longer than it takes; it is interrupted.
            let clip = try clip(scene, "in.mkv", seconds: 150, in: folder)
            let port = try FreePort.take(["srt", "udp"].contains(kind) ? SOCK_DGRAM : SOCK_STREAM)
            let address = "\(kind)://127.0.0.1:\(port)\(receiver.path)"
            let received = folder.file("received.mkv")
            let taker = try Tool.start(
                Self.ffmpeg + receiver.input + ["-i", address + receiver.query, "-c", "copy", received])
            defer { end(taker) }
            let live = try LiveRun(Self.easy + ["-o", address, "--crf", "5"], from: .named(clip))
            var seen = Sightings(of: [scene])
            let hasCome = try live.wait {
                seen.add(try live.newPictures())
                return seen.calmInARow >= 5 && FileBytes.size(received) > 100_000
            }
            #expect(hasCome, "\(seen) \(live.program.errorsSoFar) \(taker.errorsSoFar)")
            let result = try interrupt(live, &seen)
            if kind == "udp" { taker.send(SIGINT) }
            _ = try taker.finish(timeout: LiveRun.limit)
            let pictures = try RawPictures(received)
            var came = Sightings(of: [scene])
            for frame in 0..<pictures.count { came.add([pictures.picture(frame)]) }
            #expect(came.pictures > 5 && came.pictures > came.whole && came.bare == 0, "\(came) \(result)")
        }

        @Test func `an HLS folder can be played back`() throws {
            let folder = try TemporaryFolder()
            let scene = try Self.left.get()
            let clip = try clip(scene, "in.mkv", in: folder)
            #expect(mkdir(folder.file("web"), 0o755) == 0)
            let list = folder.file("web/list.m3u8")
            let result = try BuiltVeil.run(["live", "-i", clip, "-o", list, "--stats", "json"] + Self.easy)
            #expect(result.status == 0, "\(result)")
            #expect(String(decoding: try FileBytes.read(list), as: UTF8.self).contains("#EXT-X-ENDLIST"))
            let played = folder.file("played.mkv")
            try Tool.ffmpeg(["-i", list, "-c", "copy", played])
            let probe = try Probe(played)
            #expect(probe.indices("video").count == 1 && probe.indices("audio").count == 1)
            let pictures = try RawPictures(played)
            #expect(result.text.contains("\"shown\":\(pictures.count),"), "\(pictures.count): \(result.text)")
            var came = Sightings(of: [scene])
            for frame in 0..<pictures.count { came.add([pictures.picture(frame)]) }
            #expect(came.bare == 0)
        }

        // MARK: Devices

        @Test func `the devices that are there are listed, and a missing camera is told of`() throws {
            let result = try BuiltVeil.run(["live", "--list-devices"])
            #expect(result.status == 0 && result.errors == "", "\(result)")
            let lines = result.text.split(separator: "\n").map(String.init)
            let cameras = lines.prefix { $0 != "sound (--mic)" }
            #expect(cameras.first == "cameras (--input)" && cameras.count < lines.count, "\(lines)")
            let isCamera = cameras.contains { $0.hasPrefix("/dev/video") }
            #expect(isCamera != cameras.contains("  none"), "\(lines)")
            // ALSA's own null device is there wherever ALSA's library is.
            #expect(lines.contains { $0.hasPrefix("alsa:null") }, "\(lines)")
            guard !isCamera else { return }
            let none = try BuiltVeil.run(["live", "-o", "-"])
            #expect(
                none.status == 1 && none.output.isEmpty && none.errors.contains("there is no camera here"), "\(none)")
            #expect(none.errors.contains("--list-devices"))
        }
    }

}
extension String {
    /// How often a text is in it.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}

import Testing
import VeilTestSupport

/// Sound whose times jump, and times that no clip has.
@Suite struct SoundJumpTests {
    /// Five seconds with a tone, in Matroska.
    private func clip(in folder: TemporaryFolder, sound: [String], clusters: Int = 30_000) throws -> String {
        let file = folder.file("plain.mkv")
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc=s=160x90:r=10:d=5", "-f", "lavfi", "-i", "sine=f=440:r=48000:d=5",
                "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
            ] + sound + ["-cluster_time_limit", "\(clusters)", file])
        return file
    }

    /// Loudest sample of each tenth of a second.
    private func loudness(_ file: String) throws -> [Int] {
        let bytes = try Tool.ffmpeg(["-i", file, "-map", "0:a:0", "-ac", "1", "-ar", "8000", "-f", "s16le", "-"]).output
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
            abs(Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)))
        }
        return stride(from: 0, to: samples.count, by: 800).map { samples[$0..<min(samples.count, $0 + 800)].max() ?? 0 }
    }

    @Test(arguments: [60, 150, 500, 1500])
    func `sound that jumps back once is heard to its end`(jump: Int) throws {
        let folder = try TemporaryFolder()
        var file = try Matroska(clip(in: folder, sound: ["-c:a", "aac"]))
        file.move(track: 2, from: 100, by: -jump)
        let input = folder.file("in.mkv")
        try file.write(to: input)
        let times = try Probe.times(input, stream: "a:0").map(\.seconds)
        try #require(zip(times, times.dropFirst()).count { $1 < $0 } == 1)
        let redacted = try Redacted(input, to: "out.webm", in: folder, ["--untouched", "encode"], preset: "8")
        redacted.expectDone()
        let tone = try loudness(redacted.output)
        let least = (tone.max() ?? 0) / 2
        #expect(least > 500 && tone.dropFirst().dropLast(2).allSatisfy { $0 > least }, "\(tone)")
        // What overlaps is left out once; what begins anew follows.
        let expected = jump > 1000 ? 50 : 50 - jump / 100
        #expect(abs(tone.count - expected) <= 2, "\(tone.count)")
    }

    @Test(arguments: ["mp4", "webm", "mkv", "avi", "ts"], [1 << 59, 1 << 53, 1 << 62, 1 << 63] as [UInt64])
    func `a cluster with a time beyond all clips brings nothing down`(container: String, time: UInt64) throws {
        let folder = try TemporaryFolder()
        for (number, sound) in [["-c:a", "pcm_s16le"], ["-c:a", "libopus"]].enumerated() {
            var file = try Matroska(clip(in: folder, sound: sound, clusters: 500))
            try #require(file.clusters.count > 3)
            try file.setTime(ofCluster: 3, to: time)
            let input = folder.file("in.mkv")
            try file.write(to: input)
            let redacted = try Redacted(
                input, to: "out\(number)." + container, in: folder,
                ["--untouched", "encode"] + (container == "avi" ? ["--codec", "mjpeg"] : []),
                preset: container == "webm" ? "8" : container == "avi" ? nil : "ultrafast")
            #expect([0, 1].contains(redacted.run.status) && !redacted.run.timedOut, "\(redacted.run)")
            #expect(folder.leftovers.isEmpty)
        }
    }
}

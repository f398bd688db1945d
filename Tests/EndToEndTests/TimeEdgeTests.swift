import Testing
import VeilTestSupport

/// Times that files have and shouldn't.
@Suite struct TimeEdgeTests {
    @Test(arguments: ["mkv", "mp4"])
    func `time stamps of 400 hours are kept`(container: String) throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(in: folder, "plain.mp4", tones: 1, Clip.h264 + Clip.sound)
        let input = folder.file("in." + container)
        try Tool.ffmpeg(["-i", plain, "-c", "copy", "-output_ts_offset", "1440000", input])
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        try redacted.expectSameTimes()
        #expect(try #require(try Probe.times(redacted.output).first).seconds > 1_439_000)
        try redacted.expectCopied("a:0", as: "a:0")
    }

    @Test(arguments: [("15/1.001", 1001, 15000), ("23.976", 1001, 24000), ("1/3600 fps", 3600, 1)])
    func `odd frame rates are kept`(rate: (name: String, step: Int, scale: Int)) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", frames: 6, filter: "settb=1/\(rate.scale),setpts=N*\(rate.step),format=yuv420p",
            Clip.h264 + [
                "-fps_mode", "passthrough", "-enc_time_base", "1/\(rate.scale)", "-video_track_timescale",
                "\(rate.scale)",
            ])
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        try redacted.expectSameTimes()
    }

    /// Intra pictures in Matroska, one of which has the time of another, or an earlier one than the one before.
    @Test(arguments: [("duplicated", "if(eq(N,3),PTS-40,PTS)"), ("backwards", "if(eq(N,5),PTS-60,PTS)")])
    func `no frame is lost to broken times`(form: (name: String, times: String)) throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(in: folder, "plain.mkv", Look.ffv1)
        let input = folder.file("in.mkv")
        try Tool.ffmpeg(["-i", plain, "-c:v", "mjpeg", "-q:v", "2", "-bsf:v", "setts=pts='\(form.times)'", input])
        let redacted = try Redacted(input, to: "out.mkv", in: folder, preset: nil)
        redacted.expectDone()
        let after = try Probe.times(redacted.output).map(\.seconds)
        #expect(after.count == 8 && zip(after, after.dropFirst()).allSatisfy { $0 < $1 })
        try redacted.expectFaceGone()
    }

    /// A transport stream that was cut in the middle of an open group of pictures.
    @Test(arguments: [25, 40, 55])
    func `a stream that begins in mid-group shows what a player shows`(percent: Int) throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(
            in: folder, "whole.ts", frames: 20, filter: "format=yuv420p",
            [
                "-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-x264-params",
                "open-gop=1:keyint=6:min-keyint=6:scenecut=0",
            ])
        let bytes = try FileBytes.read(whole)
        let input = folder.file("in.ts")
        try FileBytes.write(bytes[(bytes.count / 188 * percent / 100 * 188)...], to: input)
        let redacted = try Redacted(input, to: "out.ts", in: folder, ["--on-error", "cover"])
        redacted.expectDone()
        let (before, after) = (try Probe.times(input), try Probe.times(redacted.output))
        // Frames that can't be decoded for want of those before them may be there too, covered whole.
        #expect(!before.isEmpty && Set(before).isSubset(of: Set(after)))
        let (a, b) = (try RawPictures(input), try RawPictures(redacted.output))
        let skipped = 20 - a.count
        for (frame, time) in before.enumerated() where frame >= 3 {
            guard let other = after.firstIndex(of: time) else { continue }
            let left = a.detailLeft(in: b, frame: frame, otherFrame: other, box: Portrait.face(frame + skipped))
            #expect(left < 0.15, "frame \(frame)")
        }
    }

    /// Shorter than what decoder and encoder hold back.
    @Test(arguments: ["ts", "mp4"])
    func `frames that are still held at the end come out`(container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, frames: 5,
            ["-c:v", "libx264", "-preset", "slow", "-bf", "3", "-x264-params", "rc-lookahead=60"])
        let redacted = try Redacted(input, to: "out." + container, in: folder, preset: "slow")
        redacted.expectDone()
        try redacted.expectSameTimes()
    }
}

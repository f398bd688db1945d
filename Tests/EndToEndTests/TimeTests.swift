import Testing
import VeilTestSupport

/// Frames at unusual times.
struct Timing: Sendable, CustomTestStringConvertible {
    var name: String
    var filter: String
    var output: [String] = []
    var frames = 8
    var tones = 1
    var sound = "anull"
    var testDescription: String { name }

    private static let passing = ["-fps_mode", "passthrough"]
    static let ticks = passing + ["-video_track_timescale", "90000"]

    static let all: [Timing] = [
        Timing(name: "24000/1001 fps", filter: "settb=1/24000,setpts=N*1001", output: passing + ["-video_track_timescale", "24000"]),
        Timing(name: "30 then 10 fps", filter: "settb=1/90000,setpts='if(lt(N,4),N*3000,12000+(N-4)*9000)'", output: ticks),
        Timing(name: "jitter", filter: "settb=1/90000,setpts='N*3600+mod(N*7919,701)'", output: ticks),
        Timing(name: "one frame a second", filter: "settb=1/90000,setpts=N*90000", output: ticks, frames: 4),
        Timing(name: "240 fps", filter: "settb=1/90000,setpts=N*375", output: ticks, frames: 12),
        Timing(name: "starts at 0.5 s", filter: "null", output: ["-output_ts_offset", "0.5"]),
        Timing(name: "starts at 100 s", filter: "null", output: ["-output_ts_offset", "100"]),
        Timing(name: "a start offset of 37 ticks", filter: "settb=1/90000,setpts=37+N*3600", output: ticks),
        Timing(name: "picture later than sound", filter: "setpts=PTS+0.4/TB", output: passing),
        Timing(name: "sound later than picture", filter: "null", sound: "asetpts=PTS+0.4/TB"),
        Timing(name: "B-frames", filter: "null", output: ["-bf", "3", "-preset", "veryfast"], frames: 12),
        Timing(name: "one frame", filter: "null", frames: 1),
        Timing(name: "two frames", filter: "null", frames: 2),
        Timing(name: "three frames", filter: "null", output: ["-bf", "2", "-preset", "veryfast"], frames: 3),
        Timing(name: "no sound", filter: "null", tones: 0),
    ]
}

@Suite struct TimeTests {
    @Test(arguments: Timing.all, ["mp4", "mov", "mkv", "ts", "nut"])
    func `each frame keeps its own time, and sound stays in step`(timing: Timing, container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + container, frames: timing.frames, filter: timing.filter + ",format=yuv420p",
            tones: timing.tones, ["-af", timing.sound] + Clip.h264 + Clip.sound + timing.output)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        try redacted.expectSameTimes()
        #expect(try Probe.times(redacted.output).count == timing.frames)
        if timing.tones > 0 { try redacted.expectCopied("a:0", as: "a:0") }
    }

    @Test(arguments: Timing.all, ["mkv", "mov", "ts", "avi", "webm"])
    func `frames keep their times in another container too`(timing: Timing, container: String) throws {
        // AVI counts frames from zero: it holds no gaps shorter than a frame and no late start.
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", frames: timing.frames, filter: timing.filter + ",format=yuv420p", tones: timing.tones,
            ["-af", timing.sound] + Clip.h264 + Clip.sound + timing.output)
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, preset: container == "webm" ? "8" : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let count = try Probe.times(redacted.output).count
        #expect(count == timing.frames)
        try redacted.expectSameTimes(exactly: false)
        if timing.tones > 0 && container != "webm" { try redacted.expectCopied("a:0", as: "a:0", exactly: false) }
    }

    @Test(arguments: ["mp4", "mkv", "ts"])
    func `frames that an edit list hides stay hidden`(container: String) throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "whole.mp4", frames: 16, tones: 1, Clip.h264 + Clip.sound + ["-bf", "2"])
        let input = folder.file("in.mp4")
        try Tool.ffmpeg(["-ss", "0.2", "-i", whole, "-c", "copy", input])
        let shown = try Probe.times(input)
        let packets = try Probe.packets(input, stream: "V:0")
        try #require(shown.count < packets.count)
        let redacted = try Redacted(input, to: "out." + container, in: folder)
        redacted.expectDone()
        try redacted.expectSameTimes(exactly: container == "mp4")
        let skipped = 16 - shown.count
        try redacted.expectFaceGone(
            face: { Portrait.face($0 + skipped) }, around: { Portrait.surroundings($0 + skipped) })
    }

    @Test func `times that start below zero are kept in step`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.nut", frames: 8, filter: "setpts=PTS-0.2/TB,format=yuv420p", tones: 1,
            Clip.h264 + Clip.sound + ["-af", "asetpts=PTS-0.2/TB", "-avoid_negative_ts", "disabled", "-fps_mode", "passthrough"])
        for container in ["mkv", "mp4", "ts"] {
            let redacted = try Redacted(input, to: "out." + container, in: folder)
            redacted.expectDone()
            guard redacted.run.status == 0 else { continue }
            // A container without negative times moves all streams by the same time.
            let (a, b) = (try Probe.times(input), try Probe.times(redacted.output))
            #expect(a.count == b.count)
            let (x, y) = (try Probe.packets(input, stream: "a:0"), try Probe.packets(redacted.output, stream: "a:0"))
            let before = try #require(a.first).seconds - (try #require(x.first?.pts).seconds)
            let after = try #require(b.first).seconds - (try #require(y.first?.pts).seconds)
            #expect(abs(before - after) <= 0.001, "\(container)")
        }
    }
}

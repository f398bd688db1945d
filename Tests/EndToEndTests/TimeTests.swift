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
    /// Frames follow one another at one distance.
    var isEven: Bool { !["30 then 10 fps", "jitter"].contains(name) }
    var testDescription: String { name }

    private static let passing = ["-fps_mode", "passthrough", "-enc_time_base", "1/90000"]
    static let ticks = passing + ["-video_track_timescale", "90000"]

    static let all: [Timing] = [
        Timing(
            name: "24000/1001 fps", filter: "settb=1/24000,setpts=N*1001",
            output: ["-fps_mode", "passthrough", "-enc_time_base", "1/24000", "-video_track_timescale", "24000"]),
        Timing(
            name: "30 then 10 fps", filter: "settb=1/90000,setpts='if(lt(N,4),N*3000,12000+(N-4)*9000)'", output: ticks),
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
    @Test(arguments: Timing.all, ["mp4", "mkv", "ts"])
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

    @Test(arguments: Timing.all, ["mkv", "ts", "avi"])
    func `frames keep their times in another container too`(timing: Timing, container: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", frames: timing.frames, filter: timing.filter + ",format=yuv420p", tones: timing.tones,
            ["-af", timing.sound] + Clip.h264 + Clip.sound + timing.output)
        let redacted = try Redacted(
            input, to: "out." + container, in: folder, preset: "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let count = try Probe.times(redacted.output).count
        #expect(count == timing.frames)
        // Nothing lies before zero in a transport stream: all streams move by the same time.
        let shift = container == "ts" ? try redacted.shift : 0
        if container != "avi" {
            try redacted.expectSameTimes(exactly: false, shifted: shift)
        } else if timing.isEven {
            // AVI counts frames from the file's beginning; ffprobe lets the first begin there in any case.
            let start = Double(try Probe(input).values["format.start_time"] ?? "") ?? 0
            let (a, b) = (try Probe.times(input), try Probe.times(redacted.output))
            for (x, y) in zip(a, b).dropFirst() {
                #expect(abs(x.seconds - max(0, start) - y.seconds) <= 0.021, "\(x) became \(y)")
            }
        }
        if timing.tones > 0 && container != "avi" {
            try redacted.expectCopied("a:0", as: "a:0", exactly: false, sameBytes: container != "ts", shifted: shift)
        }
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
        try redacted.expectSameTimes(exactly: container == "mp4", shifted: container == "ts" ? redacted.shift : 0)
        // What the list hides of the sound isn't heard either; a decoder's run-in stays.
        let (sound, before) = (
            try Probe.packets(redacted.output, stream: "a:0"), try Probe.packets(input, stream: "a:0")
        )
        let first = try #require(sound.first?.pts).seconds - (container == "ts" ? redacted.shift : 0)
        #expect(first >= (container == "mp4" ? try #require(before.first?.pts).seconds : -0.13))
        let skipped = 16 - shown.count
        try redacted.expectFaceGone(
            face: { Portrait.face($0 + skipped) }, around: { Portrait.surroundings($0 + skipped) })
    }
}

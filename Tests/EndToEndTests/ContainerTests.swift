import Testing
import VeilTestSupport

/// A kind of file that people have.
struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var video: [String] = Clip.h264
    var sound: [String] = Clip.sound
    var codec = "h264"
    var exact = true
    var testDescription: String { name }

    static let all: [Kind] = [
        Kind(name: "a.mp4"), Kind(name: "a.mov"), Kind(name: "a.mkv"),
        Kind(name: "a.webm", video: vp9, sound: ["-c:a", "libopus"], codec: "vp9"),
        Kind(name: "a.avi", video: ["-c:v", "mpeg4", "-q:v", "2"], sound: ["-c:a", "libmp3lame"], codec: "mpeg4"),
        Kind(name: "a.ts"),
        Kind(
            name: "a.mpg", video: ["-c:v", "mpeg2video", "-q:v", "2", "-r", "25"], sound: ["-c:a", "mp2"],
            codec: "mpeg2video"),
        Kind(name: "a.m4v", sound: Clip.sound), Kind(name: "a.flv"),
        Kind(name: "b.avi", sound: ["-c:a", "libmp3lame"]),
        Kind(name: "b.mkv", video: vp9, sound: ["-c:a", "libopus"], codec: "vp9"),
        Kind(name: "a.3gp"), Kind(name: "a.m2ts"),
        Kind(name: "b.ts", video: ["-c:v", "mpeg2video", "-q:v", "2"], sound: ["-c:a", "mp2"], codec: "mpeg2video"),
        Kind(name: "a.nut", video: ["-c:v", "ffv1"], sound: ["-c:a", "flac"], codec: "ffv1"),
        Kind(
            name: "a.ogv", video: ["-c:v", "libtheora", "-q:v", "10"], sound: ["-c:a", "libvorbis"], codec: "theora"),
        Kind(
            name: "a.wmv", video: ["-c:v", "wmv2", "-q:v", "2"], sound: ["-c:a", "wmav2"], codec: "wmv2"),
        Kind(
            name: "a.mxf", video: ["-c:v", "mpeg2video", "-q:v", "2"], sound: ["-c:a", "pcm_s16le"], codec: "mpeg2video"
        ),
    ]

    static let vp9 = ["-c:v", "libvpx-vp9", "-crf", "10", "-b:v", "0", "-cpu-used", "8", "-deadline", "realtime"]
}

/// Formats whose encoders have no x264-like preset names.
func preset(for codec: String) -> String? {
    switch codec {
    case "h264", "hevc": "ultrafast"
    case "vp8", "vp9", "av1": "8"
    default: nil
    }
}

@Suite struct ContainerTests {
    @Test(arguments: Kind.all)
    func `a clip keeps its frames, times and sound, and loses the face`(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, kind.name, tones: 1, kind.video + kind.sound)
        let redacted = try Redacted(input, to: "out." + kind.name, in: folder, preset: preset(for: kind.codec))
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        #expect(try Probe(redacted.output).picture("codec_name") == kind.codec)
        try redacted.expectSameTimes(exactly: kind.exact)
        try redacted.expectCopied("a:0", as: "a:0", exactly: kind.exact)
        try redacted.expectFaceGone()
        #expect(folder.leftovers.isEmpty)
    }

    @Test(arguments: ["out.mov", "out.mkv", "out.ts", "out.m4v", "out.flv", "out.avi", "out.webm", "out.nut"])
    func `a clip can go into another container`(name: String) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in.mp4", filter: "setpts=N*1001/30000/TB,format=yuv420p", tones: 1,
            ["-fps_mode", "passthrough", "-enc_time_base", "1/30000", "-video_track_timescale", "30000"] + Clip.h264
                + Clip.sound)
        let redacted = try Redacted(input, to: name, in: folder, preset: name == "out.webm" ? "8" : "ultrafast")
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        // The run-in of sound lies before zero: where that can't be, all streams move by the same time.
        let shift = ["out.ts", "out.flv", "out.nut"].contains(name) ? try redacted.shift : 0
        try redacted.expectSameTimes(exactly: false, shifted: shift)
        if name == "out.webm" {
            #expect(redacted.says("h264 becomes vp9") || redacted.says("h264 becomes av1"))
            #expect(redacted.notes.contains { $0.contains("sound") && $0.contains("aac") })
            #expect(try Probe(redacted.output).indices("audio").count == 1)
        } else if name != "out.avi" {
            try redacted.expectCopied(
                "a:0", as: "a:0", exactly: false, sameBytes: name != "out.ts", shifted: shift)
        }
        try redacted.expectFaceGone()
    }

    @Test func `the measure of detail tells a face from none`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mkv", frames: 4)
        let again = try Clip.make(in: folder, "again.mkv", frames: 4, ["-c:v", "mpeg4", "-q:v", "4"])
        let blurred = try Clip.make(in: folder, "blur.mkv", frames: 4, filter: "gblur=sigma=10,format=yuv420p")
        let picture = try RawPictures(input)
        for frame in 0..<4 {
            #expect(picture.detailLeft(in: picture, frame: frame, box: Portrait.face(frame)) > 0.999)
            #expect(try picture.detailLeft(in: RawPictures(again), frame: frame, box: Portrait.face(frame)) > 0.8)
            #expect(try picture.detailLeft(in: RawPictures(blurred), frame: frame, box: Portrait.face(frame)) < 0.1)
        }
    }
}

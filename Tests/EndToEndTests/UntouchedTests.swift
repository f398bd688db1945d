import Testing
import VeilTestSupport

/// Files in which nothing has to be covered.
@Suite struct UntouchedTests {
    /// Moving colours without a face.
    private func plain(in folder: TemporaryFolder, _ name: String, _ output: [String], frames: Int = 12) throws
        -> String
    {
        let file = folder.file(name)
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc=s=320x180:r=25", "-f", "lavfi", "-i", "sine=r=48000", "-t",
                "\(Double(frames) / 25)",
            ] + output + [file])
        return file
    }

    private static let reordered = [
        "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "6", "-preset", "veryfast", "-c:a", "aac",
    ]

    private func expectSamePackets(_ redacted: Redacted, _ location: SourceLocation = #_sourceLocation) throws {
        for stream in ["V:0", "a:0"] {
            let (a, b) = (
                try Probe.packets(redacted.input, stream: stream), try Probe.packets(redacted.output, stream: stream)
            )
            #expect(!a.isEmpty && a.map(\.hash) == b.map(\.hash), "\(stream)", sourceLocation: location)
            #expect(a.map(\.pts) == b.map(\.pts), "\(stream)", sourceLocation: location)
            #expect(a.map(\.dts) == b.map(\.dts), "\(stream)", sourceLocation: location)
        }
    }

    static let forms: [(String, [String])] = [
        ("mp4", reordered), ("mov", reordered), ("mkv", reordered), ("ts", reordered),
        ("mp4", Look.x265 + ["-pix_fmt", "yuv420p", "-c:a", "aac"]),
        ("webm", Kind.vp9 + ["-pix_fmt", "yuv420p", "-auto-alt-ref", "0", "-lag-in-frames", "0", "-c:a", "libopus"]),
        ("avi", ["-c:v", "mpeg4", "-q:v", "2", "-c:a", "libmp3lame"]),
        ("mov", ["-c:v", "prores_ks", "-pix_fmt", "yuv422p10le", "-c:a", "pcm_s16le"]),
        ("mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p", "-c:a", "flac"]),
        ("mpg", ["-c:v", "mpeg2video", "-q:v", "2", "-bf", "2", "-c:a", "mp2"]),
    ]

    @Test(arguments: forms)
    func `a file without faces comes out with the same packets`(form: (String, [String])) throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in." + form.0, form.1)
        let redacted = try Redacted(input, to: "out." + form.0, in: folder, preset: nil)
        redacted.expectDone()
        #expect(redacted.says("the streams are copied as they are"))
        try expectSamePackets(redacted)
    }

    @Test func `it is encoded when that is asked for, or when the output must be another`() throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in.mp4", Self.reordered)
        let encoded = try Redacted(input, to: "a.mp4", in: folder, ["--untouched", "encode"])
        encoded.expectDone()
        let before = try Probe.packets(input, stream: "V:0")
        #expect(try Probe.packets(encoded.output, stream: "V:0").map(\.hash) != before.map(\.hash))
        try encoded.expectSameTimes()
        let other = try Redacted(input, to: "b.mkv", in: folder)
        other.expectDone()
        #expect(other.says("the container changes"))
        let codec = try Redacted(input, to: "c.mp4", in: folder, ["--codec", "hevc"])
        codec.expectDone()
        #expect(try codec.says("another codec") && Probe(codec.output).picture("codec_name") == "hevc")
    }

    @Test func `it is skipped when that is asked for, and files with faces are not`() throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in.mp4", Self.reordered)
        let skipped = try Redacted(input, to: "out.mp4", in: folder, ["--untouched", "skip"])
        #expect(skipped.run.status == 0 && skipped.says("no output is written"))
        #expect(folder.names == ["in.mp4"])
        let face = try Redacted(
            Clip.make(in: folder, "face.mp4", frames: 3), to: "face.out.mp4", in: folder, ["--untouched", "skip"])
        face.expectDone()
        try face.expectFaceGone()
    }

    @Test func `sound can be left out of a copy`() throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in.mp4", Self.reordered)
        let redacted = try Redacted(input, to: "out.mp4", in: folder, ["--audio", "drop"])
        redacted.expectDone()
        #expect(try Probe(redacted.output).streamCount == 1 && redacted.says("copied as they are"))
        let (a, b) = (try Probe.packets(input, stream: "V:0"), try Probe.packets(redacted.output, stream: "V:0"))
        #expect(a.map(\.hash) == b.map(\.hash))
    }

    /// The face is in frames that no player shows.
    @Test func `packets with frames that an edit list hides are never copied`() throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "whole.mkv", frames: 8, Look.ffv1)
        let both = folder.file("both.mp4")
        try Tool.ffmpeg(
            [
                "-i", whole, "-f", "lavfi", "-i", "testsrc=s=320x180:r=25:d=0.4", "-filter_complex",
                "[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]concat=n=2:v=1:a=0,setsar=1",
            ] + Clip.h264 + ["-g", "100", both])
        let input = folder.file("in.mp4")
        try Tool.ffmpeg(["-ss", "0.36", "-i", both, "-c", "copy", input])
        try #require(try Probe.packets(input, stream: "V:0").count > Probe.times(input).count)
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        #expect(redacted.says("an edit list hides pictures"))
        let after = try Probe.packets(redacted.output, stream: "V:0")
        #expect(try after.count == Probe.times(input).count)
    }

    /// H.264 says which part of its pictures is shown; the face is in the other.
    @Test func `packets whose borders are cropped are never copied`() throws {
        let folder = try TemporaryFolder()
        let whole = try Clip.make(in: folder, "whole.mp4", frames: 4)
        let input = folder.file("in.mp4")
        try Tool.ffmpeg([
            "-i", whole, "-c", "copy", "-bsf:v", "h264_metadata=crop_left=0:crop_right=224", input,
        ])
        try #require(try Probe(input).picture("width") == "96")
        let redacted = try Redacted(input, to: "out.mp4", in: folder)
        redacted.expectDone()
        #expect(redacted.says("cropped borders") || !redacted.says("copied"))
        let (a, b) = (try Probe.packets(input, stream: "V:0"), try Probe.packets(redacted.output, stream: "V:0"))
        #expect(Set(a.map(\.hash)).isDisjoint(with: b.map(\.hash)))
        #expect(try Probe(redacted.output).picture("width") == "96")
    }

    @Test func `a second picture stream or a cover without faces is encoded too`() throws {
        let folder = try TemporaryFolder()
        let input = try plain(
            in: folder, "in.mkv", ["-map", "0:v", "-map", "0:v", "-map", "1:a"] + Self.reordered, frames: 6)
        let redacted = try Redacted(input, to: "out.mkv", in: folder)
        redacted.expectDone()
        #expect(redacted.says("more than one picture stream"))
        for stream in ["v:0", "v:1"] {
            let (a, b) = (try Probe.packets(input, stream: stream), try Probe.packets(redacted.output, stream: stream))
            #expect(a.count == b.count && Set(a.map(\.hash)).isDisjoint(with: b.map(\.hash)))
        }
    }

    @Test(arguments: ["skip", "copy"])
    func `a plan that doesn't know all frames isn't one of nothing to cover`(untouched: String) throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in.mp4", Self.reordered)
        let plan = folder.file("plan.json")
        #expect(try BuiltVeil.run(["detect", input, "-o", plan] + Redacted.quick).status == 0)
        // Without its last frames.
        try Tool.need([
            "python3", "-c",
            "import json,sys; p=json.load(open(sys.argv[1])); p['frames']=p['frames'][:8]; p['source']['frames']=8; "
                + "json.dump(p,open(sys.argv[1],'w'))", plan,
        ])
        let output = folder.file("out.mp4")
        let stopped = try BuiltVeil.run(["redact", input, "-o", output, "--plan", plan, "--untouched", untouched])
        #expect(stopped.status == 1 && stopped.errors.contains("the plan doesn't know this frame"), "\(stopped)")
        #expect(!stopped.errors.contains("nothing to cover") && !FileBytes.exists(output))
        let covered = try BuiltVeil.run(
            ["redact", input, "-o", output, "--plan", plan, "--untouched", untouched, "--on-error", "cover"])
        #expect(covered.status == 0 && covered.errors.contains("the plan doesn't know all frames"), "\(covered)")
        #expect(!covered.errors.contains("nothing to cover"))
        let (before, after) = (try RawPictures(input), try RawPictures(output))
        let whole = Box(x: 3, y: 3, width: 314, height: 174)
        #expect(before.detailLeft(in: after, frame: 9, box: whole) < 0.12)
        #expect(before.detailLeft(in: after, frame: 2, box: whole) > 0.8)
    }

    @Test func `a plan that covers nothing is carried out by a copy`() throws {
        let folder = try TemporaryFolder()
        let input = try plain(in: folder, "in.mp4", Self.reordered)
        let plan = folder.file("plan.json")
        let detected = try BuiltVeil.run(["detect", input, "-o", plan] + Redacted.quick)
        #expect(detected.status == 0)
        let output = folder.file("out.mp4")
        let run = try BuiltVeil.run(["redact", input, "-o", output, "--plan", plan])
        #expect(run.status == 0 && run.errors.contains("copied as they are"), "\(run)")
        let (a, b) = (try Probe.packets(input, stream: "V:0"), try Probe.packets(output, stream: "V:0"))
        #expect(!a.isEmpty && a == b)
    }
}

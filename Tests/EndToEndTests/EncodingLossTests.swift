import Testing
import VeilTestSupport

/// What a redaction changes outside its masks is what any new encoding changes.
@Suite struct EncodingLossTests {
    /// Mean difference of luma between a frame of two files outside the mask.
    private func error(_ a: RawPictures, _ b: RawPictures) -> Double {
        var sum = 0
        var count = 0
        for frame in 0..<a.count {
            let box = Portrait.surroundings(frame)
            for y in 0..<a.height {
                for x in 0..<a.width where !box.contains(x, y) {
                    sum += abs(a[frame, x, y] - b[frame, x, y])
                    count += 1
                }
            }
        }
        return Double(sum) / Double(count)
    }

    /// Encoders with a constant quantiser, at settings that a plain transcode has too.
    @Test(arguments: [
        ("mp4", ["h264"], ["-c:v", "libx264", "-preset", "ultrafast"], ["qp=22"]),
        (
            "mp4", ["hevc"], ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:qp=22"],
            ["x265-params=qp=22"]
        ),
        ("ts", ["mpeg2"], ["-c:v", "mpeg2video", "-q:v", "4"], ["q=4"]),
        ("avi", ["mpeg4"], ["-c:v", "mpeg4", "-q:v", "4", "-bf", "0"], ["q=4"]),
        ("mkv", ["ffv1"], ["-c:v", "ffv1"], []),
    ])
    func `outside the masks the error is the encoder's own`(
        form: (container: String, codec: [String], plain: [String], options: [String])
    ) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mkv", frames: 10, Look.ffv1)
        let isQuantizer = form.options.first?.hasPrefix("q=") ?? false
        var extra = ["--codec", form.codec[0]]
        if isQuantizer { extra += ["--crf", "4"] } else { extra += form.options.flatMap { ["--encoder-option", $0] } }
        let redacted = try Redacted(
            input, to: "out." + form.container, in: folder, extra, preset: preset(for: form.codec[0]))
        redacted.expectDone()
        guard redacted.run.status == 0 else { return }
        let plain = folder.file("plain." + form.container)
        try Tool.ffmpeg(
            ["-i", input] + form.plain
                + (form.plain[1] == "libx264" ? ["-qp", "22"] : []) + ["-pix_fmt", "yuv420p", plain])
        let source = try RawPictures(input)
        let (own, others) = (error(source, try RawPictures(redacted.output)), error(source, try RawPictures(plain)))
        if form.codec[0] == "ffv1" {
            #expect(own == 0)
        } else {
            #expect(others > 0.1 && own < others * 1.05, "\(own), of a plain encoding \(others)")
        }
    }
}

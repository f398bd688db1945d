import Testing
import VeilTestSupport

/// Closed captions inside the picture's data (ATSC A/53, part 4).
@Suite struct CaptionTests {
    /// Puts a caption message (SEI, user data registered by ITU-T T.35) before each picture of a raw H.264 stream.
    private func withCaptions(_ bytes: [UInt8]) -> [UInt8] {
        // cc_count 1 with process_cc_data, then one pair of field 1 that says nothing (parity bits set).
        let message: [UInt8] = [
            0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03, 0xC1, 0xFF, 0xFC, 0x94, 0x2C, 0xFF,
        ]
        let unit: [UInt8] = [0, 0, 0, 1, 0x06, 0x04, UInt8(message.count)] + message + [0x80]
        var result: [UInt8] = []
        var i = 0
        while i < bytes.count {
            if i + 4 < bytes.count, bytes[i] == 0, bytes[i + 1] == 0, bytes[i + 2] == 1 {
                // A slice that begins with the first macroblock begins a picture.
                if [1, 5].contains(bytes[i + 3] & 0x1F) && bytes[i + 4] & 0x80 != 0 { result += unit }
                result += bytes[i...i + 3]
                i += 4
            } else {
                result.append(bytes[i])
                i += 1
            }
        }
        return result
    }

    private func captioned(in folder: TemporaryFolder) throws -> String {
        let raw = try Clip.make(in: folder, "raw.h264", frames: 4, Clip.h264 + ["-bf", "0"])
        try FileBytes.write(withCaptions(FileBytes.read(raw)), to: folder.file("captions.h264"))
        try Tool.ffmpeg(["-r", "25", "-i", folder.file("captions.h264"), "-c", "copy", folder.file("in.ts")])
        return folder.file("in.ts")
    }

    private func captionCount(_ file: String) throws -> Int {
        try Tool.ffprobe(["-select_streams", "V:0", "-show_frames", file]).split(separator: "\n")
            .count { $0.contains("Closed Captions") }
    }

    @Test(arguments: [("h264", "ts"), ("h264", "mp4"), ("mpeg2", "ts")])
    func `captions are kept by encoders that write them`(form: (codec: String, container: String)) throws {
        let folder = try TemporaryFolder()
        let input = try captioned(in: folder)
        try #require(try captionCount(input) == 4)
        let redacted = try Redacted(
            input, to: "out." + form.container, in: folder, ["--codec", form.codec],
            preset: form.codec == "h264" ? "ultrafast" : nil)
        redacted.expectDone()
        #expect(try captionCount(redacted.output) == 4)
        #expect(!redacted.says("captions"))
    }

    @Test func `captions are named where they are lost`() throws {
        let folder = try TemporaryFolder()
        let redacted = try Redacted(captioned(in: folder), to: "out.mp4", in: folder, ["--codec", "hevc"])
        redacted.expectDone()
        #expect(try captionCount(redacted.output) == 0)
        #expect(redacted.says("closed captions inside the picture's data are left out"))
    }
}

import CFFmpeg
import Testing

@testable import VeilMedia

@Suite struct PixelFormatTests {
    private func named(_ name: String) throws -> PixelFormat {
        let raw = av_get_pix_fmt(name)
        try #require(raw != AV_PIX_FMT_NONE, "\(name)")
        return PixelFormat(raw)
    }

    /// Every pixel format that FFmpeg has and isn't a handle of some device.
    private static let all: [PixelFormat] = {
        var list: [PixelFormat] = []
        var descriptor = av_pix_fmt_desc_next(nil)
        while let d = descriptor {
            let format = PixelFormat(av_pix_fmt_desc_get_id(d))
            if !format.isHardware { list.append(format) }
            descriptor = av_pix_fmt_desc_next(d)
        }
        return list
    }()

    @Test func `every format has a direct one that swscale can make and that loses nothing`() throws {
        #expect(Self.all.count > 150)
        for format in Self.all where sws_isSupportedInput(format.raw) != 0 {
            let direct = format.direct
            #expect(direct.isDirect, "\(format) → \(direct)")
            #expect(sws_isSupportedOutput(direct.raw) != 0 || direct == format, "\(format) → \(direct)")
            // Floating point becomes 16 bits; all others keep theirs.
            if !format.description.contains("f32") {
                #expect(
                    format.losses(storedAs: direct).isEmpty, "\(format) → \(direct): \(format.losses(storedAs: direct))"
                )
            }
        }
    }

    @Test(
        arguments: [
            "yuv420p", "yuvj422p", "yuv444p10le", "yuva420p", "gray", "gray12le", "gbrp", "gbrp10le", "gbrap",
            "gbrap12le",
            "yuv410p", "yuv440p12le", "yuva444p16le",
        ])
    func `planar formats are worked on in place`(name: String) throws {
        let format = try named(name)
        #expect(format.isDirect && format.direct == format)
    }

    @Test(
        arguments: [
            ("rgb24", "gbrp"), ("bgra", "gbrap"), ("nv12", "yuv420p"), ("p010le", "yuv420p10le"),
            ("yuyv422", "yuv422p"),
            ("pal8", "gbrap"), ("rgb48be", "gbrp16le"), ("gray10be", "gray10le"), ("yuv420p12be", "yuv420p12le"),
            ("monow", "gray"), ("ya8", "yuva444p"),
        ])
    func `packed and foreign formats go to the planar one of their kind`(from: String, to: String) throws {
        #expect(try named(from).direct == named(to))
    }

    @Test(
        arguments: [
            ("yuv420p10le", "yuv420p", ["10-bit samples become 8-bit"]),
            ("yuv422p", "yuv420p", ["chroma is subsampled"]),
            ("yuv420p", "yuv444p", []), ("gbrp", "yuv444p", ["RGB becomes YUV"]),
            ("yuva420p", "yuv420p", ["transparency is lost"]),
            ("yuv420p", "gray", ["colour is lost"]), ("gray", "yuv420p", []), ("yuvj420p", "yuv420p", []),
            ("yuv444p12le", "yuv420p10le", ["12-bit samples become 10-bit", "chroma is subsampled"]),
        ] as [(String, String, [String])])
    func `losses are named`(from: String, to: String, losses: [String]) throws {
        #expect(try named(from).losses(storedAs: named(to)) == losses)
    }
}

@Suite struct EncoderChoiceTests {
    private func choose(
        _ source: AVCodecID, _ format: String, _ file: String, width: Int = 320, height: Int = 180,
        interlaced: Bool = false, requested: VideoCodec? = nil
    ) throws -> EncoderChoice {
        try EncoderChoice.choose(
            source: source, requested: requested, format: PixelFormat(av_get_pix_fmt(format)), width: width,
            height: height, interlaced: interlaced, container: OutputFormat(forFile: file), file: file)
    }

    @Test(
        arguments: [
            (AV_CODEC_ID_H264, "yuv420p", "a.mp4", "libx264"), (AV_CODEC_ID_H264, "bgr0", "a.mp4", "libx264rgb"),
            (AV_CODEC_ID_H264, "yuv420p12le", "a.mp4", "libx265"),
            (AV_CODEC_ID_HEVC, "yuv444p12le", "a.mkv", "libx265"),
            (AV_CODEC_ID_AV1, "yuv420p", "a.mkv", "libsvtav1"), (AV_CODEC_ID_AV1, "yuv444p", "a.mkv", "libaom-av1"),
            (AV_CODEC_ID_VP9, "yuva420p", "a.webm", "libvpx-vp9"),
            (AV_CODEC_ID_PRORES, "yuv422p10le", "a.mov", "prores_ks"),
            (AV_CODEC_ID_FFV1, "yuv444p16le", "a.mkv", "ffv1"),
            (AV_CODEC_ID_MPEG2VIDEO, "yuv422p", "a.ts", "mpeg2video"),
        ])
    func `the family's encoder is taken where it holds the picture`(
        source: AVCodecID, format: String, file: String, name: String
    ) throws {
        let choice = try choose(source, format, file)
        #expect(choice.encoderName == name && choice.format.description == format)
        #expect((choice.width, choice.height) == (320, 180))
    }

    @Test func `tiny, odd and deep pictures go to an encoder that holds them`() throws {
        #expect(try choose(AV_CODEC_ID_AV1, "yuv420p", "a.mkv", width: 48, height: 48).encoderName == "libaom-av1")
        #expect(try choose(AV_CODEC_ID_VP9, "yuv420p", "a.webm", width: 319, height: 179).width == 319)
        #expect(try choose(AV_CODEC_ID_VP8, "yuv420p", "a.mp4", width: 319, height: 179).codecName == "av1")
        let asked = try choose(AV_CODEC_ID_VP8, "yuv420p", "a.mp4", width: 319, height: 179, requested: .h264)
        #expect((asked.width, asked.height) == (320, 180) && asked.notices.count == 1)
        let fields = try choose(
            AV_CODEC_ID_MPEG2VIDEO, "yuv420p", "a.mp4", width: 720, height: 486, interlaced: true, requested: .h264)
        #expect((fields.width, fields.height) == (720, 488))
    }

    @Test func `a container that holds no such codec is an error that says what would`() throws {
        let error = #expect(throws: MediaError.self) {
            _ = try choose(AV_CODEC_ID_H264, "yuv420p", "a.webm", requested: .h264)
        }
        #expect(error?.kind == .unsupported && error?.advice != nil)
    }
}

@Suite struct OutputFormatTests {
    @Test(
        arguments: [
            ("a.mp4", "mp4"), ("a.MOV", "mov"), ("a.mkv", "matroska"), ("a.webm", "webm"), ("a.avi", "avi"),
            ("a.ts", "mpegts"),
            ("a.m2ts", "mpegts"), ("a.m4v", "ipod"), ("a.mpg", "mpeg"), ("a.gif", "gif"),
        ])
    func `containers follow the extension`(file: String, name: String) throws {
        #expect(try OutputFormat(forFile: file).name == name)
    }

    @Test(arguments: ["a", "a.xyz", "a.m3u8", "a.mpd", "a.jpg", "%03d.png", "a.mp3", "a.srt", "a.m3u"])
    func `no container is known by other extensions`(file: String) {
        #expect(throws: MediaError.self) { _ = try OutputFormat(forFile: file) }
    }

    @Test(
        arguments: [
            ("a.webm", AV_CODEC_ID_VP9, true), ("a.webm", AV_CODEC_ID_H264, false), ("a.webm", AV_CODEC_ID_AAC, false),
            ("a.mp4", AV_CODEC_ID_H264, true), ("a.mp4", AV_CODEC_ID_ASS, false), ("a.mp4", AV_CODEC_ID_MOV_TEXT, true),
            ("a.ts", AV_CODEC_ID_AAC, true), ("a.ts", AV_CODEC_ID_PCM_S16LE, false), ("a.ts", AV_CODEC_ID_VP9, false),
            ("a.mpg", AV_CODEC_ID_MP2, true), ("a.mpg", AV_CODEC_ID_AAC, false), ("a.mkv", AV_CODEC_ID_HUFFYUV, true),
            ("a.mkv", AV_CODEC_ID_ASS, true), ("a.mkv", AV_CODEC_ID_MOV_TEXT, false),
            ("a.avi", AV_CODEC_ID_MPEG4, true),
        ] as [(String, AVCodecID, Bool)])
    func `what a container holds is known`(file: String, codec: AVCodecID, holds: Bool) throws {
        #expect(try OutputFormat(forFile: file).holds(codec) == holds)
    }
}

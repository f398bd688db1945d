import Testing

@testable import VeilStills

@Suite struct StillFormatTests {
    @Test(arguments: [
        ([0xFF, 0xD8, 0xFF, 0xE0], StillFormat.jpeg), (Array("RIFF....WEBPVP8 ".utf8), .webp),
        ([0x49, 0x49, 42, 0, 8, 0], .tiff), (Array("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8), .heic),
        (Array("\0\0\0\u{18}ftypmif1\0\0\0\0mif1avif".utf8), .avif),
        (Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0], .bmp),
    ])
    func `a picture is known by its first bytes`(bytes: [UInt8], format: StillFormat) {
        #expect(StillFormat.recognise(bytes[...]) == format)
    }

    @Test(arguments: ["BM is how this text begins, no more", "\0\0\0\u{18}ftypisom\0\0\0\0mp42mp41", "GIF89a", ""])
    func `text, videos and empty files are no stills`(text: String) {
        #expect(StillFormat.recognise(Array(text.utf8)[...]) == nil)
    }
}

import Testing
import VeilTestSupport

@testable import VeilStills

@Suite struct `Pictures beside a picture` {
    /// A small JPEG of a test card.
    private func jpeg(in folder: TemporaryFolder) throws -> [UInt8] {
        let path = folder.file("small.jpg")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1", path])
        return try FileBytes.read(path)
    }

    @Test func `are told from random bytes by their frame header`() throws {
        let picture = try jpeg(in: TemporaryFolder())
        #expect(FurtherPictures.isJPEG(picture[...]))
        #expect(try FurtherPictures.jpegs(in: [0, 0, 0] + picture, file: "a") == [.bytes(at: 3)])
        #expect(try FurtherPictures.jpegs(in: [0, 0, 0] + picture, but: [3], file: "a") == [])
        // A beginning that any byte may follow.
        var random = Numbers(7)
        for _ in 0..<20_000 {
            let noise: [UInt8] = [0xFF, 0xD8, 0xFF] + (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(!FurtherPictures.isJPEG(noise[...]))
        }
        for count in 0..<40 { _ = FurtherPictures.isJPEG(picture.prefix(count)) }
    }

    @Test func `are found in a PNG's texts`() throws {
        let folder = try TemporaryFolder()
        let picture = try jpeg(in: folder)
        let (withExif, plain) = (folder.file("exif.jpg"), folder.file("plain.png"))
        try Tool.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=32x32", "-frames:v", "1", withExif])
        try Tool.ffmpeg(["-i", withExif, plain])
        try Tool.need([
            "exiftool", "-q", "-overwrite_original", "-ThumbnailImage<=" + folder.file("small.jpg"), withExif,
        ])
        let exif = try #require(JPEGSegments(FileBytes.read(withExif)[...]).exif)
        // As ImageMagick writes it: a name, a length, and hexadecimal digits.
        let block = Array("Exif\0\0".utf8) + exif
        let digits = block.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let text = "Raw profile type exif\0\nexif\n\(String(repeating: " ", count: 4))\(block.count)\n\(digits)\n"
        let bytes = try FileBytes.read(plain)
        var file = Array(bytes.dropLast(12))
        PNGChunks.append("tEXt", Array(text.utf8)[...], to: &file)
        file += bytes.suffix(12)
        #expect(try FurtherPictures.jpegs(in: file, file: "a").isEmpty)
        #expect(Metadata.preview(0, of: file) == picture && Metadata.preview(1, of: file) == nil)
        #expect(try FurtherPictures.packed(in: file, .png, but: [], file: "a").count == 1)
        #expect(try FurtherPictures.packed(in: bytes, .png, but: [], file: "a").isEmpty)
        // What is looked at anyway isn't looked at twice.
        #expect(try FurtherPictures.packed(in: file, .png, but: [picture + [1]], file: "a").isEmpty)
    }
}

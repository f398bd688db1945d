import Testing
import VeilMedia
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
        #expect(Metadata.preview(0, of: file) == .picture(picture) && Metadata.preview(1, of: file) == .noMore)
        #expect(try FurtherPictures.packed(in: file, .png, but: [], file: "a").count == 1)
        #expect(try FurtherPictures.packed(in: bytes, .png, but: [], file: "a").isEmpty)
        // What is looked at anyway isn't looked at twice.
        for known in [picture + [1], Array(picture.dropLast(2))] {
            #expect(try FurtherPictures.packed(in: file, .png, but: [known[...]], file: "a").isEmpty)
        }
    }

    @Test func `are cut at their own end`() throws {
        let picture = try jpeg(in: TemporaryFolder())
        let file = [0, 0] + picture + [1, 2, 3] + picture + [4]
        let places = try FurtherPictures.jpegs(in: file, file: "a")
        #expect(places == [.bytes(at: 2), .bytes(at: 5 + picture.count)])
        for place in places { #expect(FurtherPictures.jpeg(at: place, in: file).elementsEqual(picture)) }
        // Without its end it is all that follows.
        let open = [0] + picture.dropLast(2) + [1]
        #expect(FurtherPictures.jpeg(at: .bytes(at: 1), in: open).elementsEqual(open.dropFirst()))
    }

    @Test(arguments: [
        // Each is a segment of the one before.
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 0, 0],
        // Each has as many fill bytes as there may be steps in all.
        [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 200_000),
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 6] + [UInt8](repeating: 0xFF, count: 30_000),
    ])
    func `aren't looked for without end`(unit: [UInt8]) throws {
        var file: [UInt8] = [0]
        for _ in 0..<(8 << 20) / unit.count { file += unit }
        let start = ContinuousClock.now
        do throws(MediaError) {
            _ = try FurtherPictures.jpegs(in: file, file: "a")
            Issue.record("it was looked through")
        } catch { #expect(error.kind == .unsupported && error.detail.contains("beginnings")) }
        #expect(start.duration(to: .now) < .seconds(20))
    }

    /// A small JPEG with one more segment.
    private func jpeg(with marker: UInt8, _ payload: [UInt8]) throws -> [UInt8] {
        let picture = try jpeg(in: TemporaryFolder())
        let length = payload.count + 2
        return picture.prefix(2) + [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
            + picture.dropFirst(2)
    }

    @Test(arguments: [
        // A head, and a directory that lies outside.
        Array("Exif\0\0II".utf8) + [42, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0],
        Array("Exif\0\0nonsense that is no TIFF".utf8), Array("Exif\0\0".utf8),
        Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x='adobe:ns:meta/'><broken".utf8),
    ])
    func `aren't said to be absent where metadata can't be read`(payload: [UInt8]) throws {
        let file = try jpeg(with: 0xE1, payload)
        do throws(MediaError) {
            _ = try FurtherPictures.packed(in: file, .jpeg, but: [], file: "a")
            Issue.record("it was looked through")
        } catch { #expect(error.kind == .unsupported && error.detail.contains("can't be read")) }
    }

    @Test func `are absent from a file without metadata, even of a kind that isn't known`() throws {
        let plain = try jpeg(with: 0xFE, Array("a comment".utf8))
        #expect(try FurtherPictures.packed(in: plain, .jpeg, but: [], file: "a").isEmpty)
        let unknown = Array("RIFF\u{10}\0\0\0WEBPabcd\0\0\0\0".utf8)
        #expect(Metadata.preview(0, of: unknown) != .picture([]))
        #expect(try FurtherPictures.packed(in: unknown, .webp, but: [], file: "a").isEmpty)
        #expect(Metadata.preview(0, of: [1, 2, 3]) == .unreadable && Metadata.preview(-1, of: plain) == .noMore)
    }
}

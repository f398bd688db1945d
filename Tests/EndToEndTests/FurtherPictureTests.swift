import Testing
import VeilTestSupport

/// Pictures that lie in a picture's file beside the one that it shows, as `veil check` sees them.
@Suite struct FurtherPictureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ arguments: [String]) throws -> ToolResult {
        try BuiltVeil.run(["check"] + arguments, in: folder.path)
    }

    /// A picture as a gray page of 160×160.
    private func gray(_ picture: String) throws -> GrayTIFF.Page {
        let raw = folder.file("gray.raw")
        try Tool.ffmpeg(["-y", "-i", picture, "-vf", "scale=160:160,format=gray", "-f", "rawvideo", raw])
        return GrayTIFF.Page(width: 160, height: 160, samples: try FileBytes.read(raw))
    }

    /// A JPEG with an Exif block whose second directory is a thumbnail.
    private static func withBareThumbnail(_ jpeg: [UInt8], of page: GrayTIFF.Page) -> [UInt8] {
        let main = GrayTIFF.Page(width: 1, height: 1, samples: [0])
        let block = Array("Exif\0\0".utf8) + GrayTIFF.file([main, page])
        let length = block.count + 2
        return Array(jpeg.prefix(2)) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + block
            + jpeg.dropFirst(2)
    }

    @Test(arguments: ["exif", "behind", "xmp", "png", "second.heic", "turned", "bare", "reduced"])
    func `a face in a thumbnail or preview is found, though the picture shows none`(place: String) throws {
        let (plain, small) = (folder.file("plain.jpg"), folder.file("small.jpg"))
        try Tool.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=320x320", "-frames:v", "1", plain])
        // Turned: as a camera held upright leaves it, to be turned by a quarter.
        let filter = "scale=160:160" + (place == "turned" ? ",transpose=2" : "")
        try Tool.ffmpeg(["-i", Places.portrait, "-vf", filter, "-q:v", "4", "-frames:v", "1", small])
        var input = folder.file("a.jpg")
        switch place {
        case "behind": try FileBytes.write(FileBytes.read(plain) + FileBytes.read(small), to: input)
        case "xmp":
            try Tool.need([
                "exiftool", "-q", "-XMP-xmp:ThumbnailImage<=\(small)", "-XMP-xmp:ThumbnailFormat=JPEG", "-o", input,
                plain,
            ])
        case "second.heic":
            input = folder.file("a.heic")
            try Tool.need(["heif-enc", "-q", "90", plain, small, "-o", input])
        case "bare":
            // As old cameras have it: a thumbnail without compression.
            try FileBytes.write(Self.withBareThumbnail(FileBytes.read(plain), of: gray(Places.portrait)), to: input)
        case "reduced":
            input = folder.file("a.tif")
            var page = try gray(Places.portrait)
            page.isReduced = true
            try FileBytes.write(GrayTIFF.file([gray(plain), page]), to: input)
        case "png":
            input = folder.file("a.png")
            try Tool.ffmpeg(["-i", plain, input])
            try FileBytes.write(FileBytes.read(input) + FileBytes.read(small), to: input)
        default:
            let turn = place == "turned" ? ["-n", "-Orientation=6"] : []
            try Tool.need(["exiftool", "-q"] + turn + ["-ThumbnailImage<=\(small)", "-o", input, plain])
        }
        #expect(try check([plain]).status == 0)
        let run = try check([input])
        #expect(run.status == 3 && run.text.contains("of a thumbnail or preview within"), "\(run)")
        #expect(try check([input, "--format", "json"]).text.contains("\"inPreview\": true"))
        // A baseline takes it for what it is, and a redacted copy has none.
        #expect(try check([input, "--write-baseline", "known.json"]).status == 0)
        #expect(try check([input, "--baseline", "known.json"]).status == 0)
        let output = folder.file("copy-" + (input.split(separator: "/").last ?? ""))
        #expect(try BuiltVeil.run([input, "-o", output, "-q", "--detect-size", "320"]).status == 0)
        let copy = try check([output])
        #expect(copy.status == 0 && copy.output.isEmpty, "\(copy)")
    }

    @Test(arguments: ["behind.jpg", "box.heic"])
    func `a video beside a picture isn't looked at, and that is said`(name: String) throws {
        try Clip.make(in: folder, "clip.mp4", frames: 6)
        var video = try FileBytes.read(folder.file("clip.mp4"))
        let input = folder.file(name)
        if name == "box.heic" {
            try Tool.need(["heif-enc", "-q", "90", Places.portrait, "-o", input])
            video =
                (0..<4).map { UInt8(truncatingIfNeeded: (video.count + 8) >> (24 - 8 * $0)) } + Array("mpvd".utf8)
                + video
        } else {
            try FileBytes.write(FileBytes.read(Places.portrait), to: input)
        }
        try FileBytes.write(FileBytes.read(input) + video, to: input)
        let run = try check([input])
        #expect(run.status == 1 && run.errors.contains("\(name): looking through: a video lies beside"), "\(run)")
        try passes(input, as: "copy-" + name)
    }

    @Test(arguments: ["unknown.jpg", "child.tif"])
    func `what can't be looked at within a picture is said`(name: String) throws {
        let plain = folder.file("plain.jpg")
        try Tool.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=320x320", "-frames:v", "1", plain])
        let input = folder.file(name)
        if name == "child.tif" {
            var page = try gray(plain)
            page.children = [try gray(Places.portrait)]
            try FileBytes.write(GrayTIFF.file([page]), to: input)
        } else {
            // Lossless JPEG (SOF3), which few decoders know.
            var small = try FileBytes.read(Places.portrait)
            let frame = try #require(small.indices.first { small[$0...].starts(with: [0xFF, 0xC0, 0, 17]) })
            small[frame + 1] = 0xC3
            try FileBytes.write(FileBytes.read(plain) + small, to: input)
        }
        let run = try check([input, "-q"])
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("looked at"), "\(run)")
        #expect(run.errors.contains("Veil leaves them out") || run.errors.contains("Veil leaves it out"), "\(run)")
        try passes(input, as: "copy-" + name)
    }

    @Test func `metadata that can't be read is no clean bill, and none is one`() throws {
        let (plain, input) = (folder.file("plain.jpg"), folder.file("broken.jpg"))
        try Tool.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=320x320", "-frames:v", "1", plain])
        let bytes = try FileBytes.read(plain)
        let block = Array("Exif\0\0MM".utf8) + [0, 42, 0x7F, 0, 0, 0, 0, 0]
        try FileBytes.write(
            Array(bytes.prefix(2)) + [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block + bytes.dropFirst(2), to: input)
        let run = try check([input, "-q"])
        #expect(run.status == 1 && run.errors.contains("its metadata can't be read"), "\(run)")
        #expect(try check([plain]).status == 0)
        try passes(input, as: "copy-broken.jpg")
    }

    @Test func `a page in many JPEG strips is one picture`() throws {
        let (strip, bare) = (folder.file("strip.jpg"), folder.file("strip.pgm"))
        try FileBytes.write(Array("P5 160 8 255\n".utf8) + [UInt8](repeating: 128, count: 160 * 8), to: bare)
        try Tool.need(["cjpeg", "-grayscale", "-outfile", strip, bare])
        let strips = [[UInt8]](repeating: try FileBytes.read(strip), count: 80)
        let input = folder.file("strips.tif")
        let page = GrayTIFF.Page(width: 160, height: 640, jpegStrips: strips, rowsPerStrip: 8)
        try FileBytes.write(GrayTIFF.file([page]), to: input)
        let run = try check([input])
        #expect(run.status == 0 && run.output.isEmpty, "\(run)")
    }

    /// What Veil makes of a file has nothing beside the picture.
    private func passes(_ input: String, as name: String) throws {
        let output = folder.file(name)
        #expect(try BuiltVeil.run([input, "-o", output, "-q", "--detect-size", "320"]).status == 0)
        let copy = try check([output])
        #expect(copy.status == 0 && copy.output.isEmpty, "\(copy)")
    }
}

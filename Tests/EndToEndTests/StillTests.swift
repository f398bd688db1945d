import Testing
import VeilTestSupport

/// A kind of picture file, made from the portrait.
struct StillKind: Sendable, CustomTestStringConvertible {
    var name: String
    /// ffmpeg's filter and codec, up to the file's name.
    var filter = "null"
    var codec: [String] = []
    /// A command that makes the file from a PNG; `IN` and `OUT` stand for the two.
    var command: [String] = []
    var quality = 34.0
    /// Whether exiftool writes into it.
    var takesTags = true
    var testDescription: String { name }

    static let all: [StillKind] = [
        StillKind(name: "a.jpg", codec: ["-q:v", "3"]),
        StillKind(name: "rgb.png", filter: "format=rgb24"), StillKind(name: "deep.png", filter: "format=rgb48be"),
        StillKind(name: "gray16.png", filter: "format=gray16be"), StillKind(name: "alpha.png", filter: "format=rgba"),
        StillKind(name: "palette.png", filter: "split[a][b];[a]palettegen=max_colors=200[p];[b][p]paletteuse"),
        StillKind(name: "a.bmp", filter: "format=bgr24", takesTags: false),
        StillKind(name: "masks.bmp", filter: "format=rgb565le", quality: 30, takesTags: false),
        StillKind(name: "a.tif", filter: "format=rgb24", codec: ["-compression_algo", "lzw"]),
        StillKind(name: "deep.tif", filter: "format=rgb48le", codec: ["-compression_algo", "deflate"]),
        StillKind(name: "gray.tif", filter: "format=gray"),
        StillKind(name: "lossy.webp", command: ["cwebp", "-quiet", "-q", "80", "IN", "-o", "OUT"]),
        StillKind(name: "lossless.webp", command: ["cwebp", "-quiet", "-lossless", "IN", "-o", "OUT"]),
        StillKind(name: "a.heic", command: ["heif-enc", "-q", "90", "-t", "64", "IN", "-o", "OUT"]),
        StillKind(
            name: "deep.heic", filter: "format=rgb48be",
            command: ["heif-enc", "-q", "90", "-b", "10", "IN", "-o", "OUT"]),
        StillKind(
            name: "deep.avif", filter: "format=yuv420p10le",
            codec: ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "15", "-still-picture", "1"]),
        StillKind(name: "a.avif", command: ["heif-enc", "-A", "-q", "80", "IN", "-o", "OUT"]),
    ]

    static let width = 240
    static let height = 200

    func make(in folder: TemporaryFolder) throws -> String {
        let file = folder.file(name)
        let scale = "scale=300:300:flags=bicubic,crop=\(Self.width):\(Self.height):30:0,"
        if command.isEmpty {
            try Tool.ffmpeg(["-i", Places.portrait, "-vf", scale + filter, "-frames:v", "1"] + codec + [file])
        } else {
            let plain = folder.file("plain.png")
            // Without the colour chunks that ffmpeg makes up.
            try Tool.ffmpeg(["-i", Places.portrait, "-vf", scale + filter, "-frames:v", "1", "-bitexact", plain])
            try Tool.need(command.map { $0 == "IN" ? plain : $0 == "OUT" ? file : $0 })
        }
        if takesTags {
            try Tool.need([
                "exiftool", "-q", "-overwrite_original", "-GPSLatitude=59.9", "-GPSLatitudeRef=N", "-Artist=Somebody",
                "-UserComment=secret words", "-SerialNumber=12345", "-ExposureTime=1/125", "-FNumber=2.8", "-ISO=400",
                "-LensInfo=24 70 2.8 2.8", "-InteropIndex=R98", "-XMP:Creator=Somebody", file,
            ])
        }
        return file
    }

    /// Luma as it is shown, whatever reads the format.
    static func pictures(_ file: String, in folder: TemporaryFolder) throws -> RawPictures {
        guard file.hasSuffix(".heic") || file.hasSuffix(".avif") else { return try RawPictures(file) }
        let plain = folder.file("shown.jpg")
        try Tool.need(["heif-convert", "-q", "100", file, plain])
        return try RawPictures(plain)
    }

    /// The face's inner part, and all that a mask may reach.
    static let face = Box(x: 66, y: 34, width: 52, height: 62)
    static let surroundings = Box(x: 30, y: 0, width: 140, height: 150)
}

@Suite struct StillTests {
    @Test(arguments: StillKind.all)
    func `a picture keeps its format, and nothing tells who or where`(kind: StillKind) throws {
        let folder = try TemporaryFolder()
        let input = try kind.make(in: folder)
        let output = folder.file("out." + (kind.name.split(separator: ".").last ?? ""))
        let run = try BuiltVeil.run([input, "-o", output, "--detect-size", "320"])
        #expect(run.status == 0, "\(run)")
        guard run.status == 0 else { return }
        let (before, after) = (
            try StillKind.pictures(input, in: folder), try StillKind.pictures(output, in: folder)
        )
        #expect((before.width, before.height) == (after.width, after.height))
        #expect(before.detailLeft(in: after, frame: 0, box: StillKind.face) < 0.12)
        let box = StillKind.surroundings
        #expect(before.psnr(0, after, 0) { x, y in !box.contains(x, y) } > kind.quality)
        let (a, b) = (try tags(input), try tags(output))
        for key in ["FileType", "BitsPerSample", "BitDepth", "ColorType", "BitDepthLuma", "ChromaFormat", "ImageSize"] {
            #expect(a[key] == b[key], "\(key)")
        }
        for key in ["ExposureTime", "FNumber", "ISO", "LensInfo"] { #expect(a[key] == b[key], "\(key)") }
        #expect((a["ExposureTime"] == "1/125") == kind.takesTags)
        let text = String(decoding: try FileBytes.read(output), as: UTF8.self)
        for word in ["Somebody", "secret words", "12345"] { #expect(!text.contains(word), "\(word)") }
        #expect(b["GPSLatitude"] == nil && b["ThumbnailImage"] == nil && b["Creator"] == nil)
        #expect(folder.leftovers.isEmpty)
    }

    private func tags(_ file: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for line in try Tool.need(["exiftool", "-s", file]).text.split(separator: "\n") {
            let pair = line.split(separator: ":", maxSplits: 1).map { $0.split(separator: " ").joined(separator: " ") }
            if pair.count == 2 { result[pair[0]] = pair[1] }
        }
        return result
    }

    @Test(arguments: ["a.png", "a.webp", "a.gif"])
    func `every frame of an animation is covered, at its time, as often as before`(name: String) throws {
        let folder = try TemporaryFolder()
        let input = folder.file(name)
        // The moving portrait, six frames.
        try Tool.ffmpeg([
            "-i", try Portrait.base.get(), "-frames:v", "6", "-vf", "format=rgb24", folder.file("f%d.png"),
        ])
        let frames = (1...6).map { folder.file("f\($0).png") }
        switch name {
        case "a.webp":
            try Tool.need(
                ["img2webp", "-loop", "3", "-lossless", "-d", "90", frames[0], "-d", "200"] + frames[1...] + [
                    "-o", input,
                ])
        case "a.gif":
            try Tool.ffmpeg([
                "-i", folder.file("f%d.png"), "-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-loop", "3",
                input,
            ])
        default: try Tool.ffmpeg(["-i", folder.file("f%d.png"), "-plays", "3", "-f", "apng", input])
        }
        let output = folder.file("out-" + name)
        let run = try BuiltVeil.run([input, "-o", output, "--detect-size", "320", "--detect-every", "1"])
        #expect(run.status == 0, "\(run)")
        guard run.status == 0 else { return }
        let (a, b) = (try tags(input), try tags(output))
        for key in [
            "AnimationPlays", "AnimationIterations", "AnimationLoopCount", "AnimationFrames", "Duration", "FrameCount",
        ] {
            #expect(a[key] == b[key], "\(key)")
        }
        let after = try shown(output, frames: 6, in: folder)
        for (index, picture) in after.enumerated() {
            let before = try RawPictures(frames[index])
            #expect(before.detailLeft(in: picture, frame: 0, box: Portrait.face(index)) < 0.15, "frame \(index)")
        }
    }

    /// Each frame of an animation as a picture.
    private func shown(_ file: String, frames: Int, in folder: TemporaryFolder) throws -> [RawPictures] {
        if file.hasSuffix(".webp") {
            return try (1...frames).map { index in
                let (one, plain) = (folder.file("one.webp"), folder.file("one\(index).png"))
                try Tool.need(["webpmux", "-get", "frame", "\(index)", file, "-o", one])
                // Frames may be parts: what matters here is that each is a whole picture or holds no face.
                try Tool.need(["dwebp", "-quiet", one, "-o", plain])
                return try RawPictures(plain)
            }
        }
        let format = file.hasSuffix(".png") ? ["-f", "apng"] : []
        return try (0..<frames).map { index in
            let plain = folder.file("shown\(index).png")
            try Tool.ffmpeg(format + ["-i", file, "-vf", "select=eq(n\\,\(index))", "-frames:v", "1", plain])
            return try RawPictures(plain)
        }
    }

    @Test(
        arguments: StillKind.all.filter {
            ["a.jpg", "rgb.png", "a.bmp", "a.tif", "lossy.webp", "a.heic", "a.avif"].contains($0.name)
        })
    func `a picture that breaks off gives one line and no output`(kind: StillKind) throws {
        let folder = try TemporaryFolder()
        let bytes = try FileBytes.read(try kind.make(in: folder))
        for share in [0.02, 0.5, 0.97] {
            let cut = folder.file("cut." + (kind.name.split(separator: ".").last ?? ""))
            try FileBytes.write(bytes[..<Int(Double(bytes.count) * share)], to: cut)
            try expectRefused(cut, in: folder)
        }
    }

    private func expectRefused(
        _ file: String, in folder: TemporaryFolder, _ location: SourceLocation = #_sourceLocation
    )
        throws
    {
        let output = folder.file("refused." + (file.split(separator: ".").last ?? ""))
        let run = try BuiltVeil.run(["-q", file, "-o", output])
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run)", sourceLocation: location)
        #expect(!FileBytes.exists(output) && folder.leftovers.isEmpty, sourceLocation: location)
        #expect(run.peakMemory < 300 << 20, "\(run.peakMemory)", sourceLocation: location)
    }

    @Test(arguments: [true, false])
    func `an image sequence that is left out is named`(hasSequence: Bool) throws {
        let folder = try TemporaryFolder()
        let kind = try #require(StillKind.all.first { $0.name == "a.avif" })
        let input = try kind.make(in: folder)
        if hasSequence {
            try FileBytes.write(FileBytes.read(input) + ISOBoxes.box("moov", [0, 0, 0, 0, 0, 0, 0, 0]), to: input)
        }
        let run = try BuiltVeil.run([input, "-o", folder.file("out.avif"), "--detect-size", "320"])
        #expect(run.status == 0, "\(run)")
        #expect(run.errors.contains("its image sequence is left out") == hasSequence, "\(run)")
    }

    @Test func `claims of 60000 by 60000 are refused in little memory`() throws {
        let folder = try TemporaryFolder()
        for (name, patch) in [("rgb.png", 16), ("a.bmp", 18), ("a.jpg", -1)] {
            let kind = try #require(StillKind.all.first { $0.name == name })
            var bytes = try FileBytes.read(try kind.make(in: folder))
            let size: [UInt8] = [0xEA, 0x60]
            switch name {
            case "rgb.png":
                // Checksums are checked first: a whole file is made by hand.
                bytes = try bomb()
            case "a.bmp":
                for at in [patch, patch + 4] { bytes.replaceSubrange(at..<(at + 4), with: [0x60, 0xEA, 0, 0]) }
            default:
                let frame = try #require(bytes.indices.dropLast(9).first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
                bytes.replaceSubrange((frame + 5)..<(frame + 9), with: size + size)
            }
            let file = folder.file("bomb." + (name.split(separator: ".").last ?? ""))
            try FileBytes.write(bytes, to: file)
            try expectRefused(file, in: folder)
        }
    }

    /// A PNG of 60000 by 60000 samples that are all alike, by ffmpeg's own encoder: some 4 MB.
    private func bomb() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let script =
            "import struct,zlib,sys\n"
            + "def c(t,d): return struct.pack('>I',len(d))+t+d+struct.pack('>I',zlib.crc32(t+d))\n"
            + "open(sys.argv[1],'wb').write(b'\\x89PNG\\r\\n\\x1a\\n'+c(b'IHDR',struct.pack('>IIBBBBB',60000,60000,8,0,0,0,0))"
            + "+c(b'IDAT',zlib.compress(bytes(60001*2000)))+c(b'IEND',b''))\n"
        try Tool.need(["python3", "-c", script, folder.file("a.png")])
        return try FileBytes.read(folder.file("a.png"))
    }

    @Test func `a name of another kind is refused, but for the source's own`() throws {
        let folder = try TemporaryFolder()
        let kind = try #require(StillKind.all.first { $0.name == "rgb.png" })
        let input = try kind.make(in: folder)
        let run = try BuiltVeil.run([input, "-o", folder.file("out.jpg"), "--detect-size", "320"])
        #expect(run.status == 1 && run.errors.contains("stays one"), "\(run)")
        let misnamed = folder.file("b.jpg")
        try FileBytes.write(try FileBytes.read(input), to: misnamed)
        #expect(try BuiltVeil.run([misnamed, "--detect-size", "320"]).status == 0)
        #expect(try FileBytes.read(folder.file("b.redacted.jpg")).prefix(4).elementsEqual([0x89, 0x50, 0x4E, 0x47]))
        // Text under a picture's name is no picture.
        let text = folder.file("c.png")
        try FileBytes.write("this is no picture, whatever its name says".utf8, to: text)
        try expectRefused(text, in: folder)
        try FileBytes.write([UInt8](), to: text)
        try expectRefused(text, in: folder)
    }

    @Test func `a plan is made for a picture and carried out`() throws {
        let folder = try TemporaryFolder()
        let input = try #require(StillKind.all.first { $0.name == "a.jpg" }).make(in: folder)
        let (plan, output) = (folder.file("plan.json"), folder.file("out.jpg"))
        #expect(try BuiltVeil.run(["detect", input, "-o", plan, "--detect-size", "320"]).status == 0)
        let run = try BuiltVeil.run([input, "-o", output, "--plan", plan])
        #expect(run.status == 0, "\(run)")
        let left = try RawPictures(input).detailLeft(in: RawPictures(output), frame: 0, box: StillKind.face)
        #expect(left < 0.12)
    }
}

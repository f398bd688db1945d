import Testing
import VeilTestSupport

/// Densities that say that samples aren't square: some are meant, others are nonsense.
@Suite struct DensityTagTests {
    struct Tag: Sendable, CustomTestStringConvertible {
        var name: String
        var across: Int
        var down: Int
        /// How much the picture really is squeezed across.
        var squeezed = 1.0
        var testDescription: String { "\(name) \(across)×\(down)" }
    }

    static let tags = [
        Tag(name: "a.png", across: 2835, down: 283), Tag(name: "a.png", across: 283, down: 2835),
        Tag(name: "a.png", across: 1, down: 2_000_000_000), Tag(name: "a.png", across: 3000, down: 1200),
        Tag(name: "a.png", across: 2835, down: 2834), Tag(name: "a.png", across: 100, down: 200, squeezed: 0.5),
        Tag(name: "a.tif", across: 300, down: 30), Tag(name: "a.tif", across: 30, down: 300),
        Tag(name: "a.tif", across: 200, down: 100, squeezed: 2),
    ]

    @Test(arguments: tags)
    func `hide no face`(tag: Tag) throws {
        let folder = try TemporaryFolder()
        let input = folder.file(tag.name)
        let width = Int(480 * tag.squeezed)
        try Tool.ffmpeg([
            "-i", Places.portrait, "-vf", "scale=\(width):480:flags=bicubic,format=rgb24", "-frames:v", "1", input,
        ])
        let tags =
            tag.name == "a.png"
            ? ["-PNG-pHYs:PixelsPerUnitX=\(tag.across)", "-PNG-pHYs:PixelsPerUnitY=\(tag.down)"]
            : ["-IFD0:XResolution=\(tag.across)", "-IFD0:YResolution=\(tag.down)", "-IFD0:ResolutionUnit=inches"]
        try Tool.need(["exiftool", "-q", "-overwrite_original"] + tags + [input])
        #expect(try BuiltVeil.run(["check", input]).status == 3)
        let output = folder.file("out-" + tag.name)
        let run = try BuiltVeil.run([input, "-o", output, "-q"])
        #expect(run.status == 0, "\(run)")
        #expect(try BuiltVeil.run(["check", output]).status == 0)
        let (before, after) = (try RawPictures(input), try RawPictures(output))
        // Brows to mouth.
        let box = Box(x: 180 * width / 480, y: 75, width: 60 * width / 480, height: 80)
        #expect(before.detailLeft(in: after, frame: 0, box: box) < 0.12)
    }
}

import Glibc
import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct DiscoveryTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["in", "in/cam1", "in/cam1/deep", "in/cam2", "in/.git", "in/out"] {
            mkdir(folder.file(name), 0o700)
        }
        for name in [
            "a.mp4", "b.MOV", "c.txt", ".h.mp4", "a.redacted.mp4", "lone.redacted.mp4", "cam1/x.jpg", "cam1/deep/y.mkv",
            "cam2/x.webp", ".git/z.mp4", "out/a.mp4",
        ] { try FileBytes.write([1], to: folder.file("in/" + name)) }
        symlink("a.mp4", folder.file("in/link.mp4"))
        symlink("..", folder.file("in/cam1/up"))
        symlink("nowhere", folder.file("in/cam2/broken.mp4"))
    }

    private func places(_ change: (inout Discovery.Settings) -> Void = { _ in }, _ operands: [String] = ["in"])
        -> [String]
    {
        var settings = Discovery.Settings()
        settings.ownFolders = [folder.file("in/out")]
        change(&settings)
        return Discovery(operands.map { folder.file($0) }, settings).files.map(\.relative)
    }

    static let plain = ["a.mp4", "b.MOV", "cam1/deep/y.mkv", "cam1/x.jpg", "cam2/x.webp", "lone.redacted.mp4"]

    @Test func `a folder gives its pictures and videos, in one order, without what is hidden, linked or redacted`() {
        #expect(places() == Self.plain)
    }

    @Test func `the output's folder is never read as input`() {
        #expect(places { $0.ownFolders = [] } == (Self.plain + ["out/a.mp4"]).sorted())
    }

    @Test func `hidden files come when asked for, links too, and a circle of links ends`() {
        #expect(places { $0.takesHidden = true } == (Self.plain + [".h.mp4", ".git/z.mp4"]).sorted())
        #expect(places { $0.followsLinks = true } == (Self.plain + ["link.mp4"]).sorted())
    }

    @Test func `originals that were set aside are left out in place, and seen by whoever looks for faces`() throws {
        for name in ["a.mp4.unredacted", ".veil-new.a.mp4", ".veil-manifest.jsonl", ".a.mp4.1.veil-part"] {
            try FileBytes.write([1], to: folder.file("in/" + name))
        }
        #expect(places() == Self.plain)
        #expect(places { $0.backupSuffix = ".mp4" } == Self.plain.filter { !$0.hasSuffix(".mp4") })
        #expect(places { $0.takesBackups = ".unredacted" } == (Self.plain + ["a.mp4.unredacted"]).sorted())
        #expect(places { $0.takesHidden = true } == (Self.plain + [".h.mp4", ".git/z.mp4"]).sorted())
    }

    @Test func `texts aren't taken for videos of the same ending, and videos are`() throws {
        var stream = [UInt8](repeating: 0xFF, count: 376)
        for start in [0, 188] { stream.replaceSubrange(start..<start + 4, with: [0x47, 0x40, 0, 0x10]) }
        for name in ["app.ts", "types.mts", "go.mod", "script.nut", "empty.ts"] {
            let text = name == "empty.ts" ? "" : "export const größe = 1;\r\n\tmodule x\n"
            try FileBytes.write(Array(text.utf8), to: folder.file("in/" + name))
        }
        for name in ["cam.ts", "cam.mts"] { try FileBytes.write(stream, to: folder.file("in/" + name)) }
        try FileBytes.write([0, 0, 1, 0xBA, 0x44], to: folder.file("in/cam.mod"))
        #expect(places() == (Self.plain + ["cam.mod", "cam.mts", "cam.ts"]).sorted())
    }

    @Test func `names that Unicode calls the same are two files`() throws {
        let names = ["caf\u{E9}.mp4", "cafe\u{301}.mp4"]
        for name in names { try FileBytes.write([1], to: folder.file("in/" + name)) }
        let found = places().filter { $0.hasPrefix("caf") }
        #expect(Set(found.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
        let named = Discovery(names.map { folder.file("in/" + $0) }).files
        #expect(named.count == 2 && Mirror(named, to: .folder(folder.file("new"))) { $0 }.problems.isEmpty)
    }

    @Test func `a list doesn't take what lies in the output's folder`() throws {
        mkdir(folder.file("in/out/deep"), 0o700)
        try FileBytes.write([1], to: folder.file("in/out/deep/z.mp4"))
        var settings = Discovery.Settings()
        settings.ownFolders = [folder.file("in/out")]
        let listed = ["in/a.mp4", "in/out/a.mp4", "in/out/deep/z.mp4", "in/cam1/x.jpg"].map { folder.file($0) }
        let found = Discovery([], listed: listed, settings).files.map(\.path)
        #expect(found == [listed[0], listed[3]])
    }

    @Test func `folders in folders can be left out`() {
        #expect(places { $0.isRecursive = false } == ["a.mp4", "b.MOV", "lone.redacted.mp4"])
    }

    @Test func `patterns take in and leave out`() throws {
        let videos = try #require(GlobPattern("*.{mp4,mkv}"))
        let deep = try #require(GlobPattern("cam1/deep/"))
        #expect(places { $0.includes = [videos] } == ["a.mp4", "cam1/deep/y.mkv", "lone.redacted.mp4"])
        #expect(places { $0.excludes = [deep] } == Self.plain.filter { $0 != "cam1/deep/y.mkv" })
        #expect(
            places {
                $0.includes = [videos]
                $0.excludes = [deep]
            } == ["a.mp4", "lone.redacted.mp4"])
    }

    @Test func `of several folders each keeps its name, and files that are named have their own`() {
        #expect(
            places({ _ in }, ["in/cam1", "in/cam2", "in/c.txt"]) == [
                "cam1/deep/y.mkv", "cam1/x.jpg", "cam2/x.webp", "c.txt",
            ])
    }

    @Test func `patterns as operands are expanded`() {
        #expect(places({ _ in }, ["in/cam*/*.{jpg,webp}"]) == ["x.jpg", "x.webp"])
        #expect(places({ _ in }, ["in/**/*.mkv"]) == ["y.mkv"])
        #expect(places({ _ in }, ["in/cam1/**"]) == ["deep/y.mkv", "x.jpg"])
        #expect(Discovery([folder.file("in/*.nothing")]).problems.map(\.words) == ["no file matches it"])
    }

    @Test func `names out of a list keep their paths`() {
        let found = Discovery([], listed: [folder.file("in/cam1/x.jpg"), folder.file("in/../in/a.mp4")])
        #expect(found.files.map(\.relative) == [String(folder.file("in/cam1/x.jpg").dropFirst())])
        #expect(found.problems.count == 1)
    }

    @Test func `what isn't there or can't be read is told and stops nothing`() throws {
        let found = Discovery([folder.file("absent"), folder.file("in/cam1")])
        #expect(found.problems.map(\.words) == ["No such file or directory"])
        #expect(found.files.count == 2)
    }

    @Test func `names that aren't text are told, not changed`() throws {
        let odd: [CChar] = folder.file("in/").utf8CString.dropLast() + [-1, 0x2E, 0x6D, 0x70, 0x34, 0]
        let file = fopen(odd, "w")
        try #require(file != nil)
        fclose(file)
        let found = Discovery([folder.file("in")])
        #expect(found.problems.map(\.words) == ["its name is not UTF-8"])
    }

    @Test func `outputs that would have one name are refused, and so are outputs that are inputs`() {
        let both = Discovery([
            folder.file("in/cam1/x.jpg"), folder.file("in/cam2/../cam1/x.jpg"), folder.file("in/a.mp4"),
        ])
        #expect(Mirror(both.files, to: .folder(folder.file("new"))) { $0 }.problems.count == 1)
        let same = Discovery([folder.file("in/a.mp4")])
        #expect(Mirror(same.files, to: .folder(folder.file("in"))) { $0 }.problems.count == 1)
        #expect(Mirror(same.files, to: .folder(folder.file("new"))) { $0 }.problems.isEmpty)
    }

    @Test func `files that begin like pictures and videos are known whatever their names`() throws {
        #expect(MediaKind.looksLikeMedia(try FileBytes.read(Places.portrait)))
        #expect(!MediaKind.looksLikeMedia(Array("hello, world: some notes about the day".utf8)))
    }

    static let beginnings: [(String, [UInt8])] = [
        ("Fuji RAF", Array("FUJIFILMCCD-RAW 0201".utf8)), ("Olympus ORF", Array("IIRO".utf8)),
        ("Olympus ORF", Array("IIRS".utf8)), ("Olympus ORF", Array("MMOR".utf8)),
        ("Panasonic RW2", [0x49, 0x49, 0x55, 0]), ("Sigma X3F", Array("FOVb".utf8)),
        ("Minolta MRW", [0, 0x4D, 0x52, 0x4D]), ("Canon CRW", [0x49, 0x49, 0x1A, 0, 0, 0] + Array("HEAPCCDR".utf8)),
        ("BigTIFF", [0x49, 0x49, 0x2B, 0]), ("BigTIFF", [0x4D, 0x4D, 0, 0x2B]),
        ("JPEG 2000", [0xFF, 0x4F, 0xFF, 0x51]), ("PPM", Array("P6\n640 480\n255\n".utf8)),
        ("PBM", Array("P1\t1 1 0".utf8)), ("PAM", Array("P7\nWIDTH 1".utf8)), ("OpenEXR", [0x76, 0x2F, 0x31, 0x01]),
        ("IVF", Array("DKIF".utf8)), ("Dahua", Array("DHAV".utf8)), ("ID3", Array("ID3".utf8)),
        ("PDF", Array("%PDF-1.7".utf8)), ("PSB", Array("8BPS".utf8) + [0, 2]), ("DPX", Array("SDPX".utf8)),
        ("DPX", Array("XPDS".utf8)), ("Cineon", [0x80, 0x2A, 0x5F, 0xD7]), ("DV", [0x1F, 0x07, 0]),
        ("WTV", [0xB7, 0xD8, 0, 0x20, 0x37, 0x49, 0xDA, 0x11]), ("FLAC", Array("fLaC".utf8)),
    ]

    @Test(arguments: beginnings)
    func `raw files, and what else holds pictures, are known by how they begin`(form: (String, [UInt8])) {
        let padding = [UInt8](repeating: 0x20, count: 600)
        #expect(MediaKind.looksLikeMedia(form.1 + padding), "\(form.0)")
        // A byte in front makes something else of it.
        #expect(!MediaKind.looksLikeMedia([0x41] + form.1 + padding), "\(form.0)")
    }

    @Test func `camera raw files are known by their names, whatever they hold`() {
        for name in ["a.RAF", "b.dng", "dir/c.cr3", "d.iiq"] {
            #expect(MediaKind.looksLikeMedia(FileHead(name: name, bytes: Array("text".utf8))), "\(name)")
        }
        for name in ["raf", ".raf", "a.raf.txt", "a.txt"] {
            #expect(!MediaKind.looksLikeMedia(FileHead(name: name, bytes: Array("text".utf8))), "\(name)")
        }
    }

    @Test(arguments: [1, 84, 5000, MediaKind.searched - 1])
    func `a JPEG in the first 64 KiB is found`(offset: Int) throws {
        let jpeg = try FileBytes.read(Places.portrait)
        let before = [UInt8](repeating: 0x41, count: offset)
        #expect(MediaKind.looksLikeMedia(before + jpeg))
        // With a profile of many segments in front of its frame.
        let segment: [UInt8] = [0xFF, 0xE2, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 0xFFFD)
        #expect(MediaKind.looksLikeMedia(before + jpeg[..<2] + segment + segment + segment + jpeg[2...]))
        // Beginnings that lead to no frame: other bytes look like them by chance.
        #expect(!MediaKind.looksLikeMedia(before + jpeg[..<4] + [0, 40] + [UInt8](repeating: 0x41, count: 4000)))
        #expect(!MediaKind.looksLikeMedia(before + [0xFF, 0xD8, 0xFF]))
    }

    @Test func `any bytes are looked through without harm`() {
        var state: UInt64 = 7
        for length in [0, 1, 2, 3, 4, 9, 100, 4000] {
            for _ in 0..<50 {
                let bytes = (0..<length).map { _ -> UInt8 in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let byte = UInt8(truncatingIfNeeded: state >> 56)
                    return byte < 100 ? 0xFF : byte < 120 ? 0xD8 : byte < 140 ? 0xC0 : byte
                }
                _ = MediaKind.looksLikeMedia([0x41] + bytes)
            }
        }
    }

    /// To Swift, a slash and a combining mark behind it are one character.
    @Test func `a name that begins with a combining mark lies in its folder`() throws {
        let name = "\u{301}x.jpg"
        #expect(Path.folder("dir/" + name) == "dir")
        #expect(Path.name("dir/" + name) == name && Path.name("dir/" + name).utf8.count == name.utf8.count)
        #expect(
            Path.folder("/" + name) == "/" && Path.withoutSlashes("dir//") == "dir" && Path.withoutSlashes("/") == "/")
        #expect(Path.join("dir/", name) == "dir/" + name && Path.below("dir", "dir/" + name) == name)
        try FileBytes.write([1], to: folder.file("in/cam2/" + name))
        let found = Discovery([folder.file("in")]).files.filter {
            $0.path.utf8.elementsEqual(folder.file("in/cam2/" + name).utf8)
        }
        #expect(found.map(\.placeInRoot) == ["cam2/" + name])
        let named = Discovery([folder.file("in/cam2/" + name)])
        #expect(named.files.map(\.root) == [folder.file("in/cam2")] && named.files.map(\.placeInRoot) == [name])
        #expect(named.files.map(\.relative) == [name])
        let mirror = Mirror(named.files, to: .beside) { $0 + ".out" }
        #expect(mirror.items.map(\.key) == [name + ".out"])
        #expect(Files.folder(of: folder.file("in/cam2/" + name)) == folder.file("in/cam2"))
    }
}

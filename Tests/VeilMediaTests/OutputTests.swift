import Glibc
import Testing
import VeilTestSupport

@testable import VeilMedia

@Suite struct AtomicOutputTests {
    @Test func `the file appears only when it is whole`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("out.bin")
        do {
            let output = try AtomicOutput(path: path, overwrite: false)
            #expect(folder.names.count == 1 && folder.leftovers.count == 1 && !FileBytes.exists(path))
            try output.write([1, 2, 3])
            #expect(folder.names == ["out.bin"])
        }
        #expect(try FileBytes.read(path) == [1, 2, 3])
    }

    @Test func `what never gets whole is removed`() throws {
        let folder = try TemporaryFolder()
        do { _ = try AtomicOutput(path: folder.file("out.bin"), overwrite: false) }
        #expect(folder.names.isEmpty)
    }

    @Test func `a file that has come to exist meanwhile isn't replaced`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("out.bin")
        do {
            let output = try AtomicOutput(path: path, overwrite: false)
            try FileBytes.write([9], to: path)
            let error = #expect(throws: MediaError.self) { try output.write([1]) }
            #expect(error?.kind == .exists)
        }
        #expect(try FileBytes.read(path) == [9])
        #expect(folder.names == ["out.bin"])
    }

    @Test func `force replaces a file, and a symbolic link instead of what it points to`() throws {
        let folder = try TemporaryFolder()
        try FileBytes.write([7], to: folder.file("target"))
        symlink("target", folder.file("link"))
        try AtomicOutput(path: folder.file("link"), overwrite: true).write([1])
        #expect(try FileBytes.read(folder.file("target")) == [7] && FileBytes.read(folder.file("link")) == [1])
    }

    @Test func `the input is refused under any name`() throws {
        let folder = try TemporaryFolder()
        let input = folder.file("in")
        try FileBytes.write([1], to: input)
        link(input, folder.file("hard"))
        symlink("in", folder.file("soft"))
        for name in ["in", "hard", "soft", "./in"] {
            let error = #expect(throws: MediaError.self) {
                _ = try AtomicOutput(path: folder.file(name), input: input, overwrite: true)
            }
            #expect(error?.kind == .exists)
        }
        #expect(folder.leftovers.isEmpty)
    }

    @Test func `a directory, a missing folder and an empty name are refused`() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path, folder.file("none/out"), ""] {
            #expect(throws: MediaError.self) { _ = try AtomicOutput(path: path, overwrite: true) }
        }
    }

    @Test func `what is only its owner's to read has that mode from the first byte`() throws {
        let folder = try TemporaryFolder()
        let output = try AtomicOutput(path: folder.file("plan"), overwrite: false, ownerOnly: true)
        #expect(FileBytes.mode(output.partPath) == 0o600)
        try output.write([1])
        #expect(FileBytes.mode(folder.file("plan")) == 0o600)
    }
}

@Suite struct LostPicturesTests {
    @Test func `pictures that don't come out after an error are lost, in order`() {
        var lost = LostPictures()
        for pts in [0, 40, 120, 80] as [Int64] { lost.expect(pts) }
        lost.note()
        lost.arrived(0)
        #expect(lost.take(before: 40) == nil)
        lost.arrived(120)
        #expect(lost.take(before: 120) == 40)
        #expect(lost.take(before: 120) == 80)
        #expect(lost.take(before: 120) == nil)
    }

    @Test func `without an error nothing is lost`() {
        var lost = LostPictures()
        for pts in [0, 40, 80] as [Int64] { lost.expect(pts) }
        lost.arrived(80)
        lost.settleAll()
        #expect(lost.take(before: .max) == nil)
    }

    @Test func `what is missing at the end is lost too`() {
        var lost = LostPictures()
        for pts in [0, 40, 80] as [Int64] { lost.expect(pts) }
        lost.arrived(0)
        lost.note()
        lost.settleAll()
        #expect(lost.take(before: .max) == 40)
        #expect(lost.take(before: .max) == 80)
    }
}

@Suite struct MovieTimeScaleTests {
    @Test(
        arguments: [
            (12800, 48000, 192_000), (90000, 48000, 720_000), (30000, 44100, 4_410_000), (24000, nil, 24000),
            (1000, 48000, 48000),
        ] as [(Int, Int?, Int)])
    func `one scale holds the ticks of picture and sound`(picture: Int, sound: Int?, scale: Int) {
        let result = Muxer.movieTimeScale(picture, sound)
        #expect(result == scale)
        #expect(result % picture == 0 && result % (sound ?? 1) == 0)
    }

    @Test(arguments: [(1, nil), (25, nil), (999_983, 48000), (50_000_000, 44100)] as [(Int, Int?)])
    func `scales that would be too coarse or too fine stay within bounds`(picture: Int, sound: Int?) {
        #expect((1000...50_000_000).contains(Muxer.movieTimeScale(picture, sound)))
    }
}

@Suite struct ContainerLengthTests {
    private func isCut(_ bytes: [UInt8], size: Int? = nil) -> Bool {
        ContainerLength.isCutOff(size: UInt64(size ?? bytes.count)) { offset, count in
            offset < UInt64(bytes.count) ? Array(bytes[Int(offset)...].prefix(count)) : []
        }
    }

    private func box(_ type: String, _ length: Int) -> [UInt8] {
        [UInt8(length >> 24 & 255), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
            + Array(type.utf8)
            + Array(repeating: 0, count: max(0, length - 8))
    }

    @Test func `boxes of ISO media add up to the file`() {
        let whole = box("ftyp", 24) + box("moov", 100) + box("mdat", 50)
        #expect(!isCut(whole))
        #expect(isCut(Array(whole.dropLast())))
        #expect(isCut(Array(whole.prefix(140))))
        // Sizes of 64 bits, to the end of the file, and nonsense.
        let wide: [UInt8] = [0, 0, 0, 1] + Array("mdat".utf8) + [0, 0, 0, 0, 0, 0, 0, 20] + [0, 0, 0, 0]
        #expect(!isCut(box("ftyp", 24) + wide))
        #expect(isCut(box("ftyp", 24) + wide.dropLast()))
        #expect(!isCut(box("ftyp", 24) + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3, 4, 5]))
        #expect(!isCut(box("ftyp", 24) + Array("TAG at the end".utf8)))
        #expect(isCut(box("ftyp", 24) + [0, 0, 0, 1] + Array("mdat".utf8) + Array(repeating: 255, count: 8)))
        #expect(!isCut(box("ftyp", 24) + [0, 0, 0, 3] + Array("mdat".utf8) + [0, 0, 0, 0]))
    }

    @Test func `RIFF and Matroska say how long they are, or that they don't know`() {
        let riff = Array("RIFF".utf8) + [12, 0, 0, 0] + Array("AVI LIST".utf8) + [0, 0, 0, 0]
        #expect(!isCut(riff) && isCut(Array(riff.dropLast())))
        #expect(!isCut(Array("RIFF".utf8) + [0, 0, 0, 0] + Array("AVI LIST".utf8)))
        let head: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3, 0x82, 1, 2]
        let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
        #expect(!isCut(head + segment + [0x83, 1, 2, 3]))
        #expect(isCut(head + segment + [0x84, 1, 2, 3]))
        #expect(!isCut(head + segment + [0xFF, 1, 2, 3]))
        #expect(!isCut(head + segment + [0x01] + Array(repeating: 0xFF, count: 7)))
        #expect(isCut(head + segment + [0x01] + Array(repeating: 0x7F, count: 7)))
    }

    @Test func `bytes of any kind are read without harm`() {
        var state: UInt64 = 1
        for start in [[0x1A, 0x45, 0xDF, 0xA3], Array("RIFF".utf8), [0, 0, 0, 16] + Array("ftyp".utf8)] as [[UInt8]] {
            for length in 0..<400 {
                var bytes = start
                for _ in 0..<length {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes.append(state >> 40 & 3 == 0 ? 0 : UInt8(truncatingIfNeeded: state >> 56))
                }
                _ = isCut(bytes)
            }
        }
    }
}

@Suite struct LibraryLogTests {
    @Test func `addresses are taken out of what libraries say`() {
        #expect(
            LibraryLog.withoutAddresses("[mov,mp4 @ 0x55d0c3a7f200] moov atom not found")
                == "[mov,mp4] moov atom not found")
        #expect(LibraryLog.withoutAddresses("[h264 @ 0x1] [x @ 0xab] 0x12 left") == "[h264] [x] 0x12 left")
        #expect(LibraryLog.withoutAddresses("nothing to do @ 0x12") == "nothing to do @ 0x12")
    }
}

@Suite struct DemuxerTests {
    @Test func `what refers to other files is refused`() throws {
        let folder = try TemporaryFolder()
        let clip = try Clip.make(in: folder, "clip.ts", frames: 2)
        for text in [
            "ffconcat version 1.0\nfile '\(clip)'\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(clip)\n#EXT-X-ENDLIST\n",
        ] {
            try FileBytes.write(text.utf8, to: folder.file("list.mp4"))
            #expect(throws: MediaError.self) { _ = try Demuxer(file: folder.file("list.mp4")) }
        }
    }

    @Test func `files are opened and closed a hundred times without a leak of descriptors`() throws {
        let folder = try TemporaryFolder()
        let clip = try Clip.make(in: folder, "clip.mp4", frames: 2)
        let mine = "/proc/self/fd"
        func links() -> Int {
            guard let list = opendir(mine) else { return 0 }
            defer { closedir(list) }
            var count = 0
            while let entry = readdir(list) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                var buffer = [CChar](repeating: 0, count: 4096)
                let length = readlink(mine + "/" + name, &buffer, buffer.count - 1)
                let target = String(
                    decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if target.hasPrefix(folder.path) { count += 1 }
            }
            return count
        }
        for _ in 0..<100 {
            let source = try VideoSource(file: clip)
            var isThere = false
            if let _ = try source.nextFrame() { isThere = true }
            #expect(isThere)
        }
        #expect(links() == 0)
    }
}

import Glibc
import Testing
import VeilDigest
import VeilVision

import class Foundation.FileManager
import struct Foundation.UUID

/// A temporary folder, removed with its owner.
private final class Folder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/veil-models-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = try #require(fopen(path + "/" + name, "wb"))
        defer { fclose(file) }
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    }

    /// A manifest that lists one file under the name "m".
    func writeManifest(of bytes: [UInt8], version: Int = 1) throws {
        let text = """
            {"version":\(version),"models":[{"name":"m","file":"m.bin","use":"tests","version":"2","source":"here",\
            "sha256":"\(SHA256.hex(of: bytes))","size":\(bytes.count),"licence":"none"}]}
            """
        try write("manifest.json", Array(text.utf8))
    }
}

@Suite struct `Models` {
    private let folder: Folder
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37) }

    init() throws {
        folder = try Folder()
        try folder.writeManifest(of: bytes)
    }

    /// The error that looking a model up ends in.
    private func failure(_ name: String = "m") throws -> ModelError? {
        let store = try ModelStore(directory: folder.path)
        let error = #expect(throws: ModelError.self) { try store.model(name) }
        if let error {
            #expect(error.description.contains("make models"))
            #expect(!error.description.contains("\n"))
        }
        return error
    }

    @Test func `the checkout holds the models that the manifest lists`() throws {
        for name in ["centerface", "haar-frontal", "haar-profile"] {
            #expect(try checkedModel(name).bytes.isEmpty == false)
        }
    }

    @Test func `a model is handed over as it is in the file`() throws {
        try folder.write("m.bin", bytes)
        let model = try ModelStore(directory: folder.path).model("m")
        #expect(model.bytes == bytes)
        #expect(model.path == folder.path + "/m.bin")
        #expect(model.version == "2")
    }

    @Test func `a missing model is an error that names the file`() throws {
        #expect(try failure() == .missing(file: folder.path + "/m.bin"))
    }

    @Test func `a model cut short is an error`() throws {
        try folder.write("m.bin", Array(bytes.dropLast()))
        guard case .altered(let file, _)? = try failure() else { return #expect(Bool(false), "another error") }
        #expect(file == folder.path + "/m.bin")
    }

    @Test func `a longer model is an error`() throws {
        try folder.write("m.bin", bytes + [0])
        guard case .altered? = try failure() else { return #expect(Bool(false), "another error") }
    }

    @Test func `a model with one bit changed is an error`() throws {
        var changed = bytes
        changed[500] ^= 1
        try folder.write("m.bin", changed)
        guard case .altered(_, let reason)? = try failure() else { return #expect(Bool(false), "another error") }
        #expect(reason.contains(SHA256.hex(of: changed)))
    }

    @Test func `a model that can't be read is an error`() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/m.bin", withIntermediateDirectories: false)
        guard case .unreadable? = try failure() else { return #expect(Bool(false), "another error") }
    }

    @Test func `a model that isn't listed is an error`() throws {
        #expect(try failure("other") == .notListed(name: "other", file: folder.path + "/manifest.json"))
    }

    @Test(arguments: ["", "{", "[]", "{\"version\":1}", "{\"version\":2,\"models\":[]}"])
    func `a broken manifest is an error`(text: String) throws {
        try folder.write("manifest.json", Array(text.utf8))
        let error = #expect(throws: ModelError.self) { try ModelStore(directory: folder.path) }
        #expect(error?.description.contains(folder.path + "/manifest.json") == true)
        #expect(error?.description.contains("make models") == true)
    }

    @Test func `a manifest's senseless size is an error`() throws {
        let text = """
            {"version":1,"models":[{"name":"m","file":"m.bin","use":"","version":"","source":"","sha256":"",\
            "size":\(Int.max),"licence":""}]}
            """
        try folder.write("manifest.json", Array(text.utf8))
        #expect(throws: ModelError.self) { try ModelStore(directory: folder.path) }
    }

    @Test func `a named folder is the only one looked at`() throws {
        let other = try Folder()
        let executable = ModelStore.executablePath()
        #expect(
            try ModelStore.locate(flag: folder.path, environment: ["VEIL_MODELS": other.path], executable: executable)
                .directory == folder.path)
        #expect(
            try ModelStore.locate(environment: ["VEIL_MODELS": folder.path], executable: executable).directory
                == folder.path)
        // The checkout's models would do, but the folder that was named has none.
        #expect(throws: ModelError.self) {
            try ModelStore.locate(environment: ["VEIL_MODELS": other.path], executable: executable)
        }
    }

    @Test func `installed models and a checkout's are found from the executable`() throws {
        for (executable, models) in [("bin/veil", "share/veil/models"), (".build/x/debug/veil", "Models")] {
            let root = try Folder()
            try FileManager.default.createDirectory(
                atPath: root.path + "/" + models, withIntermediateDirectories: true)
            try root.write(models + "/manifest.json", Array("{\"version\":1,\"models\":[]}".utf8))
            let found = try ModelStore.locate(environment: [:], executable: root.path + "/" + executable)
            #expect(found.directory == root.path + "/" + models)
        }
    }

    @Test func `where no folder is found the error lists those that were searched`() throws {
        let root = try Folder()
        let error = #expect(throws: ModelError.self) {
            try ModelStore.locate(environment: [:], executable: root.path + "/bin/veil")
        }
        guard case .noFolder(let searched)? = error else { return #expect(Bool(false), "another error") }
        #expect(searched.contains(root.path + "/share/veil/models"))
        #expect(searched.contains(root.path + "/Models"))
    }
}

@Suite struct `Broken networks` {
    private func failure(_ bytes: [UInt8]) -> VisionError? {
        let error = #expect(throws: VisionError.self) {
            try CenterFaceDetector(model: Model(name: "x", path: "x.onnx", version: "1", bytes: bytes))
        }
        #expect(error?.file == "x.onnx")
        #expect(error?.description.contains("\n") == false)
        return error
    }

    @Test func `garbage is an error`() throws {
        #expect(failure((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 3) })?.code == .badModel)
        #expect(failure([0])?.code == .badModel)
        #expect(failure([])?.code == .badArgument)
    }

    @Test(arguments: [0.1, 0.5, 0.9, 0.999])
    func `a network cut short is an error`(part: Double) throws {
        let whole = try checkedModel("centerface").bytes
        #expect(failure(Array(whole.prefix(Int(Double(whole.count) * part))))?.code == .badModel)
    }
}

@Suite struct `SHA-256` {
    // FIPS 180-4's examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `known digests`(text: String, digest: String) {
        #expect(SHA256.hex(of: Array(text.utf8)) == digest)
    }

    @Test func `a file's digest is that of its bytes`() throws {
        let folder = try Folder()
        let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        try folder.write("file", bytes)
        #expect(try SHA256.hex(ofFile: folder.path + "/file") == SHA256.hex(of: bytes))
    }

    @Test func `a file that can't be read is an error`() throws {
        let folder = try Folder()
        let absent = #expect(throws: DigestError.self) { try SHA256.hex(ofFile: folder.path + "/absent") }
        #expect(absent?.code == ENOENT)
        let directory = #expect(throws: DigestError.self) { try SHA256.hex(ofFile: folder.path) }
        #expect(directory?.code == EISDIR)
        #expect(directory?.description.contains(folder.path) == true)
    }
}

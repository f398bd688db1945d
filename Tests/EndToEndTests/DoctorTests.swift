import Glibc
import Testing
import VeilTestSupport

@Suite struct DoctorTests {
    private static let libraries = [
        ("libavdevice", "libavdevice.so", "libavdevice59"), ("SDL2", "libSDL2", "libsdl2-2.0-0"),
        ("libmicrohttpd", "libmicrohttpd", "libmicrohttpd12"),
    ]

    @Test func `the doctor says that what live loads is there`() throws {
        let result = try BuiltVeil.run(["doctor"])
        #expect(result.status == 0, "\(result)")
        for (name, _, _) in Self.libraries {
            let line = result.text.split(separator: "\n").first { $0.contains("  \(name), for ") }
            #expect(line?.hasSuffix(": there") == true, "\(result.text)")
        }
    }

    /// The files of a library are hidden from the program by failing its calls for them.
    @Test(arguments: libraries)
    func `the doctor names a missing library of live, and what brings it`(
        name: String, file: String, package: String
    ) throws {
        let folder = try TemporaryFolder()
        let trace = folder.file("trace")
        _ = try BuiltVeil.run(["doctor"], tracedTo: trace, ["openat"], in: folder.path)
        let lines = String(decoding: try FileBytes.read(trace), as: UTF8.self).split(separator: "\n")
        let path = try #require(
            lines.first { $0.contains("/\(file)") && !$0.contains("= -1") }?
                .split(separator: "\"").dropFirst().first.map(String.init), "the program never looked for \(file)")
        // Where the loader doesn't find it in its list, it looks in the usual folders.
        let parts = path.split(separator: "/")
        let (base, folders) = (parts.last ?? "", parts.dropLast().joined(separator: "/"))
        let places = [folders, "usr/" + folders, "lib", "usr/lib"].map { "/\($0)/\(base)" }
        let result = try BuiltVeil.run(
            ["doctor"], tracedTo: trace, ["openat"],
            with: places.flatMap { ["-P", $0] } + ["-e", "inject=openat:error=ENOENT"], in: folder.path)
        #expect(result.status == 1, "\(result)")
        let line = try #require(result.text.split(separator: "\n").first { $0.contains("  \(name), for ") })
        #expect(line.contains("missing (\(file)") && line.hasSuffix("apt-get install \(package)"), "\(line)")
        // Debian's libavdevice needs SDL2 itself.
        for (other, _, _) in Self.libraries where other != name && !(name == "SDL2" && other == "libavdevice") {
            #expect(
                result.text.split(separator: "\n").contains { $0.contains("  \(other), ") && $0.hasSuffix("there") })
        }
    }
}

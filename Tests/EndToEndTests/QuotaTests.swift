import Testing
import VeilTestSupport

/// Outputs that may not become as large as they would.
@Suite struct QuotaTests {
    private static let hasTracer = (try? Tool.run(["strace", "-V"]).status) == 0
    private static let hasOtherUsers = (try? Tool.run(["setpriv", "--version"]).status) == 0

    /// One line that names the file in the system's words; neither output nor unfinished file.
    private func expectRefused(
        _ run: ToolResult, _ words: String, _ output: String, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == 1 && !run.timedOut, "\(run)", sourceLocation: location)
        #expect(
            run.errorLines.count == 1 && run.errors.contains(words) && run.errors.contains(output), "\(run)",
            sourceLocation: location)
    }

    private func clip(in folder: TemporaryFolder) throws -> String {
        try Clip.make(in: folder, "in.mp4", frames: 20, ["-c:v", "libx264", "-qp", "4", "-preset", "ultrafast"])
    }

    private static let large = ["-q", "--crf", "1", "--preset", "ultrafast"] + Redacted.quick

    /// The kernel sends SIGXFSZ, which ends a program that doesn't expect it and leaves its unfinished file.
    @Test(arguments: ["out.mp4", "out.mkv", "out.ts", "out.avi"], [64, 1])
    func `a limit on the size of files`(name: String, kilobytes: Int) throws {
        let folder = try TemporaryFolder()
        let input = try clip(in: folder)
        let output = folder.file(name)
        let run = try BuiltVeil.run(
            ["redact", input, "-o", output] + Self.large, under: "ulimit -f \(kilobytes * 2)")
        expectRefused(run, "File too large", output)
        #expect(folder.names == ["in.mp4"])
    }

    @Test func `a limit on the size of files holds for pictures, plans and reports too`() throws {
        let folder = try TemporaryFolder()
        let input = try clip(in: folder)
        let picture = folder.file("in.jpg")
        try Tool.need(["cp", Places.portrait, picture])
        let plan = folder.file("plan.json")
        let names = folder.names
        let still = try BuiltVeil.run(["redact", picture, "-o", folder.file("out.jpg"), "-q"], under: "ulimit -f 8")
        expectRefused(still, "File too large", "out.jpg")
        let detected = try BuiltVeil.run(["detect", input, "-o", plan, "-q"] + Redacted.quick, under: "ulimit -f 1")
        expectRefused(detected, "File too large", plan)
        #expect(folder.names == names)
    }

    @Test(.enabled(if: hasTracer, "strace isn't installed"), arguments: ["out.mp4", "out.mkv", "out.ts"])
    func `a quota that is used up while the output is written`(name: String) throws {
        let folder = try TemporaryFolder()
        let input = try clip(in: folder)
        let trace = try TemporaryFolder()
        // The first write is to the output: nothing is said before the end.
        let run = try BuiltVeil.run(
            ["redact", input, "-o", folder.file(name)] + Self.large, tracedTo: trace.file("trace"), ["write"],
            with: ["-e", "inject=write:error=EDQUOT:when=1"], in: folder.path)
        expectRefused(run, "Disk quota exceeded", folder.file(name))
        #expect(folder.names == ["in.mp4"])
    }

    /// Root's writing is never held up by a quota: the program runs as another user that may read everything.
    @Test(
        .enabled(
            if: SmallDisk.canHaveQuota && hasOtherUsers,
            "this kernel has no tmpfs with quotas, or mounting isn't permitted"),
        arguments: ["out.mp4", "out.mkv", "out.ts"])
    func `a quota of the file system`(name: String) throws {
        let folder = try TemporaryFolder()
        let disk = try #require(try SmallDisk(megabytes: 20, quotaKilobytes: 128))
        let input = try clip(in: folder)
        let reads = "+dac_override,+dac_read_search"
        let run = try Tool.run(
            [
                "setpriv", "--reuid", "65534", "--clear-groups", "--inh-caps", reads, "--ambient-caps", reads,
                Places.veil, "redact", input, "-o", disk.file(name),
            ] + Self.large, environment: ["VEIL_MODELS": Places.checkout + "/Models"])
        expectRefused(run, "Disk quota exceeded", disk.file(name))
        #expect(disk.names.allSatisfy { $0.hasPrefix("aquota") } && folder.names == ["in.mp4"])
    }
}

import Foundation
import Testing

@testable import VeilCLI

/// Runs a tool with a script in a file; its output and errors together.
private func run(_ tool: String, _ arguments: [String], file text: String) throws -> (status: Int32, output: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: "veil-\(UUID().uuidString)")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [tool] + arguments.map { $0 == "FILE" ? file.path() : $0 }
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
}

/// Whether a program is in the search path.
private func isInstalled(_ tool: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
}

@Suite struct ShellTests {
    @Test(.enabled(if: isInstalled("groff"), "groff is not installed"))
    func `groff has nothing to say against the man page`() throws {
        let (status, output) = try run("groff", ["-man", "-ww", "-Tutf8", "-z", "FILE"], file: ManPage.text)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test(.enabled(if: isInstalled("groff"), "groff is not installed"))
    func `the man page shows flags as they are typed`() throws {
        let (_, output) = try run(
            "groff", ["-man", "-Tascii", "-P-cbou", "-rLL=200n", "FILE"], file: ManPage.text)
        for flag in VerbName.allCases.flatMap(\.verb.flags).map(\.info) {
            #expect(output.contains("--\(flag.name)\(flag.valueName.map { " " + $0 } ?? "")"), "--\(flag.name)")
        }
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES"] {
            #expect(output.contains("\n\(section)\n"), "\(section)")
        }
        #expect(output.contains("veil clip.mp4 --plan plan.json"))
    }

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
    func `bash can read its completions`() throws {
        let (status, output) = try run("bash", ["-n", "FILE"], file: BashCompletion.text)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
    func `zsh can read its completions`() throws {
        let (status, output) = try run("zsh", ["-f", "-n", "FILE"], file: ZshCompletion.text)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
    func `fish can read its completions`() throws {
        let (status, output) = try run("fish", ["--no-execute", "FILE"], file: FishCompletion.text)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    /// The words of a command line, as bash splits them, and what is to be offered for the last.
    private static let lines: [(words: [String], offered: [String])] = [
        (["veil", "det"], ["detect"]), (["veil", "--eff"], ["--effect"]),
        (["veil", "--effect", ""], ["pixellate", "blur", "solid"]), (["veil", "--effect", "=", "s"], ["solid"]),
        (["veil", "--effect", "="], ["pixellate", "blur", "solid"]), (["veil", "detect", "--cel"], []),
        (["veil", "redact", "--cel"], ["--cells"]), (["veil", "completions", ""], ["bash", "zsh", "fish"]),
        (["veil", "help", "doc"], ["doctor"]), (["veil", "--crf", ""], []), (["veil", "--", "--eff"], []),
        (
            ["veil", "doctor", "-"],
            Verb.doctor.flags.map(\.info).flatMap { flag in
                ["--" + flag.name] + (flag.short.map { ["-\($0)"] } ?? [])
            }
        ),
    ]

    @Test(.enabled(if: isInstalled("bash"), "bash is not installed"), arguments: lines)
    func `bash offers what fits`(words: [String], offered: [String]) throws {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(BashCompletion.text)
            cd /nonexistent 2>/dev/null
            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1)
            _veil
            for word in "${COMPREPLY[@]}"; do echo "$word"; done
            """
        let (status, output) = try run("bash", ["--norc", "FILE"], file: script)
        #expect(status == 0)
        #expect(output.split(separator: "\n").map(String.init) == offered)
    }

    @Test(
        .enabled(if: isInstalled("fish"), "fish is not installed"),
        arguments: [
            ("veil det", ["detect"]), ("veil --eff", ["--effect"]), ("veil --effect ", ["blur", "pixellate", "solid"]),
            ("veil detect --cel", []), ("veil redact --cel", ["--cells"]),
            ("veil completions ", ["bash", "fish", "zsh"]), ("veil --effect=so", ["--effect=solid"]),
        ])
    func `fish offers what fits`(line: String, offered: [String]) throws {
        let script = FishCompletion.text + "\ncomplete -C '\(line)'\n"
        let (status, output) = try run("fish", ["--no-config", "FILE"], file: script)
        #expect(status == 0)
        #expect(output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) } == offered)
    }
}

import Glibc

/// A program that was started, and what came of it.
public struct ToolResult: Sendable, CustomStringConvertible {
    /// Exit code; 128 + the signal's number where a signal ended it.
    public var status: Int32
    public var output: [UInt8]
    public var errors: String
    public var timedOut: Bool
    public var command: [String]
    /// The most memory that it had at any time, in bytes.
    public var peakMemory = 0
    /// The processor time that it and the children it waited for took, in seconds.
    public var processorSeconds = 0.0

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of standard error.
    public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    public var description: String {
        "\(command.joined(separator: " "))\n→ \(status)\(timedOut ? " (timed out)" : "")\n\(errors)"
    }
}

/// Starting programs: no shell, output and errors kept apart, and an end to waiting.
public enum Tool {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// A running program.
    public final class Running {
        public let pid: pid_t
        private let command: [String]
        private let scratch: TemporaryFolder
        private var status: Int32?
        private var peakMemory = 0
        private var processorSeconds = 0.0

        init(_ command: [String], folder: String?, environment: [String: String]) throws {
            self.command = command
            scratch = try TemporaryFolder()
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, scratch.file("out"), O_WRONLY | O_CREAT, 0o600)
            posix_spawn_file_actions_addopen(&actions, 2, scratch.file("err"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
            var variables = Self.inherited
            // A crash is to end at once, not to be taken apart for minutes.
            variables["SWIFT_BACKTRACE"] = "enable=no"
            variables["LC_ALL"] = "C.UTF-8"
            variables.merge(environment) { $1 }
            // Glibc's call for a folder isn't in Swift's module; env goes there and becomes the program.
            let command = (folder.map { ["env", "-C", $0, "--"] } ?? []) + command
            var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
            var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
            defer { for pointer in arguments + settings { free(pointer) } }
            // Signals as a shell has them, whatever the test runner ignores or holds back.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
            var pid: pid_t = 0
            let code = posix_spawnp(&pid, command[0], &actions, &attributes, &arguments, &settings)
            guard code == 0 else { throw SystemError("starting \(command[0])", code) }
            self.pid = pid
        }

        private static let inherited: [String: String] = {
            var result: [String: String] = [:]
            var entry = environ
            while let text = entry.pointee {
                let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
                entry += 1
            }
            return result
        }()

        public func send(_ signal: Int32) { if status == nil { kill(pid, signal) } }

        /// Whether it has ended.
        public func hasEnded() -> Bool {
            if status != nil { return true }
            var raw: Int32 = 0
            notePeakMemory()
            var usage = rusage()
            guard wait4(pid, &raw, WNOHANG, &usage) == pid else { return false }
            processorSeconds = [usage.ru_utime, usage.ru_stime]
                .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
            status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
            return true
        }

        /// Reads the most memory it has had so far. What `wait4` says of that counts in whoever started it, which may be
        /// a test run of a gigabyte.
        private func notePeakMemory() {
            guard let bytes = try? FileBytes.read("/proc/\(pid)/status") else { return }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
                let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
                peakMemory = max(peakMemory, kilobytes * 1024)
            }
        }

        /// Waits until a condition holds; false when the program ended or the time was up before it did.
        public func waits(seconds: Double, until condition: () -> Bool) -> Bool {
            let limit = ContinuousClock.now.advanced(by: .seconds(seconds))
            while !condition() {
                if hasEnded() || ContinuousClock.now > limit { return condition() }
                usleep(2000)
            }
            return true
        }

        /// Whether the program that runs now has a handler for a signal: before it has, the signal ends it unheard.
        public func handles(_ signal: Int32) -> Bool {
            guard let bytes = try? FileBytes.read("/proc/\(pid)/status") else { return false }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("SigCgt:") {
                let caught = line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) } ?? 0
                return caught >> UInt64(signal - 1) & 1 == 1
            }
            return false
        }

        /// What it has written to standard error so far.
        public var errorsSoFar: String {
            (try? FileBytes.read(scratch.file("err"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        /// What it has written to standard output so far.
        public var outputSoFar: String {
            (try? FileBytes.read(scratch.file("out"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }

        /// Waits for its end; kills it when the time is up.
        public func finish(timeout: Double = 600) throws -> ToolResult {
            let isDone = waits(seconds: timeout) { status != nil }
            if !isDone {
                kill(pid, SIGKILL)
                while !hasEnded() { usleep(2000) }
            }
            return ToolResult(
                status: status ?? -1, output: try FileBytes.read(scratch.file("out")), errors: errorsSoFar,
                timedOut: !isDone, command: command, peakMemory: peakMemory, processorSeconds: processorSeconds)
        }
    }

    public static func start(_ command: [String], in folder: String? = nil, environment: [String: String] = [:])
        throws -> Running
    { try Running(command, folder: folder, environment: environment) }

    public static func run(
        _ command: [String], in folder: String? = nil, timeout: Double = 600, environment: [String: String] = [:]
    ) throws -> ToolResult {
        try start(command, in: folder, environment: environment).finish(timeout: timeout)
    }

    /// Runs a tool that the test needs: anything but success is an error of the test itself.
    @discardableResult
    public static func need(_ command: [String], in folder: String? = nil) throws -> ToolResult {
        let result = try run(command, in: folder)
        guard result.status == 0, !result.timedOut else { throw Failure(description: "\(result)") }
        return result
    }

    @discardableResult
    public static func ffmpeg(_ arguments: [String], in folder: String? = nil) throws -> ToolResult {
        try need(["ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-y"] + arguments, in: folder)
    }

    public static func ffprobe(_ arguments: [String]) throws -> String {
        try need(["ffprobe", "-hide_banner", "-loglevel", "error"] + arguments).text
    }
}

/// Where things are.
public enum Places {
    /// The folder that holds Package.swift.
    public static let checkout = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The built program: beside the test bundle that runs this, else where VEIL says.
    public static let veil: String = {
        if let named = getenv("VEIL") { return String(cString: named) }
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let me = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = "/" + me.split(separator: "/").dropLast().joined(separator: "/")
        let names = ["veil", "VeilMain"].map { folder + "/" + $0 }
        return names.first { access($0, X_OK) == 0 } ?? checkout + "/.build/debug/veil"
    }()

    public static let portrait = checkout + "/samples/astronaut.jpg"
}

/// Running the built program.
public enum BuiltVeil {
    /// The models of the checkout, whatever is installed on the machine.
    static let environment = ["VEIL_MODELS": Places.checkout + "/Models"]

    public static func start(_ arguments: [String], in folder: String? = nil) throws -> Tool.Running {
        try Tool.start([Places.veil] + arguments, in: folder, environment: environment)
    }

    public static func run(_ arguments: [String], in folder: String? = nil, timeout: Double = 600) throws -> ToolResult
    {
        try start(arguments, in: folder).finish(timeout: timeout)
    }

    /// A shell's script, in which `$VEIL` is the program.
    public static func shell(_ script: String, in folder: String, environment more: [String: String] = [:]) throws
        -> ToolResult
    {
        try startShell(script, in: folder, environment: more).finish()
    }

    public static func startShell(
        _ script: String, in folder: String, arguments: [String] = [], environment more: [String: String] = [:]
    ) throws -> Tool.Running {
        try Tool.start(
            ["bash", "-c", script, "bash"] + arguments, in: folder,
            environment: environment.merging(["VEIL": Places.veil]) { $1 }.merging(more) { $1 })
    }

    /// With a record of its system calls of these names, and of those of all its threads and processes.
    public static func run(
        _ arguments: [String], tracedTo trace: String, _ calls: [String], with more: [String] = [], in folder: String
    ) throws -> ToolResult {
        try Tool.run(
            ["strace", "-f", "-qq", "-s", "4096", "-o", trace, "-e", "trace=" + calls.joined(separator: ",")] + more
                + [Places.veil] + arguments,
            in: folder, environment: environment)
    }

    /// Under a shell's limits: `limits` is shell text that stands before the program.
    public static func run(_ arguments: [String], under limits: String, in folder: String? = nil) throws -> ToolResult {
        try Tool.run(
            ["sh", "-c", limits + "; exec \"$@\"", "sh", Places.veil] + arguments, in: folder, environment: environment)
    }
}

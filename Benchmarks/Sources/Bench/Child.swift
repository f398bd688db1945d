import Foundation

/// What a program took, its own children included.
struct Usage: Codable, Sendable {
    /// User and system time, in seconds.
    var cpu: Double
    /// On the clock, in seconds.
    var elapsed: Double
    /// Largest resident set of any of its processes, in bytes.
    var peakMemory: Int
    /// 0 for success; 128 and more for a signal.
    var exitCode: Int32
}

/// Runs programs and measures them with wait4(2).
///
/// Each is started by a small process of its own, this program with `measureFlag`: Linux counts the memory of the
/// process that starts a program into the program's peak, and this one's grows with the frames that it compares.
enum Child {
    static let measureFlag = "--measure-child"

    /// Runs a program with nothing on standard input.
    ///
    /// - Returns: what it took, and the end of what it wrote to standard error.
    static func run(_ command: [String], folder: URL) throws(BenchError) -> (usage: Usage, words: String) {
        let log = folder.appendingPathComponent("stderr.txt")
        let output = try capture(["/proc/self/exe", measureFlag, log.path] + command).output
        guard let usage = try? JSONDecoder().decode(Usage.self, from: output) else {
            throw .failed("\(command[0]) could not be started")
        }
        let words = (try? Data(contentsOf: log)) ?? Data()
        return (usage, String(decoding: words.suffix(2000), as: UTF8.self))
    }

    /// Runs a program and hands over its standard output.
    static func capture(_ command: [String]) throws(BenchError) -> (output: Data, exitCode: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0]).resolvingSymlinksInPath()
        process.arguments = Array(command.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            throw .failed("\(command[0]) could not be started: \(error)")
        }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (output, process.terminationStatus)
    }

    /// The small process: runs `command`, writes its `Usage` to standard output and ends.
    static func measure(log: String, _ command: [String]) -> Never {
        // The measured program is to end on Ctrl-C: Foundation put this process into a group of its own, and ignored
        // signals are inherited.
        _ = setpgid(0, getpgid(getppid()))
        signal(SIGINT, SIG_DFL)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        var pid: pid_t = 0
        let start = ContinuousClock.now
        guard posix_spawn(&pid, command[0], &actions, nil, arguments, environ) == 0 else { exit(1) }
        var status: Int32 = 0
        var taken = rusage()
        while wait4(pid, &status, 0, &taken) < 0 {
            guard errno == EINTR else { exit(1) }
        }
        let elapsed = start.duration(to: .now) / .seconds(1)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let signal = status & 0x7f
        let usage = Usage(
            cpu: seconds(taken.ru_utime) + seconds(taken.ru_stime), elapsed: elapsed,
            // Linux gives kibibytes.
            peakMemory: taken.ru_maxrss * 1024, exitCode: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
        guard let data = try? JSONEncoder().encode(usage) else { exit(1) }
        FileHandle.standardOutput.write(data)
        exit(0)
    }
}

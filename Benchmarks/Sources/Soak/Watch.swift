import Foundation

/// What was seen of a program while it ran.
struct Watch {
    struct Sample {
        /// Resident memory, in bytes.
        var memory: Int
        var openFiles: Int
    }

    /// One a second.
    var samples: [Sample] = []
    /// The largest resident memory, in bytes, by the kernel's account.
    var peak = 0
    /// User and system time, and time on the clock, in seconds.
    var cpu = 0.0
    var elapsed = 0.0
    /// 0 for success; 128 and more for a signal.
    var exitCode: Int32 = 0

    /// Runs a program to its end, its output in the file `log`.
    init(_ command: [String], log: String) throws(SoakError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        // This program may ignore Ctrl-C to tidy up; the one that it starts is to end.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        guard posix_spawnp(&pid, command[0], &actions, &attributes, arguments, environ) == 0 else {
            throw .failed("\(command[0]) could not be started")
        }
        let start = ContinuousClock.now
        var usage = rusage()
        var status: Int32 = 0
        var next = 1.0
        while true {
            let ended = wait4(pid, &status, WNOHANG, &usage)
            if ended == pid { break }
            guard ended == 0 || errno == EINTR else { throw .failed("\(command[0]) was lost sight of") }
            elapsed = start.duration(to: .now) / .seconds(1)
            if elapsed >= next {
                next = elapsed.rounded(.down) + 1
                if let sample = Sample(of: pid) { samples.append(sample) }
            }
            usleep(50_000)
        }
        elapsed = start.duration(to: .now) / .seconds(1)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        // Linux gives kibibytes.
        peak = usage.ru_maxrss * 1024
        let signal = status & 0x7f
        exitCode = signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// The medians of a value over the second fifth of the run, when all has been set up, and over the last.
    ///
    /// - Returns: nil where the run was too short to say.
    func fifths(_ value: (Sample) -> Int) -> (early: Int, late: Int)? {
        guard samples.count >= 25 else { return nil }
        let fifth = samples.count / 5
        func median(_ part: ArraySlice<Sample>) -> Int {
            let sorted = part.map(value).sorted()
            return sorted[sorted.count / 2]
        }
        return (median(samples[fifth..<2 * fifth]), median(samples.suffix(fifth)))
    }
}

extension Watch.Sample {
    /// Nil when the process is no more.
    init?(of pid: pid_t) {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            // "VmRSS:	  123456 kB"
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }),
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
        else { return nil }
        self.init(memory: kibibytes * 1024, openFiles: files.count)
    }
}

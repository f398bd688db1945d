import CSandbox
import Glibc

/// Processes that each do one piece of work and tell of it in lines.
///
/// A worker is a copy of this process (fork), made when the detector is loaded and no file was opened yet: it has the
/// network in memory and pays nothing for it, and what one file does to its worker reaches no other file. It has no files
/// open but the standard ones and its pipe, and ends when this process does. The process that keeps the pool must have a
/// single thread.
///
/// What a worker says is said by a process that reads hostile files: lines are bounded, and nothing but words and numbers is
/// taken from them.
struct WorkerPool {
    enum Event {
        case line(job: Int, [UInt8])
        /// With the status that `waitpid` gave.
        case ended(job: Int, status: Int32)
    }

    private struct Worker {
        let job: Int
        let process: pid_t
        var pipe: Int32
        var unread: [UInt8] = []
        /// When the pipe was closed, in milliseconds; a worker that lives on after that is ended.
        var closedAt: Int?
    }

    /// A line's largest size: some hundreds of tracks take 50 kB.
    private static let longestLine = 1 << 22
    private var workers: [Worker] = []

    var count: Int { workers.count }

    /// Starts a worker; `work` is called in it, with the end of the pipe to write to, and gives its exit code.
    ///
    /// - Returns: an error number, or 0.
    mutating func start(job: Int, _ work: (Int32) -> Int32) -> Int32 {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return errno }
        var process: pid_t = 0
        let code = csb_fork_worker(ends[1], &process)
        if code == 0 && process == 0 { _exit(work(ends[1])) }
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            return -code
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        workers.append(Worker(job: job, process: process, pipe: ends[0]))
        return 0
    }

    /// What has happened since the last call; waits for something to happen for at most this long.
    mutating func poll(milliseconds: Int32) -> [Event] {
        var waited = workers.filter { $0.pipe >= 0 }.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
        if waited.isEmpty {
            usleep(5000)
        } else {
            // A worker that has said its last is about to end: its place is wanted.
            let isOneEnding = workers.contains { $0.closedAt != nil }
            _ = Glibc.poll(&waited, nfds_t(waited.count), isOneEnding ? min(5, milliseconds) : milliseconds)
        }
        var events: [Event] = []
        for index in workers.indices { read(&workers[index], &events) }
        workers.removeAll { worker in
            guard let closedAt = worker.closedAt else { return false }
            var status: Int32 = 0
            let ended = waitpid(worker.process, &status, WNOHANG)
            if ended == worker.process {
                events.append(.ended(job: worker.job, status: status))
                return true
            }
            if ended < 0 && errno != EINTR {
                events.append(.ended(job: worker.job, status: SIGKILL))
                return true
            }
            if Self.now - closedAt > 5000 { kill(worker.process, SIGKILL) }
            return false
        }
        return events
    }

    func send(_ signal: Int32) { for worker in workers { kill(worker.process, signal) } }

    private func read(_ worker: inout Worker, _ events: inout [Event]) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while worker.pipe >= 0 {
            let count = Glibc.read(worker.pipe, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN { break }
            if count > 0 { worker.unread += buffer[..<count] }
            if count <= 0 || worker.unread.count > Self.longestLine {
                if count > 0 { kill(worker.process, SIGKILL) }
                close(worker.pipe)
                worker.pipe = -1
                worker.closedAt = Self.now
            }
        }
        while let end = worker.unread.firstIndex(of: 0x0A) {
            events.append(.line(job: worker.job, Array(worker.unread[..<end])))
            worker.unread.removeSubrange(...end)
        }
    }

    /// Milliseconds of a clock that only goes forward.
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

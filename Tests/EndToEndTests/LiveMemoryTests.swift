import Glibc
import Testing
import VeilTestSupport

/// What `veil live` holds in memory.
@Suite(.serialized) struct LiveMemoryTests {
    /// Bytes of a process's memory that are present.
    private func present(_ pid: pid_t) throws -> Int {
        let fields = String(decoding: try FileBytes.read("/proc/\(pid)/statm"), as: UTF8.self).split(separator: " ")
        return try #require(Int(fields[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    @Test func `frames that waited for a slow output leave no memory behind`() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("out")
        #expect(mkfifo(pipe, 0o600) == 0)
        // For both directions: opening waits for nobody then.
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let run = try BuiltVeil.startShell(
            "exec \"$VEIL\" live -i lavfi:testsrc2=s=1280x720:r=30 --detect-size 128 --threads 1 -q -o - >out",
            in: folder.path)
        defer { run.send(SIGKILL) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        func take(seconds: Int) {
            let end = ContinuousClock.now.advanced(by: .seconds(seconds))
            while ContinuousClock.now < end, !run.hasEnded() {
                if read(reader, &buffer, buffer.count) <= 0 { usleep(1000) }
            }
        }
        take(seconds: 6)
        let before = try present(run.pid)
        sleep(4)
        let waiting = try present(run.pid)
        // Forty-five frames of 1.4 MB fit the queue; a slow machine makes fewer in that time.
        #expect(waiting - before > 20 << 20, "\(before), \(waiting)")
        var after = waiting
        for _ in 0..<10 where after - before > (waiting - before) / 3 {
            take(seconds: 2)
            after = try present(run.pid)
        }
        #expect(after - before <= (waiting - before) / 3, "\(before), \(waiting), \(after)")
        run.send(SIGTERM)
        take(seconds: 1)
        #expect(try run.finish().status == 0)
    }
}

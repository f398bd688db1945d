import Foundation
import Testing

@testable import VeilCLI

/// Starts a thread of its own for work that blocks; tasks that block could use up the pool of a small machine.
private func thread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> AsyncStream<Value> {
    AsyncStream { continuation in
        Thread.detachNewThread {
            continuation.yield(work())
            continuation.finish()
        }
    }
}

@Suite struct ConsoleTests {
    @Test func `a status of several lines is taken away as a whole`() {
        let transcript = Transcript()
        let console = transcript.console(showsStatus: true)
        console.setStatus("a\nb\nc")
        console.line("told")
        console.setStatus("a\nb")
        console.setStatus("")
        #expect(
            transcript.written == [
                "\r\u{1B}[Ka\nb\nc", "\r\u{1B}[2A\u{1B}[Jtold\na\nb\nc", "\r\u{1B}[2A\u{1B}[Ja\nb",
                "\r\u{1B}[1A\u{1B}[J",
            ])
    }

    @Test func `a message takes the status's place and the status comes again below`() {
        let transcript = Transcript()
        let console = transcript.console(showsStatus: true)
        console.line("one")
        console.setStatus("50%")
        console.line("two")
        console.setStatus("")
        console.line("three")
        #expect(
            transcript.written == [
                "one\n", "\r\u{1B}[K50%", "\r\u{1B}[Ktwo\n50%", "\r\u{1B}[K", "three\n",
            ])
    }

    @Test func `an unchanged status isn't drawn again`() {
        let transcript = Transcript()
        let console = transcript.console(showsStatus: true)
        console.setStatus("50%")
        console.setStatus("50%")
        #expect(transcript.written.count == 1)
    }

    @Test func `lines of many threads stay whole`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let console = Console(showsStatus: false) { try? writeWhole($0, to: writeEnd) }
        // Longer than PIPE_BUF, up to which the system itself keeps writes whole.
        let lines = (0..<8).map { String(repeating: "\($0)", count: 5000) }
        let reader = thread {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(readEnd, &buffer, buffer.count)
                if count <= 0 { return bytes }
                bytes += buffer[..<count]
            }
        }
        let writers = lines.map { line in thread { for _ in 0..<10 { console.line(line) } } }
        for writer in writers { for await _ in writer {} }
        close(writeEnd)
        let bytes = try #require(await reader.first { _ in true })
        let text = String(decoding: bytes, as: UTF8.self)
        close(readEnd)
        let received = text.split(separator: "\n").map(String.init)
        #expect(received.count == 80)
        #expect(Set(received) == Set(lines))
    }

    @Test func `a full disk is reported`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let error = try #require(throws: WriteError.self) { try writeWhole("text", to: full) }
        #expect(error == WriteError(errno: ENOSPC))
        #expect(error.words == "No space left on device")
    }

    @Test func `a non-blocking pipe that is full is waited for`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        try #require(fcntl(writeEnd, F_SETFL, O_NONBLOCK) == 0)
        let text = String(repeating: "x", count: 300_000)
        let reader = thread {
            usleep(50_000)
            var total = 0
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(readEnd, &buffer, buffer.count)
                if count <= 0 { return total }
                total += count
            }
        }
        try writeWhole(text, to: writeEnd)
        close(writeEnd)
        #expect(await reader.first { _ in true } == text.utf8.count)
        close(readEnd)
    }

    @Test func `a pipe is no terminal and 80 columns wide`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(!Terminal.isTerminal(ends[1]))
        #expect(!Terminal.canRewriteLines(ends[1]))
        #expect(Terminal.width(ends[1]) == 80)
        for end in ends { close(end) }
    }

    @Test(.enabled(if: access("/dev/ptmx", R_OK | W_OK) == 0, "there are no pseudoterminals"))
    func `a terminal is one and has its own width`() throws {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(main >= 0)
        defer { close(main) }
        var size = winsize(ws_row: 24, ws_col: 123, ws_xpixel: 0, ws_ypixel: 0)
        let isSet = ioctl(main, UInt(TIOCSWINSZ), &size) == 0
        try #require(isSet)
        #expect(Terminal.isTerminal(main))
        #expect(Terminal.width(main) == 123)
    }
}

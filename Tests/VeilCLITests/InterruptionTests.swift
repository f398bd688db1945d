import Foundation
import Testing

@testable import VeilCLI

/// Tests run on threads that have all signals blocked; here `raise` is to take effect before it returns.
private func listenOnThisThread(ignoring ignored: [Int32] = []) {
    // A test run in the background may have inherited ignored signals.
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, ignored.contains(number) ? SIG_IGN : SIG_DFL) }
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    Interruption.listen()
}

/// Each runs in a process of its own, for a signal is for the whole process.
@Suite struct InterruptionTests {
    @Test func `the first signal asks and the second ends`() async {
        await #expect(processExitsWith: .exitCode(130)) {
            listenOnThisThread()
            guard !Interruption.isRequested else { exit(1) }
            raise(SIGINT)
            guard Interruption.isRequested else { exit(2) }
            raise(SIGTERM)
            exit(3)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `one signal doesn't end the program`(signal: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [signal] in
            listenOnThisThread()
            raise(signal)
            exit(Interruption.isRequested ? 7 : 1)
        }
    }

    @Test func `a signal that was ignored from the start stays ignored`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            listenOnThisThread(ignoring: [SIGHUP])
            raise(SIGHUP)
            raise(SIGHUP)
            exit(Interruption.isRequested ? 1 : 7)
        }
    }

    @Test func `a read that a signal breaks off goes on`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            listenOnThisThread()
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(1) }
            let (reading, writing) = (ends[0], ends[1])
            let me = pthread_self()
            Thread.detachNewThread {
                usleep(50_000)
                pthread_kill(me, SIGINT)
                usleep(50_000)
                var byte: UInt8 = 1
                write(writing, &byte, 1)
            }
            var byte: UInt8 = 0
            let count = read(reading, &byte, 1)
            exit(count == 1 && Interruption.isRequested ? 7 : 2)
        }
    }
}

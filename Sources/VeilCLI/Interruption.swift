import Glibc
import Synchronization

/// Ctrl-C and its kin: the first asks the work to end in good order, the second ends the program at once.
enum Interruption {
    /// 0, or the number of the first signal that came.
    private static let first = Atomic<Int32>(0)

    /// Whether the work should end. Cheap enough to ask for every frame.
    static var isRequested: Bool { first.load(ordering: .relaxed) != 0 }

    /// Starts to listen for SIGINT, SIGTERM and SIGHUP, unless whoever started the program has them ignored (`nohup`).
    ///
    /// The handler does nothing but one atomic exchange and `_exit`, both async-signal-safe. System calls that a signal
    /// breaks off are started again, so that a first signal never turns into a read error.
    static func listen() {
        // Globals are set up on first use, which a handler must not be.
        _ = isRequested
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            var old = sigaction()
            guard sigaction(signal, nil, &old) == 0, !isIgnored(old) else { continue }
            var new = sigaction()
            new.__sigaction_handler.sa_handler = { signal in
                let (exchanged, _) = Interruption.first.compareExchange(
                    expected: 0, desired: signal, ordering: .relaxed)
                if !exchanged { _exit(ExitCode.interrupted.rawValue) }
            }
            new.sa_flags = SA_RESTART
            sigemptyset(&new.sa_mask)
            _ = sigaction(signal, &new, nil)
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        // SIG_IGN is the address 1, which isn't a function: compared as a number.
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}

import CSandbox
import Glibc
import VeilVision

/// Several inputs, one after the other, each in a process of its own: the sandbox of one file can't be opened up again for
/// the next, and a file that brings the decoder down doesn't take the others along.
///
/// A worker is this program with the same flags and a single input. It ends when this process does.
struct Workers {
    private let options: Options
    private let console: Console

    private static let name = "veil-worker"

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
    }

    static func areNeeded(_ options: Options) -> Bool {
        options.verb == .detect && options.operands.count > 1 && !options.value(Flags.noSandbox)
    }

    /// Whether this process was started by another one for a single file.
    static var isWorker: Bool {
        guard CommandLine.argc > 0, let first = CommandLine.unsafeArgv[0] else { return false }
        return String(cString: first) == name
    }

    func run() -> ExitCode {
        // Told once instead of for each input.
        do throws(ModelError) {
            _ = try ModelStore.locate(flag: options.value(Flags.models))
        } catch {
            console.line(ErrorText.line(.model(error), input: ""))
            return .inputFailed
        }
        var code = ExitCode.done
        for input in options.operands {
            code = code.merged(with: work(on: input))
            if code == .interrupted || Interruption.isRequested { return .interrupted }
        }
        return code
    }

    private func work(on input: String) -> ExitCode {
        func fail(_ words: String) -> ExitCode {
            console.line("veil: \(sanitised(input)): \(words)")
            return .inputFailed
        }
        var worker: pid_t = 0
        let code = start(on: input, &worker)
        guard code == 0 else { return fail("starting a worker: \(String(cString: strerror(-code)))") }
        var status: Int32 = 0
        var wasTold = false
        while true {
            let ended = waitpid(worker, &status, WNOHANG)
            if ended == worker { break }
            if ended < 0 && errno != EINTR { return fail("waiting for a worker: \(String(cString: strerror(errno)))") }
            if Interruption.isRequested && !wasTold {
                kill(worker, SIGTERM)
                wasTold = true
            }
            usleep(5000)
        }
        let signal = status & 0x7F
        if signal != 0 {
            let words = strsignal(signal).map { String(cString: $0) } ?? "signal \(signal)"
            return fail("the work on it was ended by signal \(signal) (\(words)); nothing was written")
        }
        return ExitCode(rawValue: status >> 8 & 0xFF)
            ?? fail("the work on it ended with code \(status >> 8 & 0xFF); nothing was written")
    }

    private func start(on input: String, _ worker: inout pid_t) -> Int32 {
        let flags = options.typedFlags.map { use in "--\(use.name)" + (use.value.map { "=\($0)" } ?? "") }
        let arguments = [Self.name, options.verb.rawValue] + flags + ["--", input]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return csb_start_worker("/proc/self/exe", &pointers, &worker)
    }
}

import Glibc

/// The program around its verbs: reads the command line, prints what's asked for, words errors, gives the exit code.
enum Program {
    /// Where the program talks to, and what it calls for the work.
    struct Surroundings {
        var console: Console
        /// Prints a document.
        var output: (String) throws(WriteError) -> Void
        /// Carries out `redact`, `detect` or `doctor`.
        var perform: (Options) -> ExitCode
    }

    /// Runs with arguments that don't include the program's name.
    static func run(_ arguments: [[UInt8]], _ surroundings: Surroundings) -> ExitCode {
        let request: Request
        do throws(UsageError) {
            request = try Request(decoded(arguments))
        } catch {
            surroundings.console.line(UsageErrorText.line(error))
            return .usage
        }
        switch request {
        case .print(let document):
            do throws(WriteError) {
                try surroundings.output(document.text)
                return .done
            } catch {
                surroundings.console.line("veil: standard output: \(error.words)")
                return .inputFailed
            }
        case .run(let options):
            // A worker's command line was looked at by whoever started it.
            for caution in options.cautions where !Workers.isWorker {
                surroundings.console.line("veil: warning: \(caution)")
            }
            return surroundings.perform(options)
        }
    }

    /// The process's arguments as they are; Swift's own list has repaired what isn't UTF-8 into other names.
    static var processArguments: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { pointer in
                let bytes = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))
                return [UInt8](bytes)
            }
        }
    }

    /// Names of files are handed on as text, so that one which isn't would be another name: refused.
    private static func decoded(_ arguments: [[UInt8]]) throws(UsageError) -> [String] {
        var texts: [String] = []
        for (index, bytes) in arguments.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw UsageError(verb: nil, problem: .notUTF8(position: index + 1, bytes: bytes))
            }
            texts.append(text)
        }
        return texts
    }
}

import Glibc
import VeilMedia

/// The program from its arguments to its exit code.
public enum VeilProgram {
    /// Reads the process's arguments, does what they ask for, and gives the code to exit with.
    public static func main() -> Int32 {
        Interruption.listen()
        // A reader that goes away is an error to report, not a reason to die.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has grown to the limit its owner may write (`ulimit -f`).
        signal(SIGXFSZ, SIG_IGN)
        let surroundings = Program.Surroundings(
            console: .standardError,
            output: { text throws(WriteError) in try writeWhole(text, to: Terminal.standardOutput) },
            perform: { options in
                if options.verb != .doctor { LibraryLog.install(verbose: options.value(Flags.verbose)) }
                if BatchRequest.isMeant(options) { return BatchCommand(options, console: .standardError).run() }
                if Workers.areNeeded(options) { return Workers(options, console: .standardError).run() }
                return switch options.verb {
                case .redact: RedactCommand(options, console: .standardError).run()
                case .detect: DetectCommand(options, console: .standardError).run()
                case .check: CheckCommand(options, console: .standardError).run()
                case .live: LiveVerbCommand(options, console: .standardError).run()
                case .doctor: DoctorCommand(options).run()
                default: .usage
                }
            })
        return Program.run(Program.processArguments, surroundings).rawValue
    }
}

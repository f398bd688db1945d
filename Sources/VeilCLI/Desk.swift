import VeilMedia
import VeilPipeline

/// What the work on one input after the other shares: the loaded detector, the sandbox, and how errors are told.
struct Desk {
    private let options: Options
    private let console: Console
    private var loaded: Redaction?
    private var isLoadingHopeless = false

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
    }

    /// Works on every input; an error is told, and the next input has its turn.
    mutating func each(_ work: (InputFile, inout Desk) throws(VeilError) -> Void) -> ExitCode {
        var code = ExitCode.done
        for operand in options.operands {
            do throws(VeilError) {
                let input = try InputFile(operand)
                try work(input, &self)
            } catch {
                console.line(ErrorText.line(error, input: operand == "-" ? StandardInput.name : operand))
                if case .cancelled = error { return .interrupted }
                code = code.merged(with: .inputFailed)
            }
            // No other input will fare better without a model.
            if isLoadingHopeless { break }
        }
        return code
    }

    /// The loaded detector. Before it is loaded, and so before any thread is started, rights are given up.
    mutating func redaction(in sandbox: Sandbox) throws(VeilError) -> Redaction {
        if let loaded { return loaded }
        if !options.value(Flags.noSandbox) {
            let state = sandbox.enter(models: options.value(Flags.models))
            if options.value(Flags.verbose) { for line in state { console.line("veil: sandbox: \(line)") } }
        } else if options.value(Flags.verbose) {
            console.line("veil: sandbox: off (--no-sandbox)")
        }
        isLoadingHopeless = true
        let redaction = try Redaction(settings: RedactionSettings(options))
        isLoadingHopeless = false
        loaded = redaction
        return redaction
    }
}

import Glibc
import VeilCore
import VeilMedia
import VeilPipeline

/// `veil redact`: a covered copy of each input.
struct RedactCommand {
    private let options: Options
    private let console: Console
    private let isQuiet: Bool

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
        isQuiet = options.value(Flags.quiet)
    }

    func run() -> ExitCode {
        let redaction: Redaction
        do throws(VeilError) {
            redaction = try Redaction(settings: RedactionSettings(options))
        } catch {
            console.line(ErrorText.line(error, input: ""))
            return .inputFailed
        }
        var code = ExitCode.done
        for input in options.operands {
            code = code.merged(with: redact(input, redaction))
            if code == .interrupted { break }
        }
        return code
    }

    private func redact(_ input: String, _ redaction: Redaction) -> ExitCode {
        let progress = ProgressReporter(input: input, console: console, quiet: isQuiet)
        do throws(VeilError) {
            guard let output = options.value(Flags.output) ?? OutputName.redacted(for: input) else {
                throw .media(
                    MediaError(
                        .unwritable, "naming the output", file: input, detail: "no name can be made from the input's",
                        advice: "name it with -o"))
            }
            if !isQuiet, let estimate = try Estimate.of(input, output: output, settings: redaction.settings) {
                for line in EstimateText.lines(estimate, input: input) { console.line("veil: \(sanitised(line))") }
            }
            let result: RedactionResult
            if let file = options.value(Flags.plan) {
                let plan = try PlanFile.read(file)
                try redaction.check(plan, for: input)
                result = try redaction.render(input, plan: plan, to: output, observer: progress.observer)
            } else {
                result = try redaction.redact(input, to: output, observer: progress.observer)
            }
            progress.finish()
            if let report = options.value(Flags.report) {
                try PlanFile.write(
                    Report(input: input, output: output, result: result), to: report,
                    overwrite: options.value(Flags.force))
            }
            if !isQuiet { try tell(result, input: input, output: output) }
            return .done
        } catch {
            progress.finish()
            console.line(ErrorText.line(error, input: input))
            if case .cancelled = error { return .interrupted }
            return .inputFailed
        }
    }

    private func tell(_ result: RedactionResult, input: String, output: String) throws(VeilError) {
        for notice in result.notices { console.line("veil: \(sanitised(input)): note: \(sanitised(notice))") }
        for line in try SummaryText.lines(result, output: output) { console.line("veil: \(sanitised(line))") }
    }
}

/// `veil detect`: a plan for each input.
struct DetectCommand {
    private let options: Options
    private let console: Console

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
    }

    func run() -> ExitCode {
        let redaction: Redaction
        do throws(VeilError) {
            redaction = try Redaction(settings: RedactionSettings(options))
        } catch {
            console.line(ErrorText.line(error, input: ""))
            return .inputFailed
        }
        var code = ExitCode.done
        for input in options.operands {
            code = code.merged(with: detect(input, redaction))
            if code == .interrupted { break }
        }
        return code
    }

    private func detect(_ input: String, _ redaction: Redaction) -> ExitCode {
        let isQuiet = options.value(Flags.quiet)
        let progress = ProgressReporter(input: input, console: console, quiet: isQuiet)
        do throws(VeilError) {
            let output = options.value(Flags.planOutput) ?? OutputName.plan(for: input) ?? "plan.json"
            let isPrinted = output == "-"
            // Refused before the work, not after it.
            let file = isPrinted ? nil : try PlanFile.open(output, input: input, overwrite: options.value(Flags.force))
            let plan = try redaction.analyse(input, observer: progress.observer)
            progress.finish()
            let text = try PlanFile.encode(plan, name: output)
            if let file {
                try PlanFile.write(text, to: file)
            } else {
                try PlanFile.printed(text)
            }
            if !isQuiet {
                for line in try SummaryText.lines(plan, file: input) { console.line("veil: \(sanitised(line))") }
            }
            return .done
        } catch {
            progress.finish()
            console.line(ErrorText.line(error, input: input))
            if case .cancelled = error { return .interrupted }
            return .inputFailed
        }
    }
}

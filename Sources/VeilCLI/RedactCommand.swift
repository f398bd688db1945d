import Glibc
import VeilCore
import VeilMedia
import VeilPipeline
import VeilStills

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
        var desk = Desk(options, console: console)
        return desk.each { (input, desk) throws(VeilError) in try redact(input, &desk) }
    }

    private func redact(_ input: InputFile, _ desk: inout Desk) throws(VeilError) {
        let output = try OutputFile(options, for: input)
        var sandbox = Sandbox(options, input: input.path)
        if let own = output.standardOutput {
            sandbox.folders.append(own.folder)
        } else {
            sandbox.outputs = [output.path]
        }
        if let plan = options.value(Flags.plan) { sandbox.inputs.append(plan) }
        if let report = options.value(Flags.report) { sandbox.outputs.append(report) }
        let redaction = try desk.redaction(in: sandbox)
        let isStill = StillFormat.recognise(input.path) != nil
        let progress = ProgressReporter(input: input.name, console: console, quiet: isQuiet)
        do throws(VeilError) {
            defer { progress.finish() }
            if !isQuiet, !isStill,
                let estimate = try Estimate.of(input.path, output: output.path, settings: redaction.settings)
            {
                for line in EstimateText.lines(estimate, input: input.name) {
                    console.line("veil: \(sanitised(line))")
                }
            }
            var result: RedactionResult
            if isStill {
                let plan = try options.value(Flags.plan).map { file throws(VeilError) in try PlanFile.read(file) }
                result = try redaction.redactStill(
                    input.path, to: output.path, plan: plan, observer: progress.observer)
                if plan == nil { result.plan.source.file = input.baseName }
            } else if let file = options.value(Flags.plan) {
                let plan = try PlanFile.read(file)
                try redaction.check(plan, for: input.path)
                result = try redaction.render(input.path, plan: plan, to: output.path, observer: progress.observer)
            } else {
                result = try redaction.redact(input.path, to: output.path, observer: progress.observer)
                result.plan.source.file = input.baseName
            }
            if let standardOutput = output.standardOutput { try send(standardOutput) }
            progress.finish()
            if let report = options.value(Flags.report) {
                try PlanFile.write(
                    Report(input: input.name, output: output.name, result: result), to: report,
                    overwrite: options.value(Flags.force))
            }
            if !isQuiet { try tell(result, input: input.name, output: output.name, isStill: isStill) }
        } catch {
            // The input named as the output is refused, and has one path twice: no dictionary literal.
            throw error.renaming([input.path: input.name]).renaming([output.path: output.name])
        }
    }

    private func send(_ output: StandardOutput) throws(VeilError) {
        do throws(MediaError) {
            if try output.send(isCancelled: { Interruption.isRequested }) { return }
        } catch { throw .media(error) }
        throw .cancelled
    }

    private func tell(
        _ result: RedactionResult, input: String, output: String, isStill: Bool
    ) throws(VeilError) {
        for notice in result.notices { console.line("veil: \(sanitised(input)): note: \(sanitised(notice))") }
        let lines =
            try isStill
            ? SummaryText.stillLines(result, output: output) : SummaryText.lines(result, output: output)
        for line in lines { console.line("veil: \(sanitised(line))") }
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
        var desk = Desk(options, console: console)
        return desk.each { (input, desk) throws(VeilError) in try detect(input, &desk) }
    }

    private func detect(_ input: InputFile, _ desk: inout Desk) throws(VeilError) {
        let isQuiet = options.value(Flags.quiet)
        let output = options.value(Flags.planOutput) ?? OutputName.plan(for: input.name) ?? "plan.json"
        let isPrinted = output == "-"
        var sandbox = Sandbox(options, input: input.path)
        if !isPrinted { sandbox.outputs = [output] }
        let redaction = try desk.redaction(in: sandbox)
        let progress = ProgressReporter(input: input.name, console: console, quiet: isQuiet)
        do throws(VeilError) {
            defer { progress.finish() }
            // Refused before the work, not after it.
            let file =
                isPrinted ? nil : try PlanFile.open(output, input: input.path, overwrite: options.value(Flags.force))
            let isStill = StillFormat.recognise(input.path) != nil
            var plan =
                isStill
                ? try redaction.analyseStill(input.path, observer: progress.observer)
                : try redaction.analyse(input.path, observer: progress.observer)
            plan.source.file = input.baseName
            progress.finish()
            let text = try PlanFile.encode(plan, name: output)
            if let file {
                try PlanFile.write(text, to: file)
            } else {
                try PlanFile.printed(text)
            }
            if !isQuiet {
                for line in try SummaryText.lines(plan, file: input.name) { console.line("veil: \(sanitised(line))") }
            }
        } catch {
            throw error.renaming([input.path: input.name])
        }
    }
}

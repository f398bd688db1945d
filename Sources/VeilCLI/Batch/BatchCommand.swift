import Glibc
import VeilBatch
import VeilDigest
import VeilMedia
import VeilPipeline
import VeilStills
import VeilVision

/// `veil redact` over many files: each in a process of its own, several at a time, and only what is still to be done.
final class BatchCommand {
    private let options: Options
    private let console: Console
    let display: BatchDisplay
    private let isQuiet: Bool
    let ledger: Ledger
    private var maker = Ledger.Maker.copies
    private var pool = WorkerPool()
    /// What workers said while a file was being read.
    private var waiting: [WorkerPool.Event] = []
    private var redaction: Redaction?
    private var wasTold = false

    /// What became of a file.
    enum Outcome {
        case done(FileDetails)
        case upToDate(FileDetails)
        case failed(String)
        case notDone
    }

    private struct Job {
        var item: Mirror.Item
        var source: String
        var overwrite: Bool
        var keepsBackup: Bool
        /// Where the worker writes.
        var target: String
        var size: Int
        var stamp: FileStamp?
        var startedAt = 0
        var answer: WorkerMessage?
    }

    private var jobs: [Job] = []
    private(set) var results: [(item: Mirror.Item, outcome: Outcome)] = []

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
        isQuiet = options.value(Flags.quiet)
        display = BatchDisplay(console: console, isQuiet: isQuiet)
        ledger = Ledger(
            rehashes: options.value(Flags.rehash), retriesFailed: options.value(Flags.retryFailed),
            overwrites: options.value(Flags.force))
    }

    func run() -> ExitCode {
        let request: BatchRequest
        do throws(BatchRequest.Refusal) {
            request = try BatchRequest(options)
        } catch {
            switch error {
            case .usage(let words):
                console.line("veil: \(words) (try 'veil redact --help')")
                return .usage
            case .failed(let words):
                console.line("veil: \(sanitised(words))")
                return .inputFailed
            }
        }
        do throws(ModelError) {
            maker = try Self.maker(options)
        } catch {
            console.line(ErrorText.line(.model(error), input: ""))
            return .inputFailed
        }
        do throws(BatchError) {
            let code = try work(request)
            display.clear()
            return code
        } catch {
            display.clear()
            pool.send(SIGKILL)
            console.line("veil: \(sanitised("\(error)"))")
            return Interruption.isRequested ? .interrupted : .inputFailed
        }
    }

    static func maker(_ options: Options) throws(ModelError) -> Ledger.Maker {
        let store = try ModelStore.locate(flag: options.value(Flags.models))
        let names = options.value(Flags.detector) == .haar ? ["haar-frontal", "haar-profile"] : ["centerface"]
        let models = names.map { name in
            let entry = store.entries.first { $0.name == name }
            return "\(name) \(entry?.version ?? "") \(entry?.sha256.lowercased() ?? "")"
        }
        let settings = options.text(without: Flags.withoutEffect)
        return Ledger.Maker(
            settings: SHA256.hex(of: Array(settings.utf8)), program: Version.current,
            models: models.joined(separator: ", "))
    }

    // MARK: The run

    private func work(_ request: BatchRequest) throws(BatchError) -> ExitCode {
        let found = request.discovery
        let takesOthers = options.value(Flags.copyOthers)
        let all = Mirror(found.files + (takesOthers ? found.others : []), to: request.place) {
            OutputName.redacted(for: $0)
        }
        guard all.problems.isEmpty else {
            // Nothing is begun: which of two files was meant can't be told.
            for problem in all.problems { console.line("veil: \(sanitised("\(problem.path): \(problem.words)"))") }
            return .inputFailed
        }
        var failures = found.problems.map { "veil: \(sanitised("\($0.path): \($0.words)"))" }
        if found.linksLeft > 0 && options.value(Flags.verbose) {
            display.tell("veil: \(found.linksLeft) symbolic links not followed (--follow-symlinks)")
        }
        var items = Array(all.items.prefix(found.files.count))
        let others = Array(all.items.dropFirst(found.files.count))
        if let shard = request.shard {
            items = share(items, shard, options)
            if Interruption.isRequested { return .interrupted }
        }
        if case .folder(let folder) = request.place { try Files.makeFolder(folder) }
        var wasToldToWait = false
        let isOpen = try ledger.open(
            Set((items + others).compactMap(\.folder)), shard: request.shard?.name,
            waiting: { folder in
                if !wasToldToWait {
                    display.tell("veil: \(sanitised(folder)): waiting for another run that works there")
                }
                wasToldToWait = true
                return !Interruption.isRequested
            })
        guard isOpen else { return .interrupted }

        try sortOut(items, &failures)
        if !Interruption.isRequested, let code = try workOnJobs(&failures) { return code }
        // A shard copies no others but the first, so that each is copied once.
        if request.shard.map({ $0.index == 1 }) ?? true {
            for item in others where !Interruption.isRequested { try copy(item, &failures) }
        }
        try ledger.close()
        if let folder = options.value(Flags.report), !Interruption.isRequested {
            try ReportWriter(options, folder: folder).write(results)
        }
        display.clear()
        return summary(items.count, failures, request)
    }

    /// Takes out what is done already.
    private func sortOut(_ items: [Mirror.Item], _ failures: inout [String]) throws(BatchError) {
        for item in items where !Interruption.isRequested {
            switch try ledger.verdict(item, by: maker, tick: { !Interruption.isRequested }) {
            case .upToDate(let entry): results.append((item, .upToDate(entry.details)))
            case .failedBefore(_, let reason):
                failures.append(reason)
                results.append((item, .failed(reason)))
            case .refused(let words):
                let line = "veil: \(sanitised("\(item.source): \(words)"))"
                failures.append(line)
                results.append((item, .failed(line)))
            case .due(let source, let overwrite, let keepsBackup):
                jobs.append(
                    Job(
                        item: item, source: source, overwrite: overwrite, keepsBackup: keepsBackup,
                        target: item.backup == nil ? item.output : Files.stage(for: item.output),
                        size: FileStamp(source)?.size ?? 0))
            }
        }
    }

    /// - Returns: a code when nothing can be worked on at all.
    private func workOnJobs(_ failures: inout [String]) throws(BatchError) -> ExitCode? {
        guard !jobs.isEmpty else { return nil }
        let width = Concurrency.jobs(files: jobs.count, asked: options.value(Flags.jobs))
        var settings = RedactionSettings(options)
        settings.threads = options.value(Flags.threads) ?? max(1, (Concurrency.cores + width - 1) / width)
        settings.encoder.threads = settings.threads
        do throws(VeilError) {
            redaction = try Redaction(settings: settings)
        } catch {
            console.line(ErrorText.line(error, input: ""))
            return .inputFailed
        }
        // The largest first, so that no single one is left at the end.
        if width > 1 { jobs.sort { ($0.size, $1.source) > ($1.size, $0.source) } }
        display.total = jobs.count
        display.bytes = jobs.reduce(0) { $0 + $1.size }
        var next = 0
        while next < jobs.count || pool.count > 0 {
            while next < jobs.count, pool.count < width, !Interruption.isRequested {
                if let failure = try start(next) { settle(next, failure, &failures) }
                next += 1
            }
            if Interruption.isRequested {
                if !wasTold { pool.send(SIGTERM) }
                wasTold = true
                if pool.count == 0 { break }
            }
            for event in takeEvents(milliseconds: 100) { try handle(event, &failures) }
            display.draw()
        }
        for job in jobs[next...] { results.append((job.item, .notDone)) }
        return nil
    }

    private func takeEvents(milliseconds: Int32) -> [WorkerPool.Event] {
        defer { waiting = [] }
        return waiting + pool.poll(milliseconds: waiting.isEmpty ? milliseconds : 0)
    }

    /// Keeps an eye on the workers while a long file is read.
    func tick() -> Bool {
        waiting += pool.poll(milliseconds: 0)
        display.draw()
        return !Interruption.isRequested
    }

    // MARK: One file

    /// - Returns: the line to tell where it can't be started.
    private func start(_ number: Int) throws(BatchError) -> String? {
        guard let redaction else { return nil }
        var job = jobs[number]
        try Files.makeFolder(Files.folder(of: job.target))
        try ledger.begin(job.item)
        job.stamp = FileStamp(job.source)
        job.startedAt = FileStamp.now
        jobs[number] = job
        display.begin(number, name: job.item.source)
        let code = pool.start(job: number) { pipe in
            let voice = WorkerVoice(pipe)
            if !options.value(Flags.noSandbox) {
                let state = Sandbox(options, input: job.source, outputs: [job.target]).enter(
                    models: options.value(Flags.models))
                if options.value(Flags.verbose) {
                    for line in state { console.line("veil: \(sanitised(job.item.source)): sandbox: \(line)") }
                }
            }
            do throws(VeilError) {
                let redaction = redaction.overwriting(job.overwrite)
                let result =
                    StillFormat.recognise(job.source) != nil
                    ? try redaction.redactStill(job.source, to: job.target, observer: voice.observer)
                    : try redaction.redact(job.source, to: job.target, observer: voice.observer)
                voice.tell(result)
            } catch {
                voice.tell(error.renaming([job.target: job.item.output]), input: job.item.source)
            }
            return 0
        }
        return code == 0
            ? nil : "veil: \(sanitised(job.item.source)): starting a worker: \(String(cString: strerror(code)))"
    }

    private func handle(_ event: WorkerPool.Event, _ failures: inout [String]) throws(BatchError) {
        switch event {
        case .line(let number, let line):
            let name = jobs[number].item.source
            switch WorkerMessage(line, name: name.split(separator: "/").last.map(String.init) ?? name) {
            case .progress(let snapshot)?: display.update(number, snapshot)
            case let answer?: jobs[number].answer = answer
            case nil: break
            }
        case .ended(let number, let status):
            let job = jobs[number]
            switch job.answer {
            case .done(let digest, let details)?:
                do throws(BatchError) {
                    try finish(number, digest, details)
                } catch {
                    settle(number, "veil: \(sanitised("\(error)"))", &failures)
                }
            case .failed(let words, let isFilesFault)?:
                try fail(number, sanitised(words), isFilesFault: isFilesFault, &failures)
            case .cancelled?:
                try ledger.drop(job.item)
                display.end(number)
                results.append((job.item, .notDone))
            case .progress?, nil:
                let signal = status & 0x7F
                let how =
                    signal != 0
                    ? "was ended by signal \(signal) (\(strsignal(signal).map { String(cString: $0) } ?? "unknown"))"
                    : "ended with code \(status >> 8 & 0xFF)"
                let words = "veil: \(sanitised(job.item.source)): the work on it \(how); nothing was written"
                try fail(number, words, isFilesFault: false, &failures)
            }
        }
    }

    /// Checks what a worker has made, and notes it.
    private func finish(_ number: Int, _ digest: String, _ details: FileDetails) throws(BatchError) {
        let job = jobs[number]
        var entry = ManifestEntry(
            key: job.item.key, sourcePath: job.source,
            source: KnownFile(
                stamp: job.stamp ?? FileStamp(size: 0, modified: 0, changed: 0, inode: 0), sha256: digest,
                readAt: job.startedAt),
            settings: maker.settings, program: maker.program, models: maker.models, result: .nothing, details: details)
        if job.stamp == nil || FileStamp(job.source) != job.stamp {
            throw BatchError("reading", file: job.source, detail: "the file has changed while it was read")
        }
        if details.outcome != RedactionResult.Outcome.skipped.rawValue {
            if job.item.folder != nil {
                guard let output = try KnownFile.read(job.target, tick: tick) else {
                    throw BatchError("reading", file: job.target, detail: "interrupted")
                }
                entry.result = .written(output)
            }
            if let backup = job.item.backup {
                // Noted before it happens: the digests tell afterwards whether it did.
                try ledger.finish(job.item, entry)
                try Replacement.place(
                    job.target, over: job.item.output, backup: job.keepsBackup ? nil : backup, original: digest)
                if case .written(var output) = entry.result, let stamp = FileStamp(job.item.output) {
                    output.stamp = stamp
                    output.readAt = FileStamp.now
                    entry.result = .written(output)
                }
                if job.source != backup, let stamp = FileStamp(backup) { entry.source.stamp = stamp }
            }
        }
        try ledger.finish(job.item, entry)
        display.done += 1
        display.bytesDone += job.size
        display.end(number)
        results.append((job.item, .done(details)))
        for line in BatchText.lines(details, input: job.item.source, output: job.item.output) { display.tell(line) }
    }

    private func fail(
        _ number: Int, _ words: String, isFilesFault: Bool, _ failures: inout [String]
    ) throws(BatchError) {
        let job = jobs[number]
        if let backup = job.item.backup, !job.keepsBackup, job.target != backup { unlink(job.target) }
        // Remembered only if it was this file all the time.
        if isFilesFault, job.item.folder != nil, let stamp = job.stamp,
            let source = try KnownFile.read(job.source, tick: tick), source.stamp == stamp
        {
            try ledger.finish(
                job.item,
                ManifestEntry(
                    key: job.item.key, sourcePath: job.source, source: source, settings: maker.settings,
                    program: maker.program, models: maker.models, result: .failed(words), details: FileDetails()))
        } else {
            try ledger.drop(job.item)
        }
        settle(number, words, &failures)
    }

    private func settle(_ number: Int, _ line: String, _ failures: inout [String]) {
        let job = jobs[number]
        failures.append(line)
        results.append((job.item, .failed(line)))
        display.failed += 1
        display.bytesDone += job.size
        display.end(number)
    }

    // MARK: The end

    private func summary(_ count: Int, _ failures: [String], _ request: BatchRequest) -> ExitCode {
        // One line each, at the end, where they are seen.
        for line in failures { console.line(line) }
        var (done, upToDate) = (0, 0)
        for result in results {
            switch result.outcome {
            case .done: done += 1
            case .upToDate: upToDate += 1
            case .failed, .notDone: break
            }
        }
        let left = count - results.count { if case .notDone = $0.outcome { false } else { true } }
        let parts = [
            "\(done) done", upToDate > 0 ? "\(upToDate) were done before" : nil,
            failures.isEmpty ? nil : "\(failures.count) failed", left > 0 ? "\(left) left" : nil,
        ]
        display.tell("veil: \(count) file\(count == 1 ? "" : "s"): " + parts.compactMap(\.self).joined(separator: ", "))
        if case .inPlace(let suffix) = request.place, done > 0 {
            // Said to the quiet as well: it is about what still shows faces.
            console.line(
                "veil: the originals, which show the faces, are kept beside the results under names that end in "
                    + "\(sanitised(suffix)); delete them when the results have been looked at")
        }
        if Interruption.isRequested { return .interrupted }
        return failures.isEmpty ? .done : .inputFailed
    }
}

import CSandbox
import Glibc
import VeilBatch
import VeilCore
import VeilMedia
import VeilPipeline
import VeilStills
import VeilVision

/// `veil check`: says which faces show, and changes nothing.
final class CheckCommand {
    private let options: Options
    private let console: Console
    private let display: BatchDisplay
    private var pool = WorkerPool()
    private var files: [CheckedFile] = []
    private var answered: Set<Int> = []
    private var wasTold = false

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
        display = BatchDisplay(console: console, isQuiet: options.value(Flags.quiet))
    }

    func run() -> ExitCode {
        let discovery: Discovery
        var baseline: Baseline?
        do throws(BatchRequest.Refusal) {
            discovery = try BatchRequest.discovery(options, nil)
            baseline = try readBaseline()
        } catch {
            switch error {
            case .usage(let words), .failed(let words): console.line("veil: \(sanitised(words))")
            }
            return .inputFailed
        }
        files = discovery.files.map { CheckedFile(path: $0.path) }
        if let code = check() { return code }
        display.clear()
        if Interruption.isRequested { return .interrupted }
        for problem in discovery.problems {
            var file = CheckedFile(path: problem.path)
            file.failure = problem.words
            files.append(file)
        }
        do throws(BatchError) {
            if baseline != nil || options.isGiven(Flags.writeBaseline) { try findDigests() }
            if let known = baseline { files = files.map { known.marking($0) } }
            if let path = options.value(Flags.writeBaseline) { try write(baseline ?? Baseline(), to: path) }
        } catch {
            console.line("veil: \(sanitised("\(error)"))")
            return .inputFailed
        }
        return tell()
    }

    private func readBaseline() throws(BatchRequest.Refusal) -> Baseline? {
        guard let path = options.value(Flags.baseline) else { return nil }
        let bytes: [UInt8]
        do throws(BatchError) { bytes = try Files.contents(path) } catch { throw .failed("\(error)") }
        do throws(JSONError) { return try Baseline(json: bytes) } catch { throw .failed("\(path): \(error)") }
    }

    /// Digests of the files in which something was found; other files need none.
    private func findDigests() throws(BatchError) {
        for index in files.indices where !files[index].faces.isEmpty {
            files[index].sha256 = try KnownFile.read(files[index].path)?.sha256
        }
    }

    private func write(_ known: Baseline, to path: String) throws(BatchError) {
        var baseline = known
        for file in files { baseline.add(file) }
        do throws(MediaError) {
            try AtomicOutput(path: path, overwrite: true).write(baseline.encoded())
        } catch { throw BatchError("writing the baseline", file: path, detail: error.detail) }
    }

    // MARK: Looking

    /// - Returns: a code when nothing can be looked at.
    private func check() -> ExitCode? {
        guard !files.isEmpty else { return nil }
        let width = Concurrency.jobs(files: files.count, asked: options.value(Flags.jobs))
        var settings = RedactionSettings()
        settings.detector = options.value(Flags.detector) == .haar ? .haar : .centerface
        settings.models = options.value(Flags.models)
        settings.threads = options.value(Flags.threads) ?? max(1, Concurrency.cores / width)
        settings.analysis = AnalysisSettings(forCheck: options)
        let redaction: Redaction
        do throws(VeilError) {
            redaction = try Redaction(settings: settings)
        } catch {
            console.line(ErrorText.line(error, input: ""))
            return .inputFailed
        }
        display.total = files.count
        var next = 0
        while next < files.count || pool.count > 0 {
            while next < files.count, pool.count < width, !Interruption.isRequested {
                start(next, redaction)
                next += 1
            }
            if Interruption.isRequested {
                if !wasTold { pool.send(SIGTERM) }
                wasTold = true
                if pool.count == 0 { break }
            }
            for event in pool.poll(milliseconds: 100) { handle(event) }
            display.draw()
        }
        return nil
    }

    private func start(_ number: Int, _ redaction: Redaction) {
        let path = files[number].path
        display.begin(number, name: path)
        let code = pool.start(job: number) { pipe in
            let voice = WorkerVoice(pipe)
            if !options.value(Flags.noSandbox) {
                let state = Sandbox(inputs: [path]).enter(models: options.value(Flags.models))
                if options.value(Flags.verbose) {
                    for line in state { console.line("veil: \(sanitised(path)): sandbox: \(line)") }
                }
            }
            do throws(VeilError) {
                voice.tell(
                    StillFormat.recognise(path) != nil
                        ? try redaction.auditStill(path, observer: voice.observer)
                        : try redaction.audit(path, every: options.value(Flags.every), observer: voice.observer))
            } catch {
                voice.tell(error, input: path)
            }
            return 0
        }
        if code != 0 { fail(number, "starting a worker: \(String(cString: strerror(code)))") }
    }

    private func handle(_ event: WorkerPool.Event) {
        switch event {
        case .line(let number, let line):
            let name = files[number].path
            if let found = CheckedFile(line, path: name) {
                files[number] = found
                answered.insert(number)
                return
            }
            switch WorkerMessage(line, name: name.split(separator: "/").last.map(String.init) ?? name) {
            case .progress(let snapshot)?: display.update(number, snapshot)
            case .failed(let words, _)?:
                files[number].failure = words
                answered.insert(number)
            case .cancelled?, .done?, nil: break
            }
        case .ended(let number, let status):
            if !answered.contains(number) && !Interruption.isRequested {
                let signal = status & 0x7F
                fail(
                    number,
                    signal != 0
                        ? "the work on it was ended by signal \(signal)"
                        : "the work on it ended with code \(status >> 8)")
            }
            if files[number].failure == nil { display.done += 1 } else { display.failed += 1 }
            display.end(number)
        }
    }

    private func fail(_ number: Int, _ words: String) {
        files[number].failure = "veil: \(files[number].path): \(words)"
        answered.insert(number)
    }

    // MARK: Telling

    private func tell() -> ExitCode {
        let format = options.value(Flags.checkFormat)
        var report = CheckReport(files: files, version: Version.current)
        for index in report.files.indices where format != .text {
            // The line's beginning is for terminals.
            report.files[index].failure = report.files[index].failure.map { words in
                words.hasPrefix("veil: ") ? String(words.dropFirst(6)) : words
            }
        }
        var text = report.text(format)
        if format == .text {
            text = report.files.flatMap { file in file.showing.map { sanitised(file.line($0)) + "\n" } }.joined()
        }
        do throws(WriteError) {
            try writeWhole(text, to: Terminal.standardOutput)
        } catch {
            console.line("veil: standard output: \(error.words)")
            return .inputFailed
        }
        for file in files {
            guard let failure = file.failure else { continue }
            console.line(sanitised(failure.hasPrefix("veil: ") ? failure : "veil: \(file.path): \(failure)"))
        }
        let showing = report.showing
        let withFaces = report.files.count { !$0.showing.isEmpty }
        let accepted = files.reduce(0) { $0 + $1.faces.count } - showing
        let parts = [
            showing == 0 ? "no face shows" : "\(showing) face\(showing == 1 ? "" : "s") in \(withFaces) of them",
            accepted > 0 ? "\(accepted) accepted" : nil,
            report.failures > 0 ? "\(report.failures) could not be checked" : nil,
        ]
        display.tell(
            "veil: \(files.count) file\(files.count == 1 ? "" : "s") checked: "
                + parts.compactMap(\.self).joined(separator: ", "))
        let code: ExitCode = options.isGiven(Flags.writeBaseline) || showing == 0 ? .done : .faceFound
        return report.failures > 0 ? code.merged(with: .inputFailed) : code
    }
}

extension AnalysisSettings {
    /// What a check looks for.
    init(forCheck options: Options) {
        self.init()
        if options.value(Flags.thorough) { self = .thorough }
        confirmThreshold = options.value(Flags.checkThreshold) ?? FaceAudit.threshold
        continueThreshold = min(confirmThreshold, 0.3)
        switch options.value(Flags.checkMinFace) {
        case .pixels(let count)?: minFace = Double(count)
        case .percent(let share)?: minFaceShare = share / 100
        case nil: break
        }
        if let size = options.value(Flags.detectSize) { detectSize = size }
    }
}

extension WorkerVoice {
    func tell(_ audit: FaceAudit) {
        var json = JSONWriter()
        json.beginObject()
        for (key, count) in [("looked", audit.frames), ("width", audit.width), ("height", audit.height)] {
            json.key(key)
            json.value(count)
        }
        json.key("faces")
        json.beginArray()
        for face in audit.faces {
            var finding = FaceFinding(
                start: face.start, end: face.end, time: face.time, frames: face.frames, x: face.x, y: face.y,
                width: face.width, height: face.height, score: face.score)
            finding.isInPreview = face.isInPreview
            finding.write(to: &json)
        }
        json.endArray()
        json.endObject()
        send(json)
    }
}

extension CheckedFile {
    /// What a worker told of a file; nil for anything else.
    init?(_ line: [UInt8], path: String) {
        self.init(path: path)
        do throws(JSONError) {
            var json = try JSONReader(line)
            var looked: Int?
            try json.beginObject()
            while let key = try json.nextKey() {
                switch key {
                case "looked": looked = try json.readInt()
                case "width": width = try json.readInt()
                case "height": height = try json.readInt()
                case "faces":
                    guard looked != nil else { return nil }
                    try json.beginArray()
                    while try json.nextElement() { faces.append(try FaceFinding(&json)) }
                default: try json.skipValue()
                }
            }
            guard let looked else { return nil }
            frames = looked
        } catch { return nil }
    }
}

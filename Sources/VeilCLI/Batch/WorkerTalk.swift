import Glibc
import VeilBatch
import VeilCore
import VeilPipeline

/// What a worker tells of a file, as lines through its pipe.
enum WorkerMessage {
    case progress(ProgressSnapshot)
    /// It was done: the digest of what was read, and what came of it.
    case done(sha256: String, FileDetails)
    /// It failed; `isFilesFault` when trying again would end alike.
    case failed(words: String, isFilesFault: Bool)
    case cancelled

    /// Nil for anything else.
    init?(_ line: [UInt8], name: String) {
        var limits = JSONReader.Limits()
        limits.string = 1 << 16
        do throws(JSONError) {
            var json = try JSONReader(line, limits: limits)
            guard let message = try Self.read(&json, name: name) else { return nil }
            self = message
        } catch { return nil }
    }

    private static func read(_ json: inout JSONReader, name: String) throws(JSONError) -> WorkerMessage? {
        var numbers: [String: Int] = [:]
        var texts: [String: String] = [:]
        var isFault = false
        var details: FileDetails?
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "frames", "expected", "faces", "milliseconds": numbers[key] = try json.readInt()
            case "stage", "failed", "cancelled", "sha256": texts[key] = try json.readString()
            case "isFilesFault": isFault = try json.readBool()
            case "details": details = try FileDetails(&json)
            default: try json.skipValue()
            }
        }
        try json.finish()
        if texts["cancelled"] != nil { return .cancelled }
        if let words = texts["failed"] { return .failed(words: words, isFilesFault: isFault) }
        if let details, let digest = texts["sha256"] { return .done(sha256: digest, details) }
        guard let stage = texts["stage"].flatMap(ProgressSnapshot.Stage.init) else { return nil }
        let frames = numbers["frames"] ?? 0
        let seconds = Double(numbers["milliseconds"] ?? 0) / 1000
        let rate = seconds > 0.5 ? Double(frames) / seconds : nil
        let expected = numbers["expected"]
        let left = expected.flatMap { expected in
            rate.flatMap { $0 > 0 ? Double(max(0, expected &- frames)) / $0 : nil }
        }
        return .progress(
            ProgressSnapshot(
                stage: stage, name: name, framesDone: frames, framesExpected: expected, framesPerSecond: rate,
                faces: numbers["faces"] ?? 0, secondsLeft: left))
    }
}

/// The worker's end of the pipe.
final class WorkerVoice: @unchecked Sendable {
    // Used by the one thread that works; the closures that it hands out are called on it.
    private let pipe: Int32
    private var lastTime = 0
    private var lastStage: VeilPipeline.Progress.Stage?

    init(_ pipe: Int32) {
        self.pipe = pipe
        _ = fcntl(pipe, F_SETFL, O_NONBLOCK)
    }

    var observer: Observer {
        Observer(progress: { [self] in tell($0) }, isCancelled: { Interruption.isRequested })
    }

    private func tell(_ progress: VeilPipeline.Progress) {
        let now = WorkerPool.now
        guard progress.stage != lastStage || now - lastTime >= 100 else { return }
        (lastTime, lastStage) = (now, progress.stage)
        var json = JSONWriter()
        json.beginObject()
        json.key("stage")
        json.value((progress.stage == .analysing ? ProgressSnapshot.Stage.analysing : .rendering).rawValue)
        for (key, value) in [
            ("frames", progress.frames), ("expected", progress.expected ?? 0), ("faces", progress.faces),
            ("milliseconds", Int(min(progress.elapsed, 1e9) * 1000)),
        ] where key != "expected" || value > 0 {
            json.key(key)
            json.value(value)
        }
        json.endObject()
        let line = json.finish()
        // A full pipe has news enough in it.
        _ = line.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
    }

    func tell(_ result: RedactionResult) {
        var json = JSONWriter()
        json.beginObject()
        json.key("sha256")
        json.value(result.plan.source.sha256)
        json.key("details")
        FileDetails(result).write(to: &json)
        json.endObject()
        send(json)
    }

    func tell(_ error: VeilError, input: String) {
        var json = JSONWriter()
        json.beginObject()
        if case .cancelled = error {
            json.key("cancelled")
            json.value("")
        } else {
            json.key("failed")
            json.value(ErrorText.line(error, input: input))
            json.key("isFilesFault")
            json.value(error.isFilesFault)
        }
        json.endObject()
        send(json)
    }

    func send(_ json: consuming JSONWriter) {
        // Told to nobody if the reader is gone: then this process is about to end, too.
        try? writeWhole(String(decoding: json.finish(), as: UTF8.self), to: pipe)
    }
}

extension VeilError {
    /// Whether the input itself is at fault, so that trying again would end alike.
    var isFilesFault: Bool {
        guard case .media(let error) = self else { return false }
        return [.notMedia, .damaged, .unsupported].contains(error.kind)
    }
}

extension FileDetails {
    init(_ result: RedactionResult) {
        self.init()
        outcome = result.outcome.rawValue
        encoder = result.encoder
        width = result.plan.source.width
        height = result.plan.source.height
        duration = result.plan.source.duration
        frames = result.plan.frames.count
        framesCoveredWhole = result.framesCoveredWhole
        notices = result.notices
        analysisSeconds = result.analysisSeconds
        renderSeconds = result.renderSeconds
        // A plan that was just made is valid; numbers that are missing would be no reason to fail.
        guard let summary = try? PlanSummary(result.plan, weakest: Self.mostTracks) else { return }
        framesWithFaces = summary.framesWithFaces
        trackCount = summary.tracks
        tracks = summary.weakestByScore.map {
            Track(
                id: $0.id, start: $0.start, end: $0.end, score: $0.score, share: $0.share, isKept: $0.action == .keep)
        }
    }
}

import Glibc
import VeilBatch
import VeilCore
import VeilMedia
import VeilPipeline

/// Writes the page of a run, its JSON and its thumbnails into a folder of their own, for their owner only.
struct ReportWriter {
    private let options: Options
    private let folder: String

    /// Pixels of a thumbnail's longer side.
    private static let side = 160

    init(_ options: Options, folder: String) {
        self.options = options
        self.folder = folder
    }

    func write(_ results: [(item: Mirror.Item, outcome: BatchCommand.Outcome)]) throws(BatchError) {
        try Files.makeFolder(folder)
        guard chmod(folder, 0o700) == 0 else {
            throw BatchError("writing the report", file: folder, detail: String(cString: strerror(errno)))
        }
        var report = BatchReport()
        report.versions = Version.text.split(separator: "\n").map(String.init)
        report.settings = options.typedFlags.map { "--\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        if report.settings.isEmpty { report.settings = ["all settings at their defaults"] }
        report.made = Self.now
        report.rows = results.map(Self.row).sorted { $0.input.utf8.lexicographicallyPrecedes($1.input.utf8) }
        try addThumbnails(&report.rows)
        try write(Array(report.html().utf8), to: "index.html")
        try write(report.json(), to: "report.json")
    }

    private static func row(_ result: (item: Mirror.Item, outcome: BatchCommand.Outcome)) -> BatchReport.Row {
        var row = BatchReport.Row(input: result.item.source, output: result.item.output, status: .left)
        switch result.outcome {
        case .done(let details): (row.status, row.details) = (.done, details)
        case .upToDate(let details): (row.status, row.details) = (.before, details)
        case .failed(let line):
            // The line is one for terminals.
            let start = "veil: \(sanitised(result.item.source)): "
            (row.status, row.failure) = (.failed, line.hasPrefix(start) ? String(line.dropFirst(start.count)) : line)
        case .notDone: break
        }
        return row
    }

    private static var now: String {
        var time = Glibc.time(nil)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "" }
        func two(_ n: Int32) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }

    /// The least sure moments, and the middle.
    private static func moments(_ details: FileDetails) -> [Double] {
        let weak = details.tracks.prefix(2).map { ($0.start + $0.end) / 2 }
        let all = details.duration > 0 ? weak + [details.duration / 2] : [0]
        return Set(all.map { ($0 * 1000).rounded() / 1000 }).sorted()
    }

    /// Made in workers that may read the one result and write nothing.
    private func addThumbnails(_ rows: inout [BatchReport.Row]) throws(BatchError) {
        var pool = WorkerPool()
        var next = 0
        while next < rows.count || pool.count > 0 {
            while next < rows.count, pool.count < Concurrency.cores, !Interruption.isRequested {
                let row = rows[next]
                if [.done, .before].contains(row.status), Files.exists(row.output) {
                    _ = pool.start(job: next) { pipe in work(on: row, WorkerVoice(pipe)) }
                }
                next += 1
            }
            if Interruption.isRequested {
                pool.send(SIGKILL)
                if pool.count == 0 { return }
            }
            for case .line(let number, let line) in pool.poll(milliseconds: 100) {
                guard let (time, bitmap) = Self.read(line), rows[number].thumbnails.count < 3 else { continue }
                let name = "\(number + 1)-\(rows[number].thumbnails.count + 1).bmp"
                try write(bitmap, to: name)
                rows[number].thumbnails.append(BatchReport.Thumbnail(file: name, time: time))
            }
        }
    }

    private func work(on row: BatchReport.Row, _ voice: WorkerVoice) -> Int32 {
        if !options.value(Flags.noSandbox) { _ = Sandbox(inputs: [row.output]).enter(models: nil) }
        do throws(VeilError) {
            for (time, picture) in try Thumbnails.of(row.output, at: Self.moments(row.details), side: Self.side) {
                var json = JSONWriter()
                json.beginArray()
                json.value(time)
                json.value(picture.width)
                json.value(picture.height)
                json.beginArray()
                for sample in picture.samples { json.value(Int(sample)) }
                json.endArray()
                json.endArray()
                voice.send(json)
            }
            return 0
        } catch { return 1 }
    }

    private static func read(_ line: [UInt8]) -> (Double, [UInt8])? {
        do throws(JSONError) {
            var json = try JSONReader(line)
            try json.beginArray()
            guard try json.nextElement() else { return nil }
            let time = try json.readDouble()
            guard try json.nextElement() else { return nil }
            let width = try json.readInt()
            guard try json.nextElement() else { return nil }
            let height = try json.readInt()
            guard try json.nextElement(), (1...side).contains(width), (1...side).contains(height) else { return nil }
            var samples: [UInt8] = []
            try json.beginArray()
            while try json.nextElement() { samples.append(UInt8(clamping: try json.readInt())) }
            return BatchReport.bitmap(width: width, height: height, samples: samples).map { (time, $0) }
        } catch { return nil }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(BatchError) {
        let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
        do throws(MediaError) {
            try AtomicOutput(path: path, overwrite: true, ownerOnly: true).write(bytes)
        } catch { throw BatchError("writing the report", file: path, detail: error.detail) }
    }
}

/// Shows a run over many files: on a terminal a line for each that is being worked on and one for all, elsewhere now and then
/// a line, nothing when quiet.
final class BatchDisplay {
    private struct Row {
        var name: String
        var snapshot: ProgressSnapshot?
        var pacer: ProgressPacer
    }

    private let console: Console
    private let isQuiet: Bool
    private let start = WorkerPool.now
    private var lastDrawn = 0
    private var rows: [(job: Int, row: Row)] = []
    /// Files to work on, and how many of them were done or failed; bytes likewise.
    var total = 0
    var done = 0
    var failed = 0
    var bytes = 0
    var bytesDone = 0

    init(console: Console, isQuiet: Bool) {
        self.console = console
        self.isQuiet = isQuiet
    }

    func begin(_ job: Int, name: String) {
        let manner: ProgressPacer.Manner = isQuiet ? .silent : console.showsStatus ? .status : .log
        rows.append((job, Row(name: name, pacer: ProgressPacer(manner))))
        draw(atOnce: true)
    }

    func end(_ job: Int) {
        rows.removeAll { $0.job == job }
        draw(atOnce: true)
    }

    func update(_ job: Int, _ snapshot: ProgressSnapshot) {
        guard let index = rows.firstIndex(where: { $0.job == job }) else { return }
        rows[index].row.snapshot = snapshot
        if rows[index].row.pacer.manner == .log,
            rows[index].row.pacer.isDue(snapshot, now: Double(WorkerPool.now) / 1000)
        {
            console.line(ProgressText.logLine(snapshot))
        }
        draw()
    }

    /// A line that stays.
    func tell(_ text: String) { if !isQuiet { console.line(text) } }

    func clear() { console.setStatus("") }

    func draw(atOnce: Bool = false) {
        guard !isQuiet, console.showsStatus else { return }
        let now = WorkerPool.now
        guard atOnce || now - lastDrawn >= 100 else { return }
        lastDrawn = now
        // A terminal that is filled to its last column may wrap: one column stays free.
        let width = Terminal.width(Terminal.standardError) - 1
        let height = Terminal.height(Terminal.standardError)
        let lines = rows.prefix(max(1, height - 2)).map { _, row in
            row.snapshot.map { ProgressText.status($0, width: width) }
                ?? fitting("opening " + sanitised(row.name), columns: width)
        }
        console.setStatus((lines + [fitting(totalLine(now), columns: width)]).joined(separator: "\n"))
    }

    private func totalLine(_ now: Int) -> String {
        let seconds = Double(now - start) / 1000
        let left =
            bytesDone > 0 && seconds > 2
            ? ProgressText.clock(seconds * Double(bytes - bytesDone) / Double(bytesDone)) : nil
        let parts = [
            "\(done + failed) of \(total) files", failed > 0 ? "\(failed) failed" : nil,
            ProgressText.clock(seconds).map { "\($0) so far" }, left.map { "about \($0) left" },
        ]
        return "total: " + parts.compactMap(\.self).joined(separator: ", ")
    }
}

// Runs veil on a long clip and fails if its memory or its open files grow with the clip's length.
// The long clip is samples/walk.mp4, scaled to 1080p once and repeated.

import Foundation

func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

/// The checkout: the folder that holds Benchmarks/Package.swift, above this program or the working folder.
func root() throws(SoakError) -> URL {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    for start in [own, URL(fileURLWithPath: FileManager.default.currentDirectoryPath)] {
        var folder = start
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Benchmarks/Package.swift").path) {
                return folder
            }
            folder.deleteLastPathComponent()
        }
    }
    throw .failed("run this inside the checkout")
}

/// Makes the clips and watches veil redact them.
struct Soak {
    let options: Options
    let veil: String
    let samples: URL
    let folder: URL

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func ffmpeg(_ arguments: [String]) throws(SoakError) {
        let log = path("ffmpeg.log")
        let watch = try Watch(["ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-y"] + arguments, log: log)
        guard watch.exitCode == 0 else { throw .failed("ffmpeg failed: \(words(log))") }
    }

    private func words(_ log: String) -> String {
        String(decoding: (FileManager.default.contents(atPath: log) ?? Data()).suffix(2000), as: UTF8.self)
    }

    /// The clip, repeated without encoding it again.
    private func repeated(_ clip: String, seconds: Int, to name: String) throws(SoakError) -> String {
        let file = path(name)
        try ffmpeg(["-stream_loop", "-1", "-i", clip, "-t", "\(seconds)", "-c", "copy", file])
        return file
    }

    /// Watches one run and prints its figures.
    private func run(_ name: String, isOneStage: Bool, _ arguments: [String]) throws(SoakError) -> Report {
        let log = path("veil.log")
        let watch = try Watch([veil] + arguments, log: log)
        let report = Report(name: name, watch: watch, limit: options.limit << 20, isOneStage: isOneStage)
        print(report.text)
        fflush(nil)
        if watch.exitCode != 0 { say(words(log)) }
        for fault in report.faults { say("\(name): \(fault)") }
        return report
    }

    /// - Returns: whether all was well.
    func run() throws(SoakError) -> Bool {
        let clip = path("walk-1080p.mp4")
        try ffmpeg([
            "-i", samples.appendingPathComponent("walk.mp4").path, "-vf", "scale=1920:1080:flags=bicubic", "-c:v",
            "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "copy", clip,
        ])
        let long = try repeated(clip, seconds: options.seconds, to: "long.mp4")
        let plan = path("long.plan.json")
        var reports = [
            try run(
                "detect --fast, \(options.seconds) s of 1080p", isOneStage: true,
                ["detect", long, "-o", plan, "--fast", "--force", "--quiet"])
        ]
        if reports[0].watch.exitCode == 0 {
            reports.append(
                try run(
                    "redact --plan --preset ultrafast, \(options.seconds) s of 1080p", isOneStage: true,
                    [
                        "redact", long, "--plan", plan, "-o", path("long.out.mp4"), "--preset", "ultrafast", "--force",
                        "--quiet",
                    ]))
        }
        if options.short > 0 {
            let short = try repeated(clip, seconds: options.short, to: "short.mp4")
            reports.append(
                try run(
                    "redact at the default settings, \(options.short) s of 1080p", isOneStage: false,
                    ["redact", short, "-o", path("short.out.mp4"), "--force", "--quiet"]))
        }
        return reports.allSatisfy { $0.faults.isEmpty }
    }
}

/// Removes the folder, which can grow large, and ends the program on a signal. `veil` gets the signal, too.
func removing(_ folder: URL, on number: Int32) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        try? FileManager.default.removeItem(at: folder)
        exit(128 + number)
    }
    source.resume()
    return source
}

/// The whole program; its exit code.
func soak(_ options: Options) throws(SoakError) -> Int32 {
    let root = try root()
    let veil = options.veil ?? root.appendingPathComponent(".build/release/veil").path
    guard FileManager.default.isExecutableFile(atPath: veil) else {
        throw .failed("\(veil) isn't there: make build makes it, --veil names another")
    }
    let folder =
        options.keep.map { URL(fileURLWithPath: $0) }
        ?? FileManager.default.temporaryDirectory.appendingPathComponent("veil-soak-\(getpid())")
    defer { if options.keep == nil { try? FileManager.default.removeItem(at: folder) } }
    do {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
        throw .failed("\(folder.path) can't be made: \(error.localizedDescription)")
    }
    let interruption = options.keep == nil ? removing(folder, on: SIGINT) : nil
    defer { interruption?.cancel() }
    let isWell = try Soak(options: options, veil: veil, samples: root.appendingPathComponent("samples"), folder: folder)
        .run()
    say(isWell ? "memory stays flat" : "something grew or broke")
    return isWell ? 0 : 1
}

do throws(SoakError) {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    if options.wantsHelp {
        print(Options.usage, terminator: "")
        exit(0)
    }
    exit(try soak(options))
} catch {
    switch error {
    case .usage(let words): say("soak: \(words)\n\(Options.usage)")
    case .failed(let words): say("soak: \(words)")
    }
    exit(2)
}

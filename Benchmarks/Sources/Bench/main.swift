// Measures what veil covers, what it spares and what it costs; docs/benchmarks.md says what the columns mean.
// Markdown goes to standard output, progress to standard error.

import Foundation
import LeakCounter
import VeilMedia

func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

func bench(_ options: Options) throws(BenchError) -> Results {
    let root = try Tools.root()
    let tools = try Tools(options, root: root)
    let folder =
        options.keep.map { URL(fileURLWithPath: $0) }
        ?? FileManager.default.temporaryDirectory.appendingPathComponent("veil-bench-\(getpid())")
    defer { if options.keep == nil { try? FileManager.default.removeItem(at: folder) } }
    let interruption = options.keep == nil ? removing(folder, on: SIGINT) : nil
    defer { interruption?.cancel() }
    let made = folder.appendingPathComponent("made")
    do {
        // Clips may show people: for their owner only.
        try FileManager.default.createDirectory(
            at: made, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
        throw .failed("\(folder.path) can't be made: \(error.localizedDescription)")
    }
    if options.media == nil {
        for clip in MadeClip.all where options.only.isEmpty || options.only.contains(clip.name) {
            try clip.make(in: made, samples: root.appendingPathComponent("samples"), ffmpeg: tools.ffmpeg)
        }
        say("made the clips")
    }
    let clips = try Clip.all(in: options.media.map { URL(fileURLWithPath: $0) } ?? made, only: options.only)
    guard !clips.isEmpty else { throw .failed("no clips to measure on") }
    if options.comparesDeface && tools.deface == nil {
        say("deface isn't installed (pip install deface; --deface names one): not compared")
    }
    var results = Results(
        date: Date.now.formatted(.iso8601.year().month().day()), machine: Tools.machine, versions: tools.versions,
        command: options.command, minimumFace: options.minimumFace, clips: [])
    let measure = Measure(tools: tools, minimumFace: options.minimumFace, folder: folder, say: say)
    for clip in clips {
        results.clips.append(try measure.clip(clip))
        if options.keep == nil { measure.removeOutputs(of: clip) }
    }
    return results
}

/// Removes the folder and ends the program on a signal: copies of people's clips mustn't be left behind.
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
func run(_ options: Options) throws(BenchError) -> Int32 {
    let results = try bench(options)
    let table = Table(results: results).markdown
    print(table, terminator: "")
    if let json = options.json {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(results).write(to: URL(fileURLWithPath: json))
        } catch {
            throw .failed("\(json) can't be written: \(error.localizedDescription)")
        }
    }
    if let document = options.document { try Document.write(table, into: document) }
    let failed = results.clips.filter { clip in
        [clip.analyse, clip.render, clip.whole].contains { $0.failure != nil } || clip.score?.frames != clip.frames
    }
    if !failed.isEmpty { say("veil failed on, or changed the number of frames of: \(failed.map(\.name))") }
    return failed.isEmpty ? 0 : 1
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count > 2, arguments[0] == Child.measureFlag {
    Child.measure(log: arguments[1], Array(arguments.dropFirst(2)))
}
LibraryLog.install(verbose: false)
do throws(BenchError) {
    let options = try Options(arguments)
    if options.wantsHelp {
        print(Options.usage, terminator: "")
        exit(0)
    }
    exit(try run(options))
} catch {
    switch error {
    case .usage(let words): say("bench: \(words)\n\(Options.usage)")
    case .missing(let words), .failed(let words): say("bench: \(words)")
    }
    exit(2)
}

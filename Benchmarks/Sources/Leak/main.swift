// Counts the faces that still show after a redaction, whatever tool made it; docs/benchmarks.md says how.

import Foundation
import LeakCounter
import VeilMedia

let usage = """
    usage: leak ORIGINAL REDACTED TRUTH.json [--min-face PIXELS] [--by-time] [--json FILE]

      --min-face PIXELS   leave out faces with a side under this many pixels
      --by-time           pair each frame with the one shown at its time, not with the one of its number
      --json FILE         write the figures and each leak to FILE as well
    Ends with 2 if the files don't show as many frames, with 1 for other errors.

    """

func fail(_ message: String, code: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("leak: \(message)\n".utf8))
    exit(code)
}

/// What `--json` writes.
struct Figures: Encodable {
    var frames, faces, leaked, tracks, leakingTracks, longestRun: Int
    var psnr: Double?
    var touched: Double
    var leaks: [LeakTally.Leak]

    init(_ tally: LeakTally) {
        frames = tally.frames
        faces = tally.faceFrames
        leaked = tally.leaked
        tracks = tally.tracks
        leakingTracks = tally.leakingTracks
        longestRun = tally.longestRun
        psnr = tally.outsidePSNR
        touched = tally.touched
        leaks = tally.leaks
    }
}

var files: [String] = []
var minimumFace = 0.0
var pairing = FramePairing.index
var jsonFile: String?
var rest = CommandLine.arguments.dropFirst()
while let word = rest.popFirst() {
    switch word {
    case "--min-face":
        guard let value = rest.popFirst().flatMap(Double.init), value >= 0 else { fail("--min-face takes a number") }
        minimumFace = value
    case "--by-time": pairing = .time
    case "--json":
        guard let value = rest.popFirst() else { fail("--json takes a file name") }
        jsonFile = value
    case "-h", "--help":
        print(usage, terminator: "")
        exit(0)
    case let flag where flag.hasPrefix("-"): fail("there is no \(flag)\n\(usage)")
    default: files.append(word)
    }
}
guard files.count == 3 else { fail("three files are needed\n\(usage)") }

LibraryLog.install(verbose: false)
do {
    let tally = try countLeaks(
        original: files[0], redacted: files[1], truth: try FaceTruth(file: files[2]), pairing: pairing,
        minimumFace: minimumFace)
    let rate = Double(tally.leaked) / Double(max(1, tally.faceFrames))
    print(
        """
        frames         \(tally.frames)
        face-frames    \(tally.faceFrames)
        leaked         \(tally.leaked)
        leak-rate      \(String(format: "%.4f", rate))
        no-detail      \(tally.withoutDetail)
        tracks         \(tally.tracks), leaking \(tally.leakingTracks)
        longest-run    \(tally.longestRun)
        outside-psnr   \(tally.outsidePSNR.map { String(format: "%.2f dB", $0) } ?? "none: no outside")
        touched        \(String(format: "%.5f", tally.touched))
        """)
    if let jsonFile {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Figures(tally)).write(to: URL(fileURLWithPath: jsonFile))
    }
} catch let error as LeakError {
    var code: Int32 = 1
    if case .frameCounts = error { code = 2 }
    fail("\(error)", code: code)
} catch {
    fail("\(error)")
}

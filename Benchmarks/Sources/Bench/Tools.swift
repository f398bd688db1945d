import Foundation

/// The programs that are measured, and their versions.
struct Tools {
    let veil: String
    let ffmpeg: String
    let ffprobe: String
    /// nil where there is none, or none is wanted.
    let deface: String?

    init(_ options: Options, root: URL) throws(BenchError) {
        let built = root.appendingPathComponent(".build/release/veil").path
        let veil = Tools.absolute(options.veil ?? built)
        guard FileManager.default.isExecutableFile(atPath: veil) else {
            throw .missing("\(veil) isn't there: make build makes it, --veil names another")
        }
        self.veil = veil
        guard let ffmpeg = Tools.onPath("ffmpeg"), let ffprobe = Tools.onPath("ffprobe") else {
            throw .missing("ffmpeg and ffprobe are needed: apt-get install ffmpeg")
        }
        self.ffmpeg = ffmpeg
        self.ffprobe = ffprobe
        if !options.comparesDeface {
            deface = nil
        } else if let named = options.deface {
            let path = Tools.absolute(named)
            guard FileManager.default.isExecutableFile(atPath: path) else { throw .missing("\(path) isn't there") }
            deface = path
        } else {
            deface = Tools.onPath("deface")
        }
    }

    /// The checkout: the folder that holds Benchmarks/Package.swift, above this program or the working folder.
    static func root() throws(BenchError) -> URL {
        let manager = FileManager.default
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        for start in [own, URL(fileURLWithPath: manager.currentDirectoryPath)] {
            var folder = start
            while folder.path != "/" {
                if manager.fileExists(atPath: folder.appendingPathComponent("Benchmarks/Package.swift").path) {
                    return folder
                }
                folder.deleteLastPathComponent()
            }
        }
        throw .missing("run this inside the checkout")
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    private static func onPath(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// "veil 1.0, FFmpeg 5.1.9, deface 1.5".
    var versions: String {
        func firstLine(_ command: [String]) -> String {
            guard let output = try? Child.capture(command).output else { return "of unknown version" }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init)
                ?? "of unknown version"
        }
        var result = [firstLine([veil, "--version"])]
        // "ffmpeg version 5.1.9-0+deb12u1 Copyright ..."
        let words = firstLine([ffmpeg, "-version"]).split(separator: " ")
        result.append("FFmpeg \(words.count > 2 ? String(words[2]) : "of unknown version")")
        if let deface {
            let said = firstLine([deface, "--version"])
            result.append(said.hasPrefix("deface") ? said : "deface \(said)")
        }
        return result.joined(separator: ", ")
    }

    /// "Intel(R) Xeon(R) ..., 2 cores".
    static var machine: String {
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
        let model = line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
        return "\(model ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}

import Foundation
import LeakCounter

/// A clip to measure on.
struct Clip {
    let file: URL
    /// nil where nobody labelled its faces.
    let truth: FaceTruth?

    var name: String { file.deletingPathExtension().lastPathComponent }

    private static let endings: Set<String> = ["mp4", "m4v", "mov", "mkv", "webm", "avi", "ts", "mts", "mpg", "mpeg"]

    /// The clips of a folder by name, with the faces that `NAME.faces.json` says; names alone if `only` has any.
    static func all(in folder: URL, only: [String]) throws(BenchError) -> [Clip] {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        } catch {
            throw .failed("\(folder.path) can't be read: \(error.localizedDescription)")
        }
        var result: [Clip] = []
        for file in files.sorted(by: { $0.path < $1.path }) where endings.contains(file.pathExtension.lowercased()) {
            let labels = file.deletingPathExtension().appendingPathExtension("faces.json")
            var truth: FaceTruth?
            if FileManager.default.fileExists(atPath: labels.path) {
                do throws(LeakError) {
                    truth = try FaceTruth(file: labels.path)
                } catch {
                    throw .failed("\(error)")
                }
            }
            result.append(Clip(file: file, truth: truth))
        }
        let missing = only.filter { name in !result.contains { $0.name == name } }
        guard missing.isEmpty else { throw .failed("no such clip: \(missing.joined(separator: ", "))") }
        return only.isEmpty ? result : result.filter { only.contains($0.name) }
    }
}

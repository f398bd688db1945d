import VeilMedia
import VeilVision

/// The program's version.
enum Version {
    /// As in semantic versioning 2.0.
    static let current = "0.1.0"

    /// The version with those of the libraries and the models that are found.
    static var text: String {
        var lines = ["veil \(current)", "FFmpeg \(MediaLibraries.version)", "OpenCV \(VisionLibrary.version)"]
        do throws(ModelError) {
            let store = try ModelStore.locate()
            for entry in store.entries {
                do throws(ModelError) {
                    _ = try store.model(entry.name)
                    lines.append("model \(sanitised(entry.name)) \(sanitised(entry.version))")
                } catch {
                    lines.append("model \(sanitised(entry.name)): \(sanitised("\(error)"))")
                }
            }
        } catch {
            lines.append("models: \(sanitised("\(error)"))")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

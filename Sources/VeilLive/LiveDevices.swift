import CLive
import VeilMedia
import VeilPipeline

/// The machine's cameras and microphones.
public enum LiveDevices {
    /// Loads libavdevice and makes its devices known to FFmpeg.
    ///
    /// - Throws: `VeilError` `.media` where it isn't installed.
    static func register(for label: String) throws(VeilError) {
        var words = [CChar](repeating: 0, count: 256)
        guard clive_devices_register(&words, words.count) == 0 else {
            throw .media(
                MediaError(
                    .unsupported, "loading libavdevice", file: label, detail: text(words),
                    advice: "apt-get install libavdevice59"))
        }
    }

    /// What there is, as lines for a person: cameras with formats, sizes and rates, and sound sources.
    public static func list() -> [String] {
        final class Lines { var all: [String] = [] }
        let lines = Lines()
        clive_devices_list(
            { opaque, line in
                guard let opaque, let line else { return }
                Unmanaged<Lines>.fromOpaque(opaque).takeUnretainedValue().all.append(String(cString: line))
            }, Unmanaged.passUnretained(lines).toOpaque())
        return lines.all
    }

    /// The first camera, "/dev/video0"; nil where there is none.
    public static func defaultCamera() -> String? {
        var path = [CChar](repeating: 0, count: 64)
        return clive_default_camera(&path, path.count) == 0 ? text(path) : nil
    }
}

import VeilLive
import VeilMedia
import VeilPipeline
import VeilVision

/// `veil doctor`: what is installed, what is missing, and the command that brings it.
struct DoctorCommand {
    private let options: Options

    init(_ options: Options) { self.options = options }

    func run() -> ExitCode {
        var lines = [
            "veil \(Version.current)", "FFmpeg \(MediaLibraries.version)", "OpenCV \(VisionLibrary.version)", "",
        ]
        var isWell = true
        lines.append("encoders")
        for codec in VideoCodec.allCases {
            let names = MediaLibraries.encoders(for: codec)
            if names.isEmpty {
                isWell = false
                lines.append("  \(codec.rawValue): missing; apt-get install libavcodec59 brings Debian's")
            } else {
                lines.append("  \(codec.rawValue): \(names.joined(separator: ", "))")
            }
        }
        lines.append("models")
        do throws(ModelError) {
            let store = try ModelStore.locate(flag: options.value(Flags.models))
            lines.append("  folder: \(sanitised(store.directory))")
            for entry in store.entries {
                do throws(ModelError) {
                    let model = try store.model(entry.name)
                    lines.append("  \(sanitised(entry.name)): \(sanitised(model.path)), as the manifest says")
                } catch {
                    isWell = false
                    lines.append("  \(sanitised(entry.name)): \(sanitised("\(error)"))")
                }
            }
        } catch {
            isWell = false
            lines.append("  \(sanitised("\(error)"))")
        }
        lines.append("live (loaded only when a source or an output asks for them)")
        for library in LiveLibrary.allCases {
            if let problem = library.problem() {
                isWell = false
                lines.append(
                    "  \(library.rawValue), \(library.purpose): missing (\(sanitised(problem))); "
                        + "apt-get install \(library.package)")
            } else {
                lines.append("  \(library.rawValue), \(library.purpose): there")
            }
        }
        lines.append("sandbox (what each file's work is shut off from)")
        lines += Sandbox.abilities.map { "  " + $0 }
        lines += ["", isWell ? "All is well." : "Something is missing; see above."]
        do throws(WriteError) {
            try writeWhole(lines.joined(separator: "\n") + "\n", to: Terminal.standardOutput)
        } catch {
            return .inputFailed
        }
        return isWell ? .done : .inputFailed
    }
}

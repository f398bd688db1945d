// The examples of README.md as code that is compiled and run; LibraryExampleTests compares the texts.

// README: begin file
import Veil

/// Covers all faces of a video in black; `output` appears when it is whole.
func redactFile(_ input: String, to output: String) throws {
    var settings = RedactionSettings()
    settings.chain = FilterChain(effects: [.solid(color: .black)])
    let result = try Redaction(settings: settings).redact(input, to: output)
    print(result.plan.tracks.count, "tracks covered in", result.framesWritten, "frames")
    for notice in result.notices { print("note:", notice) }
}
// README: end

// README: begin frames
/// Covers the faces in frames that come one after the other, `rate` a second.
func redactFrames(_ frames: inout [[UInt8]], width: Int, height: Int, rate: Double) throws {
    let redactor = try FrameRedactor()
    for index in frames.indices {
        let faces = try redactor.redact(
            &frames[index], width: width, height: height, order: .bgra, time: Double(index) / rate)
        print("frame", index, "has", faces.count, "faces")
    }
}
// README: end

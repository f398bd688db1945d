import Glibc
import Testing
import VeilTestSupport

/// docs/fidelity.md says what is kept, changed and dropped: as the program does, not as somebody believes.
@Suite struct FidelityTests {
    static let containers = ["mp4", "mov", "mkv", "webm", "avi", "ts"]

    struct Coded: Sendable, CustomTestStringConvertible {
        var testDescription: String { name }
        var name: String
        var video: [String]
        var container = "mkv"
        var format = "yuv420p"
    }

    static let codecs: [Coded] = [
        Coded(name: "H.264, 8 bit", video: Clip.h264),
        Coded(name: "H.264, 10 bit 4:2:2", video: Clip.h264, format: "yuv422p10le"),
        Coded(name: "HEVC, 10 bit", video: Look.x265, format: "yuv420p10le"),
        Coded(name: "VP9", video: Kind.vp9),
        Coded(name: "AV1", video: ["-c:v", "libsvtav1", "-preset", "10", "-crf", "20"]),
        Coded(name: "MPEG-4", video: ["-c:v", "mpeg4", "-q:v", "2"]),
        Coded(name: "MPEG-2", video: ["-c:v", "mpeg2video", "-q:v", "2"]),
        Coded(name: "MJPEG", video: ["-c:v", "mjpeg", "-q:v", "2"], format: "yuvj420p"),
        Coded(name: "ProRes 422", video: ["-c:v", "prores_ks", "-profile:v", "2"], format: "yuv422p10le"),
        Coded(name: "FFV1", video: ["-c:v", "ffv1"]),
        Coded(name: "FFV1 with alpha", video: ["-c:v", "ffv1"], format: "yuva420p"),
        Coded(name: "GIF", video: ["-c:v", "gif"], container: "gif", format: "rgb8"),
    ]

    /// Redacts quickly where the encoder has presets of x264's names.
    private func redact(_ input: String, _ container: String, in folder: TemporaryFolder, _ arguments: [String]) throws
        -> Redacted
    {
        let arguments = ["--untouched", "encode"] + arguments
        let first = try Redacted(
            input, to: "out." + container, in: folder, arguments, preset: container == "webm" ? "8" : "ultrafast")
        guard first.run.status != 0 else { return first }
        return try Redacted(input, to: "out." + container, in: folder, arguments, preset: nil)
    }

    private func cells(_ trait: Trait) throws -> [String] {
        let folder = try TemporaryFolder()
        let input = try trait.make(folder)
        let before = try Probe(input)
        return try Self.containers.map { container in
            let redacted = try redact(input, container, in: folder, trait.arguments)
            guard redacted.run.status == 0 else {
                // A refusal says what to do.
                #expect(
                    redacted.run.errorLines.last?.contains(";") ?? false,
                    "\(trait.name) in \(container): \(redacted.run)")
                return "\(Trait.Outcome.refused)"
            }
            do {
                return try "\(trait.judge(before, Probe(redacted.output), redacted))"
            } catch let silent as Trait.Silent {
                Issue.record("\(trait.name) in \(container): \(silent)\n\(redacted.run)")
                return "lost"
            }
        }
    }

    private func cells(_ coded: Coded) throws -> [String] {
        let folder = try TemporaryFolder()
        let input = try Clip.make(
            in: folder, "in." + coded.container, frames: 3, filter: "format=\(coded.format)", coded.video)
        let before = try Probe(input)
        return try Self.containers.map { container in
            let redacted = try redact(input, container, in: folder, [])
            #expect(redacted.run.status == 0, "\(coded.name) in \(container): \(redacted.run)")
            guard redacted.run.status == 0 else { return "refused" }
            let after = try Probe(redacted.output)
            let (from, to) = (before.picture("codec_name") ?? "", after.picture("codec_name") ?? "")
            let format = after.picture("pix_fmt") ?? ""
            let losses = redacted.notes.compactMap { $0.split(separator: "note: ").last.map(String.init) }
                .filter { !$0.hasPrefix("\(from) becomes") }
            // A change of codec is never without a word.
            #expect(from == to || redacted.says("\(from) becomes \(to)"), "\(coded.name) in \(container)")
            return (from == to ? "kept" : to) + (format == before.picture("pix_fmt") ? "" : " (\(format))")
                + (losses.isEmpty ? "" : ": " + losses.joined(separator: ", "))
        }
    }

    private func row(_ name: String, _ cells: [String]) -> String {
        "| \(name) | " + cells.joined(separator: " | ") + " |"
    }

    private static let page = Places.checkout + "/docs/fidelity.md"

    private func expectOnPage(_ row: String) throws {
        let written = String(decoding: try FileBytes.read(Self.page), as: UTF8.self).split(separator: "\n")
        let name = row.split(separator: "|").first ?? ""
        #expect(
            written.contains { $0 == row },
            "the page has: \(written.first { $0.dropFirst().hasPrefix(name) } ?? "nothing on it")")
    }

    private static let isWriting = getenv("VEIL_WRITE_FIDELITY") != nil

    @Test(.disabled(if: isWriting), arguments: Trait.all)
    func `the page on fidelity says what becomes of it in each container`(trait: Trait) throws {
        try expectOnPage(row(trait.name, cells(trait)))
    }

    @Test(.disabled(if: isWriting), arguments: codecs)
    func `the page on fidelity says what becomes of each codec`(coded: Coded) throws {
        try expectOnPage(row(coded.name, cells(coded)))
    }

    /// `VEIL_WRITE_FIDELITY=1` writes the page anew, from what the program does.
    @Test(.enabled(if: isWriting)) func `the page on fidelity is written`() throws {
        let head =
            row("", Self.containers.map { ".\($0)" }) + "\n" + row("---", Self.containers.map { _ in "---" }) + "\n"
        var text = """
            # What is kept, changed and dropped

            Made by FidelityTests from what the program does, with FFmpeg 5.1. *Kept* is as it was; other words say what
            it becomes. What is dropped is named on standard error; *refused* is an error that says what to do instead.
            A file in which nothing is covered is copied stream by stream where its container stays.

            ## By container

            Pictures are encoded anew, in their own codec where the container holds it.


            """ + head
        for trait in Trait.all { text += try row(trait.name, cells(trait)) + "\n" }
        text +=
            "\n## By codec\n\nWhat a codec becomes in a container; its pixel format follows where that changes.\n\n"
            + head
        for coded in Self.codecs { text += try row(coded.name, cells(coded)) + "\n" }
        try FileBytes.write(text.utf8, to: Self.page)
    }
}

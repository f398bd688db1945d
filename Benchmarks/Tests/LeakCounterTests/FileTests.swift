import Foundation
import Testing

@testable import LeakCounter

@Suite struct TruthFileTests {
    private func read(_ text: String) throws -> FaceTruth {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).faces.json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try FaceTruth(file: file.path)
    }

    private let face = TruthFace(id: "3", x: 1.5, y: 2, width: 30, height: 40)

    @Test func `frames may be a list`() throws {
        let truth = try read(
            """
            {"video": "a.mp4", "width": 64, "height": 48, "frames": [
              {"index": 4, "t": 0.5, "faces": [{"id": 3, "x": 1.5, "y": 2, "w": 30, "h": 40, "difficult": false}]},
              {"index": 5, "t": 0.6, "faces": []}]}
            """)
        #expect(truth == FaceTruth(width: 64, height: 48, frames: [4: [face], 5: []]))
    }

    @Test func `frames may be an object by index`() throws {
        let truth = try read(#"{"frames": {"4": [{"id": "3", "x": 1.5, "y": 2, "w": 30, "h": 40}]}}"#)
        #expect(truth == FaceTruth(frames: [4: [face]]))
    }

    @Test func `a still has one list of faces`() throws {
        let truth = try read(#"{"faces": [{"x": 1, "y": 2, "w": 3, "h": 4, "difficult": true}]}"#)
        #expect(truth.frames == [0: [TruthFace(x: 1, y: 2, width: 3, height: 4, isDifficult: true)]])
    }

    @Test func `what was written is read`() throws {
        let truth = FaceTruth(width: 64, height: 48, frames: [0: [face], 2: [face, face]])
        let text = String(decoding: try JSONEncoder().encode(truth), as: UTF8.self)
        #expect(try read(text) == truth)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"frames": [{"index": 0}]}"#, #"{"frames": [{"index": 0, "faces": [{"x": 1, "y": 1}]}]}"#,
        #"{"frames": {"first": []}}"#,
    ])
    func `anything else is an error`(_ text: String) {
        #expect(throws: LeakError.self) { try read(text) }
    }
}

/// On lossless clips that FFmpeg makes.
@Suite struct CountLeaksTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("leaks-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func make(_ name: String, filter: String) throws -> String {
        let file = folder.appendingPathComponent(name).path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i"]
            + ["testsrc=size=160x120:rate=10:duration=1", "-vf", filter, "-c:v", "ffv1", file]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return file
    }

    private let truth = FaceTruth(
        width: 160, height: 120, frames: [0: [TruthFace(id: "a", x: 50, y: 30, width: 50, height: 60)]])

    @Test func `a clip compared with itself leaks and is untouched`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let clip = try make("a.mkv", filter: "format=yuv420p")
        let tally = try countLeaks(original: clip, redacted: clip, truth: truth)
        #expect(tally.frames == 10)
        #expect(tally.leaked == 1)
        #expect(tally.outsidePSNR == 99)
    }

    @Test func `another number of frames is an error by index and none by time`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let clip = try make("a.mkv", filter: "format=yuv420p")
        let doubled = try make("b.mkv", filter: "format=yuv420p,fps=20")
        for (first, second, counts) in [(clip, doubled, (10, 20)), (doubled, clip, (20, 10))] {
            let error = #expect(throws: LeakError.self) {
                try countLeaks(original: first, redacted: second, truth: truth)
            }
            guard case .frameCounts(let original, let redacted) = error else {
                Issue.record("not the frames: \(String(describing: error))")
                continue
            }
            #expect(original == counts.0)
            #expect(redacted == counts.1)
        }
        let tally = try countLeaks(original: clip, redacted: doubled, truth: truth, pairing: .time)
        #expect(tally.frames == 10)
        #expect(tally.outsidePSNR == 99)
    }

    @Test func `faces of another size of picture are refused`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let clip = try make("a.mkv", filter: "format=yuv420p")
        let error = #expect(throws: LeakError.self) {
            try countLeaks(original: clip, redacted: clip, truth: FaceTruth(width: 120, height: 160, frames: [:]))
        }
        guard case .truthSize = error else {
            Issue.record("not the size: \(String(describing: error))")
            return
        }
    }
}

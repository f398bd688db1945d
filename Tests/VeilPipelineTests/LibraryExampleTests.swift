import Foundation
import Testing
import Veil

/// The folder that holds Package.swift.
private let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The examples look for the models as programs do; the test runner isn't in the checkout, so it's told where they are.
private let knowsModels: Bool =
    setenv(
        ModelStore.environmentName, checkout.appending(path: "Models").path(percentEncoded: false), 1) == 0

private func text(_ path: String) throws -> [Substring] {
    try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
}

/// The lines between each `// README: begin NAME` and `// README: end`.
private func examples() throws -> [String: [Substring]] {
    var found: [String: [Substring]] = [:]
    var name: String?
    for line in try text("Tests/VeilPipelineTests/ReadmeExamples.swift") {
        if line.hasPrefix("// README: begin ") {
            name = String(line.dropFirst("// README: begin ".count))
        } else if line == "// README: end" {
            name = nil
        } else if let name {
            found[name, default: []].append(line)
        }
    }
    return found
}

/// The lines of each ```swift block.
private func blocks() throws -> [[Substring]] {
    var found: [[Substring]] = []
    var isInside = false
    for line in try text("README.md") {
        if line == "```swift" {
            isInside = true
            found.append([])
        } else if line == "```" {
            isInside = false
        } else if isInside {
            found[found.count - 1].append(line)
        }
    }
    return found
}

/// The colours of a clip's frames, four bytes to a pixel, as the ffmpeg tool decodes them.
private func frames(of path: String, format: String, size: Int) throws -> [[UInt8]] {
    let command = "ffmpeg -v error -nostdin -i '\(path)' -f rawvideo -pix_fmt \(format) -"
    let output = try #require(popen(command, "r"))
    var frames: [[UInt8]] = []
    while true {
        var frame = [UInt8](repeating: 0, count: size)
        guard fread(&frame, 1, size, output) == size else { break }
        frames.append(frame)
    }
    try #require(pclose(output) == 0, "ffmpeg could not decode \(path)")
    return frames
}

@Suite struct `The library's examples` {
    @Test func `in the README are the code that is tested here`() throws {
        let blocks = try blocks()
        let examples = try examples()
        #expect(blocks.count == 2)
        #expect(blocks.first == examples["file"])
        #expect(blocks.last == examples["frames"])
    }

    @Test func `cover the faces of a file`() throws {
        try #require(knowsModels)
        let folder = FileManager.default.temporaryDirectory.appending(path: "veil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = checkout.appending(path: "samples/walk.mp4").path(percentEncoded: false)
        let output = folder.appending(path: "covered.mp4").path(percentEncoded: false)
        try redactFile(input, to: output)

        let before = try frames(of: input, format: "gray", size: 640 * 360)
        let after = try frames(of: output, format: "gray", size: 640 * 360)
        #expect(before.count == 100)
        #expect(after.count == before.count)
        // Black where one face or both are, and nowhere else.
        for (old, new) in zip(before, after) {
            let blackened = zip(old, new).count { $0 > 60 && $1 < 20 }
            #expect(blackened > 2000 && blackened < 640 * 360 / 5)
        }
    }

    @Test func `cover the faces of frames`() throws {
        try #require(knowsModels)
        let input = checkout.appending(path: "samples/walk.mp4").path(percentEncoded: false)
        let before = Array(try frames(of: input, format: "bgra", size: 4 * 640 * 360).prefix(6))
        var after = before
        try redactFrames(&after, width: 640, height: 360, rate: 25)
        for (old, new) in zip(before, after) {
            let changed = stride(from: 0, to: old.count, by: 4).count { old[$0..<$0 + 4] != new[$0..<$0 + 4] }
            #expect(changed > 2000 && changed < 640 * 360 / 5)
            #expect(stride(from: 3, to: old.count, by: 4).allSatisfy { old[$0] == new[$0] })
        }
    }
}

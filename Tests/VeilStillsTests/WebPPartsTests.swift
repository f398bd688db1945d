import Testing
import VeilTestSupport

@testable import VeilStills

/// Files whose chunks hold more pictures than they show.
@Suite struct `What rides along in a WebP` {
    /// Coded pictures of 32×32: what is shown, and what isn't.
    private let shown: WebPChunks.Chunk
    private let hidden: WebPChunks.Chunk
    private let alpha: WebPChunks.Chunk

    init() throws {
        let folder = try TemporaryFolder()
        let gray = try Self.picture("color=gray:s=32x32", "", in: folder)
        let other = try Self.picture(
            "testsrc=s=64x64", ",geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X*8'", in: folder)
        shown = WebPChunks.Chunk(type: "VP8 ", data: try #require(gray["VP8 "]))
        hidden = WebPChunks.Chunk(type: "VP8 ", data: try #require(other["VP8 "]))
        alpha = WebPChunks.Chunk(type: "ALPH", data: try #require(other["ALPH"]))
    }

    private static func picture(_ source: String, _ alpha: String, in folder: TemporaryFolder) throws -> WebPChunks {
        let (plain, webp) = (folder.file("plain.png"), folder.file("a.webp"))
        try Tool.ffmpeg([
            "-f", "lavfi", "-i", source, "-vf", "scale=32:32,format=rgba\(alpha)", "-frames:v", "1", plain,
        ])
        try Tool.need(["cwebp", "-quiet", "-q", "80", plain, "-o", webp])
        return try WebPChunks(FileBytes.read(webp)[...])
    }

    private func file(_ chunks: [WebPChunks.Chunk], flags: UInt8) -> [UInt8] {
        var body = Array("WEBP".utf8)
        WebPChunks.append("VP8X", [flags, 0, 0, 0, 31, 0, 0, 31, 0, 0], to: &body)
        for chunk in chunks { WebPChunks.append(chunk.type, chunk.data, to: &body) }
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
    }

    private func frame(_ parts: [WebPChunks.Chunk]) -> WebPChunks.Chunk {
        var data: [UInt8] = [0, 0, 0, 0, 0, 0, 31, 0, 0, 31, 0, 0, 100, 0, 0, 0]
        for part in parts { WebPChunks.append(part.type, part.data, to: &data) }
        return WebPChunks.Chunk(type: "ANMF", data: data[...])
    }

    private let animation = WebPChunks.Chunk(type: "ANIM", data: [0, 0, 0, 0, 0, 0])

    /// The file that comes of it when nothing is covered.
    private func copied(_ bytes: [UInt8]) throws -> [UInt8] {
        let webp = try WebPFile(bytes, file: "a")
        let document: any StillDocument =
            webp.isAnimated
            ? try AnimatedWebP(webp, file: "a", policy: .keep) : try WebPStill(webp, file: "a", policy: .keep)
        while try document.next() != nil { try document.keep(masks: []) }
        return try document.finish()
    }

    private func expectGone(_ copy: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        let needle = hidden.data.dropFirst(40).prefix(24)
        let isThere = copy.indices.dropLast(24).contains { copy[$0...].starts(with: needle) }
        #expect(!isThere, sourceLocation: location)
    }

    @Test func `is no part of a still's copy`() throws {
        let parts = [animation, frame([hidden]), shown, hidden, frame([alpha, hidden]), alpha]
        let copy = try copied(file(parts, flags: 0))
        let chunks = WebPChunks(copy[...])
        #expect(chunks.chunks.map(\.type) == ["VP8 "] && chunks.chunks[0].data == shown.data)
        #expect(try !WebPFile(copy, file: "a").isAnimated)
        expectGone(copy)
    }

    @Test func `doesn't take a still's own alpha along`() throws {
        let copy = try copied(file([alpha, shown, hidden], flags: 0x10))
        #expect(WebPChunks(copy[...]).chunks.map(\.type) == ["VP8X", "ALPH", "VP8 "])
        #expect(WebPChunks(copy[...])["VP8X"]?.first == 0x10)
        expectGone(copy)
    }

    @Test func `is no part of an animation's frames`() throws {
        let rest = WebPChunks.Chunk(type: "rest", data: hidden.data)
        let parts = [animation, frame([shown, rest]), frame([alpha, shown, rest]), animation, rest]
        let copy = try copied(file(parts, flags: 0x12))
        let chunks = WebPChunks(copy[...])
        #expect(chunks.chunks.map(\.type) == ["VP8X", "ANIM", "ANMF", "ANMF"])
        #expect(chunks.codedPictures(isAnimated: true).map(\.type) == ["VP8 ", "ALPH", "VP8 "])
        #expect(chunks["VP8X"]?.first == 0x12)
        #expect(try WebPFile(copy, file: "a").isAnimated)
        expectGone(copy)
    }

    @Test func `isn't taken for a frame's picture`() {
        let parts = [hidden, frame([shown, hidden, alpha]), animation, frame([alpha, shown, hidden]), animation]
        let chunks = WebPChunks(file(parts, flags: 2)[...])
        #expect(chunks.pictures(isAnimated: true).map(\.type) == ["ANIM", "ANMF", "ANMF"])
        #expect(chunks.codedPictures(isAnimated: true).map(\.data) == [shown.data, alpha.data, shown.data])
    }
}

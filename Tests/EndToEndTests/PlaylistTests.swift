import Glibc
import Testing
import VeilTestSupport

/// Playlists, whose parts are opened only when that was allowed, and only where.
@Suite struct PlaylistTests {
    /// An HLS or DASH playlist with its parts beside it, and the clip that it was made of.
    private func make(_ kind: String, in folder: TemporaryFolder, frames: Int = 12) throws -> (
        list: String, clip: String
    ) {
        let clip = try Clip.make(
            in: folder, "clip.mp4", frames: frames, tones: 1, Clip.h264 + ["-g", "4"] + Clip.sound)
        mkdir(folder.file("parts"), 0o755)
        switch kind {
        case "hls":
            try Tool.ffmpeg(
                ["-i", clip, "-c", "copy", "-hls_time", "0.16", "-hls_playlist_type", "vod", "-hls_segment_filename"]
                    + [folder.file("parts/p%03d.ts"), "-hls_base_url", "parts/", folder.file("list.m3u8")])
            return (folder.file("list.m3u8"), clip)
        default:
            try Tool.ffmpeg(["-i", clip, "-c", "copy", "-f", "dash", "-seg_duration", "0.16", folder.file("list.mpd")])
            return (folder.file("list.mpd"), clip)
        }
    }

    @Test(arguments: ["hls", "dash"])
    func `a playlist of local files is redacted when that is allowed`(kind: String) throws {
        let folder = try TemporaryFolder()
        let (list, clip) = try make(kind, in: folder)
        let refused = try BuiltVeil.run(["redact", list, "-o", folder.file("no.mp4"), "-q"] + Redacted.quick)
        #expect(refused.status == 1 && refused.errors.contains("--allow-references"), "\(refused)")
        let redacted = try Redacted(list, to: "out.mp4", in: folder, ["--allow-references"])
        redacted.expectDone()
        let (before, after) = (try RawPictures(clip), try RawPictures(redacted.output))
        #expect(after.count == before.count)
        for frame in 0..<min(before.count, after.count) {
            #expect(before.detailLeft(in: after, frame: frame, box: Portrait.face(frame)) < 0.15, "frame \(frame)")
        }
        #expect(try Probe.packets(redacted.output, stream: "a:0").count > 0)
    }

    @Test(arguments: [[], ["--no-sandbox"]])
    func `files outside of the playlist's folder stay shut`(flags: [String]) throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        let clip = try Clip.make(in: other, "other.ts", frames: 4)
        let inside = try Clip.make(in: folder, "inside.ts", frames: 4)
        symlink(clip, folder.file("link.ts"))
        for part in [clip, "file:\(clip)", "../\(other.path.split(separator: "/").last ?? "")/other.ts", "link.ts"] {
            let list =
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.16,\n\(inside)\n#EXTINF:0.16,\n\(part)\n#EXT-X-ENDLIST\n"
            try FileBytes.write(list.utf8, to: folder.file("list.m3u8"))
            let run = try BuiltVeil.run(
                ["redact", folder.file("list.m3u8"), "-o", folder.file("out.mp4"), "-q", "--allow-references"] + flags
                    + Redacted.quick)
            #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("not permitted"), "\(run)")
            #expect(!FileBytes.exists(folder.file("out.mp4")) && folder.leftovers.isEmpty)
        }
    }

    @Test func `a part that isn't there is an error, not a gap`() throws {
        let folder = try TemporaryFolder()
        let (list, _) = try make("hls", in: folder)
        unlink(folder.file("parts/p001.ts"))
        let run = try BuiltVeil.run(
            ["redact", list, "-o", folder.file("out.mp4"), "-q", "--allow-references"] + Redacted.quick)
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("p001.ts"), "\(run)")
        #expect(!FileBytes.exists(folder.file("out.mp4")))
    }

    @Test func `a playlist without an end is refused`() throws {
        let folder = try TemporaryFolder()
        let (list, _) = try make("hls", in: folder)
        let text = String(decoding: try FileBytes.read(list), as: UTF8.self)
        let endless = text.replacing("#EXT-X-ENDLIST", with: "").replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
        try FileBytes.write(endless.utf8, to: list)
        let run = try BuiltVeil.run(
            ["redact", list, "-o", folder.file("out.mp4"), "-q", "--allow-references"] + Redacted.quick)
        #expect(run.status == 1 && run.errorLines.count == 1 && run.errors.contains("no end"), "\(run)")
    }

    @Test func `addresses are called when the network is allowed, and only then`() throws {
        let folder = try TemporaryFolder()
        let listener = try Listener()
        let list =
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.16,\nhttp://127.0.0.1:\(listener.port)/p.ts\n#EXT-X-ENDLIST\n"
        try FileBytes.write(list.utf8, to: folder.file("list.m3u8"))
        let arguments = ["redact", folder.file("list.m3u8"), "-o", folder.file("out.mp4"), "-q"] + Redacted.quick
        for flags in [[], ["--allow-references"], ["--allow-references", "--no-sandbox"]] {
            let run = try BuiltVeil.run(arguments + flags)
            #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
            #expect(listener.takeConnections() == 0)
        }
        // Nobody answers at that door; it is enough that it was knocked at.
        let run = try BuiltVeil.start(arguments + ["--allow-network"])
        #expect(run.waits(seconds: 120) { listener.takeConnections() > 0 })
        run.send(SIGKILL)
        _ = try run.finish()
    }

    @Test func `parts that a server has are redacted`() throws {
        let folder = try TemporaryFolder()
        let (list, clip) = try make("hls", in: folder)
        let server = try Tool.start(
            ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"], in: folder.path)
        defer {
            server.send(SIGKILL)
            _ = try? server.finish()
        }
        var port = ""
        let isUp = server.waits(seconds: 120) {
            // "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
            let words = server.outputSoFar.split(separator: " ")
            port = words.firstIndex(of: "port").map { words.count > $0 + 1 ? String(words[$0 + 1]) : "" } ?? ""
            return !port.isEmpty
        }
        try #require(isUp)
        let text = String(decoding: try FileBytes.read(list), as: UTF8.self)
        let remote = text.replacing("parts/", with: "http://127.0.0.1:\(port)/parts/")
        try FileBytes.write(remote.utf8, to: folder.file("remote.m3u8"))
        let redacted = try Redacted(folder.file("remote.m3u8"), to: "out.mp4", in: folder, ["--allow-network"])
        redacted.expectDone()
        #expect(try RawPictures(redacted.output).count == RawPictures(clip).count)
    }
}

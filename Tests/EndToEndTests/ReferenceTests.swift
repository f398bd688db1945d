import Glibc
import Testing
import VeilTestSupport

/// Files that refer to other files or to the network: nothing but the named file is opened.
@Suite struct ReferenceTests {
    /// What the file refers to.
    struct Bait {
        let folder: TemporaryFolder
        let secret: String
        let clip: String
        let port: UInt16

        var url: String { "http://127.0.0.1:\(port)/x.ts" }
    }

    struct Trap: Sendable, CustomTestStringConvertible {
        let name: String
        /// The operand to give to the program, relative to the folder.
        let make: @Sendable (Bait) throws -> String
        var testDescription: String { name }

        /// A text under a name.
        init(_ name: String, _ file: String, _ text: @escaping @Sendable (Bait) -> String) {
            self.name = name
            make = { bait in
                try FileBytes.write(text(bait).utf8, to: bait.folder.file(file))
                return file
            }
        }

        /// A name of no file that other tools take for more than a name.
        init(name: String, _ operand: @escaping @Sendable (Bait) throws -> String) {
            self.name = name
            make = operand
        }
    }

    static let traps: [Trap] = [
        Trap("HLS playlist under .mp4", "a.mp4") { bait in
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://\(bait.secret)\n#EXTINF:1,\n\(bait.url)\n"
                + "#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
        },
        Trap("HLS playlist with a key and a map elsewhere", "a.m3u8") { bait in
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(bait.url)\"\n"
                + "#EXT-X-MAP:URI=\"\(bait.secret)\"\n#EXTINF:1,\n\(bait.clip)\n#EXT-X-ENDLIST\n"
        },
        Trap("HLS variant list", "b.m3u8") { bait in
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(bait.url)\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(bait.secret)\n"
        },
        Trap("concat script under .mkv", "c.mkv") { bait in
            "ffconcat version 1.0\nfile '\(bait.secret)'\nfile '\(bait.url)'\n"
        },
        Trap("concat script with a relative name", "d.ffconcat") { _ in "ffconcat version 1.0\nfile clip.ts\n" },
        Trap("DASH manifest with external entities", "e.mpd") { bait in
            """
            <?xml version="1.0"?><!DOCTYPE MPD [<!ENTITY a SYSTEM "file://\(bait.secret)"><!ENTITY b SYSTEM "\(bait.url)">]>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period>
            <BaseURL>&a;&b;\(bait.url)</BaseURL><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1">
            <BaseURL>\(bait.secret)</BaseURL></Representation></AdaptationSet></Period></MPD>
            """
        },
        Trap("SMIL, ASX and XSPF lists", "f.asx") { bait in
            "<asx version=\"3.0\"><entry><ref href=\"\(bait.url)\"/></entry></asx>"
        },
        Trap("session description", "g.sdp") { _ in
            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
                + "a=rtpmap:96 H264/90000\n"
        },
        Trap("RTSP redirect", "h.mov") { bait in "RTSPtext\nrtsp://127.0.0.1:\(bait.port)/x\n" },
        Trap("IMF composition", "CPL_a.xml") { bait in
            "<?xml version=\"1.0\"?><CompositionPlaylist xmlns=\"http://www.smpte-ra.org/schemas/2067-3/2016\">"
                + "<Id>urn:uuid:8713c020-2489-45f5-a9f7-87be539e20b5</Id><x>\(bait.secret)</x></CompositionPlaylist>"
        },
        Trap("index of subtitles whose data lie in another file", "secret.idx") { _ in
            "# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\nid: en, index: 0\n"
                + "timestamp: 00:00:01:000, filepos: 000000000\n"
        },
        Trap(name: "QuickTime data references") { bait in
            let movie = try Clip.make(in: bait.folder, "plain.mov", frames: 2)
            let bytes = try DataReference.replaced(in: FileBytes.read(movie), path: bait.secret, url: bait.url)
            try FileBytes.write(bytes, to: bait.folder.file("refer.mov"))
            unlink(movie)
            return "refer.mov"
        },
        Trap(name: "concat: protocol") { "concat:\($0.clip)|\($0.secret)" },
        Trap(name: "subfile: protocol") { "subfile,,start,0,end,100,,:\($0.secret)" },
        Trap(name: "file: address") { "file://\($0.secret)" },
        Trap(name: "http: address") { $0.url },
        Trap(name: "cache: and crypto: addresses") { "cache:\($0.secret)" },
        Trap(name: "data: address") { _ in "data:video/mp4;base64,AAAA" },
        Trap(name: "numbered pictures") { bait in
            for number in 1...3 { try FileBytes.write([1], to: bait.folder.file("secret00\(number).png")) }
            return "secret%03d.png"
        },
    ]

    private static let hasTracer = (try? Tool.run(["strace", "-V"]).status) == 0

    @Test(.enabled(if: hasTracer, "strace isn't installed"), arguments: traps, [[], ["--no-sandbox"]])
    func `nothing but the named file is opened`(trap: Trap, flags: [String]) throws {
        let folder = try TemporaryFolder()
        let listener = try Listener()
        let bait = Bait(
            folder: folder, secret: folder.file("secret.sub"), clip: folder.file("clip.ts"), port: listener.port)
        try Clip.make(in: folder, "clip.ts", frames: 2)
        try FileBytes.write("the secret".utf8, to: bait.secret)
        let operand = try trap.make(bait)
        let trace = folder.file("trace")
        // With and without the sandbox: neither the demuxers nor the rules alone are what keeps the door shut.
        let run = try BuiltVeil.run(
            ["redact", "-o", "out.mp4", "-q"] + Redacted.quick + flags + ["--", operand],
            tracedTo: trace, ["open", "openat", "openat2", "connect", "socket", "sendto"], in: folder.path)
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run)")
        #expect(listener.takeConnections() == 0)
        let calls = try String(decoding: FileBytes.read(trace), as: UTF8.self).split(separator: "\n")
        #expect(calls.contains { $0.contains("openat(") })
        for call in calls {
            let isOther = ["secret.sub", "secret00", "clip.ts", "/etc/passwd", "connect(", "socket(", "sendto("]
                .contains { call.contains($0) && !call.contains("\"\(operand)\"") }
            #expect(!isOther, "\(call)")
        }
        #expect(!FileBytes.exists(folder.file("out.mp4")))
    }
}

/// QuickTime's way to say that a track's data lie elsewhere (QuickTime File Format, "Data Reference Atoms").
enum DataReference {
    /// The movie with the first track's reference replaced by one to a file and one to an address.
    static func replaced(in movie: [UInt8], path: String, url: String) throws -> [UInt8] {
        var movie = movie
        let places = try ISOBoxes.places(of: ["moov", "trak", "mdia", "minf", "dinf", "dref"], in: movie)
        let place = places[places.count - 1]
        let old = ISOBoxes.size(movie, place)
        let entries = alias(path) + ISOBoxes.box("url ", [0, 0, 0, 0] + Array(url.utf8) + [0])
        let new = ISOBoxes.box("dref", [0, 0, 0, 0, 0, 0, 0, 2] + entries)
        movie.replaceSubrange(place..<place + old, with: new)
        for parent in places.dropLast() {
            movie.replaceSubrange(
                parent..<parent + 4, with: ISOBoxes.word(ISOBoxes.size(movie, parent) + new.count - old))
        }
        return movie
    }

    /// A Macintosh alias record with an absolute path.
    private static func alias(_ path: String) -> [UInt8] {
        var record: [UInt8] = [0, 0, 0, 0]  // version and flags
        record += [UInt8](repeating: 0, count: 10) + [0] + [UInt8](repeating: 0, count: 27)
        record += [UInt8](repeating: 0, count: 12) + [0] + [UInt8](repeating: 0, count: 63)
        record += [UInt8](repeating: 0, count: 16) + [0, 1, 0, 1] + [UInt8](repeating: 0, count: 16)
        let bytes = Array(path.replacing("/", with: ":").utf8)
        let padded = bytes.count % 2 == 0 ? bytes : bytes + [0]
        record += [0, 2, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + padded + [0xFF, 0xFF, 0, 0]
        return ISOBoxes.box("alis", record)
    }
}

import Testing
import VeilTestSupport

/// The table of docs/fidelity.md: something that files have, put into each container, and what came of it.
struct Trait: Sendable, CustomTestStringConvertible {
    var testDescription: String { name }
    /// As the table names it.
    var name: String
    /// Makes a file that has it.
    var make: @Sendable (TemporaryFolder) throws -> String
    var arguments: [String] = []
    /// What became of it.
    var judge: @Sendable (_ before: Probe, _ after: Probe, _ redacted: Redacted) throws -> Outcome

    enum Outcome: CustomStringConvertible {
        case kept
        case changed(String)
        case dropped
        case refused

        var description: String {
            switch self {
            case .kept: "kept"
            case .changed(let how): how
            case .dropped: "dropped, named"
            case .refused: "refused"
            }
        }
    }

    /// Kept, or dropped with a word that contains this.
    static func keptOrNamed(_ isKept: Bool, _ redacted: Redacted, _ words: String) -> Outcome? {
        if isKept { return .kept }
        return redacted.says(words) ? .dropped : nil
    }
}

extension Trait {
    struct Silent: Error, CustomStringConvertible {
        var description: String
    }

    /// The output's stream of a type, as its codec's name; dropped with a word, if there is none.
    static func stream(_ type: String, _ words: String) -> @Sendable (Probe, Probe, Redacted) throws -> Outcome {
        { before, after, redacted in
            guard let from = before.indices(type).first, let old = before.stream(from, "codec_name") else {
                throw Silent(description: "the source has no \(type)")
            }
            guard let to = after.indices(type).first else {
                guard redacted.says(words) else { throw Silent(description: "\(type) is lost without a word") }
                return .dropped
            }
            let new = after.stream(to, "codec_name") ?? old
            if new == old { return .kept }
            guard redacted.says("becomes") else { throw Silent(description: "\(old) becomes \(new) without a word") }
            return .changed("becomes \(new)")
        }
    }

    /// Makes a short clip in Matroska or another container.
    static func clip(
        _ container: String = "mkv", filter: String = "format=yuv420p", frames: Int = 3, inputs: [String] = [],
        _ output: [String] = Clip.h264
    ) -> @Sendable (TemporaryFolder) throws -> String {
        { folder in
            try Clip.make(in: folder, "in." + container, frames: frames, filter: filter, inputs: inputs, output)
        }
    }

    static func sound(_ codec: [String]) -> Trait {
        Trait(
            name:
                "sound: \(codec.last == "pcm_s16le" ? "PCM" : codec[0] == "libopus" ? "Opus" : codec[0].uppercased())",
            make: clip(inputs: ["-f", "lavfi", "-i", "sine=r=48000:d=0.2"], Clip.h264 + ["-c:a"] + codec),
            judge: stream("audio", "left out"))
    }

    static func text(_ codec: String) -> Trait {
        Trait(
            name: "subtitles: \(codec)",
            make: { folder in
                let lines = folder.file("lines.srt")
                try FileBytes.write("1\n00:00:00,010 --> 00:00:00,100\nHello\n\n".utf8, to: lines)
                return try Clip.make(
                    in: folder, codec == "mov_text" ? "in.mp4" : "in.mkv", frames: 3, inputs: ["-i", lines],
                    ["-map", "0:v", "-map", "1:s", "-c:s", codec] + Clip.h264)
            }, judge: stream("subtitle", "left out"))
    }

    static func turned(_ degrees: Int) -> Trait {
        Trait(
            name: "display matrix (turned by \(degrees)°)",
            make: { folder in
                let plain = try Clip.make(in: folder, "plain.mp4", frames: 3)
                let file = folder.file("in.mp4")
                try Tool.ffmpeg(["-i", plain, "-c", "copy", "-metadata:s:v:0", "rotate=\(degrees)", file])
                return file
            },
            judge: { before, after, redacted in
                guard let a = before.pictureIndex, let b = after.pictureIndex else {
                    throw Silent(description: "no picture")
                }
                let was = before.sideData(a, "rotation")
                if !was.isEmpty && was == after.sideData(b, "rotation") { return .kept }
                guard redacted.says("pixels are turned") else { throw Silent(description: "the turn is lost") }
                return .changed("pixels turned")
            })
    }

    static let all: [Trait] = [
        sound(["aac"]), sound(["libopus"]), sound(["flac"]), sound(["pcm_s16le"]),
        text("subrip"), text("ass"), text("mov_text"),
        Trait(
            name: "second moving picture",
            make: clip("mkv", Clip.h264 + ["-map", "0:v", "-map", "0:v"]),
            judge: { _, after, redacted in
                guard let kept = keptOrNamed(after.indices("video").count == 2, redacted, "left out") else {
                    throw Silent(description: "lost without a word")
                }
                if case .kept = kept { return .changed("redacted") }
                return kept
            }),
        Trait(
            name: "cover art",
            make: { folder in
                let plain = try Clip.make(in: folder, "plain.mp4", frames: 3)
                let file = folder.file("in.mp4")
                try Tool.ffmpeg([
                    "-i", plain, "-i", Places.portrait, "-map", "0", "-map", "1", "-c", "copy", "-disposition:v:1",
                    "attached_pic", file,
                ])
                return file
            },
            judge: { _, after, redacted in
                if redacted.says("is redacted and encoded anew") && after.indices("video").count == 2 {
                    return .changed("redacted")
                }
                guard redacted.says("left out") else { throw Silent(description: "lost without a word") }
                return .dropped
            }),
        Trait(
            name: "attached font",
            make: { folder in
                let font = folder.file("a.ttf")
                try FileBytes.write([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: font)
                return try clip("mkv", Clip.h264 + ["-attach", font, "-metadata:s:t", "mimetype=font/ttf"])(folder)
            }, judge: stream("attachment", "left out")),
        Trait(
            name: "chapters and title", make: titled,
            judge: { _, after, redacted in
                guard !after.values.contains(where: { $0.value == "A walk" }) else {
                    throw Silent(description: "the file's title is kept")
                }
                guard redacted.says("tags are left out: title") else { throw Silent(description: "the title is lost") }
                if after.values.contains(where: { $0.key.hasPrefix("chapters.") && $0.value == "First" }) {
                    return .changed("chapters kept; the file's title dropped, named")
                }
                guard redacted.says("chapters are left out") else { throw Silent(description: "chapters are lost") }
                return .dropped
            }),
        Trait(
            name: "chapters and title with --metadata keep",
            make: titled, arguments: ["--metadata", "keep"],
            judge: { _, after, redacted in
                let hasChapter = after.values.contains { $0.key.hasPrefix("chapters.") && $0.value == "First" }
                let hasTitle = after.values.contains {
                    $0.key.lowercased() == "format.tags.title" && $0.value == "A walk"
                }
                if hasChapter && hasTitle { return .kept }
                guard redacted.says("chapters are left out") else { throw Silent(description: "chapters are lost") }
                guard hasTitle || redacted.says("other tags are left out") else {
                    throw Silent(description: "the title is lost")
                }
                return hasTitle ? .changed("title kept; chapters dropped, named") : .dropped
            }),
        Trait(
            name: "time code", make: clip("mov", Clip.h264 + ["-timecode", "01:02:03:04"]),
            judge: { _, after, redacted in
                let isKept = after.values.contains {
                    $0.key.lowercased().hasSuffix(".timecode") && $0.value == "01:02:03:04"
                }
                guard let outcome = keptOrNamed(isKept, redacted, "no time code") else {
                    throw Silent(description: "lost without a word")
                }
                return outcome
            }),
        Trait(
            name: "timed data", make: timedData, judge: stream("data", "--keep-data keeps it")),
        Trait(
            name: "timed data with --keep-data", make: timedData, arguments: ["--keep-data"],
            judge: stream("data", "can't hold")),
        turned(90), turned(180),
        Trait(
            name: "sample aspect ratio", make: clip(filter: "setsar=4/3,format=yuv420p"),
            judge: { _, after, _ in
                let aspect = after.picture("sample_aspect_ratio") ?? ""
                if aspect == "4:3" { return .kept }
                // WebM says the size for display in whole pixels.
                guard aspect == "427:320" else { throw Silent(description: "it becomes \(aspect)") }
                return .changed("to the pixel")
            }),
        Trait(
            name: "interlaced pictures (MPEG-2)",
            make: clip(
                "ts", filter: "setfield=tff,format=yuv420p",
                ["-c:v", "mpeg2video", "-q:v", "2", "-flags", "+ildct+ilme", "-top", "1"]),
            judge: { _, after, redacted in
                let frame = try Probe.firstFrame(redacted.output)
                guard frame["interlaced_frame"] == "1" && frame["top_field_first"] == "1" else {
                    throw Silent(description: "the fields are lost")
                }
                let codec = after.picture("codec_name") ?? ""
                return codec == "mpeg2video" ? .kept : .changed("becomes \(codec)")
            }),
        Trait(
            name: "HDR10 (HEVC, 10 bit)",
            make: clip(
                filter: "format=yuv420p10le",
                [
                    "-c:v", "libx265", "-preset", "ultrafast", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
                    "-colorspace", "bt2020nc", "-x265-params",
                    "log-level=none:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400",
                ]),
            judge: { before, after, redacted in
                let frame = try Probe.firstFrame(redacted.output)
                let has =
                    frame.values.contains { $0.contains("Mastering display") }
                    && after.picture("color_transfer") == "smpte2084" && after.picture("pix_fmt") == "yuv420p10le"
                let codec = after.picture("codec_name") ?? ""
                guard has else { return .changed("becomes \(codec)") }
                return codec == before.picture("codec_name") ? .kept : .changed("becomes \(codec)")
            }),
    ]

    /// With a title and a chapter.
    static let titled: @Sendable (TemporaryFolder) throws -> String = { folder in
        let list = folder.file("chapters.txt")
        try FileBytes.write(
            ";FFMETADATA1\ntitle=A walk\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=100\ntitle=First\n".utf8, to: list)
        return try clip(
            "mkv", inputs: ["-i", list], Clip.h264 + ["-map", "0:v", "-map_metadata", "1", "-map_chapters", "1"])(
                folder)
    }

    static let timedData: @Sendable (TemporaryFolder) throws -> String = { folder in
        let place = folder.file("place.bin")
        try FileBytes.write("lat 52.5 lon 13.4 ".utf8, to: place)
        return try clip(
            "ts", inputs: ["-f", "data", "-i", place], Clip.h264 + ["-map", "0:v", "-map", "1:d", "-c:d", "copy"])(
                folder)
    }
}

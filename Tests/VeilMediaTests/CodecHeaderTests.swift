import CFFmpeg
import Testing

@testable import VeilMedia

@Suite struct CodecHeaderTests {
    private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// A comment header with these lines.
    private func comments(_ type: UInt8, _ name: String, _ lines: [String], framed: Bool) -> [UInt8] {
        let vendor = Array("Somebody's encoder".utf8)
        var result: [UInt8] = [type] + Array(name.utf8)
        result += number(vendor.count) + vendor + number(lines.count)
        for line in lines { result += number(line.utf8.count) + Array(line.utf8) }
        if framed { result.append(1) }
        return result
    }

    private var first: [UInt8] { [1] + Array("vorbis".utf8) + (0..<23).map { UInt8($0) } }
    private var third: [UInt8] { [5] + Array("vorbis".utf8) + (0..<900).map { UInt8(truncatingIfNeeded: $0) } }

    private func laced(_ parts: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = [2]
        for part in parts.dropLast() {
            result += [UInt8](repeating: 255, count: part.count / 255)
            result.append(UInt8(part.count % 255))
        }
        for part in parts { result += part }
        return result
    }

    private func counted(_ parts: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        for part in parts {
            result += [UInt8(part.count >> 8), UInt8(part.count & 255)]
            result += part
        }
        return result
    }

    private let picture = String(repeating: "/9j/4AAQSkZJRgABAQ", count: 100)
    private var lines: [String] {
        [
            "ARTIST=Jane Doe", "METADATA_BLOCK_PICTURE=" + picture, "coverart=AAAA", "LOCATION=52.5 13.4",
            "COMMENT=" + picture, "TITLE=A walk",
        ]
    }

    @Test func `Vorbis keeps its headers and no comments`() throws {
        let parts = [first, comments(3, "vorbis", lines, framed: true), third]
        let empty = comments(3, "vorbis", [], framed: true)
        for data in [laced(parts), counted(parts)] {
            for policy in [MetadataPolicy.safe, .none] {
                let kept = try #require(CodecHeaders.cleaned(data, of: AV_CODEC_ID_VORBIS, metadata: policy))
                #expect(kept.count == 3 + first.count + empty.count - 18 + third.count)
                #expect(kept.starts(with: [2, 30, 16] + first) && kept.suffix(third.count).elementsEqual(third))
            }
            let kept = try #require(CodecHeaders.cleaned(data, of: AV_CODEC_ID_VORBIS, metadata: .keep))
            let expected = comments(
                3, "vorbis", ["ARTIST=Jane Doe", "LOCATION=52.5 13.4", "TITLE=A walk"], framed: true)
            #expect(kept == laced([first, expected, third]))
            #expect(CodecHeaders.cleaned(kept, of: AV_CODEC_ID_VORBIS, metadata: .keep) == kept)
        }
    }

    @Test func `Theora keeps its headers and no comments`() throws {
        let first = [0x80] + Array("theora".utf8) + [UInt8](repeating: 3, count: 35)
        let third = [0x82] + Array("theora".utf8) + [UInt8](repeating: 9, count: 3000)
        let data = laced([first, comments(0x81, "theora", lines, framed: false), third])
        let kept = try #require(CodecHeaders.cleaned(data, of: AV_CODEC_ID_THEORA, metadata: .safe))
        #expect(kept == [2, 42, 15] + first + [0x81] + Array("theora".utf8) + [UInt8](repeating: 0, count: 8) + third)
    }

    @Test func `broken headers are refused, cut off anywhere`() {
        let parts = [first, comments(3, "vorbis", lines, framed: true), third]
        for data in [laced(parts), counted(parts)] {
            let start = data.count - third.count
            for count in 0..<start + 7 {
                #expect(CodecHeaders.cleaned(Array(data[..<count]), of: AV_CODEC_ID_VORBIS, metadata: .keep) == nil)
            }
        }
        // A list that says it is longer than it is has no comments to keep.
        var lying = parts
        lying[1].replaceSubrange(29..<33, with: [255, 255, 255, 255])
        let kept = CodecHeaders.cleaned(laced(lying), of: AV_CODEC_ID_VORBIS, metadata: .keep)
        #expect(kept == laced([first, [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1], third]))
    }

    @Test func `Opus and FLAC keep what describes the stream alone`() {
        let tail = Array(picture.utf8)
        let plain = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]
        #expect(CodecHeaders.cleaned(plain + tail, of: AV_CODEC_ID_OPUS, metadata: .keep) == plain)
        let six = Array("OpusHead".utf8) + [1, 6, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 1, 4, 2, 0, 4, 1, 2, 3, 5]
        #expect(CodecHeaders.cleaned(six + tail, of: AV_CODEC_ID_OPUS, metadata: .keep) == six)
        #expect(CodecHeaders.cleaned(Array(six.dropLast()), of: AV_CODEC_ID_OPUS, metadata: .keep) == nil)
        let info = (0..<34).map { UInt8($0 + 16) }
        for data in [info, info + tail, Array("fLaC".utf8) + [0, 0, 0, 34] + info + tail] {
            #expect(CodecHeaders.cleaned(data, of: AV_CODEC_ID_FLAC, metadata: .keep) == info)
        }
        #expect(CodecHeaders.cleaned(Array(info.dropLast()), of: AV_CODEC_ID_FLAC, metadata: .keep) == nil)
    }

    @Test func `a script keeps what is drawn by, and neither pictures nor names`() {
        let script = """
            \u{FEFF}[Script Info]
            ; Script generated by a program of Jane's
            Title: Jane's birthday
            ScriptType: v4.00+
            PlayResX: 640
            Original Script: Jane

            [Aegisub Project Garbage]
            Video File: /home/jane/party.mp4

            [V4+ Styles]
            Format: Name, Fontname
            Style: Default,Arial

            [Fonts]
            fontname: jane_0.ttf
            M'!!!!8F5J

            [Graphics]
            filename: jane.jpg
            \(picture)

            [Events]
            Format: Layer, Start, End, Style, Text
            Comment: 0,0:00:00.00,0:00:01.00,Default,ask Jane
            """
        func kept(_ policy: MetadataPolicy) -> String {
            let data = CodecHeaders.cleaned(Array(script.utf8), of: AV_CODEC_ID_ASS, metadata: policy) ?? []
            return String(decoding: data, as: UTF8.self)
        }
        let lines = [
            "[Script Info]", "ScriptType: v4.00+", "PlayResX: 640", "[V4+ Styles]", "Format: Name, Fontname",
            "Style: Default,Arial", "[Events]", "Format: Layer, Start, End, Style, Text", "",
        ]
        #expect(kept(.safe) == lines.joined(separator: "\r\n") && kept(.none) == kept(.safe))
        let all = kept(.keep)
        #expect(
            all.contains("Title: Jane's birthday") && all.contains("fontname: jane_0.ttf") && all.contains("M'!!!!8F5J")
        )
        #expect(
            !all.contains("9j/4") && !all.contains("jane.jpg") && !all.contains("Garbage") && !all.contains("party"))
    }

    @Test func `what may be a picture under another name is known`() {
        #expect(TagFilter.mayHoldPicture(name: "Comment", value: picture))
        #expect(TagFilter.mayHoldPicture(name: "METADATA_BLOCK_PICTURE", value: ""))
        #expect(TagFilter.mayHoldPicture(name: "COVERARTMIME", value: "image/jpeg"))
        #expect(TagFilter.mayHoldPicture(name: "a", value: String(repeating: "long text ", count: 2000)))
        #expect(!TagFilter.mayHoldPicture(name: "lyrics", value: String(repeating: "long text ", count: 1000)))
        #expect(!TagFilter.mayHoldPicture(name: "title", value: String(repeating: "長い題", count: 300)))
    }

    @Test func `headers in mid-stream are known for what they are`() throws {
        func isHeader(_ bytes: [UInt8], _ codec: AVCodecID) throws -> Bool {
            let packet = try Packet()
            #expect(av_new_packet(packet.pointer, Int32(bytes.count)) == 0)
            let data = try #require(packet.pointer.pointee.data)
            for (i, byte) in bytes.enumerated() { data[i] = byte }
            return CodecHeaders.isHeader(packet, of: codec)
        }
        #expect(try isHeader(comments(3, "vorbis", lines, framed: true), AV_CODEC_ID_VORBIS))
        #expect(try !isHeader([0x1A, 3, 5], AV_CODEC_ID_VORBIS))
        #expect(try isHeader(comments(0x81, "theora", lines, framed: false), AV_CODEC_ID_THEORA))
        #expect(try !isHeader([0x3F, 1], AV_CODEC_ID_THEORA))
        #expect(try isHeader(Array("OpusTags".utf8) + [0, 0], AV_CODEC_ID_OPUS))
        #expect(
            try !isHeader(Array("Opus".utf8), AV_CODEC_ID_OPUS)
                && !isHeader([0xFC, 1, 2, 3, 4, 5, 6, 7, 8], AV_CODEC_ID_OPUS))
        #expect(try isHeader([0x84, 0, 0, 9], AV_CODEC_ID_FLAC) && !isHeader([0xFF, 0xF8, 1], AV_CODEC_ID_FLAC))
        #expect(try !isHeader([1, 3, 5], AV_CODEC_ID_AAC))
    }
}

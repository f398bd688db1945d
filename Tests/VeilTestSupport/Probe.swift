/// What ffprobe says about a file.
public struct Probe: Sendable {
    /// `streams.stream.0.codec_name` and the like, as ffprobe's flat writer names them.
    public let values: [String: String]
    public let file: String

    public init(_ file: String) throws {
        self.file = file
        let text = try Tool.ffprobe([
            "-show_streams", "-show_format", "-show_chapters", "-of", "flat", "file:" + file,
        ])
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            var value = line[line.index(after: equals)...]
            if value.first == "\"" { value = value.dropFirst().dropLast() }
            values[String(line[..<equals])] = String(value)
        }
        self.values = values
    }

    public var streamCount: Int { Int(values["format.nb_streams"] ?? "") ?? 0 }

    public func stream(_ index: Int, _ key: String) -> String? { values["streams.stream.\(index).\(key)"] }

    public func indices(_ type: String) -> [Int] { (0..<streamCount).filter { stream($0, "codec_type") == type } }

    /// A property of the first picture stream that isn't a still.
    public func picture(_ key: String) -> String? { pictureIndex.flatMap { stream($0, key) } }

    public var pictureIndex: Int? {
        indices("video").first { stream($0, "disposition.attached_pic") != "1" }
    }

    /// All side data values of a stream whose name ends like this.
    public func sideData(_ index: Int, _ key: String) -> [String] {
        let start = "streams.stream.\(index).side_data_list.side_data."
        return values.filter { $0.key.hasPrefix(start) && $0.key.hasSuffix("." + key) }.map(\.value).sorted()
    }
}

/// A presentation time, exactly.
public struct Ticks: Sendable, Hashable, CustomStringConvertible {
    public var value: Int64
    public var num: Int64
    public var den: Int64

    public static func == (a: Ticks, b: Ticks) -> Bool { a.value * a.num * b.den == b.value * b.num * a.den }
    public func hash(into hasher: inout Hasher) { hasher.combine(seconds) }

    public var seconds: Double { Double(value) * Double(num) / Double(den) }
    public var description: String { "\(value)·\(num)/\(den)" }
}

/// One coded packet as ffprobe sees it.
public struct ProbedPacket: Sendable, Hashable {
    public var stream: Int
    public var pts: Ticks?
    public var dts: Ticks?
    public var duration: Int64?
    public var hash: String
}

extension Probe {
    /// The presentation times of the frames that are shown, in decoding order of a player.
    public static func times(_ file: String, stream: String = "V:0") throws -> [Ticks] {
        let text = try Tool.ffprobe([
            "-select_streams", stream, "-show_entries", "frame=best_effort_timestamp:stream=time_base", "-of",
            "compact=p=1:nk=0", "file:" + file,
        ])
        var ticks: [Int64] = []
        var base: (Int64, Int64) = (1, 1)
        for line in text.split(separator: "\n") {
            for field in line.split(separator: "|") {
                let pair = field.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                if pair[0] == "best_effort_timestamp", line.hasPrefix("frame") { ticks.append(Int64(pair[1]) ?? .min) }
                if pair[0] == "time_base", line.hasPrefix("stream") {
                    let parts = pair[1].split(separator: "/").compactMap { Int64($0) }
                    if parts.count == 2 { base = (parts[0], parts[1]) }
                }
            }
        }
        return ticks.map { Ticks(value: $0, num: base.0, den: base.1) }
    }

    /// Properties of the first frame: `pix_fmt`, `interlaced_frame`, `color_range` and so on.
    ///
    /// - Parameter packets: how many are read: a frame may lie in two, one for each field.
    public static func firstFrame(_ file: String, packets: Int = 1) throws -> [String: String] {
        let text = try Tool.ffprobe([
            "-select_streams", "V:0", "-show_frames", "-read_intervals", "%+#\(packets)", "-of", "flat", "file:" + file,
        ])
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard line.hasPrefix("frames.frame.0."), let equals = line.firstIndex(of: "=") else { continue }
            var value = line[line.index(after: equals)...]
            if value.first == "\"" { value = value.dropFirst().dropLast() }
            values[String(line[..<equals].dropFirst("frames.frame.0.".count))] = String(value)
        }
        return values
    }

    /// The packets of a stream, with a hash of their bytes.
    public static func packets(_ file: String, stream: String) throws -> [ProbedPacket] {
        let text = try Tool.ffprobe([
            "-select_streams", stream, "-show_data_hash", "sha256", "-show_entries",
            "packet=stream_index,pts,dts,duration,data_hash:stream=time_base", "-of", "compact=p=1:nk=0",
            "file:" + file,
        ])
        var packets: [ProbedPacket] = []
        var base: (Int64, Int64) = (1, 1)
        // A packet with side data takes several lines.
        for line in text.replacing("\n|", with: "|").split(separator: "\n") {
            var fields: [Substring: Substring] = [:]
            for field in line.split(separator: "|") {
                let pair = field.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { fields[pair[0]] = pair[1] }
            }
            if let parts = fields["time_base"]?.split(separator: "/").compactMap({ Int64($0) }), parts.count == 2 {
                base = (parts[0], parts[1])
            }
            guard let hash = fields["data_hash"] else { continue }
            packets.append(
                ProbedPacket(
                    stream: fields["stream_index"].flatMap { Int($0) } ?? -1,
                    pts: fields["pts"].flatMap { Int64($0) }.map { Ticks(value: $0, num: 1, den: 1) },
                    dts: fields["dts"].flatMap { Int64($0) }.map { Ticks(value: $0, num: 1, den: 1) },
                    duration: fields["duration"].flatMap { Int64($0) }, hash: String(hash)))
        }
        // The stream's own line comes last.
        for index in packets.indices {
            packets[index].pts?.num = base.0
            packets[index].pts?.den = base.1
            packets[index].dts?.num = base.0
            packets[index].dts?.den = base.1
        }
        return packets
    }
}

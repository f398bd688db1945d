import CFFmpeg

/// Which tags of a file and its streams may stay, and which were left out.
struct TagFilter {
    let policy: MetadataPolicy
    /// The names of tags that somebody may miss, in the order of their leaving.
    private(set) var leftOut: [String] = []

    init(_ policy: MetadataPolicy) { self.policy = policy }

    /// Without these a picture is shown wrongly.
    private static let needed: Set<String> = ["alpha_mode", "stereo_mode", "rotate"]
    /// What tells how to use a stream, but nothing of who made it, where or with what: names of devices and programs tell
    /// whose file it is. A stream's title says which of several it is. An attachment's name and type are a font's.
    private static let harmless: Set<String> = ["language", "timecode", "title", "filename", "mimetype"]
    /// Tags that programs write by themselves: nobody misses them.
    private static let technical: Set<String> = [
        "encoder", "handler_name", "vendor_id", "major_brand", "minor_version", "compatible_brands", "duration", "bps",
        "number_of_frames", "number_of_bytes", "creation_time", "encoding_tool", "service_name", "service_provider",
        "variant_bitrate", "software", "id3v2_priv.com.apple.streaming.transportstreamtimestamp",
    ]

    /// Whether a tag may be a picture, written as text: such are never kept.
    ///
    /// Xiph's names for covers are known; under other names, what is longer than any remark, and what has a
    /// longer row of letters and digits than any word is, as base 64 has.
    static func mayHoldPicture(name: String, value: String) -> Bool {
        let name = name.lowercased()
        if ["metadata_block_picture", "coverart", "thumbnail"].contains(where: { name.hasPrefix($0) }) { return true }
        if value.utf8.count > longestText { return true }
        return value.utf8.split(whereSeparator: { !isDigit($0) }).contains { $0.count > longestWord }
    }

    /// Of base 64 in both of its alphabets (RFC 4648).
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static let longestText = 1 << 14
    private static let longestWord = 512

    /// Drops from a stream's tags what may not stay.
    mutating func applyToStream(_ dictionary: inout OpaquePointer?) { apply(to: &dictionary, Self.harmless) }

    /// Drops from a file's own tags what may not stay: its title is free text, like a comment.
    mutating func applyToFile(_ dictionary: inout OpaquePointer?) {
        apply(to: &dictionary, Self.harmless.subtracting(["title"]))
    }

    private mutating func apply(to dictionary: inout OpaquePointer?, _ harmless: Set<String>) {
        var dropped: [String] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            let key = String(cString: next.pointee.key)
            let name = key.lowercased()
            let stays =
                policy == .keep || Self.needed.contains(name) || (policy == .safe && harmless.contains(name))
            let value = String(cString: next.pointee.value)
            if !stays || Self.mayHoldPicture(name: name, value: value) { dropped.append(key) }
            entry = next
        }
        for key in dropped {
            av_dict_set(&dictionary, key, nil, AV_DICT_MATCH_CASE)
            let name = key.lowercased()
            // Titles come in several languages ("title-eng"); one name stands for all.
            if !Self.technical.contains(name), !name.hasPrefix("_statistics"), !name.hasSuffix("-eng"),
                !leftOut.contains(name)
            {
                leftOut.append(name)
            }
        }
    }

    /// Chapters keep their times; their titles are what one finds one's way by, and stay unless nothing is to.
    func applyToChapters(of context: UnsafeMutablePointer<AVFormatContext>) {
        guard policy != .keep, let chapters = context.pointee.chapters else { return }
        for index in 0..<Int(context.pointee.nb_chapters) {
            guard let chapter = chapters[index] else { continue }
            let title = av_dict_get(chapter.pointee.metadata, "title", nil, 0).map { String(cString: $0.pointee.value) }
            av_dict_free(&chapter.pointee.metadata)
            av_dict_set(&chapter.pointee.metadata, "title", policy == .safe ? title : "\(index + 1)", 0)
        }
    }

    private var advice: String { policy == .keep ? ": they may hold pictures" : " (--metadata keep keeps them)" }

    /// A word on what was left out, for a person.
    var notice: [String] {
        leftOut.isEmpty ? [] : ["tags are left out: \(leftOut.joined(separator: ", "))\(advice)"]
    }
}

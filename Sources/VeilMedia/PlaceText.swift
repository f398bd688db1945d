import CFFmpeg

/// Subtitles in which cameras write where they are: DJI's drones put a line of text under every second of footage.
enum PlaceText {
    /// 'DJI.Subtitle' and its kin: what DJI calls its tracks.
    private static let maker = "dji"

    /// Whether a track's own name says that it is a camera's.
    static func isCameras(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        guard let name = av_dict_get(stream.pointee.metadata, "handler_name", nil, 0) else { return false }
        return String(cString: name.pointee.value).lowercased().drop { !$0.isLetter }.hasPrefix(maker)
    }

    /// Whether a packet of text tells a place: "GPS (13.40, 52.52, 18)", "[latitude: 52.52]", "HOME(13.40,52.52)".
    static func tellsPlace(_ packet: borrowing Packet) -> Bool {
        let p = packet.pointer.pointee
        guard let data = p.data, p.size > 0 else { return false }
        let text = UnsafeBufferPointer(start: data, count: min(Int(p.size), 1 << 16))
        for word in ["gps", "latitude", "longitude", "home("] where isFollowedByNumber(word, in: text) { return true }
        return false
    }

    /// Whether a word stands there with a number behind it that has a fraction, and only brackets, spaces, colons, equals
    /// and signs between.
    private static func isFollowedByNumber(_ word: String, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let letters = Array(word.utf8)
        var start = 0
        while start + letters.count <= text.count {
            defer { start += 1 }
            guard letters.indices.allSatisfy({ text[start + $0] | 0x20 == letters[$0] }) else { continue }
            var next = start + letters.count
            while next < text.count, separators.contains(text[next]) { next += 1 }
            let digits = next
            while next < text.count, isDigit(text[next]) { next += 1 }
            guard next > digits, next + 1 < text.count, text[next] == UInt8(ascii: ".") else { continue }
            if isDigit(text[next + 1]) { return true }
        }
        return false
    }

    private static let separators = Set("([:=+- \t".utf8)
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

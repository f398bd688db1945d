import VeilTestSupport

/// Matroska files taken apart and put together (RFC 9559).
struct Matroska {
    private(set) var bytes: [UInt8]

    struct Element {
        var id: Int
        var start: Int
        var data: Range<Int>
    }

    static let segment = 0x1853_8067
    static let cluster = 0x1F43_B675
    private static let timestamp = 0xE7
    private static let simpleBlock = 0xA3
    private static let group = 0xA0
    private static let block = 0xA1

    init(_ path: String) throws { bytes = try FileBytes.read(path) }
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let tracks = 0x1654_AE6B
    private static let track = 0xAE
    private static let codec = 0x86
    private static let codecPrivate = 0x63A2

    private static func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
        id + [0x01] + (1..<8).map { UInt8(truncatingIfNeeded: body.count >> (56 - 8 * $0)) } + body
    }

    /// Changes what a codec keeps for itself. For files that were written to a pipe: none of their parts says where others
    /// are.
    mutating func changePrivate(of codec: String, _ change: ([UInt8]) -> [UInt8]) throws {
        let segment = elements(in: 0..<bytes.count).first { $0.id == Self.segment }
        guard let segment, let list = elements(in: segment.data).first(where: { $0.id == Self.tracks }) else {
            throw SystemError("no tracks", 0)
        }
        var body: [UInt8] = []
        for element in elements(in: list.data) {
            let parts = elements(in: element.data)
            let isWanted =
                element.id == Self.track
                && parts.contains { $0.id == Self.codec && bytes[$0.data].elementsEqual(codec.utf8) }
            guard isWanted else {
                body += bytes[element.start..<element.data.upperBound]
                continue
            }
            var inner: [UInt8] = []
            for part in parts {
                inner +=
                    part.id == Self.codecPrivate
                    ? Self.element([0x63, 0xA2], change(Array(bytes[part.data])))
                    : Array(bytes[part.start..<part.data.upperBound])
            }
            body += Self.element([0xAE], inner)
        }
        bytes.replaceSubrange(list.start..<list.data.upperBound, with: Self.element([0x16, 0x54, 0xAE, 0x6B], body))
    }

    /// The elements in a range; one of unknown size reaches to its end.
    func elements(in range: Range<Int>) -> [Element] {
        var found: [Element] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let idSize = bytes[place].leadingZeroBitCount + 1
            guard place + idSize < range.upperBound else { break }
            let id = bytes[place..<place + idSize].reduce(0) { $0 << 8 | Int($1) }
            let at = place + idSize
            let size = bytes[at].leadingZeroBitCount + 1
            guard size <= 8, at + size <= range.upperBound else { break }
            let mask = (1 << (7 * size)) - 1
            let length = bytes[at..<at + size].reduce(0) { $0 << 8 | Int($1) } & mask
            let start = at + size
            let end = length == mask ? range.upperBound : min(range.upperBound, start + length)
            found.append(Element(id: id, start: place, data: start..<end))
            place = end
        }
        return found
    }

    var clusters: [Element] {
        elements(in: 0..<bytes.count).filter { $0.id == Self.segment }.flatMap { elements(in: $0.data) }
            .filter { $0.id == Self.cluster }
    }

    /// Moves the blocks of a track by milliseconds, from the n-th on.
    mutating func move(track: UInt8, from first: Int, by milliseconds: Int) {
        var count = 0
        for cluster in clusters {
            for element in elements(in: cluster.data) {
                let inner = element.id == Self.group ? elements(in: element.data).first { $0.id == Self.block } : nil
                guard let block = element.id == Self.simpleBlock ? element : inner,
                    bytes[block.data.lowerBound] == 0x80 | track
                else { continue }
                count += 1
                guard count > first else { continue }
                let at = block.data.lowerBound + 1
                let time = Int(Int16(bitPattern: UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]))) + milliseconds
                bytes[at] = UInt8(truncatingIfNeeded: time >> 8)
                bytes[at + 1] = UInt8(truncatingIfNeeded: time)
            }
        }
    }

    /// Gives a cluster another time. Its size and the segment's are no longer said.
    mutating func setTime(ofCluster number: Int, to time: UInt64) throws {
        let all = clusters
        guard all.indices.contains(number),
            let old = elements(in: all[number].data).first(where: { $0.id == Self.timestamp })
        else { throw SystemError("no cluster \(number)", 0) }
        let unknown: [UInt8] = [0x01] + [UInt8](repeating: 0xFF, count: 7)
        let value: [UInt8] = [0xE7, 0x88] + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        bytes.replaceSubrange(old.start..<old.data.upperBound, with: value)
        bytes.replaceSubrange(all[number].start + 4..<all[number].data.lowerBound, with: unknown)
        let segment = elements(in: 0..<bytes.count).first { $0.id == Self.segment }
        if let segment { bytes.replaceSubrange(segment.start + 4..<segment.data.lowerBound, with: unknown) }
    }

    func write(to path: String) throws { try FileBytes.write(bytes, to: path) }
}

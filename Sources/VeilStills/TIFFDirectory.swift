/// A directory of tags as TIFF and Exif have it, apart from any file: values in little-endian order.
///
/// TIFF 6.0 (Adobe, 1992), section 2. Not BigTIFF, whose Exif data exiv2 can't read either.
struct TIFFDirectory {
    struct Entry: Hashable {
        var tag: UInt16
        var type: UInt16
        var count: Int
        var bytes: [UInt8]
    }

    var entries: [Entry]

    /// Tags that point to a directory of their own: Exif, GPS, interoperability.
    static let exif: UInt16 = 34665
    static let gps: UInt16 = 34853
    static let interoperability: UInt16 = 40965

    /// Bytes of a value's smallest unit, in which its byte order shows, and how many of them make one value; by type 1 to 12.
    private static let units: [(size: Int, count: Int)] = [
        (1, 1), (1, 1), (2, 1), (4, 1), (4, 2), (1, 1), (1, 1), (2, 1), (4, 1), (4, 2), (4, 1), (8, 1),
    ]

    /// The directory that a pointer in the first directory of an Exif block leads to; nil where there is none, or where it
    /// is broken.
    init?(_ pointer: UInt16, ofExif block: [UInt8]) {
        guard block.count >= 8 else { return nil }
        let isLittle = block[0] == 0x49
        guard let first = Self(block, at: Self.number(block, 4, 4, isLittle), isLittle),
            let offset = first.pointer(pointer), let found = Self(block, at: offset, isLittle), !found.entries.isEmpty
        else { return nil }
        self = found
        // A pointer within takes what it points to along, or goes.
        if let offset = self.pointer(Self.interoperability) {
            inner = Self(block, at: offset, isLittle)?.entries
            if inner == nil { entries.removeAll { $0.tag == Self.interoperability } }
        }
    }

    /// What the pointer to the interoperability directory leads to.
    private(set) var inner: [Entry]?

    private func pointer(_ tag: UInt16) -> Int? {
        entries.first { $0.tag == tag && $0.bytes.count == 4 }.map { Self.number($0.bytes, 0, 4, true) }
    }

    private init?(_ block: [UInt8], at offset: Int, _ isLittle: Bool) {
        guard offset >= 8, offset + 2 <= block.count else { return nil }
        let count = Self.number(block, offset, 2, isLittle)
        guard offset + 2 + 12 * count <= block.count else { return nil }
        entries = []
        for index in 0..<count {
            let at = offset + 2 + 12 * index
            let type = Self.number(block, at + 2, 2, isLittle)
            let values = Self.number(block, at + 4, 4, isLittle)
            guard (1...12).contains(type) else { continue }
            let unit = Self.units[type - 1]
            let size = values * unit.size * unit.count
            let start = size <= 4 ? at + 8 : Self.number(block, at + 8, 4, isLittle)
            guard start + size <= block.count else { return nil }
            var bytes = Array(block[start..<start + size])
            if !isLittle {
                for unitStart in stride(from: 0, to: size, by: unit.size) {
                    bytes[unitStart..<unitStart + unit.size].reverse()
                }
            }
            entries.append(
                Entry(
                    tag: UInt16(Self.number(block, at, 2, isLittle)), type: UInt16(type), count: values, bytes: bytes))
        }
    }

    /// The directory as bytes of a little-endian file, to be put at `position`, which is even.
    func serialised(at position: Int) -> [UInt8] {
        var out = Self.serialised(entries, at: position)
        if let inner, let index = entries.firstIndex(where: { $0.tag == Self.interoperability }) {
            let value = 2 + 12 * index + 8
            out.replaceSubrange(value..<value + 4, with: Self.little(position + out.count, 4))
            out += Self.serialised(inner, at: position + out.count)
        }
        return out
    }

    private static func serialised(_ entries: [Entry], at position: Int) -> [UInt8] {
        var head = little(entries.count, 2)
        let behind = position + head.count + 12 * entries.count + 4
        var values: [UInt8] = []
        for entry in entries {
            head += little(Int(entry.tag), 2) + little(Int(entry.type), 2) + little(entry.count, 4)
            if entry.bytes.count <= 4 {
                head += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
            } else {
                head += little(behind + values.count, 4)
                values += entry.bytes
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return head + little(0, 4) + values
    }

    /// Adds directories behind a little-endian file's end, and makes the pointers in its first directory lead to them.
    ///
    /// The pointers must be there already, whatever they point to.
    static func append(_ directories: [UInt16: TIFFDirectory], to file: inout [UInt8]) {
        guard file.count >= 8, file[0] == 0x49, file[2] == 42 else { return }
        let first = number(file, 4, 4, true)
        guard first >= 8, first + 2 <= file.count else { return }
        let count = number(file, first, 2, true)
        guard first + 2 + count * 12 <= file.count else { return }
        for index in 0..<count {
            let at = first + 2 + index * 12
            guard let directory = directories[UInt16(number(file, at, 2, true))] else { continue }
            if file.count % 2 == 1 { file.append(0) }
            let place = file.count
            file += directory.serialised(at: place)
            file.replaceSubrange(at + 8..<at + 12, with: little(place, 4))
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int, _ isLittle: Bool) -> Int {
        (0..<size).reduce(0) { $0 << 8 | Int(bytes[offset + (isLittle ? size - 1 - $1 : $1)]) }
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

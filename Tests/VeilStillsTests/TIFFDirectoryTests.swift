import Testing

@testable import VeilStills

@Suite struct `A directory of tags` {
    /// An Exif block: orientation, an Exif directory with values within and behind their entries, one in it of its own.
    private func block(isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        var bytes: [UInt8] = isLittle ? [0x49, 0x49] : [0x4D, 0x4D]
        bytes += number(42, 2) + number(8, 4)
        bytes += number(2, 2) + entry(274, 3, 1, number(6, 2)) + entry(34665, 4, 1, number(38, 4)) + number(0, 4)
        // At 38: five entries, then 4 bytes, 8 of a rational, 18 of the inner directory.
        bytes += number(5, 2) + entry(33437, 5, 1, number(104, 4)) + entry(34855, 3, 2, number(400, 2) + number(9, 2))
        bytes += entry(41728, 7, 1, [3]) + entry(36864, 7, 4, Array("0232".utf8)) + entry(40965, 4, 1, number(112, 4))
        bytes += number(0, 4) + number(28, 4) + number(10, 4)
        bytes += number(1, 2) + entry(1, 2, 4, Array("R98\0".utf8)) + number(0, 4)
        return bytes
    }

    @Test(arguments: [true, false])
    func `is read in either byte order`(isLittle: Bool) throws {
        let directory = try #require(TIFFDirectory(TIFFDirectory.exif, ofExif: block(isLittle: isLittle)))
        #expect(directory.entries.map(\.tag) == [33437, 34855, 41728, 36864, 40965])
        #expect(directory.entries[0].bytes == [28, 0, 0, 0, 10, 0, 0, 0])
        #expect(directory.entries[1].bytes == [0x90, 1, 9, 0])
        #expect(directory.entries[2].bytes == [3] && directory.entries[3].bytes == Array("0232".utf8))
        #expect(directory.inner?.first?.bytes == Array("R98\0".utf8))
        #expect(TIFFDirectory(TIFFDirectory.gps, ofExif: block(isLittle: isLittle)) == nil)
    }

    @Test(arguments: [true, false])
    func `is the same behind a file's end`(isLittle: Bool) throws {
        let directory = try #require(TIFFDirectory(TIFFDirectory.exif, ofExif: block(isLittle: isLittle)))
        for padding in 0...3 {
            // A file that has a pointer to nothing.
            var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0, 18, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0]
            file += [0x69, 0x87, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 7, count: padding)
            let before = file
            TIFFDirectory.append([TIFFDirectory.exif: directory, TIFFDirectory.gps: directory], to: &file)
            #expect(Array(file[..<30]) == Array(before[..<30]))
            let again = try #require(TIFFDirectory(TIFFDirectory.exif, ofExif: file))
            #expect(again.entries.dropLast() == directory.entries.dropLast())
            #expect(again.inner == directory.inner)
        }
    }

    @Test(arguments: [true, false])
    func `that is cut off or changed anywhere is read as far as it is sound, or not at all`(isLittle: Bool) {
        let whole = block(isLittle: isLittle)
        for end in 0..<whole.count { _ = TIFFDirectory(TIFFDirectory.exif, ofExif: Array(whole[..<end])) }
        #expect(TIFFDirectory(TIFFDirectory.exif, ofExif: Array(whole[..<100])) == nil)
        for index in whole.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var changed = whole
                changed[index] = value
                guard let directory = TIFFDirectory(TIFFDirectory.exif, ofExif: changed) else { continue }
                #expect(directory.entries.allSatisfy { $0.bytes.count <= whole.count })
                var file = changed
                TIFFDirectory.append([TIFFDirectory.exif: directory], to: &file)
                #expect(file.count <= 6 * whole.count)
            }
        }
    }
}

import Glibc

/// Reads from a container's own outline how long the file should be.
///
/// FFmpeg reads on to wherever a file ends without a word; these containers say where that is. Others (transport
/// streams, live recordings) don't.
enum ContainerLength {
    /// Whether the file is shorter than its outline says; false where the outline doesn't say or isn't known.
    static func isCutOff(_ file: String) -> Bool {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_size > 0 else { return false }
        return isCutOff(size: UInt64(info.st_size)) { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            guard offset <= UInt64(Int64.max) else { return [] }
            let got = pread(descriptor, &bytes, count, off_t(offset))
            return Array(bytes.prefix(max(0, got)))
        }
    }

    /// - Parameter read: up to so many bytes from an offset; fewer at the end.
    static func isCutOff(size: UInt64, read: (UInt64, Int) -> [UInt8]) -> Bool {
        let start = read(0, 12)
        guard start.count >= 12 else { return false }
        if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return cutMatroska(size, read) }
        if start.starts(with: Array("RIFF".utf8)) { return cutRIFF(size, read) }
        if isoTypes.contains(Array(start[4..<8])) { return cutISO(size, read) }
        return false
    }

    private static func bigEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Parts at the top of a file that are looked at; a file of more says nothing. Fragments of half a second make a day of
    /// video out of 345,600.
    private static let mostParts = 1_000_000

    /// Boxes that stand at the top of ISO media and QuickTime files (ISO 14496-12, table 1).
    private static let isoTypes = Set(
        [
            "ftyp", "moov", "mdat", "moof", "free", "skip", "wide", "meta", "uuid", "sidx", "mfra", "styp", "pnot",
            "emsg",
            "ssix", "prft", "pdin",
        ].map { Array($0.utf8) })

    private static func cutISO(_ size: UInt64, _ read: (UInt64, Int) -> [UInt8]) -> Bool {
        var position: UInt64 = 0
        for _ in 0..<mostParts where position < size {
            let header = read(position, 16)
            // Whatever is no box of this kind (padding, a tag at the end) says nothing.
            guard header.count >= 8, isoTypes.contains(Array(header[4..<8])) else { return false }
            var length = bigEndian(header[0..<4])
            if length == 0 { return false }
            if length == 1 {
                guard header.count == 16 else { return true }
                length = bigEndian(header[8..<16])
            }
            let (end, overflow) = position.addingReportingOverflow(length)
            if overflow || end > size { return true }
            guard length >= 8 else { return false }
            position = end
        }
        return false
    }

    /// AVI, in one or several RIFF chunks (OpenDML).
    private static func cutRIFF(_ size: UInt64, _ read: (UInt64, Int) -> [UInt8]) -> Bool {
        var position: UInt64 = 0
        for _ in 0..<mostParts where position < size {
            let header = read(position, 8)
            guard header.count == 8, header.starts(with: Array("RIFF".utf8)) else { return false }
            let length = bigEndian(header[4..<8].reversed())
            // Written to a pipe, or never finished.
            if length == 0 || length == 0xFFFF_FFFF { return false }
            if position + 8 + length > size { return true }
            position += 8 + length + length % 2
        }
        return false
    }

    /// The EBML head, then one segment of a known or unknown size (RFC 8794, section 6.2).
    private static func cutMatroska(_ size: UInt64, _ read: (UInt64, Int) -> [UInt8]) -> Bool {
        guard let head = element(4, read), let headLength = head.length else { return false }
        let segment = head.dataStart + headLength
        guard segment < size, read(segment, 4) == [0x18, 0x53, 0x80, 0x67],
            let body = element(segment + 4, read), let length = body.length
        else { return false }
        let (end, overflow) = body.dataStart.addingReportingOverflow(length)
        return overflow || end > size
    }

    /// A variable-length size at an offset, nil when all its bits are set (unknown), and where the data begins.
    private static func element(
        _ offset: UInt64, _ read: (UInt64, Int) -> [UInt8]
    ) -> (length: UInt64?, dataStart: UInt64)? {
        let bytes = read(offset, 8)
        guard let first = bytes.first, first != 0 else { return nil }
        let count = first.leadingZeroBitCount + 1
        guard bytes.count >= count else { return nil }
        let mask: UInt64 = (1 << UInt64(7 * count)) - 1
        let value = bigEndian(bytes[0..<count]) & mask
        return (value == mask ? nil : value, offset + UInt64(count))
    }
}

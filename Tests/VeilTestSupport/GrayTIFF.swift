/// A little-endian TIFF of gray (or RGB) pages with 8 bits to a sample, put together byte by byte (TIFF 6.0, section 2).
public struct GrayTIFF {
    public struct Page {
        public var width: Int
        public var height: Int
        /// Strips from top to bottom, as the compression has them.
        public var strips: [[UInt8]]
        public var rowsPerStrip: Int
        /// 1 none, 7 JPEG.
        public var compression = 1
        /// Whether it calls itself a smaller copy of another page (NewSubfileType).
        public var isReduced = false
        /// Samples to a pixel: 1 or 2 for gray, 3 or 4 for RGB. The last of an even number is one of unknown use.
        public var channels = 1
        /// Pages that hang on it (SubIFDs).
        public var children: [Page] = []

        /// A page of bare samples, in one strip.
        public init(width: Int, height: Int, samples: [UInt8]) {
            (self.width, self.height, rowsPerStrip, strips) = (width, height, height, [samples])
        }

        /// A page of JPEG strips.
        public init(width: Int, height: Int, jpegStrips: [[UInt8]], rowsPerStrip: Int) {
            (self.width, self.height, self.rowsPerStrip, strips) = (width, height, rowsPerStrip, jpegStrips)
            compression = 7
        }
    }

    private var bytes: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]

    /// The file's bytes.
    public static func file(_ pages: [Page]) -> [UInt8] {
        var file = GrayTIFF()
        var pointer = 4
        for page in pages {
            let (start, next) = file.append(page)
            file.put(start, at: pointer)
            pointer = next
        }
        return file.bytes
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private mutating func put(_ value: Int, at place: Int) {
        bytes.replaceSubrange(place..<place + 4, with: Self.number(value, 4))
    }

    private mutating func append(longs: [Int]) -> Int {
        let start = bytes.count
        bytes += longs.flatMap { Self.number($0, 4) }
        return start
    }

    /// - Returns: where the page's directory begins, and where the next one's place is to be written.
    private mutating func append(_ page: Page) -> (start: Int, next: Int) {
        var starts: [Int] = []
        for strip in page.strips {
            starts.append(bytes.count)
            bytes += strip + (strip.count.isMultiple(of: 2) ? [] : [0])
        }
        let children = page.children.map { append($0).start }
        var entries: [(tag: Int, longs: [Int])] = [
            (254, [page.isReduced ? 1 : 0]), (256, [page.width]), (257, [page.height]),
            (258, [Int](repeating: 8, count: page.channels)), (259, [page.compression]),
            (262, [page.channels < 3 ? 1 : 2]), (273, starts), (277, [page.channels]), (278, [page.rowsPerStrip]),
            (279, page.strips.map(\.count)),
        ]
        if !children.isEmpty { entries.append((330, children)) }
        if page.channels.isMultiple(of: 2) { entries.append((338, [0])) }
        // What doesn't fit an entry lies before the directory.
        let values = entries.map { $0.longs.count == 1 ? $0.longs[0] : append(longs: $0.longs) }
        let start = bytes.count
        bytes += Self.number(entries.count, 2)
        for (entry, value) in zip(entries, values) {
            bytes += Self.number(entry.tag, 2) + Self.number(4, 2) + Self.number(entry.longs.count, 4)
            bytes += Self.number(value, 4)
        }
        let next = bytes.count
        bytes += [0, 0, 0, 0]
        return (start, next)
    }
}

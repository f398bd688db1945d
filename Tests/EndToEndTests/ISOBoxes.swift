import VeilTestSupport

/// Boxes of an MP4 or QuickTime file (ISO 14496-12) taken apart and put together.
enum ISOBoxes {
    static func box(_ name: String, _ body: [UInt8]) -> [UInt8] { word(body.count + 8) + name.utf8 + body }
    static func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
    static func size(_ bytes: [UInt8], _ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }

    static func find(_ name: String, in bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
        var place = start
        while place + 8 <= end {
            if bytes[place + 4..<place + 8].elementsEqual(name.utf8) { return place }
            place += max(8, size(bytes, place))
        }
        return nil
    }

    /// Where the boxes of a path begin, the outermost first.
    static func places(of path: [String], in movie: [UInt8]) throws -> [Int] {
        var (places, start, end) = ([Int](), 0, movie.count)
        for name in path {
            guard let place = find(name, in: movie, start, end) else { throw SystemError("no \(name)", 0) }
            places.append(place)
            end = place + size(movie, place)
            // What stands before the boxes inside: a list's version and count, a picture's description.
            start = place + 8 + (name == "stsd" ? 8 : ["hvc1", "avc1"].contains(name) ? 78 : 0)
        }
        return places
    }

    /// The movie with a box put at the end of another. The index must lie behind the pictures: they don't move then.
    static func inserting(_ box: [UInt8], into path: [String], of movie: [UInt8]) throws -> [UInt8] {
        var movie = movie
        let places = try places(of: path, in: movie)
        let end = places[places.count - 1] + size(movie, places[places.count - 1])
        movie.insert(contentsOf: box, at: end)
        for place in places { movie.replaceSubrange(place..<place + 4, with: word(size(movie, place) + box.count)) }
        return movie
    }
}

/// A picture's table of colours, and how a covered picture is brought back to it.
struct Palette {
    struct Color: Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
        var alpha: UInt8 = 255

        fileprivate func distance(_ other: Color) -> Int {
            max(
                abs(Int(red) - Int(other.red)), abs(Int(green) - Int(other.green)), abs(Int(blue) - Int(other.blue)))
        }
    }

    private(set) var colors: [Color]
    /// How many the file can hold.
    let room: Int

    /// A mask's colour that would be off by more than this many levels of 256 isn't drawn with what is there.
    private static let worst = 64

    init(_ colors: [Color], room: Int) {
        self.colors = colors
        self.room = room
    }

    /// The colour of an index; those beyond the table are black, as decoders have it.
    subscript(index: UInt8) -> Color {
        Int(index) < colors.count ? colors[Int(index)] : Color(red: 0, green: 0, blue: 0)
    }

    /// The indices of a picture that was covered: the old ones where it is as it was. New colours take free entries, the
    /// commonest first, and the others the nearest entry of the same transparency.
    ///
    /// - Parameters:
    ///   - old: indices before.
    ///   - color: of a pixel now.
    /// - Returns: nil where the table has nothing near enough.
    mutating func indices(_ old: UnsafeBufferPointer<UInt8>, color: (Int) -> Color) -> [UInt8]? {
        var counts: [Color: Int] = [:]
        for i in 0..<old.count {
            let now = color(i)
            if now != self[old[i]] { counts[now, default: 0] += 1 }
        }
        var table: [Color: UInt8] = [:]
        for (index, entry) in colors.enumerated() where table[entry] == nil { table[entry] = UInt8(index) }
        let wanted = counts.sorted { ($1.value, $0.key.order) < ($0.value, $1.key.order) }.map(\.key)
        for entry in wanted where table[entry] == nil && colors.count < room {
            table[entry] = UInt8(colors.count)
            colors.append(entry)
        }
        for entry in wanted where table[entry] == nil {
            let near = colors.indices.filter { colors[$0].alpha == entry.alpha }.min {
                colors[$0].distance(entry) < colors[$1].distance(entry)
            }
            guard let near, colors[near].distance(entry) <= Self.worst else { return nil }
            table[entry] = UInt8(near)
        }
        return (0..<old.count).map { i in
            let now = color(i)
            return now == self[old[i]] ? old[i] : table[now] ?? 0
        }
    }
}

extension Palette.Color {
    fileprivate var order: Int { Int(red) << 24 | Int(green) << 16 | Int(blue) << 8 | Int(alpha) }
}

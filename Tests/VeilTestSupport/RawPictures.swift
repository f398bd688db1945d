import Glibc

/// Decoded pictures: 8-bit luma of every frame that is shown.
public struct RawPictures: Sendable {
    public let width: Int
    public let height: Int
    public let count: Int
    private let bytes: [UInt8]

    /// Decodes a file with the `ffmpeg` tool.
    ///
    /// - Parameters:
    ///   - upright: turned for display; else as coded.
    ///   - filter: before the luma is taken.
    public init(_ file: String, upright: Bool = false, stream: String = "0:V:0", filter: String? = nil) throws {
        let header = try Tool.ffmpeg(
            (upright ? [] : ["-noautorotate"]) + [
                "-i", "file:" + file, "-map", stream, "-vf", (filter.map { $0 + "," } ?? "") + "format=gray",
                "-fps_mode",
                "passthrough", "-f", "yuv4mpegpipe", "-strict", "-1", "-",
            ])
        var parser = Y4M(header.output)
        (width, height, count, bytes) = try parser.pictures()
    }

    public subscript(frame: Int, x: Int, y: Int) -> Int { Int(bytes[(frame * height + y) * width + x]) }

    public func row(_ frame: Int, _ y: Int) -> ArraySlice<UInt8> {
        let start = (frame * height + y) * width
        return bytes[start..<start + width]
    }

    /// The luma of a frame, row after row.
    public func picture(_ frame: Int) -> ArraySlice<UInt8> {
        Array(bytes[frame * width * height..<(frame + 1) * width * height])[...]
    }

    /// PSNR of luma between two frames over the samples for which `isWanted` holds, dB.
    public func psnr(_ frame: Int, _ other: RawPictures, _ otherFrame: Int, where isWanted: (Int, Int) -> Bool)
        -> Double
    {
        var sum = 0
        var count = 0
        for y in 0..<min(height, other.height) {
            for x in 0..<min(width, other.width) where isWanted(x, y) {
                let difference = self[frame, x, y] - other[otherFrame, x, y]
                sum += difference * difference
                count += 1
            }
        }
        guard count > 0 else { return .nan }
        return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / Double(sum))
    }

    /// How much of a frame's fine detail inside a box is still in another: 1 all of it, 0 none.
    ///
    /// Both are taken through a high-pass (each sample less the mean of the 7×7 around it); the second is projected on
    /// the first. What has nothing in common with the original, a mosaic's edges too, comes out near 0.
    public func detailLeft(in other: RawPictures, frame: Int, otherFrame: Int? = nil, box: Box) -> Double {
        let from = highPass(frame, box)
        let to = other.highPass(otherFrame ?? frame, box)
        var shared = 0.0
        var own = 0.0
        for (a, b) in zip(from, to) {
            shared += a * b
            own += a * a
        }
        return own > 0 ? shared / own : .nan
    }

    private func highPass(_ frame: Int, _ box: Box) -> [Double] {
        var result: [Double] = []
        result.reserveCapacity(box.width * box.height)
        for y in max(3, box.y)..<min(height - 3, box.y + box.height) {
            for x in max(3, box.x)..<min(width - 3, box.x + box.width) {
                var sum = 0
                for dy in -3...3 { for dx in -3...3 { sum += self[frame, x + dx, y + dy] } }
                result.append(Double(self[frame, x, y]) - Double(sum) / 49)
            }
        }
        return result
    }
}

/// A YUV4MPEG2 stream of gray pictures.
private struct Y4M {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func line() -> String? {
        guard let end = bytes[position...].firstIndex(of: 10) else { return nil }
        defer { position = end + 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    mutating func pictures() throws -> (width: Int, height: Int, count: Int, bytes: [UInt8]) {
        guard let header = line(), header.hasPrefix("YUV4MPEG2") else {
            throw Tool.Failure(description: "ffmpeg gave no pictures")
        }
        var width = 0
        var height = 0
        for field in header.split(separator: " ") {
            if field.first == "W" { width = Int(field.dropFirst()) ?? 0 }
            if field.first == "H" { height = Int(field.dropFirst()) ?? 0 }
        }
        var all: [UInt8] = []
        var count = 0
        while let mark = line(), mark.hasPrefix("FRAME"), position + width * height <= bytes.count {
            all += bytes[position..<position + width * height]
            position += width * height
            count += 1
        }
        return (width, height, count, all)
    }
}

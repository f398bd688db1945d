/// One picture with one face in a given place, as raw 4:2:0: what a live source shows for a while.
///
/// The face doesn't move, so that any frame that comes out can be held against it without knowing which one it is.
public struct StillScene: Sendable {
    public static let width = 640
    public static let height = 360
    private static let size = width * height * 3 / 2

    /// All planes, one after the other.
    public let bytes: [UInt8]
    /// Brows to mouth.
    public let face: Box
    /// Part of the wall that no mask of any scene reaches, with noise on it.
    private static let wall = Box(x: 310, y: 8, width: 20, height: 60)

    /// More than this much of the fine detail is what one could know a face by.
    public static let bare = 0.35

    /// The astronaut's head before a blotchy wall with fine noise. The head is small beside the blotches: one that moves
    /// makes no other scene.
    ///
    /// - Parameters:
    ///   - x: of the head's left edge; 0…540.
    ///   - wall: another number is another scene.
    public init(x: Int, wall: Int = 1) throws {
        let drawing =
            "[0]noise=c0s=90:all_seed=\(wall),scale=\(Self.width):\(Self.height):flags=bicubic,noise=c0s=12:all_seed=1,"
            + "format=yuv420p[wall];[1]scale=400:400:flags=bicubic,crop=92:112:132:38,format=yuv420p[head];"
            + "[wall][head]overlay=\(x):100,format=yuv420p"
        bytes = try Tool.ffmpeg([
            "-f", "lavfi", "-i", "color=gray:s=40x23", "-i", Places.portrait, "-filter_complex", drawing, "-frames:v",
            "1", "-f",
            "rawvideo", "-",
        ]).output
        guard bytes.count == Self.size else { throw Tool.Failure(description: "ffmpeg made no scene") }
        face = Box(x: x + 20, y: 128, width: 52, height: 68)
    }

    /// How much of the face's fine detail is in a picture: 1 all of it, 0 none.
    public func detailLeft(in luma: ArraySlice<UInt8>) -> Double { shared(luma, face) }

    public func isBare(in luma: ArraySlice<UInt8>) -> Bool { detailLeft(in: luma) > Self.bare }

    /// Whether the wall can be seen: the picture isn't covered whole.
    public func isUncovered(in luma: ArraySlice<UInt8>) -> Bool { shared(luma, Self.wall) > 0.5 }

    /// As `RawPictures.detailLeft`.
    private func shared(_ luma: ArraySlice<UInt8>, _ box: Box) -> Double {
        let from = bytes.withUnsafeBufferPointer { Self.highPass($0, box) }
        let to = luma.withUnsafeBufferPointer { Self.highPass($0, box) }
        var (shared, own) = (0, 0)
        for i in from.indices {
            shared &+= from[i] &* to[i]
            own &+= from[i] &* from[i]
        }
        return own > 0 ? Double(shared) / Double(own) : .nan
    }

    /// 49 times what each sample has more than the mean of the 7×7 around it.
    private static func highPass(_ luma: UnsafeBufferPointer<UInt8>, _ box: Box) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(box.width * box.height)
        // Sums of seven rows, per column.
        var columns = [Int](repeating: 0, count: box.width + 6)
        for y in box.y..<box.y + box.height {
            for i in columns.indices {
                var sum = 0
                for row in y - 3...y + 3 { sum &+= Int(luma[row &* width &+ box.x &- 3 &+ i]) }
                columns[i] = sum
            }
            var sum = columns[0] + columns[1] + columns[2] + columns[3] + columns[4] + columns[5]
            for x in 0..<box.width {
                sum &+= columns[x + 6]
                result.append(49 &* Int(luma[y &* width &+ box.x &+ x]) &- sum)
                sum &-= columns[x]
            }
        }
        return result
    }

    /// The scene for some seconds as a clip of 25 frames a second.
    public func clip(_ name: String, in folder: TemporaryFolder, seconds: Double, _ output: [String] = Clip.h264) throws
        -> String
    {
        let file = folder.file(name)
        try FileBytes.write(bytes, to: file + ".yuv")
        try Tool.ffmpeg(
            [
                "-stream_loop", "-1", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(Self.width)x\(Self.height)",
                "-r", "25", "-i", file + ".yuv", "-t", "\(seconds)",
            ] + output + [file])
        return file
    }
}

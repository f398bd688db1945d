import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

/// Small gray pictures of a video, for people to see at a glance what it shows.
public enum Thumbnails {
    /// Beyond so many seconds a video isn't decoded for the sake of a thumbnail.
    public static let latest = 120.0

    /// The frames at some times, in seconds from the first frame, or the last ones before the video ends.
    ///
    /// - Parameter side: the longer side of each, in pixels.
    public static func of(
        _ file: String, at times: [Double], side: Int, isCancelled: @Sendable () -> Bool = { false }
    ) throws(VeilError) -> [(time: Double, picture: LumaPicture)] {
        let source = try media { () throws(MediaError) in
            try VideoSource(file: file, policy: .cover, threads: 1, opensPictures: true)
        }
        var wanted = times.filter { $0 <= latest }.sorted()
        var found: [(time: Double, picture: LumaPicture)] = []
        var first: Double?
        while let due = wanted.first {
            if isCancelled() { throw .cancelled }
            guard let frame = try media({ () throws(MediaError) in try source.nextFrame() }) else { break }
            let clock = source.seconds(frame.pts ?? 0)
            let start = first ?? clock
            first = start
            guard clock - start >= due - 0.001 else { continue }
            wanted.removeFirst()
            let geometry = Geometry(of: frame, source: source)
            let picture = try vision(file) { () throws(VisionError) in
                try frame.withPlanes { (view) throws(VisionError) in
                    try LumaPicture(
                        of: view, orientation: geometry.orientation,
                        canvas: .fitting(
                            width: geometry.uprightSize.width, height: geometry.uprightSize.height,
                            sampleAspectRatio: geometry.uprightAspect, longSide: side))
                }
            }
            found.append((clock - start, picture))
        }
        return found
    }
}

import Foundation

/// Counts, frame by frame, the faces that still show and what was changed besides them.
public struct LeakTally: Sendable {
    /// A face that shows, in one frame.
    public struct Leak: Sendable, Hashable, Codable {
        public var frame: Int
        public var face: TruthFace
        /// See `FaceDetail`.
        public var kept: Double
        public var keptPlaces: Double
    }

    /// Faces with a shorter side under this many pixels aren't counted.
    public let minimumFace: Double
    /// Frames added so far.
    public private(set) var frames = 0
    /// Labelled faces over all frames; difficult ones, too small ones and ones without detail apart.
    public private(set) var faceFrames = 0
    public private(set) var leaks: [Leak] = []
    /// Faces too small to tell or without detail in the original.
    public private(set) var withoutDetail = 0
    /// Most frames in a row in which one face shows.
    public private(set) var longestRun = 0

    private var people: Set<String> = []
    private var runs: [String: (last: Int, length: Int)] = [:]
    private var touchedSum = 0.0
    private var touchedFrames = 0
    private var squares = 0.0
    private var outsidePixels = 0

    /// Luma levels by which a pixel must differ to count as touched: more than coding does.
    static let touchedLevels = 24

    public init(minimumFace: Double = 0) { self.minimumFace = minimumFace }

    /// Of `faceFrames`, how many show.
    public var leaked: Int { leaks.count }
    /// People counted, and how many of them show in at least one frame.
    public var tracks: Int { people.count }
    public var leakingTracks: Int { runs.count }

    /// Share of the picture outside the faces (each box grown by its own size on every side) that was visibly changed;
    /// the mean over frames. 0 if no frame has an outside.
    public var touched: Double { touchedFrames == 0 ? 0 : touchedSum / Double(touchedFrames) }

    /// Peak signal-to-noise ratio of the luma outside the grown faces, in dB: how much of the rest survived. 99 if it is
    /// untouched, nil if there is no outside.
    public var outsidePSNR: Double? {
        guard outsidePixels > 0 else { return nil }
        guard squares > 0 else { return 99 }
        return 10 * log10(255 * 255 / (squares / Double(outsidePixels)))
    }

    /// Adds the next frame: two pictures of the same size and the original's faces.
    public mutating func add(original: Luma, redacted: Luma, faces: [TruthFace]) {
        precondition(original.width == redacted.width && original.height == redacted.height, "sizes differ")
        addOutside(original, redacted, faces)
        for face in faces where !face.isDifficult {
            guard let detail = FaceDetail(of: face, original: original, redacted: redacted) else {
                withoutDetail += 1
                continue
            }
            guard min(face.width, face.height) >= minimumFace else { continue }
            faceFrames += 1
            let who = face.id ?? "frame \(frames) at \(face.x), \(face.y)"
            people.insert(who)
            guard detail.leaks else { continue }
            leaks.append(Leak(frame: frames, face: face, kept: detail.kept, keptPlaces: detail.keptPlaces))
            let before = runs[who]
            let length = before?.last == frames - 1 ? (before?.length ?? 0) + 1 : 1
            runs[who] = (frames, length)
            longestRun = max(longestRun, length)
        }
        frames += 1
    }

    private mutating func addOutside(_ original: Luma, _ redacted: Luma, _ faces: [TruthFace]) {
        let (width, height) = (original.width, original.height)
        var isOutside = [UInt8](repeating: 1, count: width * height)
        for face in faces {
            let columns = LeakTally.grown(face.x, face.width, within: width)
            for y in LeakTally.grown(face.y, face.height, within: height) {
                for x in columns { isOutside[y * width + x] = 0 }
            }
        }
        var (count, changed, sum) = (0, 0, 0)
        isOutside.withUnsafeBufferPointer { outside in
            original.samples.withUnsafeBufferPointer { a in
                redacted.samples.withUnsafeBufferPointer { b in
                    for i in 0..<outside.count {
                        let weight = Int(outside[i])
                        let difference = abs(Int(a[i]) &- Int(b[i])) &* weight
                        count &+= weight
                        sum &+= difference &* difference
                        changed &+= difference > LeakTally.touchedLevels ? 1 : 0
                    }
                }
            }
        }
        guard count > 0 else { return }
        outsidePixels += count
        squares += Double(sum)
        touchedSum += Double(changed) / Double(count)
        touchedFrames += 1
    }

    /// The columns (or rows) of a box grown by its own size on both sides.
    private static func grown(_ start: Double, _ size: Double, within limit: Int) -> Range<Int> {
        let low = min(max(0, Int(start - size)), limit)
        let high = min(max(low, Int(start + 2 * size) + 1), limit)
        return low..<high
    }
}

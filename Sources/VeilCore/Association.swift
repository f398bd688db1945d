/// Which detection is which track's face.
///
/// In two rounds (Y. Zhang et al., "ByteTrack", ECCV 2022): sure detections choose first; unsure ones may only continue
/// tracks that no sure one continues. So recall rises where a track supports it, and nowhere else.
public enum Association {
    public struct Result: Sendable, Hashable {
        /// Track index and detection index.
        public var pairs: [Pair] = []
        /// Indices of detections that no track took.
        public var newcomers: [Int] = []

        public struct Pair: Sendable, Hashable {
            public var track: Int
            public var detection: Int
        }
    }

    /// - Parameters:
    ///   - predicted: where each track's face should be in this frame.
    ///   - slack: how far each may be off, in sizes of the face (grows with the time since it was last seen).
    ///   - sure: the score from which a detection chooses in the first round.
    public static func match(
        predicted: [NormalizedRect], slack: [Double], detections: [Detection], sure: Double
    ) -> Result {
        var result = Result()
        var freeTracks = Array(predicted.indices)
        var leftOver: [Int] = []
        for isSure in [true, false] {
            let candidates = detections.indices.filter { (detections[$0].score >= sure) == isSure }
            let costs = freeTracks.flatMap { t in
                candidates.map { d in cost(predicted[t], detections[d].bounds, slack: slack[t]) }
            }
            let assigned = Assignment.minimumCost(
                costs, rows: freeTracks.count, columns: candidates.count, forbidden: forbidden)
            var taken: Set<Int> = []
            var takenTracks: Set<Int> = []
            for (row, column) in assigned.enumerated() {
                guard let column else { continue }
                result.pairs.append(.init(track: freeTracks[row], detection: candidates[column]))
                taken.insert(candidates[column])
                takenTracks.insert(freeTracks[row])
            }
            freeTracks.removeAll { takenTracks.contains($0) }
            leftOver += candidates.filter { !taken.contains($0) }
        }
        result.newcomers = leftOver.sorted()
        return result
    }

    private static let forbidden = 10.0

    /// 0 for the same box; boxes that don't overlap count by their distance; `forbidden` when too far or of another size.
    static func cost(_ a: NormalizedRect, _ b: NormalizedRect, slack: Double) -> Double {
        let width = (a.width + b.width) / 2
        let height = (a.height + b.height) / 2
        guard width > 0, height > 0 else { return forbidden }
        let dx = (a.center.x - b.center.x) / width
        let dy = (a.center.y - b.center.y) / height
        let distance = (dx * dx + dy * dy).squareRoot()
        let ratio = max(a.width * a.height, .leastNormalMagnitude) / max(b.width * b.height, .leastNormalMagnitude)
        let sizes = ratio > 1 ? ratio : 1 / ratio
        let overlap = a.iou(b)
        // Areas more than six times apart are not one face, unless the small one lies inside: then it is a part of it.
        guard distance <= 0.7 + slack, sizes <= 6 || overlap > 0.12 else { return forbidden }
        return 1 - overlap + 0.5 * distance
    }
}

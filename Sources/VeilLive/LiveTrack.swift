import VeilCore

/// One face over the last frames: where it was seen, and where it was followed or guessed to in between.
struct LiveTrack {
    struct Sample {
        var box: NormalizedRect
        /// Another place where it may be, as two answers differ.
        var otherBox: NormalizedRect?
        /// How well it could be followed, 0…1; 1 where the detector saw it.
        var certainty: Double
    }

    struct Sighting {
        var frame: Int
        var time: Double
    }

    let id: Int
    /// The frame of the first sample.
    private(set) var firstFrame: Int
    private(set) var samples: [Sample]
    /// Ascending; the last few.
    private(set) var sightings: [Sighting]
    private(set) var bestScore: Double
    private(set) var scoreSum: Double
    private(set) var count = 1
    /// In parts of the picture per second.
    var velocity = NormalizedPoint(x: 0, y: 0)
    /// Looks in a row that didn't show it.
    var missed = 0

    /// Sightings that are kept.
    private static let memory = 32

    init(id: Int, frame: Int, time: Double, detection: Detection) {
        self.id = id
        firstFrame = frame
        samples = [Sample(box: detection.bounds, certainty: 1)]
        sightings = [Sighting(frame: frame, time: time)]
        bestScore = detection.score
        scoreSum = detection.score
    }

    var lastFrame: Int { firstFrame + samples.count - 1 }
    var last: Sample { samples[samples.count - 1] }
    var lastSighting: Sighting { sightings[sightings.count - 1] }
    var meanScore: Double { scoreSum / Double(count) }

    /// The sample of a frame; nil outside the track.
    subscript(frame: Int) -> Sample? {
        get {
            let index = frame - firstFrame
            return samples.indices.contains(index) ? samples[index] : nil
        }
        set {
            let index = frame - firstFrame
            guard let newValue else { return }
            if samples.indices.contains(index) { samples[index] = newValue }
        }
    }

    mutating func append(_ sample: Sample) { samples.append(sample) }

    mutating func prepend(_ sample: Sample) {
        samples.insert(sample, at: 0)
        firstFrame -= 1
    }

    /// Seen again in a frame that has a sample.
    mutating func see(_ detection: Detection, frame: Int, time: Double) {
        sightings.append(Sighting(frame: frame, time: time))
        if sightings.count > Self.memory { sightings.removeFirst() }
        bestScore = max(bestScore, detection.score)
        scoreSum += detection.score
        count += 1
        missed = 0
    }

    /// Forgets samples before a frame, but not the last.
    mutating func forget(before frame: Int) {
        let extra = min(frame - firstFrame, samples.count - 1)
        guard extra > 0 else { return }
        samples.removeFirst(extra)
        firstFrame += extra
    }

    /// Seconds from a moment to the nearest sighting.
    func age(time: Double) -> Double {
        var least = Double.infinity
        for sighting in sightings { least = min(least, abs(time - sighting.time)) }
        return least
    }
}

/// A place to cover in one frame.
struct LiveRegion {
    var track: Int
    /// The face, not grown.
    var face: NormalizedRect
    /// What to cover: grown by age and speed, but not by the mask's scale.
    var cover: NormalizedRect
    var isSeen: Bool
    /// Whether it is no face but a place where nobody has looked yet.
    var isUnsearched = false
}

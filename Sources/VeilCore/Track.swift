/// Where a track's face is in one frame.
public struct TrackSample: Sendable, Hashable {
    /// The frame's number, from 0 in the order of showing.
    public var frame: Int
    public var box: NormalizedRect
    /// A second place to cover, where the answers about this frame differ: a face may be in either.
    public var otherBox: NormalizedRect?
    public var origin: Origin
    /// The detector's score where it was seen; else how well the picture under the box could be followed (0…1).
    public var certainty: Double

    public init(
        frame: Int, box: NormalizedRect, otherBox: NormalizedRect? = nil, origin: Origin, certainty: Double
    ) {
        self.frame = frame
        self.box = box
        self.otherBox = otherBox
        self.origin = origin
        self.certainty = certainty
    }
}

/// One face over time: a sample for every frame from its first to its last.
public struct Track: Sendable, Hashable {
    /// A frame in which a detector saw the face.
    public struct Sighting: Sendable, Hashable {
        public var frame: Int
        public var score: Double
    }

    public let id: Int
    /// Ascending by frame and without gaps; never empty.
    public private(set) var samples: [TrackSample]
    /// Ascending by frame; never empty.
    public private(set) var sightings: [Sighting]

    /// Starts a track with its first sighting.
    public init(id: Int, frame: Int, detection: Detection) {
        self.id = id
        samples = [TrackSample(frame: frame, box: detection.bounds, origin: .detected, certainty: detection.score)]
        sightings = [Sighting(frame: frame, score: detection.score)]
    }

    public var firstFrame: Int { samples[0].frame }
    public var lastFrame: Int { samples[samples.count - 1].frame }
    public var lastSeen: Int { sightings[sightings.count - 1].frame }
    public var firstSeen: Int { sightings[0].frame }
    public var last: TrackSample { samples[samples.count - 1] }
    public var bestScore: Double { sightings.reduce(0) { max($0, $1.score) } }
    public var meanScore: Double { sightings.reduce(0) { $0 + $1.score } / Double(sightings.count) }

    /// The sample of a frame; nil outside the track.
    public subscript(frame frame: Int) -> TrackSample? {
        let index = frame - firstFrame
        return samples.indices.contains(index) ? samples[index] : nil
    }

    /// Adds the next frame, in which nobody looked or the detector saw nothing.
    public mutating func follow(to box: NormalizedRect, certainty: Double) {
        samples.append(TrackSample(frame: lastFrame + 1, box: box, origin: .extended, certainty: certainty))
    }

    /// Adds the next frame, in which a detector saw the face.
    public mutating func see(_ detection: Detection, alsoCovering other: NormalizedRect? = nil) {
        let frame = lastFrame + 1
        samples.append(
            TrackSample(
                frame: frame, box: detection.bounds, otherBox: other, origin: .detected, certainty: detection.score))
        sightings.append(Sighting(frame: frame, score: detection.score))
    }

    /// Puts the frame before the first in front.
    public mutating func precede(with box: NormalizedRect, certainty: Double) {
        samples.insert(
            TrackSample(frame: firstFrame - 1, box: box, origin: .extended, certainty: certainty), at: 0)
    }

    /// Replaces what lies between two sightings.
    public mutating func fill(_ sample: TrackSample) {
        let index = sample.frame - firstFrame
        guard samples.indices.contains(index) else { return }
        samples[index] = sample
    }

    /// Drops all samples after a frame (never the first).
    public mutating func cut(after frame: Int) {
        let count = max(1, frame - firstFrame + 1)
        if count < samples.count { samples.removeLast(samples.count - count) }
    }
}

/// An ellipse in the upright picture.
public struct Shape: Sendable, Hashable, Codable {
    /// The centre, 0…1 across and down; may lie outside.
    public var center: NormalizedPoint
    /// Half the width, in parts of the picture's width.
    public var radiusX: Double
    /// Half the height, in parts of the picture's height.
    public var radiusY: Double
    /// Clockwise turn of the ellipse in displayed pixels, in degrees.
    public var angle: Double

    public init(center: NormalizedPoint, radiusX: Double, radiusY: Double, angle: Double = 0) {
        self.center = center
        self.radiusX = radiusX
        self.radiusY = radiusY
        self.angle = angle
    }

    /// The ellipse inscribed in a box.
    public init(inscribedIn box: NormalizedRect) {
        self.init(center: box.center, radiusX: box.width / 2, radiusY: box.height / 2)
    }

    /// The box around the ellipse before it is turned.
    public var bounds: NormalizedRect { NormalizedRect(center: center, width: radiusX * 2, height: radiusY * 2) }
}

/// How a region came about.
public enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
    /// A detector saw the face in this frame.
    case detected
    /// Between two sightings of the same track.
    case interpolated
    /// Before the first or after the last sighting of a track.
    case extended
    /// A person put it there.
    case manual
}

/// One face in one frame: what to cover. The shape is the face's own bounds; the mask is grown from it when rendered.
public struct Region: Sendable, Hashable, Codable {
    public var track: Int
    public var shape: Shape
    public var origin: Origin

    public init(track: Int, shape: Shape, origin: Origin) {
        self.track = track
        self.shape = shape
        self.origin = origin
    }
}

/// What to do with one shown frame.
public struct PlannedFrame: Sendable, Hashable {
    /// Presentation time in the source stream's time base.
    public var pts: Int64
    /// Cover the whole picture (it could not be analysed, or a person asked for it).
    public var coverWhole: Bool
    public var regions: [Region]

    public init(pts: Int64, coverWhole: Bool = false, regions: [Region] = []) {
        self.pts = pts
        self.coverWhole = coverWhole
        self.regions = regions
    }
}

/// One person's face over time.
public struct TrackSummary: Sendable, Hashable, Codable {
    public enum Action: String, Sendable, Hashable, Codable, CaseIterable { case redact, keep }

    public var id: Int
    public var firstPTS: Int64
    public var lastPTS: Int64
    public var action: Action
    /// The best detection's score, 0…1.
    public var score: Double
    /// How many frames a detector saw it in.
    public var sightings: Int

    public init(id: Int, firstPTS: Int64, lastPTS: Int64, action: Action = .redact, score: Double, sightings: Int) {
        self.id = id
        self.firstPTS = firstPTS
        self.lastPTS = lastPTS
        self.action = action
        self.score = score
        self.sightings = sightings
    }
}

/// Which detector found the faces.
public struct DetectorDescription: Sendable, Hashable, Codable {
    public var name: String
    /// SHA-256 of its model file, 64 lower-case hex digits; nil for a detector without one.
    public var modelSHA256: String?

    public init(name: String, modelSHA256: String? = nil) {
        self.name = name
        self.modelSHA256 = modelSHA256
    }
}

/// What to cover in one source, frame by frame: made by analysis, may be edited by hand, carried out by rendering.
///
/// Absent is not empty: a frame with no regions was looked at and shows no face; a frame that isn't in `frames` wasn't
/// looked at and must not be shown uncovered (see `PlanCursor`).
public struct RedactionPlan: Sendable, Hashable {
    /// The version of the file format that this code reads and writes.
    public static let version = 1

    public var source: SourceDescription
    public var detector: DetectorDescription
    /// How the source was analysed.
    public var settings: AnalysisSettings
    public var tracks: [TrackSummary]
    /// Tracks that a person drew; not in `frames` until expanded (see `expandingManualTracks`).
    public var manual: [ManualTrack]
    /// The pts of the first frame after each scene cut.
    public var cuts: [Int64]
    /// The shown frames in the order in which the source shows them.
    public var frames: [PlannedFrame]

    public init(
        source: SourceDescription, detector: DetectorDescription, settings: AnalysisSettings = AnalysisSettings(),
        tracks: [TrackSummary] = [], manual: [ManualTrack] = [], cuts: [Int64] = [], frames: [PlannedFrame] = []
    ) {
        self.source = source
        self.detector = detector
        self.settings = settings
        self.tracks = tracks
        self.manual = manual
        self.cuts = cuts
        self.frames = frames
    }
}

/// How a source is analysed. A new setting is one property and one line in `fields`.
public struct AnalysisSettings: Sendable, Hashable {
    /// The score (0…1) from which a detection starts a track.
    public var confirmThreshold = 0.35
    /// The score (0…1) that makes a face in a still, which has one look; nil for what stills take by themselves.
    public var stillThreshold: Double?
    /// The score (0…1) from which a detection continues a track that exists.
    public var continueThreshold = 0.1
    /// From this mean score (0…1) and `weakSightings` on, a track counts without ever reaching `confirmThreshold`.
    public var weakScore = 0.2
    /// In how many looks an unsure track must have been seen to count.
    public var weakSightings = 4
    /// The detector looks at every n-th frame at least; faces are followed in between. 0: chosen by the frame rate.
    public var detectEvery = 0
    /// The longer side, in pixels, of the picture that the detector sees. 0: chosen by the smallest face asked for.
    public var detectSize = 0
    /// The smallest height of a face, in pixels of the upright picture; smaller detections are dropped. 0: all are kept.
    public var minFace = 0.0
    /// The same as a share (0…1) of the upright picture's height; the larger of both counts.
    public var minFaceShare = 0.0
    /// Also looks at enlarged parts of the picture, for small faces, and at turned pictures, for faces that lie on their
    /// side or stand on their head; many times slower.
    public var thorough = false
    /// For how many seconds a face is still covered after its last sighting. Before its first one it is covered as far back as
    /// it can be followed (48 frames at most), and a frame more.
    public var linger = 0.15

    public init() {}

    /// `detectEvery`, or about eight looks a second if it is left to the frame rate (at most five frames apart).
    ///
    /// Measured with faces followed both ways in time, on 3,824 labelled face-frames: every frame none uncovered, every
    /// 4th 1, every 5th 2.
    public func interval(frameRate: Double) -> Int {
        if detectEvery > 0 { return detectEvery }
        guard frameRate.isFinite, frameRate > 0 else { return 1 }
        return Int(min(max((frameRate / 8).rounded(), 1), 5))
    }

    /// `detectSize`, or the size at which the smallest face asked for can be seen if it is left to that.
    ///
    /// CenterFace finds faces of about 12 pixels of the picture that it sees: one and the same face scored 0.83 at 22
    /// pixels across, 0.69 at 13, 0.47 at 9. So the smallest face is given 12 pixels, within limits: smaller pictures than
    /// 320 save no time worth having, and at more than 1920 a look takes seconds. With no smallest face asked for the side
    /// is half the picture's longer one, so that faces of 24 samples are found in high-definition pictures and larger
    /// ones, and at least 640 (1280 if `thorough` is set).
    ///
    /// - Parameters:
    ///   - width: of the upright picture, in samples; so is `height`.
    ///   - sampleAspectRatio: a sample's width over its height, upright; one that isn't known counts as 1.
    public func detectorSide(width: Int, height: Int, sampleAspectRatio: Rational = Rational(1, 1)) -> Int {
        if detectSize > 0 { return detectSize }
        let rows = Double(max(1, height))
        let share = max(minFace / rows, minFaceShare)
        let ratio = sampleAspectRatio.value
        guard share.isFinite, share > 0 else {
            let longer = max(Double(max(1, width)) * (ratio.isFinite && ratio > 0 ? ratio : 1), rows)
            return Int(min(max((longer / 2).rounded(.up), thorough ? 1280 : 640), 1920))
        }
        let shape = Double(max(1, width)) * (ratio.isFinite && ratio > 0 ? ratio : 1) / rows
        let side = Self.leastSeen / share * max(1, shape)
        return Int(min(max(side.rounded(.up), 320), 1920))
    }

    /// The height of the smallest face that the detector finds, in pixels of the picture that it sees.
    private static let leastSeen = 12.0

    /// Looks at every frame, at a larger size, in tiles and turned: takes many times as long.
    public static var thorough: AnalysisSettings {
        var settings = AnalysisSettings()
        settings.thorough = true
        settings.detectEvery = 1
        return settings
    }

    /// Looks seldom and at a small size, whatever the smallest face asked for: small or brief faces may be missed.
    public static var fast: AnalysisSettings {
        var settings = AnalysisSettings()
        settings.detectEvery = 6
        settings.detectSize = 480
        return settings
    }

    /// A setting's name in a plan, where it is kept, and the values it may take.
    struct Field: Sendable {
        enum Kind: Sendable {
            case double(WritableKeyPath<AnalysisSettings, Double> & Sendable, ClosedRange<Double>)
            case int(WritableKeyPath<AnalysisSettings, Int> & Sendable, ClosedRange<Int>)
            case bool(WritableKeyPath<AnalysisSettings, Bool> & Sendable)
        }

        let name: String
        let kind: Kind
    }

    /// All settings in the order in which they are written. One that a plan leaves out has its default.
    static let fields: [Field] = [
        Field(name: "confirmThreshold", kind: .double(\.confirmThreshold, 0...1)),
        Field(name: "continueThreshold", kind: .double(\.continueThreshold, 0...1)),
        Field(name: "weakScore", kind: .double(\.weakScore, 0...1)),
        Field(name: "weakSightings", kind: .int(\.weakSightings, 1...1000)),
        Field(name: "detectEvery", kind: .int(\.detectEvery, 0...1000)),
        Field(name: "detectSize", kind: .int(\.detectSize, 0...16384)),
        Field(name: "minFace", kind: .double(\.minFace, 0...100_000)),
        Field(name: "minFaceShare", kind: .double(\.minFaceShare, 0...1)),
        Field(name: "thorough", kind: .bool(\.thorough)),
        Field(name: "linger", kind: .double(\.linger, 0...60)),
    ]
}

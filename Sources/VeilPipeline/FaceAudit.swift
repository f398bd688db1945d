import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

/// A face that can be seen in a file, over the frames in which it can.
public struct ShownFace: Sendable, Hashable {
    /// Seconds from the file's first frame: the first and the last frame that was looked at and shows it.
    public var start: Double
    public var end: Double
    /// In how many of the frames that were looked at.
    public var frames: Int
    /// When it is clearest, in seconds; where it is then, in pixels of the upright picture; and how sure that is, 0…1.
    public var time: Double
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int
    public var score: Double
    /// Whether it shows in a thumbnail or preview within a picture's file; its place is one in that.
    public var isInPreview = false

    public init(
        start: Double, end: Double, frames: Int, time: Double, x: Int, y: Int, width: Int, height: Int, score: Double
    ) {
        self.start = start
        self.end = end
        self.frames = frames
        self.time = time
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.score = score
    }

    /// How much two boxes have in common, 0…1.
    package func overlap(_ other: ShownFace) -> Double {
        NormalizedRect(x: Double(x), y: Double(y), width: Double(width), height: Double(height)).iou(
            NormalizedRect(
                x: Double(other.x), y: Double(other.y), width: Double(other.width), height: Double(other.height)))
    }
}

/// What a look through a file came to.
public struct FaceAudit: Sendable, Hashable {
    /// Frames that were looked at.
    public var frames = 0
    public var width = 0
    public var height = 0
    public var faces: [ShownFace] = []

    public init() {}

    /// Which frames to look at.
    public enum Interval: Sendable, Hashable {
        case frames(Int)
        case seconds(Double)
    }

    /// Faces count from this score on, unless another is asked for. Single pictures have no track that would bear a weak
    /// sighting out, and below it half of what the detector reports is no face.
    public static let threshold = 0.5
    /// And from this width on, in pixels: below it hardly anybody is recognised, the detector is often wrong, and a mosaic's
    /// cells are no larger than a face's own details, so that `FineDetail` can't tell them apart (a false alarm on 78
    /// redacted files at 16, none at 20).
    public static let leastWidth = 20.0

    /// A face that isn't seen for so long, in seconds, is another one.
    private static let longestGap = 1.0

    /// Takes in the faces of a frame, each as a part of one seen just before if it lies where that was.
    package mutating func add(_ seen: [ShownFace], open: inout [Int]) {
        for face in seen {
            let near = open.filter { faces[$0].end < face.start || faces[$0].frames == 0 }
                .filter {
                    face.start - faces[$0].end <= Self.longestGap && last[$0].map { $0.overlap(face) > 0.2 } ?? false
                }
                .max { (last[$0]?.overlap(face) ?? 0) < (last[$1]?.overlap(face) ?? 0) }
            guard let near else {
                open.append(faces.count)
                last[faces.count] = face
                faces.append(face)
                continue
            }
            last[near] = face
            let known = faces[near]
            if face.score > known.score { faces[near] = face }
            faces[near].start = known.start
            faces[near].end = face.end
            faces[near].frames = known.frames + 1
        }
        open.removeAll { index in seen.first.map { $0.start - faces[index].end > Self.longestGap } ?? false }
    }

    /// Where each was last.
    private var last: [Int: ShownFace] = [:]
}

extension Redaction {
    /// Looks for faces that show: that the detector finds, and in whose bounds there is detail that a mosaic would have taken
    /// away. Looks at all pictures of a file, covers and further streams too; opens files that are pictures as well.
    ///
    /// - Throws: `VeilError` where the file can't be looked through to its end: it is then unknown what it shows.
    public func audit(
        _ input: String, every interval: FaceAudit.Interval = .frames(1), observer: Observer = Observer()
    ) throws(VeilError) -> FaceAudit {
        let streams = try media { () throws(MediaError) in try Demuxer(file: input, opensPictures: true).streams }
        var audit = FaceAudit()
        let clock = Stopwatch()
        let main = StreamPolicy.mainPicture(of: streams)
        let pictures = streams.filter { $0.type == .picture }
        guard !pictures.isEmpty else {
            throw .media(
                MediaError(.notMedia, "looking for a picture stream", file: input, detail: "there is none"))
        }
        for stream in pictures {
            let source = try media { () throws(MediaError) in
                try VideoSource(
                    file: input, stream: stream.index, policy: settings.onError, threads: settings.threads,
                    opensPictures: true)
            }
            let looked = try look(through: source, every: interval, observer, clock, seenBefore: audit.frames)
            guard looked.frames > 0 else {
                throw .media(
                    MediaError(
                        .damaged, "decoding", file: input, stream: stream.index,
                        detail: "the picture stream has no frames"))
            }
            audit.frames += looked.frames
            audit.faces += looked.faces
            if stream.index == (main ?? pictures[0]).index {
                (audit.width, audit.height) = (looked.width, looked.height)
            }
        }
        return audit
    }

    private func look(
        through source: VideoSource, every interval: FaceAudit.Interval, _ observer: Observer, _ clock: Stopwatch,
        seenBefore: Int
    ) throws(VeilError) -> FaceAudit {
        let file = source.demuxer.file
        let looker = Looker(detector: detector, settings: settings.analysis)
        var audit = FaceAudit()
        var open: [Int] = []
        var (count, next) = (0, -Double.infinity)
        var first: Double?
        while true {
            if observer.isCancelled() { throw .cancelled }
            guard let frame = try media({ () throws(MediaError) in try source.nextFrame() }) else { return audit }
            let clockTime = source.seconds(frame.pts ?? 0)
            let start = first ?? clockTime
            first = start
            let time = clockTime - start
            defer { count += 1 }
            switch interval {
            case .frames(let step): if count % max(1, step) != 0 { continue }
            case .seconds(let step):
                // Due times are multiples of the step, so that rounding doesn't add up.
                if time < next { continue }
                next = ((time / step).rounded(.down) + 1) * step
            }
            let geometry = Geometry(of: frame, source: source)
            (audit.width, audit.height) = geometry.uprightSize
            let seen = try vision(file) { () throws(VisionError) in
                try frame.withPlanes { (view) throws(VisionError) in
                    try facesThatShow(
                        in: Analyser.Picture(
                            view: view, orientation: geometry.orientation, width: audit.width, height: audit.height,
                            sampleAspectRatio: geometry.uprightAspect), looker, time)
                }
            }
            audit.frames += 1
            audit.add(seen, open: &open)
            observer.progress(
                Progress(
                    stage: .analysing, frames: seenBefore + count + 1, expected: source.expectedFrames,
                    faces: audit.faces.count, elapsed: clock.seconds))
        }
    }

    /// The faces that show in a still: see `audit`.
    ///
    /// - Parameters:
    ///   - sampleAspectRatio: a sample's width over its height, as coded. Where the file's tag isn't 1 the picture is looked
    ///     at with square samples too, as `faces(in:orientation:sampleAspectRatio:)` does.
    ///   - time: in seconds from the file's first picture.
    package func facesThatShow(
        in view: PlanarView, orientation: Orientation, sampleAspectRatio tagged: Rational, at time: Double
    ) throws(VisionError) -> [ShownFace] {
        let turns = orientation.swapsAxes
        let looker = Looker(detector: detector, settings: settings.analysis)
        var seen: [ShownFace] = []
        for coded in StillLook.aspects(tagged) {
            let found = try facesThatShow(
                in: Analyser.Picture(
                    view: view, orientation: orientation, width: turns ? view.height : view.width,
                    height: turns ? view.width : view.height,
                    sampleAspectRatio: turns ? Rational(coded.den, coded.num) : coded), looker, time)
            seen += found.filter { face in !seen.contains { $0.overlap(face) > 0.3 } }
        }
        return seen
    }

    private func facesThatShow(
        in picture: Analyser.Picture, _ looker: Looker, _ time: Double
    ) throws(VisionError) -> [ShownFace] {
        var seen: [ShownFace] = []
        let (width, height) = (Double(picture.width), Double(picture.height))
        for face in try looker.faces(in: picture) where face.score >= settings.analysis.confirmThreshold {
            let box = face.bounds.intersection(.whole)
            let least = max(settings.analysis.minFace, settings.analysis.minFaceShare * height)
            guard face.bounds.height * height >= least, box.width * width >= (least > 0 ? 4 : FaceAudit.leastWidth)
            else {
                continue
            }
            let detail = try FineDetail(
                of: picture.view, orientation: picture.orientation, width: picture.width, height: picture.height,
                bounds: face.bounds)
            guard detail.shows else { continue }
            seen.append(
                ShownFace(
                    start: time, end: time, frames: 1, time: time, x: Int((box.x * width).rounded()),
                    y: Int((box.y * height).rounded()), width: Int((box.width * width).rounded()),
                    height: Int((box.height * height).rounded()), score: face.score))
        }
        return seen
    }
}

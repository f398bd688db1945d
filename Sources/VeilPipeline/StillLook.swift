import VeilCore
import VeilPixels
import VeilVision

extension AnalysisSettings {
    /// The score from which a detection in a still is a face. There is no second frame to confirm a weak one, and one that
    /// is left bare is worse than one too many.
    static let usualStillThreshold = 0.15
    /// The same where others are sure: faces come in crowds.
    static let crowdThreshold = 0.12
    /// How many faces, and how sure, make a crowd.
    static let crowd = (count: 4, score: 0.5)

    /// The least score to look for.
    var thresholdForStills: Double { stillThreshold ?? Self.crowdThreshold }

    /// Of what was found with `thresholdForStills`, what is taken for a face.
    func faces(of found: [Detection]) -> [Detection] {
        guard stillThreshold == nil,
            found.count(where: { $0.score >= Self.crowd.score }) < Self.crowd.count
        else { return found }
        return found.filter { $0.score >= Self.usualStillThreshold }
    }
}

extension Redaction {
    /// Finds the faces of a still picture, best score first. Looks harder than at the frames of a video: at the whole and
    /// at its mirror image, at tiles of large pictures, and at turned pictures.
    ///
    /// - Parameters:
    ///   - looks: one picture in one way or more (with its transparent parts shown and hidden, say); all of one size.
    ///   - orientation: how it is turned for display.
    ///   - sampleAspectRatio: a sample's width over its height, as coded: what the file says. Most programs that show
    ///     stills believe no such tag, and it may be nonsense: where it isn't 1 the picture is looked at with square samples
    ///     too.
    public func faces(
        in looks: [PlanarView], orientation: Orientation, sampleAspectRatio: Rational = Rational(1, 1)
    ) throws(VisionError) -> [Detection] {
        guard let view = looks.first else { return [] }
        var found: [Detection] = []
        for aspect in StillLook.aspects(sampleAspectRatio) {
            let look = StillLook(
                detector: detector, settings: settings.analysis, orientation: orientation, view, aspect)
            for view in looks { found += try look.faces(in: view) }
        }
        let rows = Double(orientation.swapsAxes ? view.width : view.height)
        let least = max(settings.analysis.minFace / rows, settings.analysis.minFaceShare)
        return settings.analysis.faces(of: StillLook.merged(found)).filter { $0.bounds.height >= least }.map { face in
            var face = face
            face.bounds = face.bounds.scaled(by: StillLook.slack(forFace: face.bounds.height * rows))
            return face
        }
    }
}

/// The looks that a still is given.
struct StillLook {
    let detector: any FaceDetector
    let settings: AnalysisSettings
    let orientation: Orientation
    /// Of the upright picture, in samples.
    let width: Int
    let height: Int
    /// Upright.
    let aspect: Rational

    /// The longer side of one look's canvas.
    private static let canvasSide = 1280
    /// Tiles of one picture, at most.
    private static let mostTiles = 64
    /// Looks at turned pictures are small: faces that lie on their side are seldom small ones too.
    private static let turnedSide = 640
    /// What a turned look shows with less than this is left to the straight looks: it is a chance for false alarms too.
    private static let turnedThreshold = 0.4

    init(
        detector: any FaceDetector, settings: AnalysisSettings, orientation: Orientation, _ view: PlanarView,
        _ coded: Rational
    ) {
        self.detector = detector
        self.settings = settings
        self.orientation = orientation
        (width, height) = orientation.swapsAxes ? (view.height, view.width) : (view.width, view.height)
        aspect = orientation.swapsAxes ? Rational(coded.den, coded.num) : coded
    }

    /// The shapes of samples to look at a still with: square, and the tagged one if somebody may have meant it.
    static func aspects(_ tagged: Rational) -> [Rational] {
        let square = Rational(1, 1)
        // A difference of a fiftieth no detector sees; more than a threefold one nobody scans or films with.
        guard tagged.value.isFinite, abs(tagged.value - 1) > 0.02, (1.0 / 3...3).contains(tagged.value) else {
            return [square]
        }
        return [tagged, square]
    }

    private func look(side: Int, part: NormalizedRect = .whole, threshold: Double) -> Look {
        let canvas = CanvasSize.fitting(
            width: max(1, Int((part.width * Double(width)).rounded())),
            height: max(1, Int((part.height * Double(height)).rounded())), sampleAspectRatio: aspect, longSide: side)
        return Look(orientation: orientation, canvas: canvas, roi: part, threshold: threshold)
    }

    /// How much larger a small face's box is made: it is off by a pixel or two whatever its size, and no other frame says
    /// better.
    ///
    /// - Parameter height: in pixels.
    static func slack(forFace height: Double) -> Double { 1 + 0.2 * max(0, 1 - height / 64) }

    /// What all looks show; a face may be among it several times.
    func faces(in view: PlanarView) throws(VisionError) -> [Detection] {
        let threshold = max(settings.thresholdForStills, 0.01)
        if settings.detectSize > 0 {
            return try detector.detect(in: view, look(side: settings.detectSize, threshold: threshold))
        }
        let natural = CanvasSize.fitting(
            width: width, height: height, sampleAspectRatio: aspect, longSide: Int(Int32.max))
        let wanted = Self.wantedSide(natural, settings)
        let whole = look(side: min(wanted, Self.canvasSide), threshold: threshold)
        var found = try detector.detect(in: view, whole)
        // A thorough detector turns the picture itself.
        if !settings.thorough {
            found += try mirrored(whole, in: view)
            // A smaller look sees large faces better.
            let small = look(side: min(Self.turnedSide, whole.canvas.longSide * 2 / 3), threshold: threshold)
            found += try mirrored(small, in: view)
            let turned = RotatedDetector(detector, turns: [.quarter, .half, .threeQuarters])
            found += try turned.detect(
                in: view, look(side: Self.turnedSide, threshold: max(threshold, Self.turnedThreshold)))
            found += try detector.detect(in: view, small)
        }
        for part in Self.tiles(natural, wanted: wanted) {
            found += try detector.detect(in: view, look(side: Self.canvasSide, part: part, threshold: threshold))
        }
        return found
    }

    /// A look at the mirror image: nearly as good as a look by another detector.
    private func mirrored(_ look: Look, in view: PlanarView) throws(VisionError) -> [Detection] {
        var look = look
        look.orientation = look.orientation.composed(with: .upMirrored)
        return try detector.detect(in: view, look).map { found in
            Detection(bounds: Orientation.upMirrored.coded(found.bounds), score: found.score)
        }
    }

    /// The longer side at which the picture is to be seen, in tiles where that is more than a canvas.
    ///
    /// Full size up to 1600 pixels, from there on 0.6 of it, so that a face of 24 pixels has 14; the smallest face asked
    /// for gets 12, as in videos (see `AnalysisSettings.detectorSide`).
    static func wantedSide(_ natural: CanvasSize, _ settings: AnalysisSettings) -> Int {
        let longer = Double(natural.longSide)
        if settings.thorough { return natural.longSide }
        let least = max(settings.minFace, settings.minFaceShare * Double(natural.height))
        let side = least > 0 ? longer * 12 / least : max(1600, 0.6 * longer)
        return Int(min(longer, max(side, 640)).rounded())
    }

    /// The parts that it takes to show a picture at the wanted size; none where one canvas does.
    static func tiles(_ natural: CanvasSize, wanted: Int) -> [NormalizedRect] {
        let shorter = Double(min(natural.width, natural.height)) / Double(max(1, natural.longSide))
        var best = (along: 1, across: 1, overlap: 0.0)
        for count in 1...mostTiles {
            let other = max(1, Int((Double(count) * shorter).rounded()))
            guard count * other <= mostTiles else { break }
            // Faces larger than what tiles share are large enough for the look at the whole.
            best = (count, other, 0.24 / Double(max(count, 2)))
            let share = (1 + Double(count - 1) * best.overlap) / Double(count)
            if Double(canvasSide) / share >= 0.95 * Double(wanted) { break }
        }
        guard best.along > 1 else { return [] }
        let isWide = natural.width >= natural.height
        return TiledDetector.tiles(
            of: .whole, columns: isWide ? best.along : best.across, rows: isWide ? best.across : best.along,
            overlap: best.overlap)
    }

    /// One detection for each face: where looks differ about a face, all that any of them takes for it.
    ///
    /// Boxes that overlap by an IoU of 0.45 or of which one holds the other's ellipse are of one face, unless the box
    /// around both would be far larger than either.
    static func merged(_ found: [Detection]) -> [Detection] {
        var kept: [Detection] = []
        for face in found.sorted(by: { $0.score > $1.score }) where !face.bounds.isEmpty {
            let same = kept.indices.filter { kept[$0].bounds.iou(face.bounds) >= 0.45 }
                .max { kept[$0].bounds.iou(face.bounds) < kept[$1].bounds.iou(face.bounds) }
            if let same {
                let union = kept[same].bounds.union(face.bounds)
                if union.area <= 1.5 * max(kept[same].bounds.area, face.bounds.area) {
                    kept[same].bounds = union
                    continue
                }
            }
            let isHidden = kept.contains { outer in
                NonMaximumSuppression.keep(
                    boxes: [outer.bounds, face.bounds], ranks: [1, 0], overlapLimit: 2
                ).count == 1
            }
            if !isHidden { kept.append(face) }
        }
        return kept
    }
}

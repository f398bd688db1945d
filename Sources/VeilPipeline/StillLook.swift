import VeilCore
import VeilPixels
import VeilVision

extension AnalysisSettings {
    /// The score from which a detection in a still is a face. There is no second frame to confirm a weak one, and one that
    /// is left bare is worse than one too many.
    ///
    /// Measured on the frames of labelled clips, each by itself: from 0.2 on 0.7 % of the faces stay bare, from 0.5 on
    /// 5.4 %.
    static let stillThreshold = 0.2

    /// What was asked for, where it isn't the default that is meant for tracks.
    var thresholdForStills: Double {
        confirmThreshold == AnalysisSettings().confirmThreshold ? Self.stillThreshold : confirmThreshold
    }
}

extension Redaction {
    /// The side of the canvas of one look at a still.
    private static let canvasSide = 1280
    /// Tiles of one picture, at most.
    private static let mostTiles = 64
    /// Looks at turned pictures are small: faces that lie on their side are seldom small ones too.
    private static let turnedSide = 640
    private static let overlapLimit = 0.3

    /// Finds the faces of a still picture, best score first. Looks harder than at the frames of a video: at the whole, at
    /// tiles of large pictures, and at turned pictures.
    ///
    /// - Parameters:
    ///   - looks: one picture in one way or more (with its transparent parts shown and hidden, say); all of one size.
    ///   - orientation: how it is turned for display.
    ///   - sampleAspectRatio: a sample's width over its height, as coded.
    public func faces(
        in looks: [PlanarView], orientation: Orientation, sampleAspectRatio: Rational = Rational(1, 1)
    ) throws(VisionError) -> [Detection] {
        var found: [Detection] = []
        for view in looks { found += try faces(in: view, orientation, sampleAspectRatio) }
        if looks.count > 1 { found = NonMaximumSuppression.keep(found, overlapLimit: Self.overlapLimit) }
        guard let view = looks.first else { return [] }
        let rows = Double(orientation.swapsAxes ? view.width : view.height)
        let least = max(settings.analysis.minFace / rows, settings.analysis.minFaceShare)
        return found.filter { $0.bounds.height >= least }
    }

    private func faces(
        in view: PlanarView, _ orientation: Orientation, _ coded: Rational
    ) throws(VisionError) -> [Detection] {
        let analysis = settings.analysis
        let (width, height) = orientation.swapsAxes ? (view.height, view.width) : (view.width, view.height)
        let aspect = orientation.swapsAxes ? Rational(coded.den, coded.num) : coded
        func look(side: Int, threshold: Double) -> Look {
            Look(
                orientation: orientation,
                canvas: CanvasSize.fitting(width: width, height: height, sampleAspectRatio: aspect, longSide: side),
                threshold: threshold)
        }
        let threshold = max(analysis.thresholdForStills, 0.01)
        if analysis.detectSize > 0 {
            return try detector.detect(in: view, look(side: analysis.detectSize, threshold: threshold))
        }
        let natural = CanvasSize.fitting(
            width: width, height: height, sampleAspectRatio: aspect, longSide: Int(Int32.max))
        let wanted = Self.wantedSide(natural, analysis)
        let tiles = Self.tiles(natural, wanted: wanted)
        let tiled = TiledDetector(
            detector, columns: tiles.columns, rows: tiles.rows, largestFace: Self.overlap(tiles.columns, tiles.rows),
            overlapLimit: Self.overlapLimit)
        var found = try tiled.detect(in: view, look(side: min(wanted, Self.canvasSide), threshold: threshold))
        // A thorough detector turns the picture itself.
        guard !analysis.thorough else { return found }
        let turned = RotatedDetector(
            detector, turns: [.quarter, .half, .threeQuarters], overlapLimit: Self.overlapLimit)
        found += try turned.detect(
            in: view, look(side: Self.turnedSide, threshold: max(threshold, 0.3)))
        return NonMaximumSuppression.keep(found, overlapLimit: Self.overlapLimit)
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

    /// Into how many tiles it takes to show a picture at the wanted size.
    static func tiles(_ natural: CanvasSize, wanted: Int) -> (columns: Int, rows: Int) {
        let shorter = Double(min(natural.width, natural.height)) / Double(max(1, natural.longSide))
        var best = (1, 1)
        for count in 1...mostTiles {
            let other = max(1, Int((Double(count) * shorter).rounded()))
            guard count * other <= mostTiles else { break }
            best = natural.width >= natural.height ? (count, other) : (other, count)
            let share = (1 + Double(count - 1) * overlap(count, other)) / Double(count)
            if Double(canvasSide) / share >= 0.95 * Double(wanted) { break }
        }
        return best
    }

    /// How much of the picture neighbours share.
    private static func overlap(_ columns: Int, _ rows: Int) -> Double { 0.24 / Double(max(columns, rows, 2)) }
}

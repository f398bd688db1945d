import VeilCore
import VeilVision

/// Looks for faces: at whole pictures, and closer at places where one should be.
struct Looker {
    let detector: any FaceDetector
    let settings: AnalysisSettings

    /// At most so many closer looks in a frame: each costs about a tenth of a look at the whole.
    static let closerLooks = 4
    /// The side of the square that a closer look is enlarged or shrunk to, in canvas pixels.
    private static let closerSide = 192
    /// A closer look takes in this many sizes of the face.
    private static let closerReach = 3.0

    /// A picture of a shape beyond this (long to short side) is looked at in parts: shrunk to one canvas, its short side
    /// would be a few pixels and its faces nothing.
    private static let longestShape = 3.0

    /// Pictures of a shape beyond this are looked at in parts that are longer than that: 127 looks are enough.
    private static let mostShape = 128.0

    func faces(in picture: Analyser.Picture) throws(VisionError) -> [Detection] {
        let aspect = picture.sampleAspectRatio.value
        let width = Double(picture.width) * (aspect.isFinite && aspect > 0 ? aspect : 1)
        let height = Double(picture.height)
        let shape = max(width / height, height / width)
        guard shape > Self.longestShape, shape.isFinite else { return try look(at: .whole, of: picture) }
        // Parts about twice as long as the picture is wide, each sharing half of itself with the next, so that a face as
        // large as the short side lies whole in one.
        let isWide = width > height
        let length = 2 / min(shape, Self.mostShape)
        let count = Int((2 * (1 - length) / length).rounded(.up)) + 1
        var found: [Detection] = []
        for index in 0..<count {
            let start = (1 - length) * Double(index) / Double(max(1, count - 1))
            let part = NormalizedRect(
                x: isWide ? start : 0, y: isWide ? 0 : start, width: isWide ? length : 1, height: isWide ? 1 : length)
            found += try look(at: part, of: picture)
        }
        return NonMaximumSuppression.keep(found, overlapLimit: 0.3)
    }

    private func look(at part: NormalizedRect, of picture: Analyser.Picture) throws(VisionError) -> [Detection] {
        let width = max(1, Int((part.width * Double(picture.width)).rounded()))
        let height = max(1, Int((part.height * Double(picture.height)).rounded()))
        let canvas = CanvasSize.fitting(
            width: width, height: height, sampleAspectRatio: picture.sampleAspectRatio,
            longSide: settings.detectorSide(
                width: width, height: height, sampleAspectRatio: picture.sampleAspectRatio))
        return try detector.detect(
            in: picture.view, orientation: picture.orientation, canvas: canvas, roi: part,
            threshold: settings.continueThreshold)
    }

    /// The face at a place, if a look at its neighbourhood alone shows one.
    func closer(at box: NormalizedRect, in picture: Analyser.Picture) throws(VisionError) -> Detection? {
        // A square of displayed pixels around the face.
        let aspect = picture.sampleAspectRatio.value
        let width = Double(picture.width) * (aspect.isFinite && aspect > 0 ? aspect : 1)
        let height = Double(picture.height)
        let side = Self.closerReach * max(box.width * width, box.height * height)
        let region = NormalizedRect(center: box.center, width: side / width, height: side / height)
            .intersection(.whole)
        guard region.width * width >= 16, region.height * height >= 16 else { return nil }
        let longer = max(region.width * width, region.height * height)
        let canvas = CanvasSize(
            width: max(32, Int((region.width * width / longer * Double(Self.closerSide)).rounded())),
            height: max(32, Int((region.height * height / longer * Double(Self.closerSide)).rounded())))
        let found = try detector.detect(
            in: picture.view, orientation: picture.orientation, canvas: canvas, roi: region,
            threshold: max(settings.continueThreshold, 0.2))
        return found.filter { $0.bounds.iou(box) > 0.25 }.max { $0.bounds.iou(box) < $1.bounds.iou(box) }
    }
}

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

    func faces(in picture: Analyser.Picture) throws(VisionError) -> [Detection] {
        let canvas = CanvasSize.fitting(
            width: picture.width, height: picture.height, sampleAspectRatio: picture.sampleAspectRatio,
            longSide: settings.detectorSide(
                width: picture.width, height: picture.height, sampleAspectRatio: picture.sampleAspectRatio))
        return try detector.detect(
            in: picture.view, orientation: picture.orientation, canvas: canvas, threshold: settings.continueThreshold)
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

import VeilCore
import VeilMedia
import VeilPixels

/// How a decoded frame relates to the picture as it is displayed.
struct Geometry {
    let orientation: Orientation
    let codedWidth: Int
    let codedHeight: Int
    /// Width to height of a coded sample.
    let sampleAspectRatio: Rational

    init(of frame: borrowing Frame, source: VideoSource) {
        orientation = source.orientation(of: frame)
        codedWidth = frame.width
        codedHeight = frame.height
        sampleAspectRatio = source.sampleAspectRatio(of: frame) ?? Rational(1, 1)
    }

    /// In samples, turned upright.
    var uprightSize: (width: Int, height: Int) {
        orientation.swapsAxes ? (codedHeight, codedWidth) : (codedWidth, codedHeight)
    }

    var uprightAspect: Rational {
        orientation.swapsAxes ? Rational(sampleAspectRatio.den, sampleAspectRatio.num) : sampleAspectRatio
    }

    /// The region of the plan as a mask on the coded picture.
    func mask(_ region: Region, scale: Double) -> MaskRegion {
        let face = CodedEllipse(
            region.shape, orientation: orientation, codedWidth: codedWidth, codedHeight: codedHeight,
            sampleAspectRatio: sampleAspectRatio)
        return MaskRegion(
            track: region.track, centerX: face.centerX, centerY: face.centerY, radiusX: face.radiusX * scale,
            radiusY: face.radiusY * scale, angle: face.angle, faceWidth: face.radiusX * 2, faceHeight: face.radiusY * 2)
    }
}

import VeilCore

/// The size in pixels of the small upright picture that a detector or a tracker looks at.
public struct CanvasSize: Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var longSide: Int { max(width, height) }

    /// The canvas for a picture: square pixels, the displayed aspect, a long side of `longSide`.
    ///
    /// `width` and `height` are those of the upright picture in samples, and so is `sampleAspectRatio` (a sample's width
    /// over its height; an unknown ratio, 0/x or x/0, counts as 1). Unless `enlarging` is set, the canvas has no more
    /// pixels than the picture has samples on either axis: enlarging costs time and shows nothing new.
    /// Each side is at least 1.
    public static func fitting(
        width: Int, height: Int, sampleAspectRatio: Rational = Rational(1, 1), longSide: Int, enlarging: Bool = false
    ) -> CanvasSize {
        let ratio = sampleAspectRatio.value
        let aspect = ratio.isFinite && ratio > 0 ? ratio : 1
        // Square pixels at the finer of the two axes' resolutions.
        let displayedWidth = Double(max(1, width)) * max(1, aspect)
        let displayedHeight = Double(max(1, height)) * max(1, 1 / aspect)
        var scale = Double(max(1, longSide)) / max(displayedWidth, displayedHeight)
        if !enlarging {
            scale = min(scale, Double(max(1, width)) / displayedWidth, Double(max(1, height)) / displayedHeight)
        }
        return CanvasSize(
            width: max(1, Int((displayedWidth * scale).rounded())),
            height: max(1, Int((displayedHeight * scale).rounded())))
    }
}

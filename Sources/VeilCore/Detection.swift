/// Where the five points of a face lie, in the upright picture (0…1).
public struct FaceLandmarks: Sendable, Hashable, Codable {
    public var leftEye: NormalizedPoint
    public var rightEye: NormalizedPoint
    public var nose: NormalizedPoint
    public var leftMouth: NormalizedPoint
    public var rightMouth: NormalizedPoint

    public init(
        leftEye: NormalizedPoint, rightEye: NormalizedPoint, nose: NormalizedPoint, leftMouth: NormalizedPoint,
        rightMouth: NormalizedPoint
    ) {
        self.leftEye = leftEye
        self.rightEye = rightEye
        self.nose = nose
        self.leftMouth = leftMouth
        self.rightMouth = rightMouth
    }
}

/// One face that a detector found in one frame.
public struct Detection: Sendable, Hashable, Codable {
    /// Forehead to chin, ear to ear (the WIDER FACE manner), in the upright picture.
    public var bounds: NormalizedRect
    /// The detector's confidence, 0…1.
    public var score: Double
    public var landmarks: FaceLandmarks?

    public init(bounds: NormalizedRect, score: Double, landmarks: FaceLandmarks? = nil) {
        self.bounds = bounds
        self.score = score
        self.landmarks = landmarks
    }
}

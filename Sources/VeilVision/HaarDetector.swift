import CVision
import VeilCore
import VeilPixels

/// Haar cascades: frontal faces, profiles and mirrored profiles (Viola and Jones, 2001).
///
/// Slower and blinder than CenterFace; worth having where its network is unwanted or as a second opinion. The score is
/// 1 − exp(−e), e being by how much the last stage's weight exceeds its threshold. Gives no landmarks.
// @unchecked: the handle never changes, and the shim serialises the calls on it by a lock.
public final class HaarDetector: FaceDetector, @unchecked Sendable {
    private let handle: OpaquePointer
    private let file: String
    private let minimumSize: Int
    private let overlapLimit: Double

    /// `minimumSize` is the smallest window in canvas pixels; the frontal cascade's own is 20. Boxes whose IoU with a
    /// better one reaches `overlapLimit` are dropped.
    ///
    /// Throws `.badModel` if the bytes hold no cascade.
    public init(
        frontal: Model, profile: Model, minimumSize: Int = 24, overlapLimit: Double = 0.3
    ) throws(VisionError) {
        let doing = "reading the face cascades"
        var created: OpaquePointer?
        try VisionError.check(doing: doing, file: "\(frontal.path), \(profile.path)") { error in
            frontal.bytes.withUnsafeBytes { front in
                profile.bytes.withUnsafeBytes { side in
                    cvision_haar_create(
                        front.baseAddress, front.count, side.baseAddress, side.count, &created, error)
                }
            }
        }
        guard let created else {
            throw VisionError(code: .unknown, doing: doing, file: frontal.path, words: "no handle was made")
        }
        handle = created
        file = frontal.path
        self.minimumSize = minimumSize
        self.overlapLimit = overlapLimit
    }

    deinit {
        cvision_haar_free(handle)
    }

    public func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        var image = cvision_image(view)
        var request = cvision_look(look, in: view)
        return try Detection.collect(doing: "looking for faces", file: file) { faces, error in
            cvision_haar_detect(
                handle, &image, &request, Int32(clamping: minimumSize), look.threshold, overlapLimit, faces, error)
        }
    }
}

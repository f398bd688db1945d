import CVision
import VeilCore
import VeilPixels

/// CenterFace: one small network that gives boxes, scores and five landmarks (Xu et al., 2019).
///
/// Its time grows with the canvas; faces below about 12 canvas pixels across are mostly missed. It keeps the networks
/// of its last eight canvas sizes, so looking at a steady size is fastest.
// @unchecked: the handle never changes, and the shim serialises the calls on it by a lock.
public final class CenterFaceDetector: FaceDetector, @unchecked Sendable {
    private let handle: OpaquePointer
    private let file: String
    private let overlapLimit: Double

    /// Throws `.badModel` if the bytes are not CenterFace's network.
    ///
    /// Boxes whose IoU with a better one reaches `overlapLimit` are dropped; 0.3 is the authors' value.
    public init(model: Model, overlapLimit: Double = 0.3) throws(VisionError) {
        var created: OpaquePointer?
        try VisionError.check(doing: "reading the face detector", file: model.path) { error in
            model.bytes.withUnsafeBytes { cvision_centerface_create($0.baseAddress, $0.count, &created, error) }
        }
        guard let created else {
            throw VisionError(
                code: .unknown, doing: "reading the face detector", file: model.path, words: "no handle was made")
        }
        handle = created
        file = model.path
        self.overlapLimit = overlapLimit
    }

    deinit {
        cvision_centerface_free(handle)
    }

    public func rest() { cvision_centerface_rest(handle) }

    public func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        var image = cvision_image(view)
        var request = cvision_look(look, in: view)
        return try Detection.collect(doing: "looking for faces", file: file) { faces, error in
            cvision_centerface_detect(handle, &image, &request, look.threshold, overlapLimit, faces, error)
        }
    }
}

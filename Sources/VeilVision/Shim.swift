// The border to CVision: Swift values to C structures and back.

import CVision
import VeilCore
import VeilPixels

extension cvision_image {
    /// The view's planes, borrowed: valid as long as the view is.
    init(_ view: PlanarView) {
        self.init()
        func base(_ i: Int) -> UnsafeRawPointer? { i < view.planes.count ? UnsafeRawPointer(view.planes[i].base) : nil }
        func step(_ i: Int) -> Int { i < view.planes.count ? view.planes[i].stride : 0 }
        plane = (base(0), base(1), base(2), base(3))
        stride = (step(0), step(1), step(2), step(3))
        width = Int32(clamping: view.width)
        height = Int32(clamping: view.height)
        chroma_shift_x = Int32(clamping: view.chromaShiftX)
        chroma_shift_y = Int32(clamping: view.chromaShiftY)
        bytes_per_sample = Int32(clamping: view.planes[0].bytesPerSample)
        depth = Int32(clamping: view.depth)
        model =
            switch view.model {
            case .gray: CVISION_GRAY
            case .yuv: CVISION_YUV
            case .gbr: CVISION_GBR
            }
        full_range = view.fullRange ? 1 : 0
        matrix = view.bt709 ? 709 : 601
    }
}

extension cvision_look {
    init(_ look: Look, in view: PlanarView) {
        self.init()
        roi = cvision_rect(coded: look.orientation.coded(look.roi), width: view.width, height: view.height)
        orientation = Int32(look.orientation.rawValue)
        canvas_width = Int32(clamping: look.canvas.width)
        canvas_height = Int32(clamping: look.canvas.height)
        tilt = look.tilt
    }
}

extension cvision_rect {
    /// The pixels that a normalised rectangle touches.
    init(coded rect: NormalizedRect, width: Int, height: Int) {
        // A rounding error must not pull in another row: 1e-6 of a pixel is nothing.
        func first(_ v: Double, _ size: Int) -> Int32 {
            Int32(clamping: whole((v * Double(size) + 1e-6).rounded(.down)))
        }
        func end(_ v: Double, _ size: Int) -> Int32 { Int32(clamping: whole((v * Double(size) - 1e-6).rounded(.up))) }
        func whole(_ v: Double) -> Int { Int(exactly: v) ?? 0 }
        let left = first(rect.x, width)
        let top = first(rect.y, height)
        self.init(
            x: left, y: top, width: end(rect.maxX, width) &- left, height: end(rect.maxY, height) &- top)
    }
}

extension Detection {
    init(_ face: cvision_face) {
        let l = face.landmarks
        self.init(
            bounds: NormalizedRect(x: face.x, y: face.y, width: face.width, height: face.height), score: face.score,
            landmarks: face.has_landmarks == 0
                ? nil
                : FaceLandmarks(
                    leftEye: NormalizedPoint(x: l.0, y: l.1), rightEye: NormalizedPoint(x: l.2, y: l.3),
                    nose: NormalizedPoint(x: l.4, y: l.5), leftMouth: NormalizedPoint(x: l.6, y: l.7),
                    rightMouth: NormalizedPoint(x: l.8, y: l.9)))
    }

    /// Runs a detector of the shim, and takes over and frees what it found.
    static func collect(
        doing: String, file: String,
        _ call: (UnsafeMutablePointer<cvision_faces>, UnsafeMutablePointer<cvision_error>) -> cvision_code
    ) throws(VisionError) -> [Detection] {
        var faces = cvision_faces()
        defer { cvision_faces_free(&faces) }
        try VisionError.check(doing: doing, file: file) { error in call(&faces, error) }
        return UnsafeBufferPointer(start: faces.faces, count: faces.count).map { Detection($0) }
    }
}

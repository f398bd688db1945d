import Testing
import VeilCore
import VeilPixels
import VeilVision

@Suite struct `CenterFace` {
    let detector: CenterFaceDetector

    init() throws {
        detector = try CenterFaceDetector(model: checkedModel("centerface"))
    }

    @Test func `the faces of a scene are found at several scales`() throws {
        let scene = try Scene(
            width: 960, height: 540,
            copies: [.init(x: 0, y: 0, side: 512), .init(x: 520, y: 20, side: 300), .init(x: 540, y: 340, side: 180)])
        let coded = CodedPicture(scene.picture, .plain)
        let found = try detector.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 640, height: 360), threshold: 0.4)
        for d in found { print(d.score, d.bounds) }
        for f in scene.faces { print(f) }
        for face in scene.faces {
            #expect(found.contains { $0.bounds.iou(face) >= 0.5 })
        }
    }
}

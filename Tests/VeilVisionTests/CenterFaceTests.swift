import CVision
import Testing
import VeilCore
import VeilPixels
import VeilVision

/// Three portraits of different sizes in a wide picture.
private let wide = Result { () throws -> Scene in
    try Scene(
        width: 640, height: 360,
        copies: [.init(x: 0, y: 0, side: 341), .init(x: 347, y: 13, side: 200), .init(x: 360, y: 222, side: 134)])
}

@Suite struct `CenterFace` {
    let detector: CenterFaceDetector
    let scene: Scene
    let canvas = CanvasSize(width: 480, height: 270)

    init() throws {
        detector = try CenterFaceDetector(model: checkedModel("centerface"))
        scene = try wide.get()
    }

    /// Each labelled face has one box, and no box is left over.
    private func expectFaces(
        _ found: [Detection], _ faces: [NormalizedRect], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found.count == faces.count, sourceLocation: sourceLocation)
        for face in faces {
            let best = found.map { $0.bounds.iou(face) }.max() ?? 0
            #expect(best >= 0.5, "\(face)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [360, 480, 640])
    func `each face is found once, at several scales`(width: Int) throws {
        let coded = CodedPicture(scene.picture, .plain)
        let found = try detector.detect(
            in: coded.view, orientation: .up,
            canvas: .fitting(width: 640, height: 360, longSide: width), threshold: 0.4)
        expectFaces(found, scene.faces)
        #expect(found.map(\.score) == found.map(\.score).sorted(by: >))
    }

    @Test func `after a rest the same faces are found`() throws {
        let coded = CodedPicture(scene.picture, .plain)
        func look() throws -> [Detection] {
            try detector.detect(in: coded.view, orientation: .up, canvas: canvas, threshold: 0.4)
        }
        let before = try look()
        detector.rest()
        detector.rest()
        #expect(!before.isEmpty)
        #expect(try look() == before)
    }

    @Test func `landmarks lie where eyes, nose and mouth are`() throws {
        let coded = CodedPicture(try Portrait.picture(side: 512), .plain)
        let found = try detector.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 512, height: 512), threshold: 0.4)
        let marks = try #require(found.first?.landmarks)
        // Read off the picture by hand, in pixels of 512.
        let wanted = [(marks.leftEye, 203, 101), (marks.rightEye, 247, 103), (marks.nose, 225, 122)]
        for (mark, x, y) in wanted + [(marks.leftMouth, 207, 144), (marks.rightMouth, 243, 144)] {
            #expect(abs(mark.x * 512 - Double(x)) < 8)
            #expect(abs(mark.y * 512 - Double(y)) < 8)
        }
    }

    @Test(arguments: Orientation.allCases)
    func `an orientation gives the same upright boxes`(orientation: Orientation) throws {
        let straight = CodedPicture(scene.picture, .plain)
        let turned = CodedPicture(scene.picture.coded(for: orientation), .plain)
        let wanted = try detector.detect(in: straight.view, orientation: .up, canvas: canvas, threshold: 0.4)
        let found = try detector.detect(in: turned.view, orientation: orientation, canvas: canvas, threshold: 0.4)
        #expect(found.count == wanted.count)
        for (a, b) in zip(found, wanted) {
            #expect(a.bounds.iou(b.bounds) > 0.97)
            #expect(abs(a.score - b.score) < 0.02)
            let (left, other) = (try #require(a.landmarks).leftEye, try #require(b.landmarks).leftEye)
            #expect(abs(left.x - other.x) < 0.004 && abs(left.y - other.y) < 0.004)
        }
    }

    @Test(arguments: [
        Coding(name: "10-bit 4:2:0", depth: 10, shiftX: 1, shiftY: 1),
        Coding(name: "16-bit 4:4:4", depth: 16),
        Coding(name: "8-bit 4:2:2", shiftX: 1),
        Coding(name: "8-bit 4:1:1", shiftX: 2),
        Coding(name: "8-bit 4:4:4", padding: 40),
        Coding(name: "8-bit 4:2:0, full range, BT.601", shiftX: 1, shiftY: 1, fullRange: true, bt709: false),
        Coding(name: "8-bit GBR", model: .gbr, fullRange: true),
        Coding(name: "12-bit GBR", model: .gbr, depth: 12, fullRange: true),
        Coding(name: "bottom-up 4:2:0", shiftX: 1, shiftY: 1, bottomUp: true, padding: 6),
        Coding(name: "bottom-up 10-bit", depth: 10, shiftX: 1, shiftY: 1, bottomUp: true, padding: 64),
    ])
    func `a coding gives the same faces as 8-bit 4.2.0`(coding: Coding) throws {
        let plain = CodedPicture(scene.picture, .plain)
        let other = CodedPicture(scene.picture, coding)
        let wanted = try detector.detect(in: plain.view, orientation: .up, canvas: canvas, threshold: 0.4)
        let found = try detector.detect(in: other.view, orientation: .up, canvas: canvas, threshold: 0.4)
        #expect(found.count == wanted.count)
        for (a, b) in zip(found, wanted) {
            #expect(a.bounds.iou(b.bounds) > 0.95)
            #expect(abs(a.score - b.score) < 0.03)
        }
    }

    @Test(arguments: [
        Coding(name: "8-bit gray", model: .gray), Coding(name: "16-bit gray", model: .gray, depth: 16, fullRange: true),
    ])
    func `faces are found in gray`(coding: Coding) throws {
        let coded = CodedPicture(scene.picture, coding)
        expectFaces(
            try detector.detect(in: coded.view, orientation: .up, canvas: canvas, threshold: 0.3), scene.faces)
    }

    @Test func `odd sizes are read to their last column and row`() throws {
        let odd = CodedPicture(try Portrait.picture(side: 333), .plain)
        let found = try detector.detect(
            in: odd.view, orientation: .up, canvas: CanvasSize(width: 333, height: 333), threshold: 0.4)
        expectFaces(found, [Portrait.face])
    }

    @Test(arguments: [Orientation.up, .right, .rightMirrored])
    func `a region gives boxes in the whole picture`(orientation: Orientation) throws {
        let coded = CodedPicture(scene.picture.coded(for: orientation), .plain)
        let roi = NormalizedRect(x: 0.53, y: 0.03, width: 0.33, height: 0.57)
        let found = try detector.detect(
            in: coded.view, orientation: orientation, canvas: CanvasSize(width: 211, height: 205), roi: roi,
            threshold: 0.4)
        expectFaces(found, [scene.faces[1]])
    }

    @Test func `the bounds of a face that the edge cuts reach outside`() throws {
        var picture = RGBPicture(width: 512, height: 512)
        // The right third of the face lies outside.
        picture.paste(try Portrait.picture(side: 512), x: 270, y: 0)
        let coded = CodedPicture(picture, .plain)
        let found = try detector.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 512, height: 512), threshold: 0.3)
        let face = Portrait.face.offset(dx: 270.0 / 512, dy: 0)
        #expect(found.count == 1)
        let best = try #require(found.first)
        #expect(best.bounds.maxX > 1.0)
        #expect(best.bounds.iou(face) >= 0.5)
    }

    @Test func `one detector used at two sizes gives the same faces as two fresh ones`() throws {
        let coded = CodedPicture(scene.picture, .plain)
        let model = try checkedModel("centerface")
        // More sizes than networks are kept, then the first again.
        let sizes = [480, 320, 400, 640, 256, 352, 448, 288, 512, 480].map {
            CanvasSize.fitting(width: 640, height: 360, longSide: $0)
        }
        for size in sizes {
            let fresh = try CenterFaceDetector(model: model)
            let wanted = try fresh.detect(in: coded.view, orientation: .up, canvas: size, threshold: 0.3)
            #expect(try detector.detect(in: coded.view, orientation: .up, canvas: size, threshold: 0.3) == wanted)
            #expect(wanted.count >= 2)
        }
    }

    @Test func `canvases of one padded size don't see each other's pixels`() throws {
        let coded = CodedPicture(scene.picture, .plain)
        let small = CanvasSize(width: 490, height: 260)
        let fresh = try CenterFaceDetector(model: checkedModel("centerface"))
        let wanted = try fresh.detect(in: coded.view, orientation: .up, canvas: small, threshold: 0.2)
        _ = try detector.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 512, height: 288), threshold: 0.2)
        #expect(try detector.detect(in: coded.view, orientation: .up, canvas: small, threshold: 0.2) == wanted)
    }

    @Test func `a picture without faces has none`() throws {
        var picture = RGBPicture(width: 320, height: 180)
        for i in picture.planes[0].indices { picture.planes[i % 3][i] = UInt8(truncatingIfNeeded: i &* 7) }
        let coded = CodedPicture(picture, .plain)
        let found = try detector.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 320, height: 180), threshold: 0.3)
        #expect(found.isEmpty)
    }

    @Test(arguments: [
        Look(orientation: .up, canvas: CanvasSize(width: 0, height: 9), threshold: 0.3),
        Look(orientation: .up, canvas: CanvasSize(width: 1 << 40, height: 9), threshold: 0.3),
        Look(orientation: .up, canvas: CanvasSize(width: 64, height: 64), threshold: 0),
        Look(orientation: .up, canvas: CanvasSize(width: 64, height: 64), threshold: .nan),
        Look(orientation: .up, canvas: CanvasSize(width: 64, height: 64), threshold: 0.3, tilt: .infinity),
        Look(
            orientation: .up, canvas: CanvasSize(width: 64, height: 64),
            roi: NormalizedRect(x: 2, y: 0, width: 1, height: 1), threshold: 0.3),
        Look(
            orientation: .up, canvas: CanvasSize(width: 64, height: 64),
            roi: NormalizedRect(x: .nan, y: 0, width: 1, height: 1e300), threshold: 0.3),
    ])
    func `a senseless request is an error`(look: Look) throws {
        let coded = CodedPicture(RGBPicture(width: 64, height: 64), .plain)
        let error = #expect(throws: VisionError.self) { try detector.detect(in: coded.view, look) }
        #expect(error?.code == .badArgument)
        #expect(error?.words.isEmpty == false)
    }

    @Test func `the shim refuses missing arguments`() {
        var error = cvision_error()
        #expect(cvision_centerface_detect(nil, nil, nil, 0.5, 0.3, nil, &error) == CVISION_BAD_ARGUMENT)
        #expect(cvision_match(nil, nil, cvision_rect(), nil, cvision_rect(), nil, nil) == CVISION_BAD_ARGUMENT)
        #expect(cvision_luma_canvas(nil, nil, nil, 0, &error) == CVISION_BAD_ARGUMENT)
        cvision_centerface_free(nil)
        cvision_faces_free(nil)
    }
}

@Suite struct `Turned faces` {
    let detector: CenterFaceDetector

    init() throws {
        detector = try CenterFaceDetector(model: checkedModel("centerface"))
    }

    @Test(arguments: [Orientation.right, .left, .down])
    func `a face on its side is found by another look`(turn: Orientation) throws {
        // The picture is displayed as coded, so the person lies on her side.
        let coded = CodedPicture(try Portrait.picture(side: 360).coded(for: turn), .plain)
        let turned = RotatedDetector(detector, turns: [.quarter, .half, .threeQuarters])
        let found = try turned.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 360, height: 360), threshold: 0.5)
        let face = turn.coded(Portrait.face)
        let best = try #require(found.first)
        #expect(best.bounds.iou(face) >= 0.5)
        #expect(best.score > 0.7)
        let marks = try #require(best.landmarks)
        #expect(abs(turn.upright(marks.leftEye).x - 203.0 / 512) < 0.02)
        #expect(abs(turn.upright(marks.leftEye).y - 101.0 / 512) < 0.02)
    }

    @Test func `turns keep to the region`() throws {
        let scene = try Scene(
            width: 800, height: 400, copies: [.init(x: 0, y: 0, side: 400), .init(x: 400, y: 0, side: 400)])
        let coded = CodedPicture(scene.picture.coded(for: .right), .plain)
        let found = try RotatedDetector(detector).detect(
            in: coded.view, orientation: .right, canvas: CanvasSize(width: 400, height: 400),
            roi: NormalizedRect(x: 0.5, y: 0, width: 0.5, height: 1), threshold: 0.5)
        #expect(found.count == 1)
        #expect(try #require(found.first).bounds.iou(scene.faces[1]) >= 0.5)
    }

    @Test(arguments: [30.0, -30])
    func `a tilted look gives boxes in the upright picture`(degrees: Double) throws {
        let scene = try Scene(width: 640, height: 400, copies: [.init(x: 300, y: 10, side: 380)])
        let coded = CodedPicture(scene.picture, .plain)
        let found = try detector.detect(
            in: coded.view,
            Look(orientation: .up, canvas: CanvasSize(width: 640, height: 400), threshold: 0.3, tilt: degrees))
        let best = try #require(found.first)
        #expect(best.bounds.iou(scene.faces[0]) >= 0.5)
        let nose = try #require(best.landmarks).nose
        #expect(abs(nose.x * 640 - (300 + 225.0 / 512 * 380)) < 6)
        #expect(abs(nose.y * 400 - (10 + 122.0 / 512 * 380)) < 6)
    }
}

@Suite struct `Tiles` {
    let detector: CenterFaceDetector

    init() throws {
        detector = try CenterFaceDetector(model: checkedModel("centerface"))
    }

    @Test func `tiles find small faces that the whole picture's pass misses`() throws {
        let copies = [(40, 60), (930, 500), (1500, 90), (900, 20), (300, 850), (1700, 880)].map {
            Scene.Copy(x: $0.0, y: $0.1, side: 130)
        }
        let scene = try Scene(width: 1920, height: 1080, copies: copies)
        let coded = CodedPicture(scene.picture, .plain)
        func hits(_ found: [Detection]) -> Int {
            scene.faces.count { face in found.contains { $0.bounds.iou(face) >= 0.5 } }
        }
        let canvas = CanvasSize(width: 480, height: 270)
        let whole = try detector.detect(in: coded.view, orientation: .up, canvas: canvas, threshold: 0.5)
        let tiled = try TiledDetector(detector, columns: 3, rows: 3).detect(
            in: coded.view, orientation: .up, canvas: canvas, threshold: 0.5)
        #expect(hits(whole) < scene.faces.count)
        #expect(hits(tiled) == scene.faces.count)
        #expect(tiled.count == scene.faces.count)
    }

    @Test func `a large face seen whole and in parts is reported once, whole`() throws {
        let coded = CodedPicture(try Portrait.picture(side: 640), .plain)
        let found = try TiledDetector(detector, columns: 2, rows: 2, largestFace: 0.1).detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 320, height: 320), threshold: 0.5)
        #expect(try #require(found.first).bounds.iou(Portrait.face) >= 0.5)
        #expect(found.count == 1)
    }
}

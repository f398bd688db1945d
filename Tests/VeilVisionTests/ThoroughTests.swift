import Glibc
import Testing
import VeilCore
import VeilPixels

@testable import VeilVision

extension RGBPicture {
    /// Turned clockwise about its middle, at its own scale; what comes in from outside is gray.
    func rotated(by degrees: Double) -> RGBPicture {
        var out = RGBPicture(width: width, height: height)
        let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        let (midX, midY) = (Double(width - 1) / 2, Double(height - 1) / 2)
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = (Double(x) - midX, Double(y) - midY)
                let (fromX, fromY) = (u * c + v * s + midX, v * c - u * s + midY)
                guard fromX >= 0, fromY >= 0, fromX < Double(width - 1), fromY < Double(height - 1) else { continue }
                let (left, top) = (Int(fromX), Int(fromY))
                let (a, b) = (fromX - Double(left), fromY - Double(top))
                for plane in 0..<3 {
                    func sample(_ dx: Int, _ dy: Int) -> Double {
                        Double(planes[plane][(top + dy) * width + left + dx])
                    }
                    let upper = sample(0, 0) * (1 - a) + sample(1, 0) * a
                    let lower = sample(0, 1) * (1 - a) + sample(1, 1) * a
                    out.planes[plane][y * width + x] = UInt8(upper * (1 - b) + lower * b)
                }
            }
        }
        return out
    }
}

@Suite struct `Thorough looks` {
    let plain: CenterFaceDetector
    let thorough: ThoroughDetector

    init() throws {
        plain = try CenterFaceDetector(model: checkedModel("centerface"))
        thorough = ThoroughDetector(plain)
    }

    private let look = Look(orientation: .up, canvas: CanvasSize(width: 640, height: 360), threshold: 0.4)

    /// The portrait, 150 pixels large and in dim light, turned about its middle, and the place of its face's middle.
    private func turned(by degrees: Double) throws -> (picture: CodedPicture, face: NormalizedPoint) {
        var picture = RGBPicture(width: 640, height: 360)
        picture.paste(try Portrait.picture(side: 150).rotated(by: degrees), x: 200, y: 100)
        for plane in 0..<3 { picture.planes[plane] = picture.planes[plane].map { $0 / 10 * 3 } }
        let (u, v) = (Portrait.face.center.x - 0.5, Portrait.face.center.y - 0.5)
        let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        return (
            CodedPicture(picture, .plain),
            NormalizedPoint(
                x: (200 + 150 * (u * c - v * s + 0.5)) / 640, y: (100 + 150 * (u * s + v * c + 0.5)) / 360)
        )
    }

    /// Whether a box is about a face: it has the same middle and a like size.
    private func holds(_ found: [Detection], _ face: NormalizedPoint) -> Bool {
        found.contains {
            let size = Portrait.face.height * 150
            return abs($0.bounds.center.x - face.x) * 640 < 0.35 * size
                && abs($0.bounds.center.y - face.y) * 360 < 0.35 * size
                && (0.6...1.6).contains(max($0.bounds.width * 640, $0.bounds.height * 360) / size)
        }
    }

    @Test(arguments: [90.0, 180, 270])
    func `a face that lies on its side or stands on its head is found, and is missed by a plain look`(
        degrees: Double
    ) throws {
        let (picture, face) = try turned(by: degrees)
        #expect(try plain.detect(in: picture.view, look).isEmpty)
        let found = try thorough.detect(in: picture.view, look)
        #expect(holds(found, face) && found.count == 1)
    }

    @Test(arguments: [0.0, 45, -45, 135])
    func `a face at another angle is found once`(degrees: Double) throws {
        let (picture, face) = try turned(by: degrees)
        let found = try thorough.detect(in: picture.view, look)
        #expect(holds(found, face) && found.count == 1)
    }

    @Test func `faces of 14 pixels in a picture of 1920 by 1080 are found, and missed by a plain look`() throws {
        // The portrait's face is 0.18 of its side wide.
        let copies = [(80, 60), (1000, 500), (1500, 900)].map { Scene.Copy(x: $0.0, y: $0.1, side: 76) }
        let scene = try Scene(width: 1920, height: 1080, copies: copies)
        for face in scene.faces { #expect((13.5...14.5).contains(face.width * 1920)) }
        let coded = CodedPicture(scene.picture, .plain)
        func hits(_ detector: any FaceDetector, side: Int) throws -> Int {
            let canvas = CanvasSize.fitting(width: 1920, height: 1080, longSide: side)
            let found = try detector.detect(
                in: coded.view, Look(orientation: .up, canvas: canvas, threshold: look.threshold))
            return scene.faces.count { face in found.contains { $0.bounds.iou(face) >= 0.4 } }
        }
        #expect(try hits(plain, side: AnalysisSettings().detectorSide(width: 1920, height: 1080)) == 0)
        #expect(try hits(thorough, side: AnalysisSettings.thorough.detectorSide(width: 1920, height: 1080)) == 3)
    }

    @Test func `a part of a picture is turned but not tiled, and turned looks are never larger than straight ones`()
        throws
    {
        let counter = LookCounter()
        let detector = ThoroughDetector(counter)
        let picture = CodedPicture(RGBPicture(width: 192, height: 108), .plain)
        let canvas = CanvasSize(width: 1920, height: 1080)
        _ = try detector.detect(in: picture.view, Look(orientation: .up, canvas: canvas, threshold: 0.1))
        #expect(counter.looks.count == 10)
        #expect(counter.looks.count { $0.roi != .whole } == 4)
        for look in counter.looks where look.tilt != 0 || look.orientation != .up {
            #expect(look.canvas.longSide == 960 && look.threshold == ThoroughDetector.turnedThreshold)
        }
        for look in counter.looks where look.tilt == 0 && look.orientation == .up { #expect(look.threshold == 0.1) }

        counter.looks = []
        let part = NormalizedRect(x: 0.2, y: 0.2, width: 0.4, height: 0.3)
        let small = CanvasSize(width: 192, height: 81)
        _ = try detector.detect(in: picture.view, Look(orientation: .up, canvas: small, roi: part, threshold: 0.5))
        #expect(counter.looks.count == 6)
        for look in counter.looks {
            #expect(look.canvas.longSide == 192 && look.threshold == 0.5)
            #expect(abs(look.roi.area - part.area) < 1e-12)
        }
    }
}

/// Finds nothing and remembers what it was asked.
// @unchecked: used by one test on one thread.
private final class LookCounter: FaceDetector, @unchecked Sendable {
    var looks: [Look] = []

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        looks.append(look)
        return []
    }
}

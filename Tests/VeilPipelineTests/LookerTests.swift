import Testing
import VeilCore
import VeilPixels
import VeilVision

@testable import VeilPipeline

@Suite struct LookerTests {
    private let box = PixelBox(x: 130, y: 60, width: 44, height: 56)
    private var film: Film {
        let box = box
        return Film(frames: 1, faces: { _ in [FilmFace(name: 0, box: box)] })
    }

    private func looker(_ detector: ScriptedDetector, _ change: (inout AnalysisSettings) -> Void = { _ in }) -> Looker {
        var settings = AnalysisSettings()
        change(&settings)
        return Looker(detector: detector, settings: settings)
    }

    @Test func `a picture is looked at whole, no larger than it is, down to the lowest score that may count`() throws {
        let detector = ScriptedDetector { _ in [Detection(bounds: .whole, score: 0.1)] }
        let looker = looker(detector)
        let found = try film.show(0) { (picture) throws(VisionError) in try looker.faces(in: picture) }
        #expect(found.count == 1)
        let look = try #require(detector.calls.first?.look)
        #expect(look.roi == .whole && look.canvas == CanvasSize(width: 320, height: 180))
        #expect(look.threshold == looker.settings.continueThreshold)
    }

    @Test(arguments: [(1, 6), (6, 1), (1, 128), (128, 1), (1, 3), (3, 1)])
    func `a very long picture is looked at in parts that overlap and leave nothing out`(across: Int, down: Int) throws {
        let detector = ScriptedDetector { _ in [] }
        let looker = looker(detector)
        // Tall or wide by the shape of its samples: 16:9 times across to down, and so on.
        try film.show(0) { (picture) throws(VisionError) in
            var long = picture
            long.sampleAspectRatio = Rational(9 * across, 16 * down)
            _ = try looker.faces(in: long)
        }
        let rois = detector.calls.map(\.look.roi)
        let (shape, isWide) = (Double(max(across, down)), across > down)
        if shape <= 3 {
            #expect(rois == [.whole])
            return
        }
        let spans = rois.map { isWide ? ($0.x, $0.maxX) : ($0.y, $0.maxY) }
        #expect(abs(spans[0].0) < 1e-9 && abs(spans[spans.count - 1].1 - 1) < 1e-9)
        for (a, b) in zip(spans, spans.dropFirst()) {
            // A face as long as the short side fits into one of two neighbours.
            #expect(a.1 - b.0 >= 1 / shape - 1e-9)
        }
        for call in detector.calls {
            let (long, short) = (call.look.canvas.longSide, min(call.look.canvas.width, call.look.canvas.height))
            #expect(Double(long) <= 2.1 * Double(short) + 1)
        }
    }

    @Test func `no shape takes more looks than a bounded number`() throws {
        let detector = ScriptedDetector { _ in [] }
        let looker = looker(detector)
        try film.show(0) { (picture) throws(VisionError) in
            var long = picture
            long.sampleAspectRatio = Rational(1_000_000, 1)
            _ = try looker.faces(in: long)
        }
        #expect(detector.calls.count == 127)
    }

    @Test func `the picture that is looked at has the size asked for and the shape that is displayed`() throws {
        let detector = ScriptedDetector { _ in [] }
        let looker = looker(detector) { $0.detectSize = 128 }
        try film.show(0) { (picture) throws(VisionError) in
            _ = try looker.faces(in: picture)
            var oblong = picture
            // Shown as 320 by 360.
            oblong.sampleAspectRatio = Rational(1, 2)
            _ = try looker.faces(in: oblong)
        }
        #expect(
            detector.calls.map(\.look.canvas) == [
                CanvasSize(width: 128, height: 72), CanvasSize(width: 114, height: 128),
            ])
    }

    @Test func `the smallest face asked for decides the size`() throws {
        let detector = ScriptedDetector { _ in [] }
        // 12 of 180 rows at a third of the size are 4 pixels; at 320 they would be 12.
        for share in [0.4, 0.01] {
            let looker = looker(detector) {
                $0.detectSize = 0
                $0.minFaceShare = share
            }
            try film.show(0) { (picture) throws(VisionError) in _ = try looker.faces(in: picture) }
        }
        for call in detector.calls { #expect(call.look.canvas == CanvasSize(width: 320, height: 180)) }
    }

    @Test(arguments: [
        NormalizedRect(x: 0.4, y: 0.3, width: 0.1, height: 0.2),
        NormalizedRect(x: 0.94, y: 0.85, width: 0.1, height: 0.2),
    ])
    func `a closer look is at the face's neighbourhood, in its displayed shape`(face: NormalizedRect) throws {
        let detector = ScriptedDetector { _ in [Detection(bounds: face, score: 0.9)] }
        let looker = looker(detector)
        for aspect in [Rational(1, 1), Rational(2, 1)] {
            let found = try film.show(0) { (picture) throws(VisionError) in
                var picture = picture
                picture.sampleAspectRatio = aspect
                return try looker.closer(at: face, in: picture)
            }
            #expect(found?.bounds == face)
            let look = try #require(detector.calls.last?.look)
            #expect(NormalizedRect.whole.contains(look.roi, tolerance: 1e-9))
            // At least half a face more on each side, as far as there is picture.
            #expect(look.roi.contains(face.scaled(by: 2).intersection(.whole), tolerance: 1e-9))
            let shape = look.roi.width * Double(Film.width) * aspect.value / (look.roi.height * Double(Film.height))
            #expect(abs(Double(look.canvas.width) / Double(look.canvas.height) / shape - 1) < 0.02)
            // The face takes up enough of it to be seen.
            let scale = Double(look.canvas.height) / look.roi.height
            #expect(max(face.height, face.width * aspect.value * Double(Film.width) / Double(Film.height)) * scale > 50)
        }
    }

    @Test func `a closer look takes the face at the place and no other`() throws {
        let face = Film.normalized(box)
        let near = Detection(bounds: face.offset(dx: 0.02, dy: 0), score: 0.3)
        let others = [
            Detection(bounds: face.offset(dx: 0.13, dy: 0), score: 0.95),
            Detection(bounds: face.scaled(by: 0.3), score: 0.9),
        ]
        let film = film
        func closer(_ seen: [Detection]) throws -> Detection? {
            let looker = looker(ScriptedDetector { _ in seen })
            return try film.show(0) { (picture) throws(VisionError) in try looker.closer(at: face, in: picture) }
        }
        #expect(try closer(others) == nil)
        #expect(try closer(others + [near]) == near)
        #expect(try closer([]) == nil)
    }

    @Test func `there is no closer look at what is outside or too small to see`() throws {
        let detector = ScriptedDetector { _ in [Detection(bounds: .whole, score: 1)] }
        let looker = looker(detector)
        try film.show(0) { (picture) throws(VisionError) in
            for place in [
                NormalizedRect(x: 1.5, y: 0.3, width: 0.1, height: 0.2),
                NormalizedRect(x: 0.4, y: 0.3, width: 0.01, height: 0.01),
            ] {
                let found = try looker.closer(at: place, in: picture)
                #expect(found == nil)
            }
        }
        #expect(detector.calls.isEmpty)
    }

    @Test func `a thorough look is many looks, at parts and turned, and its faces are reported once`() throws {
        let face = Film.normalized(box)
        let detector = ScriptedDetector { _ in [Detection(bounds: face, score: 0.9)] }
        #expect(DetectorLoader.fit(detector, to: AnalysisSettings()) === detector)
        var settings = AnalysisSettings.thorough
        settings.detectEvery = 1
        let looker = Looker(detector: DetectorLoader.fit(detector, to: settings), settings: settings)
        let found = try film.show(0) { (picture) throws(VisionError) in try looker.faces(in: picture) }
        #expect(found.contains { $0.bounds == face })
        #expect(detector.calls.contains { $0.look.roi != .whole })
        #expect(detector.calls.contains { $0.look.tilt != 0 })
        #expect(Set(detector.calls.map(\.look.orientation)) == [.up, .right, .down, .left])
    }
}

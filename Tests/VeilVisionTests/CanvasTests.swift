import Testing
import VeilCore
import VeilPixels
import VeilVision

@Suite struct `Canvas sizes` {
    @Test(arguments: [
        (1920, 1080, Rational(1, 1), 640, 640, 360),
        (1080, 1920, Rational(1, 1), 640, 360, 640),
        // Never larger than the picture.
        (320, 240, Rational(1, 1), 640, 320, 240),
        // PAL widescreen: 1024 × 576 displayed.
        (720, 576, Rational(64, 45), 640, 640, 360),
        (720, 576, Rational(64, 45), 2000, 720, 405),
        // Tall samples: 540 × 960 displayed, with no more rows than there are.
        (1080, 960, Rational(1, 2), 2000, 540, 960),
        // An unknown ratio counts as square.
        (640, 480, Rational(0, 1), 320, 320, 240),
        (640, 480, Rational(1, 0), 320, 320, 240),
        (10_000, 1, Rational(1, 1), 640, 640, 1),
    ])
    func `a canvas has the displayed aspect and doesn't enlarge`(
        width: Int, height: Int, ratio: Rational, longSide: Int, wantedWidth: Int, wantedHeight: Int
    ) {
        let size = CanvasSize.fitting(width: width, height: height, sampleAspectRatio: ratio, longSide: longSide)
        #expect(size == CanvasSize(width: wantedWidth, height: wantedHeight))
    }

    @Test func `a canvas enlarges where that is asked for`() {
        #expect(
            CanvasSize.fitting(width: 320, height: 240, longSide: 640, enlarging: true)
                == CanvasSize(width: 640, height: 480))
    }
}

@Suite struct `Luma canvases` {
    /// Dark on the left, bright on the right, a bright band at the top.
    private func pattern() -> RGBPicture {
        var picture = RGBPicture(width: 64, height: 48)
        for c in 0..<3 {
            for y in 0..<48 { for x in 0..<64 { picture.planes[c][y * 64 + x] = y < 8 ? 255 : x < 32 ? 0 : 128 } }
        }
        return picture
    }

    @Test(
        arguments: Orientation.allCases,
        [
            Coding.plain, Coding(name: "10-bit", depth: 10, shiftX: 1, shiftY: 1), Coding(name: "gbr", model: .gbr),
            Coding(name: "gray, full range", model: .gray, fullRange: true),
            Coding(name: "bottom-up", shiftX: 1, shiftY: 1, bottomUp: true, padding: 16),
        ])
    func `luma is upright and of full range`(orientation: Orientation, coding: Coding) throws {
        let coded = CodedPicture(pattern().coded(for: orientation), coding)
        let luma = try LumaPicture(of: coded.view, orientation: orientation, canvas: CanvasSize(width: 16, height: 12))
        for (x, y, value) in [(1, 0, 255), (14, 0, 255), (1, 6, 0), (14, 6, 128), (1, 11, 0), (14, 11, 128)] {
            #expect(abs(Int(luma.samples[y * 16 + x]) - value) <= 1)
        }
    }

    @Test func `a region is what the canvas shows`() throws {
        let coded = CodedPicture(pattern().coded(for: .right), .plain)
        let luma = try LumaPicture(
            of: coded.view, orientation: .right, canvas: CanvasSize(width: 8, height: 8),
            roi: NormalizedRect(x: 0.5, y: 0.25, width: 0.5, height: 0.75))
        #expect(luma.samples.allSatisfy { abs(Int($0) - 128) <= 1 })
    }

    @Test(arguments: [
        CanvasSize(width: 0, height: 4), CanvasSize(width: -1, height: 4), CanvasSize(width: 4, height: .max),
    ])
    func `a senseless canvas is an error`(canvas: CanvasSize) {
        let coded = CodedPicture(RGBPicture(width: 8, height: 8), .plain)
        #expect(throws: VisionError.self) { try LumaPicture(of: coded.view, orientation: .up, canvas: canvas) }
    }
}

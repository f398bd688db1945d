import Testing
import VeilCore

@Suite struct SettingsTests {
    /// How large a face of some share of the picture's height is in the picture that the detector sees.
    private func seen(_ settings: AnalysisSettings, face: Double, width: Int, height: Int) -> Double {
        let scale = Double(settings.detectorSide(width: width, height: height)) / Double(max(width, height))
        return face * scale
    }

    @Test func `a size that was named is taken whatever the picture`() {
        var settings = AnalysisSettings()
        settings.detectSize = 416
        settings.minFace = 8
        settings.thorough = true
        #expect(settings.detectorSide(width: 3840, height: 2160) == 416)
        #expect(settings.detectorSide(width: 64, height: 64) == 416)
    }

    @Test(arguments: [(640, 360, 640), (1280, 720, 640), (1920, 1080, 960), (1080, 1920, 960), (7680, 4320, 1920)])
    func `without a smallest face the size is half the picture's within limits, and no less when thorough`(
        width: Int, height: Int, side: Int
    ) {
        #expect(AnalysisSettings().detectorSide(width: width, height: height) == side)
        let thorough = AnalysisSettings.thorough.detectorSide(width: width, height: height)
        #expect(thorough >= side && thorough >= 1280)
        #expect(AnalysisSettings.fast.detectorSide(width: width, height: height) < 640)
    }

    @Test func `samples that aren't square count as they are displayed`() {
        let side = AnalysisSettings().detectorSide(width: 1440, height: 1080, sampleAspectRatio: Rational(4, 3))
        #expect(side == 960)
    }

    @Test(arguments: [(1920, 1080), (1080, 1920), (1280, 720), (3840, 2160), (1000, 1000)], [14.0, 24, 30])
    func `the smallest face asked for is some 12 pixels high in what the detector sees`(
        size: (width: Int, height: Int), face: Double
    ) {
        var settings = AnalysisSettings()
        settings.minFace = face
        let side = settings.detectorSide(width: size.width, height: size.height)
        #expect(320...1920 ~= side)
        if side > 320 && side < 1920 {
            let seen = seen(settings, face: face, width: size.width, height: size.height)
            #expect(seen >= 12 && seen < 12.1)
        }
        // The same in percent of the height.
        var shared = AnalysisSettings()
        shared.minFaceShare = face / Double(size.height)
        #expect(abs(shared.detectorSide(width: size.width, height: size.height) - side) <= 1)
    }

    @Test func `the larger of the two smallest sizes counts`() {
        var settings = AnalysisSettings()
        settings.minFace = 24
        let byPixels = settings.detectorSide(width: 1920, height: 1080)
        #expect(byPixels == 960)
        settings.minFaceShare = 0.01
        #expect(settings.detectorSide(width: 1920, height: 1080) == byPixels)
        settings.minFaceShare = 48.0 / 1080
        #expect(settings.detectorSide(width: 1920, height: 1080) == 480)
    }

    @Test func `the size keeps within its limits`() {
        var settings = AnalysisSettings()
        settings.minFace = 2
        #expect(settings.detectorSide(width: 3840, height: 2160) == 1920)
        settings.minFace = 2000
        #expect(settings.detectorSide(width: 3840, height: 2160) == 320)
        for face in [.nan, .infinity, -3] as [Double] {
            settings.minFace = face
            #expect(settings.detectorSide(width: 1920, height: 1080) == 960)
        }
        settings.minFace = 24
        #expect(320...1920 ~= settings.detectorSide(width: 0, height: 0))
        #expect(320...1920 ~= settings.detectorSide(width: .max, height: 1))
    }

    @Test func `oblong samples count as what is displayed`() {
        var settings = AnalysisSettings()
        settings.minFace = 24
        // 1440 samples across that are shown as 1920.
        let side = settings.detectorSide(width: 1440, height: 1080, sampleAspectRatio: Rational(4, 3))
        #expect(side == settings.detectorSide(width: 1920, height: 1080))
        #expect(
            settings.detectorSide(width: 1440, height: 1080, sampleAspectRatio: Rational(0, 1))
                == settings.detectorSide(width: 1440, height: 1080))
    }

    @Test(arguments: [(25.0, 3), (30, 4), (24, 3), (60, 5), (240, 5), (8, 1), (1, 1), (0, 1), (.nan, 1)])
    func `looks are about eight a second and at most five frames apart`(rate: Double, interval: Int) {
        #expect(AnalysisSettings().interval(frameRate: rate) == interval)
        var settings = AnalysisSettings()
        settings.detectEvery = 7
        #expect(settings.interval(frameRate: rate) == 7)
    }

    @Test func `presets survive a plan`() throws {
        for settings in [AnalysisSettings(), .thorough, .fast] {
            var plan = RedactionPlan.sample()
            plan.settings = settings
            #expect(try RedactionPlan(json: plan.encoded()).settings == settings)
        }
    }
}

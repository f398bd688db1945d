import Testing
import VeilCore
import VeilMedia
import VeilTestSupport

@testable import VeilPipeline

/// What happens to frames that a plan doesn't know: they are never passed through.
@Suite struct AbsentFrameTests {
    private func redaction(_ policy: DamagePolicy) throws -> Redaction {
        var settings = RedactionSettings()
        settings.onError = policy
        settings.models = Places.checkout + "/Models"
        settings.analysis.detectSize = 320
        settings.analysis.detectEvery = 4
        settings.encoder = EncoderSettings(codec: .h264, preset: "ultrafast")
        return try Redaction(settings: settings)
    }

    @Test(arguments: [[3], [0], [7], [0, 1, 2, 3, 4, 5, 6, 7], [2, 5]])
    func `frames that the plan lacks are an error, or covered whole`(missing: [Int]) throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4")
        let stopping = try redaction(.stop)
        var plan = try stopping.analyse(input)
        try #require(plan.frames.count == 8 && plan.frames.allSatisfy { !$0.regions.isEmpty })
        // As of a plan that was made for another cut of the file.
        plan.frames = plan.frames.enumerated().filter { !missing.contains($0.offset) }.map(\.element)
        plan.tracks = []
        plan.frames = plan.frames.map { PlannedFrame(pts: $0.pts, coverWhole: $0.coverWhole) }
        plan.source.frames = plan.frames.count

        #expect(throws: VeilError.self) { _ = try stopping.render(input, plan: plan, to: folder.file("stop.mp4")) }
        #expect(folder.names == ["in.mp4"])

        let output = folder.file("cover.mp4")
        let result = try redaction(.cover).render(input, plan: plan, to: output)
        #expect(result.framesWritten == 8 && result.framesCoveredWhole == missing.count)
        let (before, after) = (try RawPictures(input), try RawPictures(output))
        for frame in 0..<8 {
            let left = before.detailLeft(in: after, frame: frame, box: Portrait.face(frame))
            // The plan covers nothing: the frames that it knows stay as they are, the others are covered.
            #expect(missing.contains(frame) ? left < 0.12 : left > 0.8, "frame \(frame)")
        }
    }

    @Test func `a frame that is to be covered whole shows nothing of the picture`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4", frames: 4)
        let redaction = try redaction(.stop)
        var plan = try redaction.analyse(input)
        plan.frames[2].coverWhole = true
        let result = try redaction.render(input, plan: plan, to: folder.file("out.mp4"))
        #expect(result.framesCoveredWhole == 1)
        let (before, after) = (try RawPictures(input), try RawPictures(folder.file("out.mp4")))
        let everywhere = Box(x: 3, y: 3, width: 314, height: 174)
        #expect(before.detailLeft(in: after, frame: 2, box: everywhere) < 0.12)
        #expect(before.detailLeft(in: after, frame: 1, box: everywhere) > 0.3)
    }

    @Test func `cancelling leaves no file behind`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4")
        let redaction = try redaction(.stop)
        let plan = try redaction.analyse(input)
        let error = #expect(throws: VeilError.self) {
            _ = try redaction.render(
                input, plan: plan, to: folder.file("out.mp4"), observer: Observer(isCancelled: { true }))
        }
        guard case .cancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(folder.names == ["in.mp4"])
    }
}

@Suite struct GeometryTests {
    private func geometry(_ file: String) throws -> Geometry {
        let source = try VideoSource(file: file)
        guard let frame = try source.nextFrame() else { throw Tool.Failure(description: "no frame") }
        return Geometry(of: frame, source: source)
    }

    @Test func `a plain picture is as it is coded`() throws {
        let folder = try TemporaryFolder()
        let plain = try geometry(Clip.make(in: folder, "in.mp4", frames: 1))
        #expect(plain.orientation == .up && plain.uprightSize == (320, 180) && plain.uprightAspect.value == 1)
        let mask = plain.mask(
            Region(
                track: 1, shape: Shape(inscribedIn: NormalizedRect(x: 0.25, y: 0.5, width: 0.25, height: 0.5)),
                origin: .detected),
            scale: 1.5)
        #expect((mask.centerX, mask.centerY, mask.radiusX, mask.radiusY) == (120, 135, 60, 67.5))
        // The cells follow the face, not the mask.
        #expect((mask.faceWidth, mask.faceHeight) == (80, 90))
    }

    @Test func `samples that aren't square stretch the upright picture, not the mask's place`() throws {
        let folder = try TemporaryFolder()
        let wide = try geometry(Clip.make(in: folder, "in.mp4", frames: 1, filter: "setsar=4/3,format=yuv420p"))
        #expect(wide.uprightSize == (320, 180) && wide.uprightAspect == Rational(4, 3))
        let mask = wide.mask(
            Region(
                track: 1, shape: Shape(inscribedIn: NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)),
                origin: .detected),
            scale: 1)
        #expect((mask.centerX, mask.centerY, mask.radiusX, mask.radiusY) == (80, 45, 80, 45))
    }

    @Test func `a turned picture is measured upright`() throws {
        let folder = try TemporaryFolder()
        let plain = try Clip.make(in: folder, "plain.mp4", frames: 1, filter: "setsar=4/3,format=yuv420p")
        let turned = folder.file("turned.mp4")
        try Tool.ffmpeg(["-i", plain, "-c", "copy", "-metadata:s:v", "rotate=90", turned])
        let side = try geometry(turned)
        #expect(side.orientation == .right || side.orientation == .left)
        #expect(side.uprightSize == (180, 320) && side.uprightAspect == Rational(3, 4))
    }
}

import Testing
import VeilCore
import VeilMedia
import VeilPixels
import VeilVision

@testable import VeilLive

@Suite struct `A live picture` {
    private func walker(_ speed: Int = 2) -> Stage {
        var stage = Stage()
        stage.faces = { [Stage.PixelArea(x: 30 + speed * $0, y: 60)] }
        return stage
    }

    private func settings(_ change: (inout LiveSettings) -> Void) -> LiveSettings {
        var settings = LiveSettings(input: LiveInputSettings(.file("stage")))
        change(&settings)
        return settings
    }

    @Test(arguments: [0, 2, 4])
    func `covers a walking face between late detections, and leaves the rest as it is`(speed: Int) throws {
        let shown = try walker(speed).play(45)
        #expect(shown.map(\.frame) == Array(0..<45))
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames == [0, 1, 2])
        #expect(shown.dropFirst(3).allSatisfy { $0.kept > 0.8 })
    }

    @Test func `shows no face while the detector never answers`() throws {
        var stage = walker()
        stage.isStarved = { _ in true }
        let shown = try stage.play(20)
        #expect(shown.bareFrames == [] && shown.wholeFrames.count == 20)
    }

    @Test func `shows no face while the detector is starved for a time, and recovers`() throws {
        var stage = walker()
        stage.isStarved = { (10..<30).contains($0) }
        let shown = try stage.play(45)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(25) && !shown.wholeFrames.contains(40))
    }

    @Test func `shows no face while the detector throws, and recovers`() throws {
        var stage = walker()
        stage.detect = { stage, frame in (9..<20).contains(frame) ? nil : stage.truth(frame) }
        let shown = try stage.play(40)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(15) && !shown.wholeFrames.contains(35))
    }

    @Test func `shows no face in a new scene`() throws {
        var stage = Stage()
        stage.wall = { $0 < 14 ? 1 : 2 }
        stage.faces = { $0 < 14 ? [Stage.PixelArea(x: 30, y: 60)] : [Stage.PixelArea(x: 200, y: 100)] }
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(14) && !shown.wholeFrames.contains(25))
    }

    @Test func `shows no face when the light jumps`() throws {
        var stage = walker(0)
        stage.light = { $0 < 14 ? 0 : 50 }
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(14) && !shown.wholeFrames.contains(25))
    }

    @Test func `shows no face after the view was changed`() throws {
        var stage = Stage()
        // A zoom: everything moves away from the middle, and the picture stays much the same.
        stage.faces = {
            $0 < 14 ? [Stage.PixelArea(x: 130, y: 60)] : [Stage.PixelArea(x: 90, y: 30, width: 60, height: 72)]
        }
        stage.newViews = [14]
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(14) && !shown.wholeFrames.contains(25))
    }

    @Test func `shows no face in a broken frame, nor after it until a frame was looked at`() throws {
        var stage = walker()
        stage.damaged = [15]
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(15) && shown.wholeFrames.contains(16))
        #expect(!shown.wholeFrames.contains(25))
    }

    @Test func `covers what the newest look has found for as long as the look counts`() throws {
        var stage = walker(0)
        stage.isStarved = { $0 >= 10 }
        let shown = try stage.play(80, settings { $0.maxAge = 5 })
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames == [0, 1, 2])
    }

    @Test func `takes no look at a broken frame for a look at those after it`() throws {
        var stage = Stage()
        // Somebody steps in while frame 15 is broken, and just that frame is looked at.
        stage.faces = { $0 < 16 ? [] : [Stage.PixelArea(x: 100, y: 60)] }
        stage.damaged = [15]
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(18) && !shown.wholeFrames.contains(25))
    }

    @Test func `covers what comes after a standstill that the source's clock doesn't know of`() throws {
        var stage = Stage()
        stage.faces = { $0 < 14 ? [] : [Stage.PixelArea(x: 100, y: 60)] }
        stage.standstill = (frame: 14, seconds: 1)
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames.contains(14) && !shown.wholeFrames.contains(25))
    }

    @Test func `shows no face where answers come later than pictures are kept`() throws {
        var stage = walker(0)
        stage.lookFrames = LiveTracker.memory + 4
        let shown = try stage.play(3 * LiveTracker.memory, settings { $0.maxAge = 30 })
        #expect(shown.bareFrames == [])
    }

    @Test func `keeps a face covered that the detector misses for a while`() throws {
        var stage = walker()
        stage.detect = { stage, frame in (12..<20).contains(frame) ? [] : stage.truth(frame) }
        #expect(try stage.play(40).bareFrames == [])
    }

    @Test func `keeps a face covered for as long as an old search may vouch for the picture`() throws {
        var stage = walker()
        stage.isStarved = { (10..<70).contains($0) }
        let shown = try stage.play(80, settings { $0.maxAge = 10 })
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames == [0, 1, 2])
    }

    @Test func `covers what the camera turns to until it was searched`() throws {
        var stage = Stage()
        stage.camera = { 8 * $0 }
        // A face of the wall, which comes in from the right in frame 15.
        stage.faces = { frame in
            let x = 440 - 8 * frame
            return x < Stage.width ? [Stage.PixelArea(x: x, y: 60)] : []
        }
        let shown = try stage.play(30)
        #expect(shown.bareFrames == [])
        #expect(shown.wholeFrames == [0, 1, 2])
        #expect(shown.dropFirst(3).allSatisfy { $0.kept > 0.5 })
    }

    @Test func `covers a face in the very frame in which it appears, with a delay`() throws {
        var stage = Stage()
        stage.faces = { $0 < 20 ? [] : [Stage.PixelArea(x: 100 + $0, y: 60)] }
        let late = try stage.play(45)
        // Without a delay the first frames of a new face can't be covered: the detector hasn't seen them yet.
        #expect(late.bareFrames.first == 20 && late.bareFrames.count <= 6)
        let held = try stage.play(45, settings { $0.delay = .auto })
        #expect(held.map(\.frame) == Array(0..<45))
        #expect(held.bareFrames == [])
        #expect(held.wholeFrames.count < 5)
    }

    @Test func `shows everything at once when it is told to fail open`() throws {
        let shown = try walker().play(10, settings { $0.failsOpen = true })
        #expect(shown.bareFrames.first == 0)
        #expect(shown.wholeFrames == [])
    }

    @Test func `shows one still cover while it is paused`() throws {
        let stage = walker()
        let core = try LiveCore(settings { _ in })
        core.isPaused = true
        var pictures: [SharedFrame] = []
        for frame in 0..<5 {
            let time = Double(frame) / 30
            core.arrive(
                LiveFrame(
                    picture: try stage.picture(frame), number: frame, time: time, arrival: time, isDamaged: false))
            let shown = try #require(try core.nextShown(now: time))
            #expect(shown.verdict == .whole(.paused))
            pictures.append(shown.picture)
        }
        #expect(pictures.allSatisfy { $0 === pictures[0] })
    }

    @Test func `keeps its effect when another one would cover nothing`() throws {
        let core = try LiveCore(settings { _ in })
        let before = core.settings.chain
        core.use(FilterChain(effects: []))
        #expect(core.settings.chain == before)
        core.use(FilterChain(effects: [.blur()]))
        #expect(core.settings.chain.effects == [.blur()])
    }
}

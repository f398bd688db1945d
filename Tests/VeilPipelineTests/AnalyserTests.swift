import Glibc
import Testing
import VeilCore
import VeilVision

@testable import VeilPipeline

/// How a film's face moves.
enum Motion: String, Sendable, CaseIterable {
    case still, walking, running, circling, approaching

    func box(_ frame: Int) -> PixelBox {
        switch self {
        case .still: PixelBox(x: 140, y: 60, width: 40, height: 52)
        case .walking: PixelBox(x: 20 + 3 * frame, y: 60 + frame / 4, width: 40, height: 52)
        case .running: PixelBox(x: 10 + 9 * (frame < 28 ? frame : 56 - frame), y: 60, width: 40, height: 52)
        case .circling:
            PixelBox(
                x: 140 + Int(60 * sin(Double(frame) * 0.15)), y: 60 + Int(40 * cos(Double(frame) * 0.15)), width: 40,
                height: 52)
        case .approaching:
            PixelBox(x: 150 - frame / 2, y: 70 - frame / 2, width: 26 + frame, height: 34 + frame * 13 / 10)
        }
    }

    /// Alone in the picture, for 56 frames.
    var film: Film { Film(frames: 56, faces: { [FilmFace(name: 0, box: box($0))] }) }
}

@Suite struct AnalyserTests {
    // MARK: Hostile times

    /// Shows a still picture so many times, at times that hardly advance; the detector sees what a script says.
    private func analyse(
        _ frames: Int, step: Double, linger: Double = 0.15, _ script: @escaping @Sendable (Int) -> [Detection]
    ) throws -> (tracks: [Track], most: Int, last: Int) {
        var settings = AnalysisSettings()
        settings.detectEvery = 5
        settings.linger = linger
        let film = Film(frames: 1, faces: { _ in [] })
        var samples = film.samples(0)
        var analyser = try Analyser(settings: settings, detector: ScriptedDetector(script))
        var most = 0
        for frame in 0..<frames {
            samples[0] = UInt8(truncatingIfNeeded: frame)
            samples[1] = UInt8(truncatingIfNeeded: frame >> 8)
            try Film.show(&samples) { (picture) throws(VisionError) in
                try analyser.add(picture, time: Double(frame) * step)
            }
            most = max(most, analyser.facesNow)
        }
        let last = analyser.facesNow
        return (analyser.finish(), most, last)
    }

    private static let seen = Detection(bounds: NormalizedRect(x: 0.4, y: 0.3, width: 0.15, height: 0.3), score: 0.9)

    @Test func `a newcomer is followed back no farther than pictures are kept, whatever the times`() throws {
        let found = try analyse(200, step: 0) { $0 >= 150 ? [Self.seen] : [] }
        #expect(found.tracks.count == 1)
        let first = try #require(found.tracks.first)
        #expect(first.firstSeen - first.firstFrame <= 49 && first.firstFrame < first.firstSeen)
    }

    @Test func `a face that nobody sees any more is given up, though the clock stands still`() throws {
        let found = try analyse(1100, step: 0) { $0 < 20 ? [Self.seen] : [] }
        #expect(found.most == 1 && found.last == 0 && found.tracks.count == 1)
        // A linger time that was asked for is held.
        let held = try analyse(1100, step: 0.005, linger: 6) { $0 < 20 ? [Self.seen] : [] }
        #expect(held.last == 1 && held.tracks.first?.lastFrame == 1099)
    }

    /// Every box that was detected lies inside the region of its frame.
    private func expectHeld(
        _ result: Analysis, _ script: (Int) -> [Detection], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for frame in Set(result.detector.looks) {
            for seen in script(frame) {
                #expect(
                    result.regions(frame).contains { $0.contains(seen.bounds, tolerance: 1e-9) }, "frame \(frame)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    // MARK: Between sightings

    @Test(arguments: Motion.allCases, [1, 3, 5])
    func `every frame between two looks is covered, however the face moves`(motion: Motion, every: Int) throws {
        let film = motion.film
        let result = try film.analyse(every: every, film.seen())
        #expect(result.uncovered(film, 0..<film.frames) == [])
        #expect(result.tracks.count == 1)
        #expect(result.cuts == [])
        expectHeld(result, film.seen())
        // Looks cost far more than following: there are few beyond those that were asked for.
        #expect(result.detector.looks.count <= film.frames * 3 / (2 * every) + 3)
    }

    @Test func `looks come at least as often as asked`() throws {
        let film = Motion.walking.film
        let looks = Set(try film.analyse(every: 4, film.seen()).detector.looks).sorted()
        #expect(looks.first == 0 && looks.last == film.frames - 1)
        for (a, b) in zip(looks, looks.dropFirst()) { #expect(b - a <= 4) }
    }

    @Test(arguments: [1, 3, 5], [0, 1, 2])
    func `a camera that swings by a tenth of the picture a frame loses nobody`(every: Int, gap: Int) throws {
        var film = Motion.still.film
        // Four frames to one side, four back; the face stays in the world.
        let swing: @Sendable (Int) -> Int = { frame in
            let phase = frame % 8
            return 32 * (phase < 4 ? phase : 8 - phase) - 64
        }
        film.camera = { (swing($0), 0) }
        film.faces = { [FilmFace(name: 0, box: PixelBox(x: 140 - swing($0), y: 60, width: 40, height: 52))] }
        // Between sightings the detector is blind for some frames.
        let script = film.seen { gap == 0 || $0 % (gap + 1) == 0 }
        let result = try film.analyse(every: every, script)
        #expect(result.uncovered(film, 0..<film.frames - gap) == [])
        #expect(result.cuts == [])
    }

    @Test(arguments: [3, 5])
    func `a camera that follows a face loses it not`(every: Int) throws {
        var film = Motion.still.film
        film.camera = { (20 * $0, 0) }
        let result = try film.analyse(every: every, film.seen())
        #expect(result.uncovered(film, 0..<film.frames) == [])
    }

    @Test(arguments: Motion.allCases)
    func `light that flickers loses nobody`(motion: Motion) throws {
        var film = motion.film
        film.light = { [1, 0.6, 1.15, 0.75][$0 % 4] }
        let result = try film.analyse(every: 5, film.seen())
        #expect(result.uncovered(film, 0..<film.frames) == [])
        #expect(result.tracks.count == 1 && result.cuts == [])
    }

    @Test(arguments: Motion.allCases, [1, 3, 5])
    func `half a second in which the detector is blind is bridged`(motion: Motion, every: Int) throws {
        let film = motion.film
        let result = try film.analyse(every: every, film.seen { !(20..<32).contains($0) })
        #expect(result.uncovered(film, 0..<film.frames) == [])
        #expect(result.tracks.count == 1)
    }

    @Test(arguments: [0.3, 0.6, 1.5], [1, 3, 5])
    func `a detection that jumps aside never bares the face`(share: Double, every: Int) throws {
        let film = Motion.walking.film
        let plain = film.seen()
        let script: @Sendable (Int) -> [Detection] = { frame in
            // In one look the box is beside the face.
            guard (25..<25 + every).contains(frame) else { return plain(frame) }
            return plain(frame).map {
                Detection(bounds: $0.bounds.offset(dx: share * $0.bounds.width, dy: 0), score: $0.score)
            }
        }
        let result = try film.analyse(every: every, script)
        expectHeld(result, script)
        for frame in 0..<film.frames {
            // A small jump may leave the face's edge out, not what tells who it is.
            let needed = share > 0.5 ? film.truth(frame)[0] : film.truth(frame)[0].scaled(by: 0.65)
            #expect(result.covers(needed, in: frame), "frame \(frame)")
        }
    }

    // MARK: Cuts

    private func twoScenes(_ motion: Motion = .still) -> Film {
        var film = motion.film
        film.world = { $0 < 30 ? 1 : 2 }
        film.faces = { [FilmFace(name: $0 < 30 ? 0 : 1, box: motion.box($0))] }
        return film
    }

    @Test(arguments: [1, 4, 5, 7])
    func `both sides of a cut are looked at, once each, and tracks end there`(every: Int) throws {
        let film = twoScenes()
        let result = try film.analyse(every: every, film.seen())
        #expect(result.cuts == [30])
        #expect(result.detector.looks.count { $0 == 29 } == 1)
        #expect(result.detector.looks.count { $0 == 30 } == 1)
        #expect(result.tracks.count == 2)
        #expect(result.tracks.allSatisfy { $0.lastFrame < 30 || $0.firstFrame >= 30 })
        #expect(result.uncovered(film, 0..<film.frames) == [])
    }

    @Test(arguments: [1, 3, 5])
    func `a face that is first seen some frames after a cut is covered from the scene's first frame`(late: Int) throws {
        let film = twoScenes()
        let result = try film.analyse(every: 5, film.seen { !(30..<30 + late).contains($0) })
        #expect(result.uncovered(film, 0..<film.frames) == [])
        #expect(result.tracks.allSatisfy { $0.lastFrame < 30 || $0.firstFrame >= 30 })
    }

    @Test func `a scene without faces between two others stays uncovered`() throws {
        var film = Motion.still.film
        film.world = { $0 < 20 ? 1 : $0 < 40 ? 2 : 3 }
        film.faces = { (20..<40).contains($0) ? [] : [FilmFace(name: 0, box: Motion.still.box(0))] }
        let result = try film.analyse(every: 5, film.seen())
        #expect(result.cuts == [20, 40])
        #expect(result.uncovered(film, 0..<film.frames) == [])
        for frame in 20..<40 { #expect(result.frames[frame].regions.isEmpty, "frame \(frame)") }
    }

    @Test func `a broken picture in the middle leaves the faces around it covered`() throws {
        var film = Motion.walking.film
        film.damaged = [20, 33, 34]
        let result = try film.analyse(every: 5, film.seen())
        #expect(result.uncovered(film, 0..<film.frames) == [])
        for frame in film.damaged { #expect(result.frames[frame].coverWhole) }
    }

    // MARK: Beginnings and ends

    @Test(arguments: [Motion.still, .walking, .circling], [2, 5])
    func `a face is covered before it is first seen`(motion: Motion, every: Int) throws {
        let film = motion.film
        // Seen for the first time one look after the one at which it could have been.
        let result = try film.analyse(every: every, film.seen { $0 >= 20 })
        #expect(result.uncovered(film, 20 - every..<film.frames) == [])
    }

    @Test func `a face that pops up is not covered long before`() throws {
        var film = Motion.still.film
        film.faces = { $0 < 26 ? [] : [FilmFace(name: 0, box: Motion.still.box(0))] }
        let result = try film.analyse(every: 5, film.seen())
        #expect(result.uncovered(film, 26..<film.frames) == [])
        for frame in 0..<23 { #expect(result.frames[frame].regions.isEmpty, "frame \(frame)") }
    }

    @Test(arguments: [0, 0.15, 0.5, 1.5], [1, 5])
    func `a face stays covered for the linger time after it was last seen`(linger: Double, every: Int) throws {
        var film = Motion.still.film
        film.frames = 80
        film.faces = { $0 > 20 ? [] : [FilmFace(name: 0, box: Motion.still.box(0))] }
        var settings = AnalysisSettings()
        settings.linger = linger
        let result = try film.analyse(every: every, settings: settings, film.seen())
        let last = try #require(result.tracks.first?.lastSeen)
        let place = Film.normalized(Motion.still.box(0))
        for frame in last..<film.frames where Double(frame - last) / Film.rate <= linger {
            #expect(result.covers(place, in: frame), "frame \(frame), last seen in \(last)")
        }
        // And not for ever.
        let end = last + Int(linger * Film.rate) + 2 * every + 3
        for frame in min(end, film.frames)..<film.frames { #expect(result.frames[frame].regions.isEmpty) }
    }

    @Test(arguments: [1, 3, 5])
    func `a face that leaves the picture is covered while it shows, and ends`(every: Int) throws {
        var film = Motion.still.film
        film.frames = 70
        film.faces = { [FilmFace(name: 0, box: PixelBox(x: 140 - 6 * $0, y: 60, width: 40, height: 52))] }
        let result = try film.analyse(every: every, film.seen())
        // A tenth of it shows in frame 29. Where looks are far apart, less than half a face may go without.
        let gone = 30
        let needed = every <= 3 ? 0.1 : 0.5
        let showing = (0..<gone).filter {
            film.truth($0)[0].intersection(.whole).area >= needed * film.truth($0)[0].area
        }
        #expect(result.uncovered(film, showing) == [])
        for frame in gone + 25..<film.frames { #expect(result.frames[frame].regions.isEmpty, "frame \(frame)") }
    }

    @Test(arguments: [1, 3])
    func `two people who pass each other stay covered`(every: Int) throws {
        let film = Film(
            frames: 60,
            faces: { frame in
                [
                    FilmFace(name: 1, box: PixelBox(x: 250 - 4 * frame, y: 64, width: 34, height: 44)),
                    FilmFace(name: 0, box: PixelBox(x: 30 + 4 * frame, y: 56, width: 40, height: 52)),
                ]
            })
        // The one behind isn't seen while more than half of it is hidden.
        let script: @Sendable (Int) -> [Detection] = { frame in
            let (behind, front) = (film.truth(frame)[0], film.truth(frame)[1])
            let isHidden = behind.intersection(front).area > 0.5 * behind.area
            return (isHidden ? [front] : [front, behind]).map { Detection(bounds: $0, score: 0.9) }
        }
        let result = try film.analyse(every: every, script)
        for frame in 0..<film.frames {
            for face in script(frame) { #expect(result.covers(face.bounds, in: frame), "frame \(frame)") }
        }
        expectHeld(result, script)
    }

    // MARK: Which are faces

    @Test(arguments: [1, 5])
    func `what is seen unclearly for long is a face, what flickers unclearly is none`(every: Int) throws {
        let film = Motion.walking.film
        let weak = AnalysisSettings().weakScore + 0.05
        let steady = try film.analyse(every: every, film.seen(score: weak))
        #expect(steady.uncovered(film, 0..<film.frames) == [])
        let flicker = try film.analyse(every: every, film.seen(score: weak) { $0 / every == 4 })
        #expect(flicker.tracks.isEmpty && flicker.frames.allSatisfy { $0.regions.isEmpty })
    }

    @Test(arguments: [1, 5])
    func `a face that was seen clearly once is held by the faintest scores`(every: Int) throws {
        let film = Motion.circling.film
        let faint = AnalysisSettings().continueThreshold + 0.02
        let result = try film.analyse(every: every) { frame in
            film.truth(frame).map { Detection(bounds: $0, score: frame < every ? 0.9 : faint) }
        }
        #expect(result.uncovered(film, 0..<film.frames) == [])
        #expect(result.tracks.count == 1)
    }

    @Test func `faces smaller than asked for are left out, in pixels or in parts of the height`() throws {
        let film = Film(
            frames: 12,
            faces: { _ in
                [
                    FilmFace(name: 0, box: PixelBox(x: 40, y: 40, width: 32, height: 40)),
                    FilmFace(name: 1, box: PixelBox(x: 200, y: 60, width: 14, height: 18)),
                ]
            })
        var byPixels = AnalysisSettings()
        byPixels.minFace = 24
        var byShare = AnalysisSettings()
        byShare.minFaceShare = 24.0 / 180
        for settings in [byPixels, byShare] {
            let result = try film.analyse(every: 3, settings: settings, film.seen())
            for frame in 0..<film.frames {
                #expect(result.covers(film.truth(frame)[0], in: frame))
                #expect(!result.covers(film.truth(frame)[1], in: frame))
            }
        }
        #expect(try film.analyse(every: 3, film.seen()).uncovered(film, 0..<film.frames) == [])
    }

    // MARK: Steadiness

    @Test(arguments: [1, 3, 5], 0..<4)
    func `the mask of a still face keeps still though its detections don't`(every: Int, seed: Int) throws {
        var film = Motion.still.film
        film.frames = 75
        let box = Film.normalized(Motion.still.box(0))
        let script: @Sendable (Int) -> [Detection] = { frame in
            // Place and size are off by up to 2 % of the size, each on its own.
            var state = UInt64(frame * 4 + seed) &* 0x9E37_79B9_7F4A_7C15
            func off() -> Double {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (Double(state >> 40) / Double(1 << 24) - 0.5) * 0.04
            }
            for _ in 0..<3 { _ = off() }
            let center = NormalizedPoint(x: box.center.x + off() * box.width, y: box.center.y + off() * box.height)
            let seen = NormalizedRect(
                center: center, width: box.width * (1 + off()), height: box.height * (1 + off()))
            return [Detection(bounds: seen, score: 0.9)]
        }
        let result = try film.analyse(every: every, script)
        expectHeld(result, script)
        for frame in 1..<film.frames {
            let (before, after) = (result.regions(frame - 1), result.regions(frame))
            try #require(before.count == 1 && after.count == 1)
            #expect(abs(after[0].x - before[0].x) < 0.02 * box.width, "frame \(frame)")
            #expect(abs(after[0].maxX - before[0].maxX) < 0.02 * box.width, "frame \(frame)")
            #expect(abs(after[0].y - before[0].y) < 0.02 * box.height, "frame \(frame)")
            #expect(abs(after[0].maxY - before[0].maxY) < 0.02 * box.height, "frame \(frame)")
        }
    }
}

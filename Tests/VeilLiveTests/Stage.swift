import VeilCore
import VeilMedia
import VeilTestSupport
import VeilVision

@testable import VeilLive

/// A made live picture: textured patches for faces before a textured wall, played through the core by a clock of its own.
struct Stage {
    static let width = 320
    static let height = 192
    static let rate = 30.0

    /// Where the faces are in a frame.
    var faces: (_ frame: Int) -> [PixelArea] = { _ in [] }
    /// Which wall; another number is another scene.
    var wall: (_ frame: Int) -> Int = { _ in 1 }
    /// Added to every sample.
    var light: (_ frame: Int) -> Int = { _ in 0 }
    /// How far the camera has turned, in pixels; faces are where they are said to be all the same.
    var camera: (_ frame: Int) -> Int = { _ in 0 }
    var damaged: Set<Int> = []
    /// The frames from this one on come so many seconds later, without the source's clock saying so.
    var standstill: (frame: Int, seconds: Double)?
    /// Frames before which the view was changed.
    var newViews: Set<Int> = []
    /// Frames that a look takes.
    var lookFrames = 3
    /// What the detector says of a frame; nil throws. The truth unless it is set.
    var detect: (_ stage: Stage, _ frame: Int) -> [Detection]? = { stage, frame in stage.truth(frame) }
    /// Frames in which the detector does nothing at all.
    var isStarved: (_ frame: Int) -> Bool = { _ in false }

    struct PixelArea {
        var x: Int
        var y: Int
        var width = 40
        var height = 48
    }

    func truth(_ frame: Int) -> [Detection] {
        faces(frame).map { face in
            Detection(
                bounds: NormalizedRect(
                    x: Double(face.x) / Double(Self.width), y: Double(face.y) / Double(Self.height),
                    width: Double(face.width) / Double(Self.width), height: Double(face.height) / Double(Self.height)),
                score: 0.9)
        }
    }

    /// Levels from 0 to 159 that look random, made once.
    private static let levels: [UInt8] = {
        var numbers = Numbers(7)
        return (0..<1 << 16).map { _ in UInt8(Int.random(in: 0..<160, using: &numbers)) }
    }()

    func picture(_ frame: Int) throws(MediaError) -> SharedFrame {
        let (faces, wall, light, camera) = (faces(frame), wall(frame), light(frame), camera(frame))
        var samples = [UInt8](repeating: 0, count: Self.width * Self.height)
        Self.levels.withUnsafeBufferPointer { levels in
            samples.withUnsafeMutableBufferPointer { samples in
                func level(_ x: Int, _ y: Int, _ seed: Int) -> UInt8 {
                    let index = (x &* 211 &+ y &* 4093 &+ seed &* 7919) & 0xFFFF
                    return UInt8(clamping: 40 &+ light &+ Int(levels[index]))
                }
                for y in 0..<Self.height {
                    for x in 0..<Self.width { samples[y &* Self.width &+ x] = level((x &+ camera) / 4, y / 4, wall) }
                }
                for (index, face) in faces.enumerated() {
                    for y in max(0, face.y)..<max(0, min(Self.height, face.y + face.height)) {
                        for x in max(0, face.x)..<max(0, min(Self.width, face.x + face.width)) {
                            samples[y &* Self.width &+ x] = level((x - face.x) / 2, (y - face.y) / 2, 1000 + index)
                        }
                    }
                }
            }
        }
        return try SharedFrame(width: Self.width, height: Self.height, luma: samples)
    }

    /// A frame as it came out.
    struct Shown {
        var frame: Int
        var verdict: LiveGuard.Verdict
        /// The share of the samples in the middle of each face that are as they were.
        var bare: [Double]
        /// The share of all samples outside the faces that are as they were.
        var kept: Double
    }

    private func late(_ frame: Int) -> Double { standstill.map { frame >= $0.frame ? $0.seconds : 0 } ?? 0 }

    func play(_ frames: Int, _ settings: LiveSettings? = nil) throws -> [Shown] {
        let core = try LiveCore(settings ?? LiveSettings(input: LiveInputSettings(.file("stage"))))
        var shown: [Shown] = []
        var pictures: [SharedFrame] = []
        var busy: (frame: Int, done: Int)?
        func collect(_ now: Double) throws {
            while let frame = try core.nextShown(now: now) {
                let number = Int((frame.time * Self.rate).rounded())
                shown.append(compare(number, frame, with: pictures[number]))
            }
        }
        for frame in 0..<frames {
            let time = Double(frame) / Self.rate
            if let look = busy, look.done <= frame {
                busy = nil
                core.take(
                    DetectionReport(
                        frame: look.frame, time: Double(look.frame) / Self.rate, detections: detect(self, look.frame)),
                    now: time)
            }
            let picture = try picture(frame)
            pictures.append(picture)
            core.arrive(
                LiveFrame(
                    picture: picture, number: frame, time: time, arrival: time + late(frame),
                    isDamaged: damaged.contains(frame),
                    isNewView: newViews.contains(frame)))
            if busy == nil, !isStarved(frame) { busy = (frame, frame + lookFrames) }
            try collect(time + late(frame))
        }
        try collect(.infinity)
        return shown
    }

    private func compare(_ number: Int, _ frame: ShownFrame, with original: SharedFrame) -> Shown {
        let areas = faces(number)
        var same = areas.map { _ in 0 }
        var total = areas.map { _ in 0 }
        var (kept, outside) = (0, 0)
        frame.picture.frame.withPlanes { after in
            original.frame.withPlanes { before in
                for y in 0..<Self.height {
                    let a = before.planes[0].row(y).assumingMemoryBound(to: UInt8.self)
                    let b = after.planes[0].row(y).assumingMemoryBound(to: UInt8.self)
                    for x in 0..<Self.width {
                        var isInside = false
                        for (i, face) in areas.enumerated() where y >= face.y && y < face.y + face.height {
                            let dx = (2 &* (x &- face.x) &+ 1 &- face.width) &* face.height
                            let dy = (2 &* (y &- face.y) &+ 1 &- face.height) &* face.width
                            let limit = face.width &* face.height
                            if dx &* dx &+ dy &* dy > limit &* limit { continue }
                            isInside = true
                            total[i] += 1
                            if a[x] == b[x] { same[i] += 1 }
                        }
                        if !isInside {
                            outside &+= 1
                            if a[x] == b[x] { kept &+= 1 }
                        }
                    }
                }
            }
        }
        return Shown(
            frame: number, verdict: frame.verdict,
            bare: zip(same, total).map { Double($0) / Double(max(1, $1)) }, kept: Double(kept) / Double(outside))
    }
}

extension [Stage.Shown] {
    /// Frames in which a face could be seen.
    var bareFrames: [Int] { filter { $0.bare.contains { $0 > 0.1 } }.map(\.frame) }
    var wholeFrames: [Int] { filter { if case .whole = $0.verdict { true } else { false } }.map(\.frame) }
}

import VeilCore

/// SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same numbers everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func double(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }
}

extension Shape {
    static func random(_ random: inout SeededGenerator) -> Shape {
        Shape(
            center: NormalizedPoint(x: random.double(-2...2), y: random.double(-2...2)),
            radiusX: random.double(1e-6...1), radiusY: random.double(1e-6...1),
            angle: Bool.random(using: &random) ? 0 : random.double(-180...180))
    }
}

extension RedactionPlan {
    /// A small valid plan: five frames, two tracks, one manual track.
    static func sample() -> RedactionPlan {
        let shape = Shape(center: NormalizedPoint(x: 0.5, y: 0.25), radiusX: 0.05, radiusY: 0.125)
        return RedactionPlan(
            source: SourceDescription(
                file: "walk.mp4", size: 1234, sha256: String(repeating: "0a", count: 32), width: 640, height: 360,
                timeBase: Rational(1, 1000), duration: 0.2, frames: 5),
            detector: DetectorDescription(name: "centerface", modelSHA256: String(repeating: "f1", count: 32)),
            tracks: [
                TrackSummary(id: 1, firstPTS: 0, lastPTS: 80, score: 0.9, sightings: 2),
                TrackSummary(id: 2, firstPTS: 40, lastPTS: 40, action: .keep, score: 0.5, sightings: 1),
            ],
            manual: [
                ManualTrack(
                    id: 7,
                    keyframes: [
                        .init(pts: 40, shape: shape),
                        .init(
                            pts: 120,
                            shape: Shape(
                                center: NormalizedPoint(x: 0.7, y: 0.45), radiusX: 0.1, radiusY: 0.2, angle: 20)),
                    ])
            ],
            cuts: [120],
            frames: [
                PlannedFrame(pts: 0, regions: [Region(track: 1, shape: shape, origin: .detected)]),
                PlannedFrame(
                    pts: 40,
                    regions: [
                        Region(track: 1, shape: shape, origin: .interpolated),
                        Region(track: 2, shape: shape, origin: .detected),
                    ]),
                PlannedFrame(pts: 80, regions: [Region(track: 1, shape: shape, origin: .detected)]),
                PlannedFrame(pts: 120, coverWhole: true),
                PlannedFrame(pts: 160),
            ])
    }

    /// A valid plan with anything a plan may have.
    static func random(_ seed: Int) -> RedactionPlan {
        var random = SeededGenerator(seed)
        var plan = sample()
        let names = ["a.mp4", "ümläut \"quoted\".mkv", "tab\tand\nline\\.mov", "日本語🎬.webm", "\u{1}\u{7F}"]
        plan.source.file = names.randomElement(using: &random) ?? "a"
        plan.source.size = Int.random(in: 0...(.max), using: &random)
        plan.source.duration = random.double(0...1e6)
        plan.source.timeBase = Rational(
            Int.random(in: 1...100, using: &random), Int.random(in: 1...90000, using: &random))
        plan.detector.modelSHA256 = Bool.random(using: &random) ? plan.source.sha256 : nil
        plan.settings.confirmThreshold = random.double(0...1)
        plan.settings.detectEvery = Int.random(in: 1...10, using: &random)
        plan.settings.thorough = Bool.random(using: &random)
        plan.tracks = (0..<Int.random(in: 0...4, using: &random)).map { id in
            TrackSummary(
                id: id * 3, firstPTS: Int64.random(in: -1000...1000, using: &random), lastPTS: .max - 1,
                action: Bool.random(using: &random) ? .redact : .keep, score: random.double(0...1),
                sightings: Int.random(in: 0...9, using: &random))
        }
        plan.manual = (0..<Int.random(in: 0...2, using: &random)).map { id in
            ManualTrack(
                id: id * 3 + 1,
                keyframes: (0..<Int.random(in: 2...4, using: &random)).map { index in
                    .init(pts: Int64(index) * 40, shape: .random(&random))
                })
        }
        plan.cuts = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int64.random(in: -9...9, using: &random) }
        let ids = plan.tracks.map(\.id) + plan.manual.map(\.id)
        plan.frames = (0..<Int.random(in: 0...30, using: &random)).map { index in
            PlannedFrame(
                pts: Int64(index) * 40 + Int64.random(in: -50...50, using: &random),
                coverWhole: Int.random(in: 0..<8, using: &random) == 0,
                regions: ids.filter { _ in Bool.random(using: &random) }.map { id in
                    Region(
                        track: id, shape: .random(&random),
                        origin: Origin.allCases.randomElement(using: &random) ?? .manual)
                })
        }
        plan.source.frames = plan.frames.count
        return plan
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

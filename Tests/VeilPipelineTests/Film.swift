import Glibc
import Synchronization
import VeilCore
import VeilPixels
import VeilVision

@testable import VeilPipeline

/// A rectangle of whole pixels in a film's picture.
struct PixelBox: Sendable, Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

/// A face that a film shows in one frame.
struct FilmFace: Sendable {
    /// Faces with the same name look the same.
    var name: Int
    var box: PixelBox
}

/// A made film: textured patches for faces, moved over a textured world. No codec, no file.
struct Film: Sendable {
    static let width = 320
    static let height = 180
    static let rate = 25.0

    var frames: Int
    /// The faces of a frame, those in front last.
    var faces: @Sendable (_ frame: Int) -> [FilmFace]
    /// What the camera's upper left corner points at, in pixels of the world.
    var camera: @Sendable (_ frame: Int) -> (x: Int, y: Int) = { _ in (0, 0) }
    /// Which world; another number is another scene.
    var world: @Sendable (_ frame: Int) -> Int = { _ in 1 }
    /// The light: every sample times this.
    var light: @Sendable (_ frame: Int) -> Double = { _ in 1 }
    /// Random noise of up to so many levels either way.
    var noise = 3
    /// Frames that came out of the decoder as flat grey.
    var damaged: Set<Int> = []

    static func normalized(_ box: PixelBox) -> NormalizedRect {
        NormalizedRect(
            x: Double(box.x) / Double(width), y: Double(box.y) / Double(height),
            width: Double(box.width) / Double(width), height: Double(box.height) / Double(height))
    }

    /// Where the faces of a frame are.
    func truth(_ frame: Int) -> [NormalizedRect] { faces(frame).map { Film.normalized($0.box) } }

    /// The samples of a frame, its number in the first two.
    func samples(_ frame: Int) -> [UInt8] {
        var out = [UInt8](repeating: 128, count: Film.width * Film.height)
        if !damaged.contains(frame) { paint(frame, into: &out) }
        out[0] = UInt8(truncatingIfNeeded: frame)
        out[1] = UInt8(truncatingIfNeeded: frame >> 8)
        return out
    }

    private func paint(_ frame: Int, into out: inout [UInt8]) {
        // The noise differs from each frame to the next, and comes back after some.
        Texture.world(world(frame), noise: noise, variant: frame % Texture.variants).draw(
            into: &out, from: camera(frame))
        for face in faces(frame) { Texture.face(face.name).draw(scaledInto: &out, face.box) }
        let light = Int((light(frame) * 256).rounded())
        guard light != 256 else { return }
        out.withUnsafeMutableBufferPointer { out in
            for i in out.indices { out[i] = UInt8(clamping: (Int(out[i]) &* light) >> 8) }
        }
    }

    /// Shows a frame as the pipeline does: with its planes borrowed.
    func show<R>(_ frame: Int, _ body: (Analyser.Picture) throws(VisionError) -> R) throws(VisionError) -> R {
        var samples = samples(frame)
        return try Film.show(&samples, body)
    }

    static func show<R>(
        _ samples: inout [UInt8], _ body: (Analyser.Picture) throws(VisionError) -> R
    ) throws(VisionError) -> R {
        try samples.withUnsafeMutableBufferPointer { (buffer) throws(VisionError) -> R in
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else {
                throw VisionError(code: .badArgument, doing: "showing a frame", words: "it is empty")
            }
            let plane = Plane(
                base: base, width: Film.width, height: Film.height, stride: Film.width, bytesPerSample: 1)
            let view = PlanarView(
                planes: [plane], model: .gray, hasAlpha: false, depth: 8, chromaShiftX: 0, chromaShiftY: 0,
                fullRange: true)
            return try body(
                Analyser.Picture(
                    view: view, orientation: .up, width: Film.width, height: Film.height,
                    sampleAspectRatio: Rational(1, 1)))
        }
    }

    /// The luma of a frame at a size.
    func luma(_ frame: Int, side: Int) throws(VisionError) -> LumaPicture {
        try show(frame) { (picture) throws(VisionError) in
            try LumaPicture(
                of: picture.view, orientation: .up,
                canvas: .fitting(width: Film.width, height: Film.height, longSide: side))
        }
    }
}

/// A detector that says what a script says, and remembers what it was asked.
final class ScriptedDetector: FaceDetector {
    struct Call: Sendable {
        var frame: Int
        var look: Look
    }

    private let script: @Sendable (Int) -> [Detection]
    private let made = Mutex<[Call]>([])

    /// - Parameter script: what is seen in a frame; a look at a part sees what has its middle there.
    init(_ script: @escaping @Sendable (_ frame: Int) -> [Detection]) { self.script = script }

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        let pixels = view.planes[0].row(0).assumingMemoryBound(to: UInt8.self)
        let frame = Int(pixels[0]) | Int(pixels[1]) << 8
        made.withLock { $0.append(Call(frame: frame, look: look)) }
        return script(frame).filter {
            let middle = $0.bounds.center
            return $0.score >= look.threshold && look.roi.x <= middle.x && middle.x <= look.roi.maxX
                && look.roi.y <= middle.y && middle.y <= look.roi.maxY
        }
    }

    var calls: [Call] { made.withLock { $0 } }
    /// The frames whose whole picture was looked at.
    var looks: [Int] { calls.filter { $0.look.roi == .whole }.map(\.frame) }
}

/// What came of a film.
struct Analysis {
    var tracks: [Track]
    var cuts: [Int]
    var frames: [PlannedFrame]
    var detector: ScriptedDetector

    /// The regions of a frame as boxes: the face's bounds, without what the mask adds.
    func regions(_ frame: Int) -> [NormalizedRect] { frames[frame].regions.map(\.shape.bounds) }

    /// Whether what the picture shows of a box is under the mask of a frame at the default mask size.
    func covers(_ box: NormalizedRect, in frame: Int) -> Bool {
        frames[frame].coverWhole
            || regions(frame).contains {
                $0.scaled(by: RedactionSettings().maskScale).contains(box.intersection(.whole))
            }
    }

    /// The frames, of those given, in which a face of the film isn't covered.
    func uncovered(_ film: Film, _ wanted: some Sequence<Int>) -> [Int] {
        wanted.filter { frame in film.truth(frame).contains { !covers($0, in: frame) } }
    }
}

extension Film {
    /// Does what `FramePath.analyse` does with a file's frames.
    func analyse(
        every: Int = 5, settings: AnalysisSettings = AnalysisSettings(),
        _ script: @escaping @Sendable (_ frame: Int) -> [Detection]
    ) throws(VisionError) -> Analysis {
        var settings = settings
        settings.detectEvery = every
        let detector = ScriptedDetector(script)
        var analyser = try Analyser(settings: settings, detector: detector)
        var previous: [UInt8] = []
        for frame in 0..<frames {
            var picture = samples(frame)
            let isCut = try Film.show(&picture) { (picture) throws(VisionError) in
                try analyser.endsScene(before: picture)
            }
            if isCut && frame > 0 {
                try Film.show(&previous) { (picture) throws(VisionError) in try analyser.lookAgain(at: picture) }
            }
            try Film.show(&picture) { (picture) throws(VisionError) in
                try analyser.add(picture, time: Double(frame) / Film.rate)
            }
            previous = picture
        }
        try Film.show(&previous) { (picture) throws(VisionError) in try analyser.lookAgain(at: picture) }
        let tracks = analyser.finish()
        let planned = (0..<frames).map { PlannedFrame(pts: Int64($0), coverWhole: damaged.contains($0)) }
        return Analysis(
            tracks: tracks, cuts: analyser.cuts,
            frames: PlanBuilder(settings: settings).frames(
                tracks: tracks, frames: planned, times: analyser.allTimes),
            detector: detector)
    }

    /// A script: every face is seen where it is, in the frames that are wanted; those with less than 40 % in the picture
    /// aren't seen.
    func seen(
        score: Double = 0.9, _ isSeen: @escaping @Sendable (_ frame: Int) -> Bool = { _ in true }
    ) -> @Sendable (Int) -> [Detection] {
        { frame in
            guard isSeen(frame), !damaged.contains(frame) else { return [] }
            return truth(frame).filter { $0.intersection(.whole).area >= 0.4 * $0.area }
                .map { Detection(bounds: $0, score: score) }
        }
    }
}

/// A gray texture of smooth noise at several scales; it repeats at its edges.
struct Texture: Sendable {
    let width: Int
    let height: Int
    private var samples: [UInt8]

    private init(width: Int, height: Int, seed: Int, cells: [Int]) {
        self.width = width
        self.height = height
        var sums = [Double](repeating: 0, count: width * height)
        var weights = 0.0
        for cell in cells {
            // The large shapes differ more than the small ones.
            let weight = Double(cell).squareRoot()
            weights += weight
            let (columns, rows) = (width / cell, height / cell)
            var state = UInt64(truncatingIfNeeded: seed &* 1_000_003 &+ cell)
            let grid = (0..<columns * rows).map { _ -> Double in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Double(state >> 40) / Double(1 << 24)
            }
            for y in 0..<height {
                let (row, v) = (y / cell % rows, Double(y % cell) / Double(cell))
                let below = (row + 1) % rows
                for x in 0..<width {
                    let (column, u) = (x / cell % columns, Double(x % cell) / Double(cell))
                    let right = (column + 1) % columns
                    let upper = grid[row * columns + column] * (1 - u) + grid[row * columns + right] * u
                    let lower = grid[below * columns + column] * (1 - u) + grid[below * columns + right] * u
                    sums[y * width + x] += weight * (upper * (1 - v) + lower * v)
                }
            }
        }
        samples = sums.map { UInt8(clamping: Int(40 + 170 * $0 / weights)) }
    }

    /// How many patterns of noise there are.
    static let variants = 5

    private static let worlds = (1...3).map { Texture(width: 512, height: 256, seed: $0, cells: [64, 16, 4]) }
    private static let faces = (0..<4).map { Texture(width: 64, height: 80, seed: 100 + $0, cells: [16, 8, 4]) }
    private static let noisyWorlds = Mutex<[[Int]: Texture]>([:])

    static func face(_ name: Int) -> Texture { faces[name % faces.count] }

    /// A world under one pattern of noise: random, up to so many levels either way.
    static func world(_ number: Int, noise: Int, variant: Int) -> Texture {
        let key = [number % worlds.count, noise, variant]
        return noisyWorlds.withLock { made in
            if let texture = made[key] { return texture }
            var texture = worlds[key[0]]
            var state = UInt32(truncatingIfNeeded: variant &* 7919 &+ 17)
            for i in texture.samples.indices {
                state = state &* 1_664_525 &+ 1_013_904_223
                texture.samples[i] = UInt8(
                    clamping: Int(texture.samples[i]) + Int(state >> 16) % (2 * noise + 1) - noise)
            }
            made[key] = texture
            return texture
        }
    }

    /// Fills the picture from the texture, which goes on for ever, at its own size.
    func draw(into out: inout [UInt8], from corner: (x: Int, y: Int)) {
        for y in 0..<Film.height {
            let row = ((corner.y + y) % height + height) % height * width
            let column = (corner.x % width + width) % width
            let first = min(Film.width, width - column)
            let start = y * Film.width
            out.replaceSubrange(start..<start + first, with: samples[row + column..<row + column + first])
            out.replaceSubrange(
                start + first..<start + Film.width, with: samples[row..<row + Film.width - first])
        }
    }

    /// Draws the whole texture into a box; what lies outside the picture is cut. The corners stay free: an ellipse.
    func draw(scaledInto out: inout [UInt8], _ box: PixelBox) {
        for y in max(0, -box.y)..<max(0, -box.y, min(box.height, Film.height - box.y)) {
            let v = (Double(y) + 0.5) / Double(box.height) * 2 - 1
            let row = y * height / box.height * width
            for x in max(0, -box.x)..<max(0, -box.x, min(box.width, Film.width - box.x)) {
                let u = (Double(x) + 0.5) / Double(box.width) * 2 - 1
                if u * u + v * v <= 1 {
                    out[(box.y + y) * Film.width + box.x + x] = samples[row + x * width / box.width]
                }
            }
        }
    }
}

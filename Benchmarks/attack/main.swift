// Tries to undo the redaction of a moving face, and says how near it came.
//
//     attack [--image FILE.pgm X Y HEIGHT] [--hold SECONDS] [--step LEVELS] [--frames N] [--write FOLDER]
//
// X, Y, HEIGHT: the face's middle and the height of its bounds in the image, in pixels. Without an image, a drawn
// face stands in. Exits with 1 if the frames of a clip tell more than `allowedGain` beyond what one frame tells, and
// with 2 if the attack fails on a naive mosaic too.

import Foundation
import VeilPixels

let allowedGain = 0.1

struct Options {
    var image: (path: String, x: Double, y: Double, height: Double)?
    var hold = FilterChain.defaultHold
    var step = FilterChain.defaultLevelStep
    var frames = 60
    var folder: String?

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        func number() -> Double? { rest.popFirst().flatMap(Double.init) }
        while let flag = rest.popFirst() {
            switch flag {
            case "--image":
                guard let path = rest.popFirst(), let x = number(), let y = number(), let h = number() else {
                    return nil
                }
                image = (path, x, y, h)
            case "--hold":
                guard let value = number() else { return nil }
                hold = value
            case "--step":
                guard let value = number() else { return nil }
                step = Int(value)
            case "--frames":
                guard let value = number() else { return nil }
                frames = max(1, Int(value))
            case "--write":
                guard let value = rest.popFirst() else { return nil }
                folder = value
            default: return nil
            }
        }
    }
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
}

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    fail("usage: attack [--image FILE.pgm X Y HEIGHT] [--hold SECONDS] [--step LEVELS] [--frames N] [--write FOLDER]")
}

/// The face in the middle of a still with room around it, `Scene.faceHeight` pixels high.
func still() -> GrayImage {
    let (width, height) = (Int(Scene.faceWidth * 2), Int(Scene.faceHeight * 2))
    guard let image = options.image else {
        return .portrait(width: width, height: height, face: Scene.faceHeight)
    }
    guard let data = FileManager.default.contents(atPath: image.path), let source = GrayImage(netpbm: data) else {
        fail("\(image.path): no binary PGM or PPM of 8 bits")
    }
    let scale = image.height / Scene.faceHeight
    return source.shrunk(
        x: image.x - Double(width) / 2 * scale, y: image.y - Double(height) / 2 * scale, scale: scale, width: width,
        height: height)
}

/// A mosaic as many programs draw it: fixed to the picture, exact means, anew in each frame.
func naiveLooks(_ scene: Scene, _ frames: Int) -> [Look] {
    let side = Int((Scene.faceHeight / Double(FilterChain.defaultCells)).rounded(.up))
    return (0..<frames).map { index in
        var frame = scene.frame(index)
        for top in stride(from: 0, to: Scene.height, by: side) {
            for left in stride(from: 0, to: Scene.width, by: side) {
                let points = (top..<min(top + side, Scene.height)).flatMap { y in
                    (left..<min(left + side, Scene.width)).map { y * Scene.width + $0 }
                }
                let mean = points.reduce(Float(0)) { $0 + frame.samples[$1] } / Float(points.count)
                for point in points { frame.samples[point] = mean }
            }
        }
        return Look(
            frame, region: scene.region(index), pose: scene.pose(index), originX: 0, originY: 0, side: side,
            isBlurred: false, isFresh: true)
    }
}

/// Frames redacted by the real renderer, as 8-bit 4:2:0.
func looks(_ scene: Scene, _ frames: Int, _ effect: Effect) throws -> [Look] {
    let redactor = try Redactor(FilterChain(effects: [effect], hold: options.hold, levelStep: options.step))
    let isBlurred = if case .blur = effect { true } else { false }
    let (width, height) = (Scene.width, Scene.height)
    let luma = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height * 3 / 2)
    defer { luma.deallocate() }
    luma.update(repeating: 128, count: width * height * 3 / 2)
    func plane(_ offset: Int, _ width: Int, _ height: Int) -> Plane {
        Plane(
            base: UnsafeMutableRawPointer(luma + offset), width: width, height: height, stride: width, bytesPerSample: 1
        )
    }
    let view = PlanarView(
        planes: [
            plane(0, width, height), plane(width * height, width / 2, height / 2),
            plane(width * height * 5 / 4, width / 2, height / 2),
        ], model: .yuv, hasAlpha: false, depth: 8, chromaShiftX: 1, chromaShiftY: 1, fullRange: false)

    var (epoch, side) = (-Double.infinity, 0)
    var looks: [Look] = []
    for index in 0..<frames {
        var frame = scene.frame(index)
        for (offset, value) in frame.samples.enumerated() { luma[offset] = UInt8(min(max(value, 0), 255)) }
        let time = Double(index) / Scene.framesPerSecond
        let region = scene.region(index)
        redactor.apply(to: view, regions: [region], time: time)
        for offset in frame.samples.indices { frame.samples[offset] = Float(luma[offset]) }
        guard let grid = redactor.cellGrid(ofTrack: 1) else { fail("no cells were drawn") }
        let isFresh = grid.side != side || time - epoch >= options.hold
        if isFresh { (epoch, side) = (time, grid.side) }
        if let folder = options.folder, index % 15 == 0 {
            let name = "\(isBlurred ? "blur" : "pixellate")-\(scene.scenario.title)-\(index).pgm"
            try frame.pgm.write(to: URL(filePath: folder).appending(path: name))
        }
        looks.append(
            Look(
                frame, region: region, pose: scene.pose(index), originX: grid.originX, originY: grid.originY,
                side: grid.side, isBlurred: isBlurred, isFresh: isFresh))
    }
    return looks
}

/// The best similarity of the recovered face, over the ways to attack: all frames or only those with fresh colours,
/// the cells' colours taken exactly or within their rounding.
func similarity(_ scene: Scene, _ looks: [Footprint], expectingSmoothFace isSmooth: Bool, _ name: String) -> Double {
    var best = -1.0
    let still = scene.still
    let fresh = looks.filter(\.look.isFresh)
    for used in fresh.count < looks.count ? [looks, fresh] : [looks] {
        for tolerance in [0, Float(options.step) / 2] {
            let recovered = SuperResolution(
                width: still.width, height: still.height, tolerance: tolerance, isSmooth: isSmooth
            ).recover(used)
            let value = recovered.similarity(
                to: still, centerX: Double(still.width) / 2, centerY: Double(still.height) / 2,
                radiusX: Scene.faceWidth / 2, radiusY: Scene.faceHeight / 2)
            guard value > best else { continue }
            best = value
            if let folder = options.folder {
                let file = URL(filePath: folder).appending(path: "recovered-\(name)-\(looks.count).pgm")
                try? recovered.pgm.write(to: file)
            }
        }
    }
    return best
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

let counts = Set([1, 8, 30, 60, options.frames].filter { $0 <= options.frames }).sorted()
let face = still()
if let folder = options.folder { try face.pgm.write(to: URL(filePath: folder).appending(path: "still.pgm")) }
print("Similarity (SSIM) of the recovered face to the original, hold \(options.hold) s, \(options.step) levels apart")
print(padded("", 62) + counts.map { padded("\($0)", 7) }.joined() + "gain")

var (worst, control) = (-1.0, -1.0)
for scenario in Scenario.all {
    let scene = Scene(still: face, scenario: scenario)
    let rows: [(String, [Look], Bool)] = [
        ("naive mosaic", naiveLooks(scene, options.frames), false),
        ("pixellate", try looks(scene, options.frames, .pixellate()), true),
        ("blur", try looks(scene, options.frames, .blur()), true),
    ]
    for (name, looks, isOurs) in rows {
        let footprints = looks.map { Footprint($0, width: face.width, height: face.height) }
        for isSmooth in [false, true] {
            let title = "\(scenario.title), \(name), \(isSmooth ? "smooth" : "plain")"
            let values = counts.map {
                similarity(scene, Array(footprints.prefix($0)), expectingSmoothFace: isSmooth, title)
            }
            let gain = (values.last ?? 0) - (values.first ?? 0)
            if isOurs { worst = max(worst, gain) } else { control = max(control, gain) }
            print(
                padded(title, 62) + values.map { padded(String(format: "%.3f", $0), 7) }.joined()
                    + String(format: "%+.3f", gain))
        }
    }
}
print(String(format: "Greatest gain: %+.3f, of the naive mosaic %+.3f; allowed: %.1f", worst, control, allowedGain))
guard counts.count == 1 || control > allowedGain else {
    fail("the attack does not undo a naive mosaic: it proves nothing")
}
exit(worst > allowedGain ? 1 : 0)

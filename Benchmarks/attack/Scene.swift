import VeilPixels

/// How a face, and the boxes found for it, move through a clip.
struct Scenario {
    let title: String
    /// Greatest error of the box's centre, in pixels either way.
    var jitter = 0.0
    /// Greatest error of the box's size, as a share.
    var sizeJitter = 0.0
    /// Growth of the face per frame, as a share of its first size.
    var zoom = 0.0

    static let all = [
        Scenario(title: "the face moves"),
        Scenario(title: "it moves and its box jitters by 2 px", jitter: 2),
        Scenario(title: "it moves and comes nearer", zoom: 0.004),
        Scenario(title: "it comes nearer, box and size jitter", jitter: 2, sizeJitter: 0.04, zoom: 0.004),
    ]
}

/// A face in motion: the still it is taken from, and where it is in each frame. The attacker knows all of it but the
/// still.
struct Scene {
    static let width = 352
    static let height = 288
    static let framesPerSecond = 30.0
    /// Size of the face's bounds in the still, which is `still.width` × `still.height` with the face in the middle.
    static let faceWidth = 80.0
    static let faceHeight = 100.0

    let still: GrayImage
    let scenario: Scenario

    /// Where the middle of the still is in a frame, and how large the still is there.
    struct Pose {
        let x: Double
        let y: Double
        let scale: Double
    }

    func pose(_ frame: Int) -> Pose {
        let t = Double(frame)
        // A walk to and fro with a sway, at no whole number of pixels a frame.
        let walked = (1.873 * t).truncatingRemainder(dividingBy: 240)
        return Pose(
            x: 110.3 + (walked < 120 ? walked : 240 - walked), y: 140.1 + 9.3 * sway(t / 17.3),
            scale: min(1 + scenario.zoom * t, 1.5))
    }

    private func sway(_ t: Double) -> Double {
        // A parabola through a sine's zeros and peaks: smooth enough, and the same on every machine.
        let phase = (t / 2).truncatingRemainder(dividingBy: 1) * 2
        return phase < 1 ? 4 * phase * (1 - phase) : -4 * (phase - 1) * (2 - phase)
    }

    /// A number of -1…1 that belongs to a frame and a purpose.
    private func noise(_ frame: Int, _ purpose: UInt64) -> Double {
        var z = (UInt64(frame) &* 4 &+ purpose &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) / Double(1 << 52) - 1
    }

    func region(_ frame: Int) -> MaskRegion {
        let pose = pose(frame)
        let size = pose.scale * (1 + scenario.sizeJitter * noise(frame, 2))
        let (width, height) = (Self.faceWidth * size, Self.faceHeight * size)
        return MaskRegion(
            track: 1, centerX: pose.x + scenario.jitter * noise(frame, 0),
            centerY: pose.y + scenario.jitter * noise(frame, 1), radiusX: width / 2 * 1.3, radiusY: height / 2 * 1.3,
            faceWidth: width, faceHeight: height)
    }

    func frame(_ index: Int) -> GrayImage {
        let pose = pose(index)
        var out = GrayImage(width: Self.width, height: Self.height)
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                let sx = (Double(x) + 0.5 - pose.x) / pose.scale + Double(still.width) / 2 - 0.5
                let sy = (Double(y) + 0.5 - pose.y) / pose.scale + Double(still.height) / 2 - 0.5
                out.samples[y * Self.width + x] = still.at(Float(sx), Float(sy)).rounded()
            }
        }
        return out
    }
}

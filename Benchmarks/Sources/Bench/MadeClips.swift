import Foundation
import LeakCounter

/// A clip made from `samples/` whose motion is known, so that its boxes are exact.
struct MadeClip: Sendable {
    let name: String
    let width: Int
    let height: Int
    /// Files of `samples/`, in the order of the graph's inputs.
    let inputs: [String]
    /// An FFmpeg filter graph from [0:v], [1:v]… to [v].
    let graph: String
    let frames: Int
    /// The faces of a frame, whether or not they are inside the picture.
    let faces: @Sendable (_ frame: Int) -> [TruthFace]

    static let frameRate = 25

    var truth: FaceTruth {
        var result = FaceTruth(width: width, height: height, frames: [:])
        for frame in 0..<frames {
            result.frames[frame] = faces(frame).compactMap { face in
                var face = face
                let visible = MadeClip.share(of: face, width: width, height: height)
                guard visible > 0 else { return nil }
                // Less than this of a face isn't asked for.
                if visible < 0.6 { face.isDifficult = true }
                return face
            }
        }
        return result
    }

    /// Writes the clip and its faces.
    func make(in folder: URL, samples: URL, ffmpeg: String) throws(BenchError) {
        let file = folder.appendingPathComponent("\(name).mp4")
        var command = [ffmpeg, "-hide_banner", "-nostdin", "-loglevel", "error", "-y"]
        for input in inputs {
            if input.hasSuffix(".jpg") { command += ["-loop", "1", "-framerate", "\(MadeClip.frameRate)"] }
            command += ["-i", samples.appendingPathComponent(input).path]
        }
        command += [
            "-filter_complex", graph, "-map", "[v]", "-frames:v", "\(frames)", "-pix_fmt", "yuv420p", "-color_range",
            "tv", "-c:v", "libx264", "-preset", "veryfast", "-crf", "16", file.path,
        ]
        let run = try Child.run(command, folder: folder)
        guard run.usage.exitCode == 0 else { throw .failed("\(name) could not be made: \(run.words)") }
        do {
            try JSONEncoder().encode(truth).write(to: folder.appendingPathComponent("\(name).faces.json"))
        } catch {
            throw .failed("\(name).faces.json can't be written: \(error.localizedDescription)")
        }
    }

    /// How much of a box is inside the picture.
    private static func share(of face: TruthFace, width: Int, height: Int) -> Double {
        let across = min(face.x + face.width, Double(width)) - max(face.x, 0)
        let down = min(face.y + face.height, Double(height)) - max(face.y, 0)
        return max(0, across) * max(0, down) / (face.width * face.height)
    }
}

/// `samples/astronaut.jpg`: 512×512 pixels.
enum Portrait {
    static let file = "astronaut.jpg"
    static let side = 512.0
    /// From hairline to chin and ear to ear, in the picture's pixels.
    static let face = TruthFace(id: "portrait", x: 175, y: 67, width: 98, height: 115)

    /// The face when the picture is scaled to `side` pixels and put at `x`, `y`.
    static func face(id: String, side: Double, x: Double, y: Double) -> TruthFace {
        let scale = side / Portrait.side
        return TruthFace(
            id: id, x: x + face.x * scale, y: y + face.y * scale, width: face.width * scale,
            height: face.height * scale)
    }
}

extension MadeClip {
    static let all: [MadeClip] = [still, pan, shake, small, walk, dark]

    /// The picture's studio wall beside the head, blurred, as a background without faces.
    private static func wall(_ width: Int, _ height: Int) -> String {
        // scale keeps the shape on display by giving the stretched picture oblong pixels; they must be square.
        "crop=90:110:296:4,scale=\(width):\(height):flags=bicubic,setsar=1,gblur=sigma=14,format=gbrp"
    }

    /// A camera's noise, different in each frame.
    private static let noise = "noise=alls=4:allf=t"

    private static let still = MadeClip(
        name: "still", width: 1280, height: 720, inputs: [Portrait.file, Portrait.file],
        graph: """
            [0:v]\(wall(1280, 720))[w];[1:v]scale=720:720,format=gbrp[p];
            [w][p]overlay=x=280:y=0:format=gbrp,\(noise)[v]
            """,
        frames: 75, faces: { _ in [Portrait.face(id: "one", side: 720, x: 280, y: 0)] })

    /// The camera turns past two people: one leaves at the left, one comes in at the right.
    private static let pan = MadeClip(
        name: "pan", width: 1280, height: 720, inputs: [Portrait.file, Portrait.file, Portrait.file],
        graph: """
            [0:v]\(wall(2400, 720))[w];[1:v]scale=720:720,format=gbrp[a];[2:v]scale=400:400,format=gbrp[b];
            [w][a]overlay=x=200:y=0:format=gbrp[wa];[wa][b]overlay=x=1500:y=320:format=gbrp,
            crop=w=1280:h=720:x='14*n':y=0:exact=1,\(noise)[v]
            """,
        frames: 75,
        faces: { n in
            let left = Double(14 * n)
            return [
                Portrait.face(id: "large", side: 720, x: 200 - left, y: 0),
                Portrait.face(id: "small", side: 400, x: 1500 - left, y: 320),
            ]
        })

    /// A camera held by a running hand: up to 20 pixels from one frame to the next and more.
    private static let shake = MadeClip(
        name: "shake", width: 640, height: 360, inputs: [Portrait.file, Portrait.file],
        graph: """
            [0:v]\(wall(800, 480))[w];[1:v]scale=480:480,format=gbrp[p];
            [w][p]overlay=x=160:y=60:format=gbrp,
            crop=w=640:h=360:x='80+trunc(30*sin(1.7*n)+20*sin(0.61*n))':y='60+trunc(25*sin(2.1*n)+15*sin(0.9*n))':exact=1,
            \(noise)[v]
            """,
        frames: 75,
        faces: { n in
            let n = Double(n)
            let x = 80 + (30 * sin(1.7 * n) + 20 * sin(0.61 * n)).rounded(.towardZero)
            let y = 60 + (25 * sin(2.1 * n) + 15 * sin(0.9 * n)).rounded(.towardZero)
            return [Portrait.face(id: "one", side: 480, x: 160 - x, y: 60 - y)]
        })

    /// Three faces 26, 34 and 44 pixels wide that drift.
    private static let small = MadeClip(
        name: "small", width: 1280, height: 720, inputs: [Portrait.file, Portrait.file, Portrait.file, Portrait.file],
        graph: """
            [0:v]\(wall(1280, 720))[w];[1:v]scale=136:136,format=gbrp[a];[2:v]scale=178:178,format=gbrp[b];
            [3:v]scale=230:230,format=gbrp[c];
            [w][a]overlay=x='100+trunc(1.3*n)':y=380:format=gbrp[wa];
            [wa][b]overlay=x='520-trunc(0.9*n)':y=300:format=gbrp[wb];
            [wb][c]overlay=x='900+trunc(0.5*n)':y=420:format=gbrp,\(noise)[v]
            """,
        frames: 75,
        faces: { n in
            func drift(_ speed: Double) -> Double { (speed * Double(n)).rounded(.towardZero) }
            return [
                Portrait.face(id: "26", side: 136, x: 100 + drift(1.3), y: 380),
                Portrait.face(id: "34", side: 178, x: 520 - drift(0.9), y: 300),
                Portrait.face(id: "44", side: 230, x: 900 + drift(0.5), y: 420),
            ]
        })

    /// `samples/walk.mp4` with little noise, and by night.
    private static let walk = MadeClip(
        name: "walk", width: 640, height: 360, inputs: [Walk.file], graph: "[0:v]\(noise)[v]", frames: Walk.frames,
        faces: Walk.faces)

    private static let dark = MadeClip(
        name: "dark", width: 640, height: 360, inputs: [Walk.file],
        graph: "[0:v]lutyuv=y='16+(val-16)*0.18':u='128+(val-128)*0.4':v='128+(val-128)*0.4',noise=alls=4:allf=t[v]",
        frames: Walk.frames, faces: Walk.faces)
}

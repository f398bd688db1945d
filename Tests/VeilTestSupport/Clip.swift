import Glibc

/// The moving portrait that test clips are made from, and where its face is.
public enum Portrait {
    public static let width = 320
    public static let height = 180
    /// The most frames a clip can have.
    public static let frames = 20

    /// The part of the face that tells who someone is, brows to mouth, in a frame of the clip.
    ///
    /// The picture of samples/ is scaled to 400×400 and a window of 320×180 moves over it by 2 across and 1 down a frame.
    public static func face(_ frame: Int) -> Box {
        Box(x: 152 - 20 - 2 * frame, y: 66 - 4 - frame, width: 52, height: 68)
    }

    /// All that a mask may reach.
    public static func surroundings(_ frame: Int) -> Box {
        Box(x: 139 - 20 - 2 * frame, y: 52 - 4 - frame, width: 74, height: 96).grown(by: 60)
    }

    /// The clip without loss, in RGB: made once for all tests of a run.
    public static let base: Result<String, any Error> = Result {
        let folder = try keptFolder.get()
        let file = folder.file("base.mkv")
        try Tool.ffmpeg([
            "-loop", "1", "-framerate", "25", "-i", Places.portrait, "-vf",
            "scale=400:400:flags=bicubic,format=gbrp,crop=\(width):\(height):x='20+2*n':y='4+n':exact=1,format=bgr0",
            "-frames:v", "\(frames)", "-c:v", "ffv1", file,
        ])
        return file
    }

    private static let keptFolder: Result<TemporaryFolder, any Error> = Result {
        let folder = try TemporaryFolder()
        // Statics are never torn down: the folder goes when the process ends.
        let path = strdup(folder.path)
        on_exit(
            { _, path in
                guard let path else { return }
                let folder = String(cString: path.assumingMemoryBound(to: CChar.self))
                unlink(folder + "/base.mkv")
                rmdir(folder)
            }, path)
        return folder
    }
}

/// A rectangle of whole samples.
public struct Box: Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public func grown(by margin: Int) -> Box {
        Box(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }

    public func contains(_ px: Int, _ py: Int) -> Bool { px >= x && px < x + width && py >= y && py < y + height }

    /// The box in a picture whose sides were scaled.
    public func scaled(_ sx: Double, _ sy: Double) -> Box {
        Box(
            x: Int(Double(x) * sx), y: Int(Double(y) * sy), width: Int(Double(width) * sx),
            height: Int(Double(height) * sy))
    }
}

/// Makes clips with the `ffmpeg` tool.
public enum Clip {
    /// H.264 that takes no time to make.
    public static let h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "12"]
    /// A second and a bit of sound, AAC.
    public static let sound = ["-c:a", "aac", "-b:a", "64k"]

    /// Encodes the moving portrait.
    ///
    /// - Parameters:
    ///   - name: file name, whose extension chooses the container.
    ///   - filter: after which the picture is handed to the encoder.
    ///   - tones: how many sound tracks to add as inputs 1, 2, … (each of another pitch).
    ///   - inputs: further inputs, as ffmpeg's arguments; numbered after the tones.
    ///   - output: everything else: maps, codecs, options.
    @discardableResult
    public static func make(
        in folder: TemporaryFolder, _ name: String, frames: Int = 8, filter: String = "format=yuv420p", tones: Int = 0,
        before: [String] = [], inputs: [String] = [], _ output: [String] = Clip.h264
    ) throws -> String {
        let file = folder.file(name)
        var arguments = before + ["-i", try Portrait.base.get()]
        for tone in 0..<tones {
            arguments += ["-f", "lavfi", "-i", "sine=f=\(220 * (tone + 1)):r=48000:d=\(Double(frames) / 25 + 0.04)"]
        }
        arguments += inputs
        let crop = "trim=end_frame=\(frames)" + (filter.isEmpty ? "" : "," + filter)
        arguments += ["-vf", crop] + output + ["file:" + file]
        try Tool.ffmpeg(arguments)
        return file
    }
}

import Glibc
import VeilCore
import VeilMedia

/// What a redaction will take, roughly: told before a long run.
///
/// The figures behind it are medians over 22 labelled clips on one 2.3 GHz server core; other machines and pictures differ
/// by a factor of two or three either way.
public struct Estimate: Sendable, Hashable {
    public var frames: Int
    public var width: Int
    public var height: Int
    /// Wall time with all cores at work.
    public var seconds: Double
    /// Size of the output.
    public var bytes: Double
    /// Room where the output goes; nil where the system doesn't say.
    public var bytesFree: Double?

    /// Seconds of one core: decoding, twice, and covering, per pixel.
    private static let decoding = 2 * 6e-9
    /// Encoding with x264's medium preset, per pixel.
    private static let encoding = 65e-9
    /// Following, per frame.
    private static let following = 3e-3
    /// A look at a canvas of 640 × 360.
    private static let look = 80e-3
    /// Bits of output per pixel at the default quality.
    private static let bitsPerPixel = 0.1

    /// - Returns: nil where the source doesn't say how long it is.
    public static func of(_ input: String, output: String, settings: RedactionSettings) throws(VeilError) -> Estimate? {
        let source = try media { () throws(MediaError) in
            try VideoSource(file: input, policy: .cover, threads: 1, reach: settings.reach)
        }
        guard let frames = source.expectedFrames, frames > 0 else { return nil }
        let (width, height) = (source.stream.width, source.stream.height)
        let pixels = Double(width * height)
        let side = Double(settings.analysis.detectSize > 0 ? settings.analysis.detectSize : 640) / 640
        let interval = Double(settings.analysis.interval(frameRate: source.frameRate.value))
        let perFrame =
            pixels * (decoding + encoding) + following
            + look * side * side * (settings.analysis.thorough ? 10 : 1) / interval
        let cores = Double(settings.threads > 0 ? settings.threads : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return Estimate(
            frames: frames, width: width, height: height, seconds: Double(frames) * perFrame / min(cores, 8),
            bytes: Double(frames) * pixels * bitsPerPixel / 8, bytesFree: free(beside: output))
    }

    private static func free(beside output: String) -> Double? {
        let folder = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(output[...$0]) } ?? "."
        var info = statvfs()
        guard statvfs(folder, &info) == 0 else { return nil }
        return Double(info.f_bavail) * Double(info.f_frsize)
    }
}

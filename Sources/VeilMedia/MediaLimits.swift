import CFFmpeg

/// How much a file may ask for. A few bytes can claim a picture of gigabytes: such claims are refused before memory is
/// taken for them.
public enum MediaLimits {
    /// Samples of luma in one frame: 16,384 × 8,192 is the largest picture (8K has a quarter of that).
    public static let pixels = 1 << 27
    /// Streams in one file.
    public static let streams = 1000
    /// Bytes of all attachments, and of what decoders want to know beforehand.
    public static let attachments = 256 << 20
    /// Seconds; a clip that claims to be longer is taken for one that doesn't say. Some thirty years.
    static let duration = 1e9
    /// Time stamps beyond this many ticks are no times: sums of two must not overflow.
    static let ticks: Int64 = 1 << 60
    /// Bytes that FFmpeg may take at once: the largest picture with 8 bytes a pixel.
    private static let allocation = 1 << 30

    /// Process-wide, as FFmpeg's own limit is.
    static let areSet: Bool = {
        av_max_alloc(allocation)
        return true
    }()

    /// Whether a picture of this size is refused; sizes that are no sizes are left to the decoder.
    static func refuses(width: Int32, height: Int32) -> Bool { Int64(width) * Int64(height) > Int64(pixels) }
}

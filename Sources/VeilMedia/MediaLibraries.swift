import CFFmpeg

/// What FFmpeg is linked, and what it can encode.
public enum MediaLibraries {
    /// FFmpeg's own version, "5.1.9-0+deb12u1".
    public static var version: String { String(cString: av_version_info()) }

    /// The encoders for a codec family that are there, the preferred first.
    public static func encoders(for codec: VideoCodec) -> [String] {
        EncoderChoice.encoders(of: codec.id).filter { avcodec_find_encoder_by_name($0) != nil }
    }
}

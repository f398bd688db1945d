import CFFmpeg

/// What a person may say about the encoder.
public struct EncoderSettings: Sendable, Hashable {
    public var codec: VideoCodec?
    /// The encoder's own quality number (CRF, or the quantiser scale of codecs without CRF); nil for the default.
    public var crf: Double?
    /// The encoder's own preset name or number; nil for the default.
    public var preset: String?
    /// Further options by FFmpeg's names, in order.
    public var options: [(name: String, value: String)] { pairs.map { ($0.name, $0.value) } }
    private var pairs: [Pair] = []
    /// 0 for as many as there are cores.
    public var threads = 0
    /// Make whole pictures of interlaced ones.
    public var deinterlaces = false
    /// The same input gives the same bytes on every machine with the same libraries: one encoder thread, nothing random
    /// and no library's version in the file. From the first such encoder on, the process's memory is emptied when it is
    /// taken (see `cff_take_memory_empty`).
    public var isReproducible = false

    private struct Pair: Sendable, Hashable {
        var name: String
        var value: String
    }

    public init(codec: VideoCodec? = nil, crf: Double? = nil, preset: String? = nil) {
        self.codec = codec
        self.crf = crf
        self.preset = preset
    }

    public mutating func addOption(_ name: String, _ value: String) { pairs.append(Pair(name: name, value: value)) }
}

/// How an encoder is told how good the picture is to be.
///
/// The defaults are visually lossless; docs/encoders.md has the table and how it was measured.
enum QualityControl: Hashable {
    /// `crf`, and a bit rate of 0 where the encoder needs that to obey it.
    case crf(Double)
    /// CRF that is capped by a bit rate which must be given (VP8): bits per pixel.
    case cappedCRF(Double, bitsPerPixel: Double)
    /// A constant quantiser scale.
    case quantizer(Double)
    /// Lossless, or a fixed rate by profile: nothing to set.
    case none

    static func `default`(for encoder: String) -> QualityControl {
        switch encoder {
        case "libx264", "libx264rgb": .crf(18)
        case "libx265": .crf(15)
        case "libvpx-vp9": .crf(14)
        case "libsvtav1", "libaom-av1": .crf(11)
        case "libvpx": .cappedCRF(4, bitsPerPixel: 2)
        case "libtheora": .quantizer(10)
        case "mpeg4", "mpeg2video", "mpeg1video", "mjpeg", "msmpeg4", "msmpeg4v2", "h263", "h263p", "flv", "wmv1",
            "wmv2",
            "snow", "jpeg2000", "amv", "h261", "rv10", "rv20", "svq1":
            .quantizer(2)
        default: .none
        }
    }

    func with(_ value: Double?) -> QualityControl? {
        guard let value else { return self }
        switch self {
        case .crf: return .crf(value)
        case .cappedCRF(_, let bits): return .cappedCRF(value, bitsPerPixel: bits)
        case .quantizer: return .quantizer(value)
        case .none: return nil
        }
    }
}

extension EncoderChoice {
    /// Simple encoders that take a frame rate and no finer time: they are fed a frame counter, and the frames' own
    /// times are put back on the packets.
    var countsFrames: Bool {
        [
            "mpeg4", "mpeg2video", "mpeg1video", "msmpeg4", "msmpeg4v2", "h263", "h263p", "h261", "flv", "wmv1", "wmv2",
            "libtheora", "dvvideo", "svq1", "rv10", "rv20", "snow", "dnxhd", "amv", "roqvideo", "cinepak",
        ].contains(encoderName)
    }
}

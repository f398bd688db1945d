import CFFmpeg

/// Static HDR metadata (SMPTE ST 2086 and CTA-861.3) of a picture, as encoders and containers want it.
struct HDRMetadata {
    private var mastering: AVMasteringDisplayMetadata?
    private var light: AVContentLightMetadata?

    /// From the frame (the bitstream's own), else from the container's side data.
    init(frame: borrowing Frame, stream: UnsafeMutablePointer<AVStream>) {
        if let side = av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA) {
            mastering = UnsafeRawPointer(side.pointee.data).load(as: AVMasteringDisplayMetadata.self)
        } else if let data = av_stream_get_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, nil) {
            mastering = UnsafeRawPointer(data).load(as: AVMasteringDisplayMetadata.self)
        }
        if let found = mastering, !Self.isPossible(found) { mastering = nil }
        if let side = av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) {
            light = UnsafeRawPointer(side.pointee.data).load(as: AVContentLightMetadata.self)
        } else if let data = av_stream_get_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, nil) {
            light = UnsafeRawPointer(data).load(as: AVContentLightMetadata.self)
        }
    }

    var isEmpty: Bool { mastering == nil && light == nil }

    private static func chromaticities(_ m: AVMasteringDisplayMetadata) -> [AVRational] {
        let p = m.display_primaries
        return [p.1.0, p.1.1, p.2.0, p.2.1, p.0.0, p.0.1, m.white_point.0, m.white_point.1]
    }

    /// The highest luminance that is believed, in cd/m²; SMPTE ST 2084 ends at 10,000.
    private static let brightest = 100_000.0

    /// Whether all that it says can be: chromaticities are parts of one. Files say what they like, 1/0 too.
    static func isPossible(_ m: AVMasteringDisplayMetadata) -> Bool {
        func lies(_ values: [AVRational], _ range: ClosedRange<Double>) -> Bool {
            values.allSatisfy { $0.den != 0 && range.contains($0.value) }
        }
        return (m.has_primaries == 0 || lies(chromaticities(m), 0...1))
            && (m.has_luminance == 0 || lies([m.max_luminance, m.min_luminance], 0...brightest))
    }

    private var masteringText: String? { mastering.flatMap(Self.text) }

    /// `G(x,y)B(x,y)R(x,y)WP(x,y)L(max,min)` in units of 0.00002 and 0.0001 cd/m², as x265 and x264 write it; nil where
    /// something is missing or can't be.
    static func text(_ m: AVMasteringDisplayMetadata) -> String? {
        guard m.has_primaries != 0, m.has_luminance != 0, isPossible(m) else { return nil }
        let c = chromaticities(m).map { Int(($0.value * 50000).rounded()) }
        let l = [m.max_luminance, m.min_luminance].map { Int(($0.value * 10000).rounded()) }
        return "G(\(c[0]),\(c[1]))B(\(c[2]),\(c[3]))R(\(c[4]),\(c[5]))WP(\(c[6]),\(c[7]))L(\(l[0]),\(l[1]))"
    }

    private var lightText: String? { light.map { "\($0.MaxCLL),\($0.MaxFALL)" } }

    /// Private options to add for an encoder; empty where it takes them from elsewhere or not at all.
    func options(for encoder: String) -> (name: String, value: String)? {
        var parts: [String] = []
        switch encoder {
        case "libx265":
            if let m = masteringText { parts.append("master-display=\(m)") }
            if let l = lightText { parts.append("max-cll=\(l)") }
            return parts.isEmpty ? nil : ("x265-params", parts.joined(separator: ":"))
        case "libx264":
            if let m = masteringText { parts.append("mastering-display=\(m)") }
            if let l = lightText { parts.append("cll=\(l)") }
            return parts.isEmpty ? nil : ("x264-params", parts.joined(separator: ":"))
        default: return nil
        }
    }

    /// Puts the metadata into a stream of the output, for the container to write.
    func attach(to stream: UnsafeMutablePointer<AVStream>) throws(MediaError) {
        if let m = mastering {
            try Self.attach(m, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, to: stream)
        }
        if let l = light {
            try Self.attach(l, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, to: stream)
        }
    }

    private static func attach<T>(
        _ value: T, _ type: AVPacketSideDataType, to stream: UnsafeMutablePointer<AVStream>
    ) throws(MediaError) {
        let size = MemoryLayout<T>.size
        guard let data = av_stream_new_side_data(stream, type, size) else {
            throw MediaError(.internalFailure, "copying HDR metadata", detail: "out of memory")
        }
        UnsafeMutableRawPointer(data).storeBytes(of: value, as: T.self)
    }
}

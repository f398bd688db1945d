import VeilCore

/// A picture stream that is to be rendered, and a look at its first frame: encoders are set up like that.
public final class PictureInput {
    public let source: VideoSource
    let first: Frame
    /// The decoder's pixel format, of which the first frame's may be a rearrangement.
    let decodedFormat: PixelFormat?

    /// Opens the file twice: a short-lived reading shows the first frame.
    ///
    /// - Parameters:
    ///   - index: of the stream; nil for the main one.
    ///   - bringsOthers: hand over the packets of the other streams too.
    public init(
        file: String, stream index: Int? = nil, policy: DamagePolicy, bringsOthers: Bool = false, threads: Int = 0,
        reach: SourceReach = []
    ) throws(MediaError) {
        let peek = try VideoSource(file: file, stream: index, policy: policy, threads: threads, reach: reach)
        guard let first = try peek.nextFrame() else {
            throw MediaError(
                .damaged, "decoding", file: file, stream: peek.stream.index,
                detail: "the picture stream has no frames")
        }
        source = try VideoSource(
            file: file, stream: index, policy: policy, bringsOthers: bringsOthers, threads: threads, reach: reach)
        decodedFormat = peek.decodedFormat
        self.first = first
    }
}

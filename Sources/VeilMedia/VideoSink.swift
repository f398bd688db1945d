import CFFmpeg
import VeilCore

/// Writes the redacted pictures and what may ride along: the other end of `VideoSource`.
///
/// Never copies a picture: moving pictures and stills come in redacted, or are left out with a word.
public final class VideoSink {
    private let muxer: Muxer
    private let tracks: [PictureTrack]
    private let indices: [Int]
    private let riders: Riders
    private let ownNotices: [String]

    /// What differs from the source or was left out, for a person.
    public var notices: [String] {
        tracks.flatMap { track in
            tracks.count == 1 ? track.allNotices : track.allNotices.map { "\(track.source.stream.label): \($0)" }
        } + ownNotices + riders.notices + muxer.notices
    }

    /// The main picture's encoder by name, "libx264".
    public var encoderName: String { tracks.first?.encoder.choice.encoderName ?? "" }

    /// Opens encoders and container and writes the header.
    ///
    /// - Parameters:
    ///   - path: where the bytes go (the unfinished file), `file` its final name.
    ///   - inputs: the picture streams that are redacted, the main one first; it brings the packets of all riders.
    ///   - stills: cover art that was redacted already.
    public init(
        path: String, file: String, inputs: [PictureInput], stills: [RedactedStill] = [], settings: EncoderSettings,
        riders policy: RiderPolicy
    ) throws(MediaError) {
        guard let main = inputs.first?.source else {
            throw MediaError(.internalFailure, "opening the output", file: file, detail: "there is no picture")
        }
        let format = try OutputFormat(forFile: file)
        var tracks: [PictureTrack] = []
        for input in inputs {
            tracks.append(try PictureTrack(input, settings: settings, format: format, file: file))
        }
        self.tracks = tracks
        let muxer = try Muxer(
            path: path, format: format, file: file, metadata: policy.metadata, isReproducible: settings.isReproducible)
        muxer.loop = LoopCount.option(ofFile: main.demuxer.file, for: format)
        self.muxer = muxer
        try muxer.copyFileDescription(from: main.demuxer.context)
        let riders = Riders(demuxer: main.demuxer, muxer: muxer, policy: policy, file: file)
        self.riders = riders
        var indices = tracks.map { _ in 0 }
        var notices: [String] = []
        for info in main.demuxer.streams {
            let stream = main.demuxer.stream(info.index)
            if let i = tracks.firstIndex(where: { $0.source.stream.index == info.index }) {
                let out = try muxer.addStream()
                muxer.copyDescription(from: stream, to: out)
                try tracks[i].describe(in: out)
                indices[i] = Int(out.pointee.index)
                if i > 0 { main.demuxer.discard([info.index]) }
            } else if let still = stills.first(where: { $0.stream.index == info.index }) {
                main.demuxer.discard([info.index])
                notices += try still.add(to: muxer, like: stream)
            } else if info.type == .picture {
                riders.leaveOut(
                    info, info.isStill ? "a still may show faces" : "one picture stream is redacted, and none is copied"
                )
            } else {
                try riders.add(info)
            }
        }
        self.indices = indices
        ownNotices = notices
        // The run-in of sound lies before zero. Matroska holds that (a block's time is signed), and AVI has no times for
        // sound: there the picture must not be moved for its sake. Elsewhere all streams move by the same time.
        let start = inputs[0].first.pts.map(main.seconds) ?? 0
        if format.isAVI, main.demuxer.context.pointee.start_time != cff_no_pts {
            muxer.beginning = main.demuxer.context.pointee.start_time
        }
        let keepsTimes = (format.isMatroska || format.isAVI) && start >= 0
        try muxer.writeHeader(
            pictureTimeBase: main.timeBase, soundRate: riders.soundRate, shiftsNegativeTimes: !keepsTimes)
        for still in stills { try still.write(to: muxer) }
    }

    /// Encodes a picture, and writes what comes out of the encoder.
    ///
    /// - Parameter picture: which of the inputs it belongs to.
    public func write(_ frame: borrowing Frame, picture: Int = 0) throws(MediaError) {
        try tracks[picture].write(frame)
        try drain(picture)
    }

    /// Passes on a packet of another stream, if the stream is kept.
    public func write(_ packet: borrowing Packet) throws(MediaError) { try riders.write(packet) }

    private func drain(_ picture: Int) throws(MediaError) {
        let encoder = tracks[picture].encoder
        let muxer = self.muxer
        let index = indices[picture]
        try encoder.drain { (packet) throws(MediaError) in
            try muxer.write(packet, stream: index, timeBase: encoder.packetTimeBase)
        }
    }

    /// Writes what encoders and container still hold, and the end of the file.
    public func finish() throws(MediaError) {
        for picture in tracks.indices {
            try tracks[picture].finish()
            try drain(picture)
        }
        try riders.finish()
        try muxer.finish()
    }
}

extension AVRational {
    var inverted: AVRational { AVRational(num: den, den: num) }
}

import CFFmpeg

/// Where a live picture goes through FFmpeg, as a person writes it.
public struct LiveTarget: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// A file that has to survive a power cut.
        case recording
        /// A stream to somewhere else.
        case stream
        /// A folder of short files and a list of them.
        case playlist
        /// Standard output.
        case pipe
        /// A video output device.
        case device
    }

    public var kind: Kind
    /// What FFmpeg opens.
    public var url: String
    /// As a person would be told about it.
    public var label: String
    /// FFmpeg's name of the container or device.
    public var format: String

    /// Reads `-`, `/dev/videoN`, `scheme://…`, `FOLDER/NAME.m3u8` or the name of a file.
    ///
    /// - Parameter format: of standard output, "yuv4mpegpipe"; nil for what the name says.
    /// - Throws: `MediaError` `.unsupported` where no container is known by the name.
    public init(_ text: String, format: String? = nil) throws(MediaError) {
        if text == "-" {
            self.init(kind: .pipe, url: "pipe:1", label: "standard output", format: format ?? "yuv4mpegpipe")
        } else if text.hasPrefix("/dev/video") {
            self.init(kind: .device, url: text, label: text, format: "v4l2")
        } else if let scheme = text.firstRange(of: "://").map({ text[..<$0.lowerBound].lowercased() }) {
            let own = ["rtmp": "flv", "rtmps": "flv", "rtmpt": "flv", "rtsp": "rtsp", "icecast": "webm"]
            self.init(kind: .stream, url: text, label: text, format: own[scheme] ?? "mpegts")
        } else if text.hasSuffix(".m3u8") {
            self.init(kind: .playlist, url: text, label: text, format: "hls")
        } else {
            let format = try OutputFormat(forFile: text)
            self.init(kind: .recording, url: "file:" + text, label: text, format: format.name)
        }
    }

    private init(kind: Kind, url: String, label: String, format: String) {
        self.kind = kind
        self.url = url
        self.label = label
        self.format = format
    }

    /// The same recording under a name with a number: `walk.mp4` becomes `walk-2.mp4`.
    public func take(_ number: Int) -> LiveTarget {
        guard number > 1, kind == .recording || kind == .playlist else { return self }
        let dot = label.lastIndex(of: ".") ?? label.endIndex
        let name = "\(label[..<dot])-\(number)\(label[dot...])"
        return LiveTarget(kind: kind, url: kind == .recording ? "file:" + name : name, label: name, format: format)
    }

    /// Raw pictures, not coded ones.
    var isRaw: Bool { ["yuv4mpegpipe", "rawvideo", "v4l2"].contains(format) }

    /// Whether sound can be carried.
    public var holdsSound: Bool { !isRaw }

    /// The muxer's options.
    var options: [(String, String)] {
        switch format {
        case "mp4", "mov", "ipod":
            // Each fragment can be played by itself; what was written before the power went stays playable.
            [("movflags", "frag_keyframe+empty_moov+default_base_moof"), ("frag_duration", "500000")]
        case "matroska", "webm": [("cluster_time_limit", "500"), ("live", "0")]
        case "hls": [("hls_time", "2"), ("hls_list_size", "10"), ("hls_flags", "delete_segments+independent_segments")]
        case "mpegts": [("pes_payload_size", "0")]
        case "flv": [("flvflags", "no_duration_filesize")]
        default: []
        }
    }
}

import CFFmpeg

/// A number that FFmpeg returned instead of a result. Open: FFmpeg may return any.
public struct FFmpegCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let endOfFile = FFmpegCode(rawValue: cff_error_eof)
    public static let again = FFmpegCode(rawValue: cff_error_again)
    public static let noMemory = FFmpegCode(rawValue: cff_error_no_memory)
    public static let noSpace = FFmpegCode(rawValue: cff_error_no_space)
    public static let invalidData = FFmpegCode(rawValue: cff_error_invalid_data)
    public static let notPermitted = FFmpegCode(rawValue: cff_error_not_permitted)
    public static let inputOutput = FFmpegCode(rawValue: cff_error_io)

    /// FFmpeg's own words for the code.
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress else { return "error \(rawValue)" }
            av_strerror(rawValue, base, buffer.count)
            return String(cString: base)
        }
    }
}

/// What went wrong while reading or writing media: doing what, to which file and stream, when, in the library's words.
public struct MediaError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The file isn't there or can't be read.
        case unreadable
        /// The file isn't media that FFmpeg knows, or has no picture stream.
        case notMedia
        /// The file breaks off or holds data that can't be decoded.
        case damaged
        /// The output can't hold what was asked for.
        case unsupported
        /// The output can't be written.
        case unwritable
        /// There is an output of that name already, or it is the input.
        case exists
        /// A library failed in a way that says nothing about the file.
        case internalFailure
    }

    public var kind: Kind
    /// What was being done, as a gerund: "decoding".
    public var operation: String
    public var file: String?
    public var stream: Int?
    /// Seconds of presentation time.
    public var time: Double?
    /// The library's words.
    public var detail: String
    /// What the user can do about it.
    public var advice: String?

    public init(
        _ kind: Kind, _ operation: String, file: String? = nil, stream: Int? = nil, time: Double? = nil,
        detail: String, advice: String? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.file = file
        self.stream = stream
        self.time = time
        self.detail = detail
        self.advice = advice
    }

    /// From a code that FFmpeg returned; takes along what the library logged last on this account.
    init(
        _ kind: Kind, _ operation: String, file: String?, stream: Int? = nil, time: Double? = nil, code: Int32,
        advice: String? = nil
    ) {
        let words = FFmpegCode(rawValue: code).description
        let logged = LibraryLog.takeLast()
        self.init(
            kind, operation, file: file, stream: stream, time: time, detail: logged.map { "\(words) (\($0))" } ?? words,
            advice: advice)
    }
}

/// Throws when an FFmpeg call returned a negative code.
@discardableResult
func check(
    _ code: Int32, _ kind: MediaError.Kind, _ operation: String, file: String?, stream: Int? = nil, time: Double? = nil
) throws(MediaError) -> Int32 {
    if code < 0 { throw MediaError(kind, operation, file: file, stream: stream, time: time, code: code) }
    return code
}

extension AVRational {
    var value: Double { den == 0 ? .nan : Double(num) / Double(den) }
}

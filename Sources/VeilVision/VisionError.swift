import CVision

/// A detector or matcher failed.
public struct VisionError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// An argument is out of range.
        case badArgument
        /// A model's bytes are not what the detector expects.
        case badModel
        /// OpenCV raised an error: its number (cv::Error::Code).
        case library(Int)
        case outOfMemory
        /// A C++ exception of another kind.
        case unknown
    }

    public var code: Code
    /// What was being done, as in "looking for faces".
    public var doing: String
    /// The model's file, if one was involved.
    public var file: String?
    /// OpenCV's own words, or the shim's; one line.
    public var words: String

    public init(code: Code, doing: String, file: String? = nil, words: String) {
        self.code = code
        self.doing = doing
        self.file = file
        self.words = words
    }

    public var description: String {
        "\(doing)\(file.map { " with \($0)" } ?? "") failed: \(words)"
    }
}

extension VisionError {
    /// Calls the shim and throws what it reports.
    static func check(
        doing: String, file: String? = nil, _ call: (UnsafeMutablePointer<cvision_error>) -> cvision_code
    ) throws(VisionError) {
        var error = cvision_error()
        let code = call(&error)
        guard code != CVISION_OK else { return }
        let words = withUnsafeBytes(of: error.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw VisionError(
            code: Code(code, library: Int(error.library_code)), doing: doing, file: file, words: words)
    }
}

extension VisionError.Code {
    fileprivate init(_ code: cvision_code, library: Int) {
        switch code {
        case CVISION_BAD_ARGUMENT: self = .badArgument
        case CVISION_BAD_MODEL: self = .badModel
        case CVISION_LIBRARY: self = .library(library)
        case CVISION_NO_MEMORY: self = .outOfMemory
        default: self = .unknown
        }
    }
}

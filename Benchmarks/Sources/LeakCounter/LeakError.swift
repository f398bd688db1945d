import VeilMedia

/// Why leaks could not be counted.
public enum LeakError: Error, Sendable {
    case media(MediaError)
    /// The list of faces can't be read; in words.
    case truth(String)
    /// The list of faces is for a picture of another size. Sizes as displayed, in pixels.
    case truthSize(width: Int, height: Int, originalWidth: Int, originalHeight: Int)
    /// The two files don't show as many frames, so they can't be paired by index.
    case frameCounts(original: Int, redacted: Int)
}

extension LeakError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .media(let error): "\(error)"
        case .truth(let words): words
        case .truthSize(let width, let height, let originalWidth, let originalHeight):
            "the faces are those of a picture of \(width)x\(height), the original shows \(originalWidth)x\(originalHeight)"
        case .frameCounts(let original, let redacted):
            "the original shows \(original) frames, the redacted file \(redacted)"
        }
    }
}

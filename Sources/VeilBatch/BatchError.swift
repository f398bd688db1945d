/// Why a run over folders can't go on: doing what, with which file, in the system's words.
public struct BatchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// As a gerund: "reading the manifest".
    public var doing: String
    public var file: String
    public var detail: String

    public init(_ doing: String, file: String, detail: String) {
        self.doing = doing
        self.file = file
        self.detail = detail
    }

    public var description: String { "\(file): \(doing): \(detail)" }
}

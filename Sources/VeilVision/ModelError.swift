/// A model that a detector needs can't be used. Each has a one-line description that says what to do.
public enum ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No folder of models was found.
    case noFolder(searched: [String])
    case unreadableManifest(file: String, reason: String)
    /// The manifest names no such model.
    case notListed(name: String, file: String)
    case missing(file: String)
    case unreadable(file: String, reason: String)
    /// The file is not the one that the manifest describes.
    case altered(file: String, reason: String)

    /// The command that brings the models.
    public static let remedy = "make models"

    public var description: String {
        let fault =
            switch self {
            case .noFolder(let searched):
                "no models found (no manifest.json in \(searched.joined(separator: ", ")))"
            case .unreadableManifest(let file, let reason): "can't read the list of models \(file): \(reason)"
            case .notListed(let name, let file): "\(file) lists no model \(name)"
            case .missing(let file): "the model \(file) is missing"
            case .unreadable(let file, let reason): "can't read the model \(file): \(reason)"
            case .altered(let file, let reason): "the model \(file) was altered or cut short: \(reason)"
            }
        return "\(fault); run `\(Self.remedy)`"
    }
}

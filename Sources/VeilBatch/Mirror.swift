import Glibc

/// Where the output of each file goes.
public struct Mirror: Sendable {
    public enum Place: Sendable, Hashable {
        /// Below this folder, as the inputs lie below what was named.
        case folder(String)
        /// Beside the input, `NAME.redacted.EXT`.
        case beside
        /// In the input's place; the input is kept under its name with this ending.
        case inPlace(backupSuffix: String)
    }

    /// One file's work.
    public struct Item: Sendable, Hashable {
        public var source: String
        public var output: String
        /// The folder whose manifest tells of it; nil for a file that was named itself and stays where it is.
        public var folder: String?
        /// The output's place below that folder: its name in the manifest.
        public var key: String
        /// Where the input is kept when the output takes its place.
        public var backup: String?
    }

    public private(set) var items: [Item] = []
    /// Why some can't be worked on: nothing is begun then.
    public private(set) var problems: [Discovery.Problem] = []

    /// - Parameter name: the name of an output beside its input.
    public init(_ files: [Discovery.File], to place: Place, naming name: (String) -> String?) {
        for file in files {
            switch place {
            case .folder(let folder):
                items.append(
                    Item(
                        source: file.path, output: Path.join(folder, file.relative), folder: folder, key: file.relative)
                )
            case .beside:
                guard let output = name(file.path) else {
                    problems.append(
                        Discovery.Problem(path: file.path, words: "no name can be made from it for its output"))
                    continue
                }
                let key = Path.join(Self.folderPart(file.placeInRoot), Path.name(output))
                items.append(Item(source: file.path, output: output, folder: file.isNamed ? nil : file.root, key: key))
            case .inPlace(let suffix):
                items.append(
                    Item(
                        source: file.path, output: file.path, folder: file.root, key: file.placeInRoot,
                        backup: file.path + suffix))
            }
        }
        findProblems()
    }

    private static func folderPart(_ place: String) -> String {
        Path.hasFolder(place) ? Path.folder(place) : ""
    }

    /// Two outputs of one name, outputs that are inputs, and outputs that stand where others need a folder.
    private mutating func findProblems() {
        var sources: [String: String] = [:]
        for item in items {
            let output = Self.plain(item.output)
            if let other = sources[output], other != item.source {
                problems.append(
                    Discovery.Problem(
                        path: item.source, words: "its output would be \(item.output), and so would that of \(other)"))
            }
            sources[output] = item.source
        }
        for item in items {
            var folder = Path.folder(Self.plain(item.output))
            while folder != ".", folder != "/" {
                if let other = sources[folder] {
                    problems.append(
                        Discovery.Problem(
                            path: item.source,
                            words: "its output needs a folder where the output of \(other) goes, \(folder)"))
                }
                folder = Path.folder(folder)
            }
        }
        // The same file under two names counts as well.
        var inputs: [FileFacts.Identity: String] = [:]
        for item in items {
            if let facts = FileFacts(item.source, followsLinks: true) { inputs[facts.identity] = item.source }
        }
        for item in items where item.backup == nil {
            if let facts = FileFacts(item.output, followsLinks: true), let input = inputs[facts.identity] {
                problems.append(
                    Discovery.Problem(
                        path: item.source, words: "its output \(item.output) would replace an input, \(input)"))
            }
        }
    }

    /// Without doubled slashes and `.` parts.
    private static func plain(_ path: String) -> String {
        let parts = Path.parts(path).filter { $0 != "." }.joined(separator: "/")
        return path.utf8.first == UInt8(ascii: "/") ? "/" + parts : parts
    }
}

import Glibc

/// Finds the files that are meant by what was named: files, folders and patterns.
///
/// Reads names only; no file is opened but those in folders whose endings texts have as well. The order is the same on every machine that has the same files.
public struct Discovery {
    public struct Settings: Sendable {
        /// Go into folders of folders.
        public var isRecursive = true
        /// Files in folders are taken only if one of these matches; none for all.
        public var includes: [GlobPattern] = []
        /// Files and folders in folders that one of these matches are left out.
        public var excludes: [GlobPattern] = []
        public var followsLinks = false
        /// Take names that begin with a dot, too.
        public var takesHidden = false
        /// Take what the program itself has written beside inputs, `NAME.redacted.EXT`.
        public var takesRedacted = false
        /// Names with this ending are unredacted originals that were set aside.
        public var backupSuffix: String?
        /// Take originals that were set aside under this ending like what they are, for whoever looks for faces.
        public var takesBackups: String?
        /// Folders that are never gone into: where the output goes.
        public var ownFolders: [String] = []

        public init() {}
    }

    /// A file, and where it is below what was named.
    public struct File: Sendable, Hashable {
        /// To open it.
        public var path: String
        /// Its place below the output's folder.
        public var relative: String
        /// The folder that was named, or the file's own: where a manifest of files that stay in place lies.
        public var root: String
        /// Whether the file itself was named, not a folder above it.
        public var isNamed = false

        /// Its place below `root`.
        public var placeInRoot: String {
            root == "." && !path.utf8.starts(with: "./".utf8) ? path : Path.below(root, path)
        }
    }

    /// Files by the bytes of their names: names that Unicode calls the same are two files.
    private struct Key: Hashable {
        let path: [UInt8]
        let relative: [UInt8]

        init(_ file: File) { (path, relative) = (Array(file.path.utf8), Array(file.relative.utf8)) }
    }

    /// Why something that was named, or was found below it, isn't worked on.
    public struct Problem: Sendable, Hashable {
        public var path: String
        public var words: String
    }

    public private(set) var files: [File] = []
    /// Files in folders that are neither pictures nor videos by their names.
    public private(set) var others: [File] = []
    public private(set) var problems: [Problem] = []
    /// Symbolic links that were not followed.
    public private(set) var linksLeft = 0
    private let settings: Settings
    private let ownFolders: Set<FileFacts.Identity>
    private var seen: Set<Key> = []

    /// - Parameters:
    ///   - operands: files, folders and patterns, as they were typed.
    ///   - listed: files and folders out of a list; they keep their paths below the output's folder.
    public init(_ operands: [String], listed: [String] = [], _ settings: Settings = Settings()) {
        self.settings = settings
        ownFolders = Set(settings.ownFolders.compactMap { FileFacts($0, followsLinks: true)?.identity })
        var named: [String] = []
        for operand in operands {
            if FileFacts(operand, followsLinks: false) == nil, GlobPattern.isPattern(operand) {
                named += expand(operand)
            } else {
                named.append(operand)
            }
        }
        // A single folder gives its contents; of several, each keeps its own name.
        let folders = named.count { FileFacts($0, followsLinks: true)?.kind == .folder }
        for path in named {
            let path = Path.withoutSlashes(path)
            take(path, under: path == "." || path == ".." ? "" : Path.name(path), keepsName: folders > 1)
        }
        for path in listed {
            let parts = Path.parts(path).filter { $0 != "." }
            guard !parts.contains("..") else {
                problems.append(
                    Problem(path: path, words: "a listed name with .. in it has no place below the output's folder"))
                continue
            }
            // A list made of all that is in a folder has the outputs of the run before.
            if isInOwnFolder(path) { continue }
            take(Path.withoutSlashes(path), under: parts.joined(separator: "/"), keepsName: true)
        }
    }

    private func isInOwnFolder(_ path: String) -> Bool {
        guard !ownFolders.isEmpty else { return false }
        var folder = Path.folder(path)
        while true {
            if let facts = FileFacts(folder, followsLinks: true), ownFolders.contains(facts.identity) { return true }
            let above = Path.folder(folder)
            if above == folder || folder == "." { return false }
            folder = above
        }
    }

    private mutating func take(_ path: String, under place: String, keepsName: Bool) {
        guard let facts = FileFacts(path, followsLinks: true) else {
            problems.append(Problem(path: path, words: String(cString: strerror(errno))))
            return
        }
        switch facts.kind {
        case .file: add(File(path: path, relative: place, root: Path.folder(path), isNamed: true), isMedia: true)
        case .folder:
            walk(path, below: "", place: keepsName ? place : "", root: path, ancestors: [facts.identity])
        case .link, .other:
            problems.append(Problem(path: path, words: "it is neither a regular file nor a folder"))
        }
    }

    private mutating func add(_ file: File, isMedia: Bool) {
        guard seen.insert(Key(file)).inserted else { return }
        if isMedia { files.append(file) } else { others.append(file) }
    }

    private mutating func walk(
        _ folder: String, below: String, place: String, root: String, ancestors: [FileFacts.Identity]
    ) {
        guard let listing = Folder.list(folder) else {
            problems.append(Problem(path: folder, words: String(cString: strerror(errno))))
            return
        }
        for name in listing.unreadable {
            problems.append(Problem(path: Path.join(folder, name), words: "its name is not UTF-8"))
        }
        let names = Set(listing.names)
        for name in listing.names where !isLeftOut(name, among: names) {
            let path = Path.join(folder, name)
            guard let own = FileFacts(path, followsLinks: false) else { continue }
            if own.kind == .link && !settings.followsLinks {
                linksLeft += 1
                continue
            }
            guard let facts = own.kind == .link ? FileFacts(path, followsLinks: true) : own else {
                problems.append(Problem(path: path, words: "the link leads nowhere"))
                continue
            }
            let inside = Path.join(below, name)
            let isFolder = facts.kind == .folder
            if settings.excludes.contains(where: { $0.matches(inside, isFolder: isFolder) }) { continue }
            if isFolder {
                // A link to a folder above would never end.
                guard settings.isRecursive, !ownFolders.contains(facts.identity), !ancestors.contains(facts.identity)
                else { continue }
                walk(
                    path, below: inside, place: Path.join(place, name), root: root,
                    ancestors: ancestors + [facts.identity])
            } else if facts.kind == .file {
                var plain = name[...]
                if let suffix = settings.takesBackups, name.hasSuffix(suffix) { plain = plain.dropLast(suffix.count) }
                var isMedia = MediaKind.isMedia(name: String(plain))
                if isMedia, MediaKind.fileExtension(String(plain)).map(MediaKind.shared.contains) ?? false {
                    isMedia = !MediaKind.isText(Files.beginning(path, count: 512))
                }
                if isMedia, !settings.includes.isEmpty,
                    !settings.includes.contains(where: { $0.matches(inside, isFolder: false) })
                {
                    continue
                }
                add(File(path: path, relative: Path.join(place, name), root: root), isMedia: isMedia)
            }
        }
    }

    private func isLeftOut(_ name: String, among names: Set<String>) -> Bool {
        if name.hasPrefix(".") {
            // The program's own: manifests and unfinished files.
            if !settings.takesHidden || name.hasPrefix(Manifest.prefix) || name.hasPrefix(Files.stagePrefix)
                || name.hasSuffix(".veil-part")
            {
                return true
            }
        }
        if let suffix = settings.backupSuffix, name.hasSuffix(suffix) { return true }
        return !settings.takesRedacted && Self.source(ofRedacted: name).map(names.contains) ?? false
    }

    /// `clip.mp4` for `clip.redacted.mp4`; nil for other names.
    static func source(ofRedacted name: String) -> String? {
        let word = ".redacted"
        if name.hasSuffix(word) { return String(name.dropLast(word.count)) }
        guard let dot = name.lastIndex(of: "."), name[..<dot].hasSuffix(word) else { return nil }
        return String(name[..<dot].dropLast(word.count)) + name[dot...]
    }

    // MARK: Patterns as operands

    private mutating func expand(_ text: String) -> [String] {
        guard let pattern = GlobPattern(text) else {
            problems.append(Problem(path: text, words: "it is no pattern: a bracket or brace isn't closed"))
            return []
        }
        var found: [String] = []
        for parts in pattern.walks {
            walk(along: parts[...], from: text.hasPrefix("/") ? "/" : "", ancestors: [], &found)
        }
        var seen: Set<String> = []
        found = found.filter { seen.insert($0).inserted }
        if found.isEmpty { problems.append(Problem(path: text, words: "no file matches it")) }
        return found
    }

    private mutating func walk(
        along parts: ArraySlice<GlobPattern.Part>, from folder: String, ancestors: [FileFacts.Identity],
        _ found: inout [String]
    ) {
        guard let part = parts.first else {
            if !folder.isEmpty { found.append(folder) }
            return
        }
        let rest = parts.dropFirst()
        switch part {
        case .name(let tokens):
            if let literal = Self.literal(tokens) {
                let path = Path.join(folder, literal)
                if FileFacts(path, followsLinks: false) != nil {
                    walk(along: rest, from: path, ancestors: ancestors, &found)
                }
                return
            }
            let listing = Folder.list(folder.isEmpty ? "." : folder) ?? Folder.Listing()
            let names = Set(listing.names)
            let asksForHidden = tokens.first == .literal(".")
            for name in listing.names where GlobPattern.match(tokens, Array(name.unicodeScalars)) {
                if name.hasPrefix("."), !asksForHidden, !settings.takesHidden { continue }
                if name.hasPrefix(Manifest.prefix) || !asksForHidden && isLeftOut(name, among: names) { continue }
                let path = Path.join(folder, name)
                if !rest.isEmpty, FileFacts(path, followsLinks: true)?.kind != .folder { continue }
                walk(along: rest, from: path, ancestors: ancestors, &found)
            }
        case .anyFolders:
            walk(along: rest, from: folder, ancestors: ancestors, &found)
            // The folder itself stands for all below it.
            if rest.isEmpty { return }
            for name in (Folder.list(folder.isEmpty ? "." : folder) ?? Folder.Listing()).names {
                if name.hasPrefix("."), !settings.takesHidden { continue }
                let path = Path.join(folder, name)
                guard let facts = FileFacts(path, followsLinks: settings.followsLinks), facts.kind == .folder,
                    !ancestors.contains(facts.identity), !ownFolders.contains(facts.identity)
                else { continue }
                walk(along: parts, from: path, ancestors: ancestors + [facts.identity], &found)
            }
        }
    }

    private static func literal(_ tokens: [GlobPattern.Token]) -> String? {
        var text = ""
        for token in tokens {
            guard case .literal(let scalar) = token else { return nil }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}

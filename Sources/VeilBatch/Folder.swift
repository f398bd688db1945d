import Glibc

/// What the file system says of a name, links followed or not.
struct FileFacts {
    enum Kind { case file, folder, link, other }

    /// The same for two names of one file.
    struct Identity: Hashable {
        let device: UInt
        let inode: UInt
    }

    let kind: Kind
    let identity: Identity

    /// Nil, with `errno` set, where there is no such name.
    init?(_ path: String, followsLinks: Bool) {
        var info = stat()
        guard (followsLinks ? stat(path, &info) : lstat(path, &info)) == 0 else { return nil }
        kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        identity = Identity(device: UInt(info.st_dev), inode: UInt(info.st_ino))
    }
}

/// The names in a folder.
enum Folder {
    struct Listing {
        /// Sorted by their bytes, so that every machine has the same order.
        var names: [String] = []
        /// Names that aren't UTF-8, made readable.
        var unreadable: [String] = []
    }

    /// Nil, with `errno` set, where it can't be read.
    static func list(_ path: String) -> Listing? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var listing = Listing()
        while let entry = readdir(directory) {
            let bytes = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: UInt8.self, capacity: 256) { name in
                    Array(
                        UnsafeBufferPointer(start: name, count: strnlen(UnsafePointer<CChar>(OpaquePointer(name)), 256))
                    )
                }
            }
            if bytes == [0x2E] || bytes == [0x2E, 0x2E] { continue }
            if let name = String(validating: bytes, as: UTF8.self) {
                listing.names.append(name)
            } else {
                listing.unreadable.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        listing.names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        listing.unreadable.sort()
        return listing
    }
}

/// Paths as text.
///
/// They are taken apart by bytes: to Swift, a slash and a combining mark behind it are one character, and no slash.
enum Path {
    private static let slash = UInt8(ascii: "/")

    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : folder.utf8.last == slash ? folder + name : folder + "/" + name
    }

    /// What stands between slashes, without what is empty.
    static func parts(_ path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(Substring($0)) }
    }

    static func hasFolder(_ path: String) -> Bool { path.utf8.contains(slash) }

    /// What stands behind the last slash; slashes at the end don't count.
    static func name(_ path: String) -> String { parts(path).last ?? path }

    /// What stands before the last slash: `.` where there is none.
    static func folder(_ path: String) -> String {
        guard let last = path.utf8.lastIndex(of: slash) else { return "." }
        return last == path.startIndex ? "/" : String(path[..<last])
    }

    /// Its place below a folder that its text begins with.
    static func below(_ folder: String, _ path: String) -> String {
        let count = folder.utf8.count + (folder.utf8.last == slash ? 0 : 1)
        return String(Substring(path.utf8.dropFirst(count)))
    }

    static func withoutSlashes(_ path: String) -> String {
        var path = path.utf8[...]
        while path.count > 1, path.last == slash { path = path.dropLast() }
        return String(Substring(path))
    }
}

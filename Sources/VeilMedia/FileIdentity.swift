import Glibc

/// Tells whether a path still leads to the same file with the same contents, as far as the file system knows.
public struct FileIdentity: Sendable, Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let modified: Int
    private let modifiedNanoseconds: Int

    /// Nil where there is no such file.
    public init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        device = UInt(info.st_dev)
        inode = UInt(info.st_ino)
        size = Int(info.st_size)
        modified = info.st_mtim.tv_sec
        modifiedNanoseconds = info.st_mtim.tv_nsec
    }

    /// - Throws: `MediaError` `.damaged` when the file isn't what it was.
    public static func check(_ path: String, is before: FileIdentity?) throws(MediaError) {
        guard let before, FileIdentity(path) == before else {
            throw MediaError(
                .damaged, "reading", file: path, detail: "the file has changed while it was read",
                advice: "wait until it is complete, or work on a copy")
        }
    }
}

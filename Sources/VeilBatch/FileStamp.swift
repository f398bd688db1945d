import Glibc
import VeilCore

/// What the file system says of a file's contents without reading them.
public struct FileStamp: Sendable, Hashable {
    public var size: Int
    /// Nanoseconds since 1970: of the last change of the contents, and of the last change of anything.
    public var modified: Int
    public var changed: Int
    public var inode: Int

    public init(size: Int, modified: Int, changed: Int, inode: Int) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
    }

    /// Nil, with `errno` set, where there is no regular file of that name.
    public init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(
            size: Int(info.st_size), modified: Self.nanoseconds(info.st_mtim), changed: Self.nanoseconds(info.st_ctim),
            inode: Int(truncatingIfNeeded: info.st_ino))
    }

    /// Whether this stamp, taken before the contents were read at `time`, tells them from any later ones.
    ///
    /// A file that is written to right after it was read may keep its stamp, for the clock of file systems is coarse: a
    /// hundredth of a second on most, two seconds on some, which can be seen by their whole seconds. So a stamp only counts
    /// when it was older than that. (Git calls such entries racy.)
    public func isSettled(at time: Int) -> Bool {
        let grain = changed % 1_000_000_000 == 0 ? 2_500_000_000 : 100_000_000
        return time - changed > grain && time - modified > 0
    }

    /// Nanoseconds since 1970.
    public static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return nanoseconds(time)
    }

    private static func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
}

/// A file as it was when it was read: its stamp, its contents' digest, and when that was.
public struct KnownFile: Sendable, Hashable {
    public var stamp: FileStamp
    /// 64 hexadecimal digits.
    public var sha256: String
    /// When the reading began, in nanoseconds since 1970.
    public var readAt: Int

    public init(stamp: FileStamp, sha256: String, readAt: Int) {
        self.stamp = stamp
        self.sha256 = sha256
        self.readAt = readAt
    }

    /// Whether a file with this stamp has the same contents for sure. False means: read it.
    public func isSurely(_ now: FileStamp) -> Bool { stamp == now && stamp.isSettled(at: readAt) }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        for (key, value) in [
            ("size", stamp.size), ("modified", stamp.modified), ("changed", stamp.changed), ("inode", stamp.inode),
            ("readAt", readAt),
        ] {
            json.key(key)
            json.value(value)
        }
        json.key("sha256")
        json.value(sha256)
        json.endObject()
    }

    init(_ json: inout JSONReader) throws(JSONError) {
        self.init(stamp: FileStamp(size: 0, modified: 0, changed: 0, inode: 0), sha256: "", readAt: 0)
        try json.beginObject()
        while let key = try json.nextKey() {
            switch key {
            case "size": stamp.size = try json.readInt()
            case "modified": stamp.modified = try json.readInt()
            case "changed": stamp.changed = try json.readInt()
            case "inode": stamp.inode = try json.readInt()
            case "readAt": readAt = try json.readInt()
            case "sha256": sha256 = try json.readString()
            default: try json.skipValue()
            }
        }
    }
}

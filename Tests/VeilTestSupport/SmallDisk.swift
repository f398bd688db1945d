import Glibc

/// A file system of its own that is soon full: there as long as this value is.
public final class SmallDisk {
    public let path: String
    private let folder: TemporaryFolder

    /// Nil where mounting isn't permitted (it is to root, outside of most containers).
    ///
    /// - Parameter quotaKilobytes: what each user but root may fill of it; nil where the kernel has no quotas for it, too
    ///   (they came with Linux 6.6, and it may be built without).
    public init?(megabytes: Int, quotaKilobytes: Int? = nil) throws {
        folder = try TemporaryFolder()
        path = folder.file("disk")
        mkdir(path, 0o700)
        var options = "size=\(megabytes)m"
        if let quotaKilobytes { options += ",mode=777,usrquota,usrquota_block_hardlimit=\(quotaKilobytes)k" }
        guard geteuid() == 0, mount("tmpfs", path, "tmpfs", 0, options) == 0 else { return nil }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    public func file(_ name: String) -> String { path + "/" + name }

    public var names: [String] { TemporaryFolder.entries(of: path).sorted() }

    public func makeReadOnly() throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw SystemError("mount")
        }
    }

    /// Whether this machine and user can have one; makes one to find out.
    public static let isPossible: Bool = {
        do { return try SmallDisk(megabytes: 1) != nil } catch { return false }
    }()

    /// Whether it can have a quota.
    public static let canHaveQuota: Bool = {
        do { return try SmallDisk(megabytes: 1, quotaKilobytes: 64) != nil } catch { return false }
    }()
}

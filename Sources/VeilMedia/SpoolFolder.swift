import Glibc

/// A folder for files that are needed only while the program runs; for their owner's eyes only.
public enum SpoolFolder {
    /// `$TMPDIR`, else `/var/tmp`: what goes there may be large, and `/tmp` often lies in memory.
    public static var path: String {
        let named = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return named.isEmpty ? "/var/tmp" : named
    }

    /// Bytes that stay free on its file system: a full one harms other programs too.
    static let reserve: UInt64 = 64 << 20

    /// Opens a file without a name, so that it is gone with the program, however that ends.
    ///
    /// - Throws: `MediaError` `.unwritable`.
    static func openNameless(for use: String) throws(MediaError) -> Int32 {
        let descriptor = open(path, namelessFile | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        // Not all file systems have O_TMPFILE.
        var template = Array((path + "/veil-XXXXXX").utf8CString)
        let named = mkstemp(&template)
        guard named >= 0 else { throw failure(use, String(cString: strerror(errno))) }
        _ = fcntl(named, F_SETFD, FD_CLOEXEC)
        unlink(&template)
        return named
    }

    /// Whether so much more may be written without filling the file system.
    static func hasRoom(_ descriptor: Int32, for count: Int) -> Bool {
        var info = statvfs()
        guard fstatvfs(descriptor, &info) == 0 else { return true }
        return UInt64(info.f_bavail) * UInt64(info.f_frsize) >= UInt64(count) + reserve
    }

    static func failure(_ use: String, _ detail: String) -> MediaError {
        MediaError(.unwritable, use, file: path, detail: detail, advice: "TMPDIR=DIR names another folder")
    }
}

// O_TMPFILE of fcntl.h, a macro that Swift can't import: __O_TMPFILE | O_DIRECTORY.
private let namelessFile: Int32 = 0o20_000_000 | O_DIRECTORY

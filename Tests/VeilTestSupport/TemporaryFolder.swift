import Glibc

/// A folder that is there as long as this value is.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        var template = Array("/tmp/veil-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The path of a file in it.
    public func file(_ name: String) -> String { path + "/" + name }

    /// The names of everything in it, hidden files too, sorted.
    public var names: [String] { Self.entries(of: path).sorted() }

    /// What an unfinished output would leave behind.
    public var leftovers: [String] { names.filter { $0.hasSuffix(".veil-part") } }

    static func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        var info = stat()
        if lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR {
            chmod(path, 0o700)
            for name in entries(of: path) { remove(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible {
    public let description: String

    public init(_ call: String, _ number: Int32 = errno) {
        description = "\(call): \(String(cString: strerror(number)))"
    }
}

/// Whole files.
public enum FileBytes {
    public static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw SystemError("opening \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    public static func write(_ bytes: some Collection<UInt8>, to path: String) throws {
        guard let file = fopen(path, "wb") else { throw SystemError("opening \(path)") }
        defer { fclose(file) }
        let all = Array(bytes)
        guard fwrite(all, 1, all.count, file) == all.count else { throw SystemError("writing \(path)") }
    }

    public static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }

    /// In bytes; 0 where there is no such file.
    public static func size(_ path: String) -> Int {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_size : 0
    }

    /// Permission bits.
    public static func mode(_ path: String) -> mode_t {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o777 : 0
    }
}

import Glibc

/// A TCP port of this machine that counts who comes.
public final class Listener {
    public let port: UInt16
    private let descriptor: Int32

    public init() throws {
        (descriptor, port) = try loopbackSocket(SOCK_STREAM)
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, listen(descriptor, 64) == 0 else {
            throw SystemError("listen")
        }
    }

    deinit { close(descriptor) }

    /// How many connections have come since the last question.
    public func takeConnections() -> Int {
        var count = 0
        while true {
            let visitor = accept(descriptor, nil, nil)
            guard visitor >= 0 else { return count }
            close(visitor)
            count += 1
        }
    }
}

/// A socket that has a name in a folder.
public final class UnixSocket {
    private let descriptor: Int32

    public init(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        self.descriptor = descriptor
        guard isBound else { throw SystemError("bind") }
    }

    deinit { close(descriptor) }
}

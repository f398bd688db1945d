import Glibc

/// Ports of 127.0.0.1 that nobody uses just now.
public enum FreePort {
    /// For `SOCK_STREAM` (TCP) or `SOCK_DGRAM` (UDP, SRT). The system gives another one each time.
    public static func take(_ kind: __socket_type = SOCK_STREAM) throws -> UInt16 {
        let (descriptor, port) = try loopbackSocket(kind)
        close(descriptor)
        return port
    }
}

/// A socket of a port of 127.0.0.1 that the system chose.
func loopbackSocket(_ kind: __socket_type) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
    }
    guard isBound else {
        let error = SystemError("bind")
        close(descriptor)
        throw error
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

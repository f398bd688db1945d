import CLive
import VeilMedia

/// A page with the picture for browsers: JPEGs one after the other over HTTP.
final class HTTPSink: LiveSink {
    private let server: OpaquePointer
    private let encoder: LiveJPEG

    init(address: String, port: UInt16, notice: @Sendable (String) -> Void) throws(MediaError) {
        let name = "http://\(address.contains(":") ? "[\(address)]" : address):\(port)/"
        encoder = try LiveJPEG()
        var words = [CChar](repeating: 0, count: 256)
        guard let server = clive_http_start(address, port, &words, words.count) else {
            throw MediaError(.unwritable, "serving", file: name, detail: text(words))
        }
        self.server = server
        if port == 0 { notice("serving at port \(clive_http_port(server))") }
    }

    deinit { clive_http_stop(server) }

    func write(_ frame: ShownFrame) throws(MediaError) {
        guard clive_http_watchers(server) > 0 else { return }
        let bytes = try encoder.encode(frame.picture)
        bytes.withUnsafeBytes { clive_http_publish(server, $0.baseAddress, $0.count) }
    }
}

/// A C string in a buffer, as text.
func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

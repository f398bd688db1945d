import CLive

/// What is loaded only when a live picture needs it, and may be missing until then.
public enum LiveLibrary: String, Sendable, CaseIterable {
    case devices = "libavdevice"
    case window = "SDL2"
    case server = "libmicrohttpd"

    /// For a person.
    public var purpose: String {
        switch self {
        case .devices: "for cameras, screens and microphones"
        case .window: "for the preview window"
        case .server: "for --serve"
        }
    }

    /// The Debian 12 package that brings it.
    public var package: String {
        switch self {
        case .devices: "libavdevice59"
        case .window: "libsdl2-2.0-0"
        case .server: "libmicrohttpd12"
        }
    }

    /// Loads it; the loader's words where that fails.
    public func problem() -> String? {
        var words = [CChar](repeating: 0, count: 256)
        let code =
            switch self {
            case .devices: clive_devices_register(&words, words.count)
            case .window: clive_window_load(&words, words.count)
            case .server: clive_http_load(&words, words.count)
            }
        return code == 0 ? nil : text(words)
    }
}

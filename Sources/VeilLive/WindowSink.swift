import CLive
import VeilMedia

/// The preview window: shows pictures, boxes, masks and numbers, and reads keys.
final class WindowSink: LiveSink {
    private let command: @Sendable (LiveCommand) -> Void
    private let overlay: Overlay
    private var window: OpaquePointer?

    init(overlay: Overlay, command: @escaping @Sendable (LiveCommand) -> Void) {
        self.overlay = overlay
        self.command = command
    }

    deinit { clive_window_close(window) }

    func write(_ frame: ShownFrame) throws(MediaError) {
        var words = [CChar](repeating: 0, count: 256)
        if window == nil {
            window = clive_window_open(
                "veil live", Int32(frame.picture.width), Int32(frame.picture.height), &words, words.count)
        }
        guard let window else { throw MediaError(.unwritable, "opening a window", detail: text(words)) }
        let picture = try overlay.drawn(on: frame)
        let code = picture.frame.withPlanes { view -> Int32 in
            let planes = view.planes
            guard planes.count >= 3 else { return -1 }
            func bytes(_ i: Int) -> UnsafePointer<UInt8> {
                UnsafePointer(planes[i].base.assumingMemoryBound(to: UInt8.self))
            }
            return clive_window_show(
                window, bytes(0), Int32(planes[0].stride), bytes(1), Int32(planes[1].stride), bytes(2),
                Int32(planes[2].stride), Int32(view.width), Int32(view.height), &words, words.count)
        }
        guard code == 0 else { throw MediaError(.unwritable, "showing a picture", detail: text(words)) }
    }

    func idle() throws(MediaError) {
        guard let window else { return }
        while true {
            let key = clive_window_key(window)
            guard key != 0 else { return }
            if let known = LiveCommand(key: key) { command(known) }
        }
    }
}

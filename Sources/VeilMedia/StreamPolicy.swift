/// Which stream of a file is the picture.
public enum StreamPolicy {
    /// The main picture: not a still; the container's default first, then the largest, then the first.
    ///
    /// Chosen by type and disposition, never by index: sound may come first. A file that holds nothing but a still
    /// (a single JPEG, say) has that as its picture.
    public static func mainPicture(of streams: [StreamInfo]) -> StreamInfo? {
        let pictures = streams.filter { $0.type == .picture }
        let moving = pictures.filter { !$0.isStill }
        return moving.max { a, b in
            let x = (a.isDefault ? 1 : 0, a.width * a.height, -a.index)
            let y = (b.isDefault ? 1 : 0, b.width * b.height, -b.index)
            return x < y
        }
    }
}

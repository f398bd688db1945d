import CFFmpeg
import Glibc

/// What a source may have opened besides itself: the parts that an HLS or DASH playlist or a QuickTime movie names.
public struct SourceReach: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Local files in the source's own folder and below it, as seen behind symbolic links.
    public static let references = SourceReach(rawValue: 1)
    /// HTTP and HTTPS addresses, wherever they lead.
    public static let network = SourceReach(rawValue: 2)

    /// The demuxers of lists of other files, by their names.
    static let playlists: Set<String> = ["hls", "dash"]

    /// The names of the demuxers that are allowed for it, to be added to a list.
    var formats: String { isEmpty ? "" : "," + Self.playlists.sorted().joined(separator: ",") }

    /// The folder whose files may be opened, as an absolute path without symbolic links; "" for none.
    func folder(of file: String) -> String {
        guard contains(.references), let whole = realpath(file, nil) else { return "" }
        defer { free(whole) }
        let path = String(cString: whole)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[..<slash])
    }

    var demuxerOptions: [(String, String)] {
        var protocols = ["file"]
        if !isEmpty { protocols += ["crypto", "data"] }
        if contains(.network) { protocols += ["http", "https", "tcp", "tls", "httpproxy"] }
        var options = [("protocol_whitelist", protocols.joined(separator: ","))]
        if !isEmpty {
            // Each part is opened anew, so that every one passes the guard.
            options += [("http_persistent", "0"), ("http_multiple", "0")]
        }
        if contains(.references) { options.append(("enable_drefs", "1")) }
        return options
    }
}

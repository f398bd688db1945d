import VeilCore

/// A run over many files, as a page for people and as JSON for programs. Pure text.
///
/// The page loads nothing but thumbnails beside it, has no script, and shows nothing of the sources but their names.
public struct BatchReport: Sendable {
    public enum Status: String, Sendable { case done, before, failed, left }

    public struct Thumbnail: Sendable, Hashable {
        /// Its file's name beside the page.
        public var file: String
        /// Seconds.
        public var time: Double

        public init(file: String, time: Double) {
            self.file = file
            self.time = time
        }
    }

    public struct Row: Sendable {
        public var input: String
        public var output: String
        public var status: Status
        public var failure: String?
        public var details = FileDetails()
        public var thumbnails: [Thumbnail] = []

        public init(input: String, output: String, status: Status) {
            self.input = input
            self.output = output
            self.status = status
        }
    }

    public var rows: [Row] = []
    /// What is said above: "veil 0.1.0", "--effect pixellate", …
    public var versions: [String] = []
    public var settings: [String] = []
    /// When it was made, for people.
    public var made = ""

    public init() {}

    /// A track that a detector was less sure of than this is worth a look.
    static let unsure = 0.6

    public func json() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject(.lines)
        json.key("version")
        json.value(1)
        json.key("made")
        json.value(made)
        for (key, lines) in [("versions", versions), ("settings", settings)] {
            json.key(key)
            json.beginArray(.lines)
            for line in lines { json.value(line) }
            json.endArray()
        }
        json.key("files")
        json.beginArray(.lines)
        for row in rows {
            json.beginObject(.lines)
            for (key, text) in [("input", row.input), ("output", row.output), ("status", row.status.rawValue)] {
                json.key(key)
                json.value(text)
            }
            if let failure = row.failure {
                json.key("failure")
                json.value(failure)
            }
            json.key("details")
            row.details.write(to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.finish()
    }

    // MARK: The page

    public func html() -> String {
        let counts: [(Status, String)] = [
            (.done, "done"), (.before, "done before"), (.failed, "failed"), (.left, "left"),
        ]
        let words = counts.compactMap { status, word in
            let count = rows.count { $0.status == status }
            return count > 0 ? "\(count) \(word)" : nil
        }
        var text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            img-src 'self' file:">
            <meta name="referrer" content="no-referrer">
            <meta name="viewport" content="width=device-width">
            <title>Veil: \(rows.count) files</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>\(rows.count) files: \(words.joined(separator: ", "))</h1>
            <p>No detector finds every face. Look at the results before you hand them on; begin with what is marked.
            This page says where faces are: keep it like the sources.</p>

            """
        let failed = rows.filter { $0.status == .failed }
        if !failed.isEmpty {
            text += "<h2>Failed</h2>\n<ul class=\"failed\">\n"
            for row in failed {
                text += "<li><b>\(Markup.escaped(row.input))</b> \(Markup.escaped(row.failure ?? ""))</li>\n"
            }
            text += "</ul>\n"
        }
        text +=
            "<table>\n<thead><tr><th>File</th><th>Result</th><th>Tracks over time</th><th>Look here</th></tr></thead>\n"
        text += "<tbody>\n" + rows.map(Self.row).joined() + "</tbody>\n</table>\n"
        text += "<h2>Made with</h2>\n<ul>\n"
        for line in versions + settings { text += "<li>\(Markup.escaped(line))</li>\n" }
        return text + "</ul>\n<p>\(Markup.escaped(made))</p>\n</body>\n</html>\n"
    }

    private static func row(_ row: Row) -> String {
        let details = row.details
        let name = Markup.escaped(row.input)
        var facts = [row.status.rawValue]
        if details.frames > 0 {
            facts += [
                "\(details.width)×\(details.height)", counted(details.frames, "frame"),
                "\(details.framesWithFaces) with faces", counted(details.trackCount, "track"),
            ]
            if details.framesCoveredWhole > 0 { facts.append("\(details.framesCoveredWhole) covered whole") }
            if !details.encoder.isEmpty { facts.append(details.encoder) }
        }
        let notices = details.notices.map { "<br><small>\(Markup.escaped($0))</small>" }.joined()
        let pictures = row.thumbnails.map { picture in
            "<figure><img src=\"\(Markup.uri(picture.file))\" alt=\"the result at \(CheckedFile.seconds(picture.time)) s\">"
                + "<figcaption>\(CheckedFile.seconds(picture.time)) s</figcaption></figure>"
        }.joined()
        let weak = details.tracks.filter { $0.score < unsure && !$0.isKept }.prefix(5).map { track in
            "track \(track.id) at \(CheckedFile.seconds(track.start)) s (score \(percent(track.score)), "
                + "seen in \(percent(track.share)) of its frames)"
        }
        return "<tr class=\"\(row.status.rawValue)\"><td><b>\(name)</b><br>\(Markup.escaped(row.output))<br>"
            + "<small>\(Markup.escaped(facts.joined(separator: ", ")))</small>\(notices)</td>"
            + "<td class=\"pictures\">\(pictures)</td><td>\(timeline(details))</td>"
            + "<td>\(weak.map { "<div class=\"weak\">\($0)</div>" }.joined())</td></tr>\n"
    }

    /// A bar for each track, over the video's length; the unsure ones in another colour.
    private static func timeline(_ details: FileDetails) -> String {
        let tracks = details.tracks.sorted { ($0.start, $0.id) < ($1.start, $1.id) }.prefix(60)
        guard details.duration > 0, !tracks.isEmpty else { return "" }
        let height = tracks.count * 8
        var text = "<svg viewBox=\"0 0 1000 \(height)\" height=\"\(height)\" preserveAspectRatio=\"none\">"
        for (index, track) in tracks.enumerated() {
            func place(_ time: Double) -> Int { Int((max(0, min(time / details.duration, 1)) * 1000).rounded()) }
            let start = place(track.start)
            let kind = track.isKept ? "kept" : track.score < unsure ? "unsure" : "sure"
            text +=
                "<rect class=\"\(kind)\" x=\"\(start)\" y=\"\(index * 8 + 1)\" width=\"\(max(4, place(track.end) - start))\" "
                + "height=\"6\"><title>track \(track.id), \(CheckedFile.seconds(track.start)) to "
                + "\(CheckedFile.seconds(track.end)) s, score \(percent(track.score))</title></rect>"
        }
        let more =
            details.trackCount > tracks.count ? "<small>and \(details.trackCount - tracks.count) more</small>" : ""
        return text + "</svg><small>0 to \(CheckedFile.seconds(details.duration)) s</small> \(more)"
    }

    private static func percent(_ share: Double) -> String { "\(Int((max(0, min(share, 1)) * 100).rounded())) %" }

    private static let style = """
        body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; vertical-align: top; padding: .5em; border-top: 1px solid #ccc }
        td:first-child { min-width: 14em; max-width: 22em; overflow-wrap: anywhere }
        td.pictures { min-width: 11em }
        figure { display: inline-block; margin: 0 .4em .4em 0 }
        figcaption, small { color: #666; font-size: 12px }
        img { display: block; max-width: 160px; max-height: 120px }
        svg { width: 100%; min-width: 16em; display: block; background: #f2f2f2 }
        .sure { fill: #4a7 } .unsure { fill: #d62 } .kept { fill: #99a }
        .weak { color: #a40 } tr.failed td, ul.failed { background: #fdeaea }
        """

    // MARK: Thumbnails

    /// A gray picture as a BMP of 8 bits, which every browser shows. Rows run from the bottom up, padded to four bytes.
    public static func bitmap(width: Int, height: Int, samples: [UInt8]) -> [UInt8]? {
        guard (1...4096).contains(width), (1...4096).contains(height), samples.count == width * height else {
            return nil
        }
        func little(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let stride = (width + 3) / 4 * 4
        let offset = 14 + 40 + 1024
        var file = Array("BM".utf8) + little(offset + stride * height, 4) + little(0, 4) + little(offset, 4)
        file += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(8, 2)
        file +=
            little(0, 4) + little(stride * height, 4) + little(2835, 4) + little(2835, 4) + little(256, 4)
            + little(0, 4)
        for level in 0..<256 { file += [UInt8(level), UInt8(level), UInt8(level), 0] }
        for row in (0..<height).reversed() {
            file += samples[(row * width)..<((row + 1) * width)]
            file += [UInt8](repeating: 0, count: stride - width)
        }
        return file
    }
}

private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

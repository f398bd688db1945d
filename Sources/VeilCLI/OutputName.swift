/// Names of files that people didn't name themselves. Pure text: the file system isn't asked.
enum OutputName {
    /// Where the redacted copy goes: `dir/IN.mp4` → `dir/IN.redacted.mp4`.
    ///
    /// What follows the last dot is the extension, unless nothing or only dots stand before it (`.hidden`) or nothing
    /// follows it. Slashes at the end are dropped. Nil where the input has no name of its own: `-`, `.`, `..`, `/` and
    /// the empty text.
    static func redacted(for input: String) -> String? {
        split(input).map { "\($0.directory)\($0.stem).redacted\($0.dotExtension)" }
    }

    /// Where the plan goes: `dir/IN.mp4` → `dir/IN.mp4.plan.json`. The extension stays, so that `IN.mp4` and `IN.mov`
    /// don't share a plan.
    static func plan(for input: String) -> String? {
        split(input).map { "\($0.directory)\($0.stem)\($0.dotExtension).plan.json" }
    }

    private static func split(_ path: String) -> (directory: Substring, stem: Substring, dotExtension: Substring)? {
        var path = path[...]
        while path.last == "/" { path = path.dropLast() }
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let directory = path[..<start]
        let name = path[start...]
        guard !name.isEmpty, name != ".", name != "..", !(name == "-" && directory.isEmpty) else { return nil }
        guard let dot = name.lastIndex(of: "."), name.index(after: dot) < name.endIndex,
            name[..<dot].contains(where: { $0 != "." })
        else { return (directory, name, "") }
        return (directory, name[..<dot], name[dot...])
    }
}

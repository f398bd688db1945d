import Testing

@testable import VeilBatch

@Suite struct GlobTests {
    @Test(arguments: [
        ("*.mp4", "a.mp4", true), ("*.mp4", "cam1/deep/a.mp4", true), ("*.mp4", "a.mp4.txt", false),
        ("*.mp4", "a.MP4", false), ("?.mp4", "ü.mp4", true), ("?.mp4", "ab.mp4", false), ("[a-c]x", "bx", true),
        ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true), ("[!a-c]x", "ax", false), ("[]]", "]", true),
        ("*.{mp4,mov}", "a.mov", true), ("*.{mp4,mov}", "a.mkv", false), ("{a,{b,c}}1", "c1", true),
        ("a\\*", "a*", true),
        ("a\\*", "ab", false), ("cam1/*.mp4", "cam1/a.mp4", true), ("cam1/*.mp4", "x/cam1/a.mp4", false),
        ("cam1/*.mp4", "cam1/x/a.mp4", false), ("cam1/**", "cam1/x/a.mp4", true), ("cam1/**", "cam1", false),
        ("**/a.mp4", "a.mp4", true), ("**/a.mp4", "x/y/a.mp4", true), ("x/**/a", "x/a", true),
        ("x/**/a", "x/y/z/a", true),
        ("x/**/a", "y/a", false), ("a*b*c", "aXbYbZc", true), ("a*b*c", "acb", false), ("raw/", "raw", false),
        ("**", "a/b", true), ("*", "", false),
    ])
    func `patterns match names, or paths where they have a slash`(pattern: String, path: String, matches: Bool) throws {
        #expect(try #require(GlobPattern(pattern)).matches(path, isFolder: false) == matches)
    }

    @Test func `a slash at the end asks for a folder`() throws {
        let pattern = try #require(GlobPattern("raw/"))
        #expect(pattern.matches("cam/raw", isFolder: true) && !pattern.matches("cam/raw", isFolder: false))
    }

    @Test(arguments: ["", "{a", "a\\", "{a,b", "\\", String(repeating: "{a,b}", count: 11)])
    func `what isn't a pattern is refused`(text: String) { #expect(GlobPattern(text) == nil) }

    @Test func `a pattern with many stars takes no longer than it has letters`() throws {
        let pattern = try #require(GlobPattern(String(repeating: "a*", count: 30) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 5000), isFolder: false))
    }
}

import Testing

@testable import VeilCLI

@Suite struct OutputNameTests {
    @Test(arguments: [
        ("IN.mp4", "IN.redacted.mp4"), ("dir/IN.mp4", "dir/IN.redacted.mp4"), ("/a.b/IN", "/a.b/IN.redacted"),
        ("IN", "IN.redacted"), ("a.b.c.mkv", "a.b.c.redacted.mkv"), (".hidden", ".hidden.redacted"),
        (".hidden.mp4", ".hidden.redacted.mp4"), ("..mp4", "..mp4.redacted"), ("d/...x", "d/...x.redacted"),
        ("IN.", "IN..redacted"), ("clips/", "clips.redacted"), ("a/clips.d///", "a/clips.redacted.d"),
        ("./detect", "./detect.redacted"), ("./-", "./-.redacted"), ("über.mp4", "über.redacted.mp4"),
        ("a b.mp4", "a b.redacted.mp4"), ("../x.gif", "../x.redacted.gif"),
    ])
    func `the copy is named after the input and lies beside it`(input: String, expected: String) {
        #expect(OutputName.redacted(for: input) == expected)
    }

    @Test(arguments: ["", "/", "//", ".", "..", "a/..", "./", "-"])
    func `an input without a name gives none`(input: String) {
        #expect(OutputName.redacted(for: input) == nil)
        #expect(OutputName.plan(for: input) == nil)
    }

    @Test func `inputs that differ in their extension have different plans`() {
        #expect(OutputName.plan(for: "d/IN.mp4") == "d/IN.mp4.plan.json")
        #expect(OutputName.plan(for: "d/IN.mov") == "d/IN.mov.plan.json")
        #expect(OutputName.plan(for: "IN") == "IN.plan.json")
    }
}

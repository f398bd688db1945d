import Testing

@testable import VeilCLI

@Suite struct UsageErrorTests {
    @Test(arguments: [
        ([], "the file to work on is missing (try 'veil --help')"),
        (["redact"], "the file to work on is missing (try 'veil redact --help')"),
        (["-q"], "the file to work on is missing (try 'veil redact --help')"),
        (["--celsl", "5", "in"], "there is no flag --celsl; did you mean --cells? (try 'veil redact --help')"),
        (["--out=x", "in"], "there is no flag --out; did you mean --output? (try 'veil redact --help')"),
        (["--zzzzzz", "in"], "there is no flag --zzzzzz (try 'veil redact --help')"),
        (["-output", "x", "in"], "there is no flag -output; did you mean --output? (try 'veil redact --help')"),
        (["-qz", "in"], "there is no flag -z (try 'veil redact --help')"),
        (["detect", "--cells=5", "in"], "there is no flag --cells (try 'veil detect --help')"),
        (["-----", "in"], "there is no flag ----- (try 'veil redact --help')"),
        (["in", "--crf"], "--crf needs a value: --crf N (try 'veil redact --help')"),
        (
            ["in", "-o", "--force"],
            "--output needs a value, but '--force' looks like a flag; if it's meant, write --output=FILE "
                + "(try 'veil redact --help')"
        ),
        (["--force=yes", "in"], "--force takes no value, but was given 'yes' (try 'veil redact --help')"),
        (["--crf", "-5", "in"], "--crf: '-5' is not a whole number from 0 to 63 (try 'veil redact --help')"),
        (["--crf=2.5", "in"], "--crf: '2.5' is not a whole number from 0 to 63 (try 'veil redact --help')"),
        (["--crf=", "in"], "--crf: '' is not a whole number from 0 to 63 (try 'veil redact --help')"),
        (["--threshold=2", "in"], "--threshold: '2' is not a number from 0 to 1 (try 'veil redact --help')"),
        (["--mask-scale=.9", "in"], "--mask-scale: '.9' is not a number from 1 to 4 (try 'veil redact --help')"),
        (
            ["--detect-every=0", "in"],
            "--detect-every: '0' is not a whole number of 1 or more (try 'veil redact --help')"
        ),
        (["--audio=kep", "in"], "--audio: 'kep' is not keep or drop; did you mean keep? (try 'veil redact --help')"),
        (["--effect=x", "in"], "--effect: 'x' is not pixellate, blur or solid (try 'veil redact --help')"),
        (
            ["--min-face=x", "in"],
            "--min-face: 'x' is not a size in pixels (24) or in percent (2%) (try 'veil redact --help')"
        ),
        (["--output=", "in"], "--output: '' is not the name of a file (try 'veil redact --help')"),
        (["--fast", "--thorough", "in"], "--fast can't be used with --thorough (try 'veil redact --help')"),
        (["-qv", "in"], "--verbose can't be used with --quiet (try 'veil redact --help')"),
        (["--plan=p", "--linger=1", "in"], "--linger can't be used with --plan (try 'veil redact --help')"),
        (["-o", "-", "a", "b"], "--output names one file, but there are 2 inputs (try 'veil redact --help')"),
        (
            ["-o", "x", "a", "-"],
            "standard input can't be worked on beside other inputs; to read their names from it, write --from-file - "
                + "(try 'veil redact --help')"
        ),
        (["--plan", "x", "a", "b"], "--plan names one file, but there are 2 inputs (try 'veil redact --help')"),
        (["detect", "-"], "standard input has no name to go by: add --output (try 'veil detect --help')"),
        (
            ["-o", "-", "in"],
            "standard output has no name to choose the container by: add --format, such as --format matroska "
                + "(try 'veil redact --help')"
        ),
        (
            ["--format=mp4", "in"],
            "--format is for standard output (-o -); a file's name says its format (try 'veil redact --help')"
        ),
        ([""], "'' is not the name of a file (try 'veil redact --help')"),
        (["doctor", "in"], "nothing to do with 'in' here (try 'veil doctor --help')"),
        (["help", "detct"], "'detct' is not a verb; did you mean detect? (try 'veil help --help')"),
        (["help", "man", "man"], "nothing to do with 'man' here (try 'veil help --help')"),
        (["completions"], "the shell (bash, zsh or fish) is missing (try 'veil completions --help')"),
        (
            ["completions", "zhs"],
            "'zhs' is not bash, zsh or fish; did you mean zsh? (try 'veil completions --help')"
        ),
        (
            ["-q", "detect", "in"],
            "'detect' must come first: veil detect [FLAGS]; for a file of that name write ./detect "
                + "(try 'veil redact --help')"
        ),
        (
            ["--\u{1B}[2J\n", "in"],
            "there is no flag --\\x1B[2J\\x0A (try 'veil redact --help')"
        ),
    ])
    func `a wrong command line is explained in one line`(arguments: [String], expected: String) throws {
        let error = try #require(throws: UsageError.self) { try Request(arguments) }
        #expect(UsageErrorText.line(error) == "veil: " + expected)
    }

    @Test func `the error carries its evidence`() {
        #expect(
            throws: UsageError(
                verb: .redact,
                problem: .refusedValue(
                    flag: "cells", value: "65", expected: "a whole number from 2 to 64", nearest: nil))
        ) { try Request(["--cells=65", "in"]) }
    }

    @Test(arguments: [
        ("cells", "cells", 0), ("celsl", "cells", 1), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3),
        ("ab", "ba", 1), ("ca", "abc", 3), ("", "", 0),
    ])
    func `slips are counted as optimal string alignment has them`(a: String, b: String, expected: Int) {
        #expect(slips(from: a, to: b) == expected)
        #expect(slips(from: b, to: a) == expected)
    }

    @Test func `a beginning that fits several words suggests by likeness only`() {
        #expect(nearest(to: "de", among: ["detect", "detector"]) == nil)
        #expect(nearest(to: "detec", among: ["detect", "detector"]) == "detect")
        #expect(nearest(to: "x", among: []) == nil)
    }
}

import Testing

@testable import VeilCLI

/// The options of a command line that is to be run.
func options(_ arguments: String...) throws -> Options {
    guard case .run(let options) = try Request(arguments) else {
        throw UnexpectedRequest(arguments: arguments)
    }
    return options
}

struct UnexpectedRequest: Error { let arguments: [String] }

@Suite struct ParsingTests {
    @Test func `without a verb the verb is redact`() throws {
        let options = try options("clip.mp4")
        #expect(options.verb == .redact)
        #expect(options.operands == ["clip.mp4"])
    }

    @Test func `a verb's name in front is the verb`() throws {
        #expect(try options("detect", "clip.mp4").verb == .detect)
        #expect(try options("redact", "detect").operands == ["detect"])
        #expect(try options("doctor").verb == .doctor)
    }

    @Test func `a file that has a verb's name can be given`() throws {
        #expect(try options("./detect").operands == ["./detect"])
        #expect(try options("--", "detect").operands == ["detect"])
        #expect(try options("-q", "--", "detect").operands == ["detect"])
        #expect(try options("clip.mp4", "detect").operands == ["clip.mp4", "detect"])
    }

    @Test(arguments: [
        ["--crf", "20", "a"], ["--crf=20", "a"], ["a", "--crf", "20"], ["redact", "--crf", "20", "--", "a"],
    ])
    func `a long flag takes its value after a space or an equals sign`(arguments: [String]) throws {
        guard case .run(let options) = try Request(arguments) else { throw UnexpectedRequest(arguments: arguments) }
        #expect(options.value(Flags.crf) == 20)
        #expect(options.operands == ["a"])
    }

    @Test(arguments: [["-o", "b"], ["-ob"], ["-o=b"], ["-qo", "b"], ["-qob"], ["--output", "b"], ["--output=b"]])
    func `a short flag takes its value after a space, at once, or after an equals sign`(flags: [String]) throws {
        guard case .run(let options) = try Request(flags + ["a"]) else { throw UnexpectedRequest(arguments: flags) }
        #expect(options.value(Flags.output) == "b")
        #expect(options.value(Flags.quiet) == flags[0].hasPrefix("-q"))
    }

    @Test func `a value keeps what follows its first equals sign`() throws {
        let options = try options("--encoder-option=x264-params=a=b", "--encoder-option", "k=", "in", "-o==x")
        #expect(
            options.value(Flags.encoderOption) == [
                EncoderOption(key: "x264-params", value: "a=b"), EncoderOption(key: "k", value: ""),
            ])
        #expect(options.value(Flags.output) == "=x")
    }

    @Test func `of a flag typed twice the last value holds`() throws {
        #expect(try options("--cells", "3", "--cells=4", "in").value(Flags.cells) == 4)
        #expect(throws: UsageError.self) { try options("--cells", "1", "--cells=4", "in") }
    }

    @Test func `two dashes end the flags and one is an operand`() throws {
        let typed = try TypedCommand(["-q", "-", "--", "--force", "--", "-"])
        #expect(typed.operands == ["-", "--force", "--", "-"])
        #expect(typed.flags == [TypedCommand.FlagUse(name: "quiet", value: nil)])
        #expect(typed.operandsBeforeEnd == 1)
    }

    @Test func `a value may begin with a dash unless it is spelt like a flag`() throws {
        #expect(try options("-o", "-", "--format", "mp4", "in").value(Flags.output) == "-")
        #expect(try options("-o", "-x.mp4", "in").value(Flags.output) == "-x.mp4")
        #expect(try options("--output=--force", "in").value(Flags.output) == "--force")
        #expect(throws: UsageError.self) { try options("-o", "--force", "in") }
        #expect(throws: UsageError.self) { try options("-o", "--", "in") }
    }

    @Test func `defaults hold where nothing is typed`() throws {
        let options = try options("in")
        #expect(options.value(Flags.audio) == .keep)
        #expect(options.value(Flags.codec) == nil)
        #expect(options.value(Flags.cells) == 5)
        #expect(options.value(Flags.maskScale) == 1.3)
        #expect(options.value(Flags.encoderOption).isEmpty)
        #expect(options.value(Flags.color) == FillColor(red: 0, green: 0, blue: 0))
        #expect(!options.isGiven(Flags.cells))
        #expect(options.cautions.isEmpty)
    }

    @Test func `every value of redact arrives with its type`() throws {
        let options = try options(
            "in", "--audio=drop", "--codec=ffv1", "--preset=slow", "--on-error=cover", "--detector=haar",
            "--threshold=0.25", "--detect-size=640", "--detect-every=3", "--min-face=24", "--fast", "--linger=1.5",
            "--mask=box", "--mask-scale=2", "--effect=solid", "--color=yellow", "--softness=1", "--hold=0",
            "--report=r.json", "--models=m", "--threads=2", "--verbose")
        #expect(options.value(Flags.audio) == .drop)
        #expect(options.value(Flags.codec) == .ffv1)
        #expect(options.value(Flags.preset) == "slow")
        #expect(options.value(Flags.onError) == .cover)
        #expect(options.value(Flags.detector) == .haar)
        #expect(options.value(Flags.threshold) == 0.25)
        #expect(options.value(Flags.detectSize) == 640)
        #expect(options.value(Flags.detectEvery) == 3)
        #expect(options.value(Flags.minFace) == .pixels(24))
        #expect(options.value(Flags.fast) && !options.value(Flags.thorough))
        #expect(options.value(Flags.linger) == 1.5)
        #expect(options.value(Flags.mask) == .box)
        #expect(options.value(Flags.maskScale) == 2)
        #expect(options.value(Flags.effect) == .solid)
        #expect(options.value(Flags.color) == FillColor(red: 255, green: 255, blue: 0))
        #expect(options.value(Flags.softness) == 1)
        #expect(options.value(Flags.hold) == 0)
        #expect(options.value(Flags.report) == "r.json")
        #expect(options.value(Flags.models) == "m")
        #expect(options.value(Flags.threads) == 2)
        #expect(options.value(Flags.verbose))
        #expect(options.isGiven(Flags.hold))
    }

    @Test(arguments: [
        ("2%", MinimumFace.percent(2)), ("0.5%", .percent(0.5)), ("100%", .percent(100)), ("1", .pixels(1)),
    ])
    func `the smallest face is a size in pixels or in percent`(text: String, expected: MinimumFace) {
        #expect(MinimumFace.kind.read(text) == expected)
        #expect(MinimumFace.kind.show(expected) == text)
    }

    @Test(arguments: ["0", "-3", "0%", "101%", "%", "2.5", "nan%", "2 %", ""])
    func `a size that isn't one is refused`(text: String) {
        #expect(MinimumFace.kind.read(text) == nil)
    }

    @Test func `a colour is a name or six digits`() {
        #expect(FillColor.kind.read("0a0B0c") == FillColor(red: 10, green: 11, blue: 12))
        #expect(FillColor.kind.read("#ffffff") == FillColor(red: 255, green: 255, blue: 255))
        #expect(FillColor.kind.show(FillColor(red: 0, green: 11, blue: 12)) == "000b0c")
        for text in ["fff", "0x1234", "+12345", "1234567", "Black", "", "##12345"] {
            #expect(FillColor.kind.read(text) == nil, "\(text)")
        }
    }

    @Test(arguments: ["nan", "inf", "0x1", "1e0", "", "-", "+", ".", "0,5", " 1", "-0.1", "1.0001"])
    func `a number outside its range or in another notation is refused`(text: String) {
        #expect(ValueKind<Double>.number(0...1).read(text) == nil)
    }

    @Test func `a number at either end of its range is taken`() {
        #expect(ValueKind<Double>.number(0...1).read("0") == 0)
        #expect(ValueKind<Double>.number(0...1).read("1") == 1)
        #expect(ValueKind<Double>.number(0...1).read(".5") == 0.5)
        #expect(ValueKind<Int>.whole(0...63).read("63") == 63)
        #expect(ValueKind<Int>.whole(0...63).read("64") == nil)
        #expect(ValueKind<Int>.whole(0...63).read("99999999999999999999") == nil)
    }

    @Test func `many cells bring a warning`() throws {
        #expect(try options("in", "--cells=8").cautions == [])
        #expect(try options("in", "--cells=9").cautions == ["--cells: more than 8 cells leave a face readable"])
    }

    @Test(arguments: [
        (["--help"], Document.overview), (["-h"], .overview), (["in", "-qh"], .overview), (["-hq"], .overview),
        (["help"], .overview), (["redact", "--help"], .help(.redact)),
        (["detect", "-h", "--nonsense"], .help(.detect)),
        (["help", "doctor"], .help(.doctor)), (["help", "--help"], .help(.help)), (["--version"], .version),
        (["--cells=99", "--help"], .overview), (["doctor", "-V"], .version), (["man"], .man),
        (["completions", "zsh"], .completions(.zsh)), (["man", "--help"], .help(.man)),
    ])
    func `texts are printed on request`(arguments: [String], expected: Document) throws {
        guard case .print(let document) = try Request(arguments) else {
            throw UnexpectedRequest(arguments: arguments)
        }
        #expect(document == expected)
    }

    @Test func `a flag's name after two dashes asks for nothing`() throws {
        #expect(try options("--", "--help").operands == ["--help"])
        #expect(try options("--output", "x", "--", "-h").operands == ["-h"])
    }
}

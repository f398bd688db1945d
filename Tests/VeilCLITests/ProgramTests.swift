import Glibc
import Testing

@testable import VeilCLI

@Suite struct ProgramTests {
    /// Runs the program with its surroundings replaced.
    private func run(
        _ arguments: [String], output: @escaping (String) throws(WriteError) -> Void = { _ throws(WriteError) in },
        perform: @escaping (Options) -> ExitCode = { _ in .done }
    ) -> (code: ExitCode, errors: [String]) {
        let transcript = Transcript()
        let surroundings = Program.Surroundings(
            console: transcript.console(showsStatus: false), output: output, perform: perform)
        return (Program.run(arguments.map { Array($0.utf8) }, surroundings), transcript.written)
    }

    @Test func `work is handed on and its code is the program's`() {
        var seen: VerbName?
        let (code, errors) = run(
            ["detect", "in"],
            perform: { options in
                seen = options.verb
                return .inputFailed
            })
        #expect(seen == .detect && code == .inputFailed && errors.isEmpty)
    }

    @Test func `a wrong command line starts no work`() {
        let (code, errors) = run(
            ["--nonsense", "in"],
            perform: { _ in
                Issue.record("work was started")
                return .done
            })
        #expect(code == .usage)
        #expect(errors == ["veil: there is no flag --nonsense (try 'veil redact --help')\n"])
    }

    @Test func `a warning comes before the work`() {
        let (code, errors) = run(["--cells=20", "in"])
        #expect(code == .done)
        #expect(errors == ["veil: warning: --cells: more than 8 cells leave a face readable\n"])
    }

    @Test func `a text is printed whole`() {
        var printed = ""
        let (code, errors) = run(["--help"], output: { text throws(WriteError) in printed += text })
        #expect(code == .done && errors.isEmpty)
        #expect(printed == Golden.overview)
    }

    @Test func `a text that can't be printed is a failure`() {
        let (code, errors) = run(["man"], output: { _ throws(WriteError) in throw WriteError(errno: ENOSPC) })
        #expect(code == .inputFailed)
        #expect(errors == ["veil: standard output: No space left on device\n"])
    }

    @Test func `a name that isn't UTF-8 is refused and shown by its bytes`() {
        let transcript = Transcript()
        let code = Program.run(
            [Array("-q".utf8), [0x61, 0xFF]],
            Program.Surroundings(
                console: transcript.console(showsStatus: false), output: { _ throws(WriteError) in },
                perform: { _ in .done }))
        #expect(code == .usage)
        #expect(transcript.written == ["veil: argument 2 is not UTF-8: 'a\\xFF' (try 'veil --help')\n"])
    }

    @Test func `the process's arguments leave out its name`() {
        let texts = Program.processArguments.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts == Array(CommandLine.arguments.dropFirst()))
    }
}

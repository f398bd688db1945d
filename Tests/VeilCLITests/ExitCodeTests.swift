import Testing

@testable import VeilCLI

@Suite struct ExitCodeTests {
    @Test func `numbers are those that scripts rely on`() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 130])
    }

    @Test func `one failure outweighs any number of successes`() {
        let codes: [ExitCode] = [.done, .inputFailed, .done, .faceFound]
        #expect(codes.reduce(ExitCode.done) { $0.merged(with: $1) } == .inputFailed)
        #expect(ExitCode.inputFailed.merged(with: .interrupted) == .interrupted)
        #expect(ExitCode.done.merged(with: .faceFound) == .faceFound)
    }

    @Test func `merging doesn't depend on order and done changes nothing`() {
        for a in ExitCode.allCases {
            #expect(a.merged(with: .done) == a && ExitCode.done.merged(with: a) == a)
            for b in ExitCode.allCases {
                #expect(a.merged(with: b) == b.merged(with: a))
                for c in ExitCode.allCases {
                    #expect(a.merged(with: b).merged(with: c) == a.merged(with: b.merged(with: c)))
                }
            }
        }
    }

    @Test func `the man page lists the codes that the verbs give`() {
        for code in ExitCode.documented { #expect(ManPage.text.contains("\\fB\(code.rawValue)\\fR")) }
        #expect(ExitCode.documented.contains(.faceFound))
    }
}

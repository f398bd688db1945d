import CSandbox
import CSandboxProbe
import Glibc
import Testing
import VeilTestSupport

@testable import VeilCLI

@Suite struct SandboxTests {
    private static let all =
        CSP_READS_INPUT.rawValue | CSP_WRITES_OUTPUT.rawValue | CSP_READS_OTHER.rawValue | CSP_WRITES_OTHER.rawValue
        | CSP_READS_OUTPUT_FOLDER.rawValue | CSP_CONNECTS.rawValue | CSP_EXECUTES.rawValue | CSP_FORKS.rawValue
        | CSP_TRACES.rawValue | CSP_STARTS_THREADS.rawValue

    @Test(.enabled(if: csb_landlock_version() > 0 && csb_has_seccomp() != 0, "this kernel lacks Landlock or seccomp"))
    func `inside, only the input can be read, the output be written and threads be started`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.file("out"), 0o700)
        for name in ["in", "other", "out/neighbour"] { try FileBytes.write([1], to: folder.file(name)) }
        let listener = try Listener()
        func tried(confined: Int32) -> UInt32 {
            UInt32(
                bitPattern: csp_try(
                    confined, folder.file("in"), folder.file("other"), folder.file("out"), folder.file("out/new"),
                    folder.file("out/neighbour"), Int32(listener.port)))
        }
        // Without the sandbox all of it works: the tries are no empty ones.
        #expect(tried(confined: 0) == Self.all)
        #expect(
            tried(confined: 1)
                == CSP_READS_INPUT.rawValue | CSP_WRITES_OUTPUT.rawValue | CSP_STARTS_THREADS.rawValue)
    }

    @Test func `doctor says what the kernel has`() {
        let lines = Sandbox.abilities
        #expect(lines.count == 2)
        #expect(lines[0].contains("Landlock") && lines[1].contains("seccomp"))
        #expect(lines[0].contains("yes") == (csb_landlock_version() > 0))
    }
}

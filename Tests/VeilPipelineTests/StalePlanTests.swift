import Glibc
import Synchronization
import Testing
import VeilCore
import VeilMedia
import VeilTestSupport

@testable import VeilPipeline

/// A plan is for the file whose frames were looked at, and for no other.
@Suite struct StalePlanTests {
    private func redaction() throws -> Redaction {
        var settings = RedactionSettings()
        settings.analysis.detectEvery = 4
        settings.encoder = EncoderSettings(codec: .h264, preset: "ultrafast")
        return Redaction(
            settings: settings, detector: ScriptedDetector { _ in [] },
            named: DetectorDescription(name: "script"))
    }

    /// Does something once.
    private final class Once: Sendable {
        private let isDone = Mutex(false)

        func callAsFunction(_ body: () -> Void) {
            let isFirst = isDone.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { body() }
        }
    }

    @Test func `a file that is replaced while it is looked at gives no plan`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4")
        let other = try Clip.make(in: folder, "other.mp4", filter: "hflip,format=yuv420p")
        let once = Once()
        let error = #expect(throws: VeilError.self) {
            _ = try redaction().analyse(input, observer: Observer(progress: { _ in once { rename(other, input) } }))
        }
        guard case .media(let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect("\(what)".contains("changed"))
    }

    @Test func `a plan for another file covers nothing, though it is of one size`() throws {
        let folder = try TemporaryFolder()
        let input = try Clip.make(in: folder, "in.mp4")
        let redaction = try redaction()
        let plan = try redaction.analyse(input)
        func expectRefused() {
            let error = #expect(throws: VeilError.self) {
                _ = try redaction.render(input, plan: plan, to: folder.file("out.mp4"))
            }
            guard case .plan? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(folder.names == ["in.mp4"])
        }
        let bytes = try FileBytes.read(input)
        // It was read before as what it was: what is known of it then no longer counts.
        try redaction.check(plan, for: input)
        var changed = bytes
        changed[changed.count - 1] ^= 1
        try FileBytes.write(changed, to: input)
        expectRefused()
        try FileBytes.write(bytes + [0], to: input)
        expectRefused()
        try FileBytes.write(bytes, to: input)
        #expect(try redaction.render(input, plan: plan, to: folder.file("out.mp4")).framesWritten == 8)
    }
}

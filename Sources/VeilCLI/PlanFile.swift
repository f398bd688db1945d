import Glibc
import VeilCore
import VeilMedia
import VeilPipeline

/// Plans and reports on disk. They say where the faces are: only their owner may read them.
enum PlanFile {
    /// The largest plan that is read, in bytes; a day of crowded video stays below.
    private static let largest = 512 << 20

    static func open(_ path: String, input: String, overwrite: Bool) throws(VeilError) -> AtomicOutput {
        do throws(MediaError) {
            return try AtomicOutput(path: path, input: input, overwrite: overwrite, ownerOnly: true)
        } catch { throw .media(error) }
    }

    static func encode(_ plan: RedactionPlan, name: String) throws(VeilError) -> [UInt8] {
        do throws(PlanError) { return try plan.encoded() } catch { throw .plan(error, file: name) }
    }

    static func write(_ bytes: [UInt8], to file: AtomicOutput) throws(VeilError) {
        do throws(MediaError) { try file.write(bytes) } catch { throw .media(error) }
    }

    static func printed(_ bytes: [UInt8]) throws(VeilError) {
        do throws(WriteError) {
            try writeWhole(String(decoding: bytes, as: UTF8.self), to: Terminal.standardOutput)
        } catch {
            throw .media(MediaError(.unwritable, "printing the plan", file: "standard output", detail: error.words))
        }
    }

    /// Reads a plan. Whether it was made for the input is checked by `Redaction.check`.
    static func read(_ path: String) throws(VeilError) -> RedactionPlan {
        let bytes = try contents(path)
        do throws(PlanError) {
            return try RedactionPlan(json: bytes)
        } catch { throw .plan(error, file: path) }
    }

    static func write(_ report: Report, to path: String, overwrite: Bool) throws(VeilError) {
        let text: [UInt8]
        do throws(PlanError) { text = try report.encoded() } catch { throw .plan(error, file: path) }
        try write(text, to: open(path, input: report.input, overwrite: overwrite))
    }

    private static func contents(_ path: String) throws(VeilError) -> [UInt8] {
        func failure(_ words: String) -> VeilError {
            .media(MediaError(.unreadable, "reading the plan", file: path, detail: words))
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= largest else { throw failure("it is larger than \(largest >> 20) MiB") }
        }
    }
}

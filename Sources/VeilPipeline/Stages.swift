import VeilCore
import VeilMedia
import VeilVision

// Each stage throws its own error; the path throws one that says which stage it was.

func media<R: ~Copyable>(_ body: () throws(MediaError) -> R) throws(VeilError) -> R {
    do throws(MediaError) { return try body() } catch { throw .media(error) }
}

func vision<R: ~Copyable>(_ file: String, _ body: () throws(VisionError) -> R) throws(VeilError) -> R {
    do throws(VisionError) { return try body() } catch { throw .vision(error, file: file) }
}

func planned<R>(_ file: String, _ body: () throws(PlanError) -> R) throws(VeilError) -> R {
    do throws(PlanError) { return try body() } catch { throw .plan(error, file: file) }
}

/// Seconds of wall time since it was made.
struct Stopwatch {
    private let start = ContinuousClock.now

    var seconds: Double {
        let elapsed = start.duration(to: .now).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }
}

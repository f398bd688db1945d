import VeilCore
import VeilDigest
import VeilMedia
import VeilPipeline
import VeilPixels
import VeilVision

/// Words an error for people: one line that says which file, what failed, where, why, and what to do.
enum ErrorText {
    static func line(_ error: VeilError, input: String) -> String {
        "veil: " + sanitised(text(error, input: input))
    }

    private static func text(_ error: VeilError, input: String) -> String {
        switch error {
        case .media(let media): self.media(media, input: input)
        case .vision(let vision, let file): "\(file): \(vision)"
        case .model(let model): "\(model)"
        case .plan(let plan, let file): "\(file): \(plan)"
        case .filters(let filters): "\(filters)"
        case .digest(let digest): "\(digest)"
        case .cancelled: "\(input): interrupted; no output was finished"
        }
    }

    /// "clip.mp4: decoding stream 0 at 1.25 s: the picture is broken (--on-error cover …)"
    static func media(_ error: MediaError, input: String) -> String {
        var place = error.operation
        if let stream = error.stream { place += " stream \(stream)" }
        if let time = error.time, time.isFinite { place += " at \(thousandths(time)) s" }
        let advice = error.advice.map { "; \($0)" } ?? ""
        return "\(error.file ?? input): \(place): \(error.detail)\(advice)"
    }

    /// A number with at most three digits behind the point.
    static func thousandths(_ value: Double) -> String {
        let scaled = (value * 1000).rounded()
        guard abs(scaled) < 9e15 else { return "\(value)" }
        let whole = Int(scaled)
        let text = String(abs(whole) % 1000 + 1000).dropFirst()
        return "\(whole < 0 ? "-" : "")\(abs(whole) / 1000).\(text)"
    }
}

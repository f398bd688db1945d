import VeilCore
import VeilDigest
import VeilMedia
import VeilPixels
import VeilVision

/// Why a file could not be redacted: one of the stages' errors, or the user's wish to stop.
public enum VeilError: Error, Sendable {
    case media(MediaError)
    case vision(VisionError, file: String)
    case model(ModelError)
    case plan(PlanError, file: String)
    case filters(FilterChainError)
    case digest(DigestError)
    /// The user asked to stop (a signal).
    case cancelled
}

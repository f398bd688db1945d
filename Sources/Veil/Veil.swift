// The library: what programs import to redact files, or frames of their own.
//
//     import Veil
//
//     let redaction = try Redaction()
//     let result = try redaction.redact("walk.mp4", to: "walk.redacted.mp4")
//     print(result.plan.tracks.count, "faces covered")

@_exported import VeilCore
@_exported import VeilPipeline
@_exported import VeilPixels

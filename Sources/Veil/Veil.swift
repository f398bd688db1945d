// The library: what programs import to redact files, or frames of their own.
//
//     import Veil
//
//     let redaction = try Redaction()
//     let result = try redaction.redact("walk.mp4", to: "walk.redacted.mp4")
//     print(result.plan.tracks.count, "faces covered")
//
// `Redaction` is for files: it looks at a file whole before it covers anything. `FrameRedactor` is for pictures in memory.

@_exported import VeilCore
@_exported import VeilMedia
@_exported import VeilPipeline
@_exported import VeilPixels
@_exported import VeilStills
@_exported import VeilVision

import VeilCore
import VeilMedia
import VeilPixels

extension Redaction {
    /// Covers in a copy of the file what the plan says. The copy appears when it is whole.
    ///
    /// The plan is the main picture's: further picture streams and stills are looked at here, and covered too.
    ///
    /// - Throws: `VeilError` `.plan` for a plan that was made for another file: it would cover the wrong places.
    public func render(
        _ input: String, plan: RedactionPlan, to output: String, observer: Observer = Observer()
    ) throws(VeilError) -> RedactionResult {
        let identity = FileIdentity(input)
        try check(plan, for: input)
        return try render(input, as: identity, plan: plan, audit: nil, to: output, observer: observer)
    }

    /// Analyses and renders.
    ///
    /// - Throws: `VeilError` before any work when the output can't be written or exists.
    public func redact(
        _ input: String, to output: String, observer: Observer = Observer()
    ) throws(VeilError) -> RedactionResult {
        // A look at the output first: nobody should wait for an analysis to learn that it exists.
        _ = try media { () throws(MediaError) in
            try AtomicOutput(path: output, input: input, overwrite: settings.overwrite)
        }
        _ = try media { () throws(MediaError) in try OutputFormat(forFile: output) }
        let clock = Stopwatch()
        let identity = FileIdentity(input)
        let found = try analyse(input, stream: nil, observer: observer)
        let analysisSeconds = clock.seconds
        var result = try render(
            input, as: identity, plan: found.plan, audit: found.audit, to: output, observer: observer)
        result.analysisSeconds = analysisSeconds
        return result
    }

    /// - Parameters:
    ///   - identity: of the input when it was looked at: another file's frames would be covered in the wrong places.
    ///   - audit: of the analysis, if it was just made.
    private func render(
        _ input: String, as identity: FileIdentity?, plan: RedactionPlan, audit: CodedAudit?, to output: String,
        observer: Observer
    ) throws(VeilError) -> RedactionResult {
        let clock = Stopwatch()
        var result = RedactionResult(plan: plan)
        let streams = try media { () throws(MediaError) in try Demuxer(file: input, reach: settings.reach).streams }
        let file = try media { () throws(MediaError) in
            try AtomicOutput(path: output, input: input, overwrite: settings.overwrite)
        }
        let others = try findOthers(input, streams, output: output, hasPlan: audit == nil, observer, &result.notices)
        var isTouched = try covers(plan, input)
        for other in others where !isTouched { isTouched = try covers(other.plan, input) }
        var audit = audit
        if settings.untouched != .encode && !isTouched && audit == nil {
            // A plan from elsewhere, which may not know all frames: those that it doesn't know aren't passed on.
            audit = try self.audit(of: input, knownTo: plan, observer)
            if audit == nil {
                isTouched = true
                result.notices.append("the plan doesn't know all frames: the pictures are encoded anew")
            }
        }
        if settings.untouched != .encode && !isTouched {
            if settings.untouched == .skip {
                result.outcome = .skipped
                result.notices = ["there is nothing to cover: no output is written"]
                result.renderSeconds = clock.seconds
                return result
            }
            if let reason = try reasonNotToCopy(input, audit, output) {
                result.notices.append("there is nothing to cover, but the pictures are encoded anew: \(reason)")
            } else {
                let copier = try media { () throws(MediaError) in
                    try PacketCopier(
                        path: file.partPath, file: output, input: input, riders: riders,
                        isReproducible: settings.encoder.isReproducible)
                }
                let done = try FramePath.copy(with: copier, expected: plan.frames.count, observer: observer)
                try media { () throws(MediaError) in
                    try FileIdentity.check(input, is: identity)
                    try file.commit()
                }
                result.outcome = .copied
                result.framesWritten = done.frames
                result.notices += ["there is nothing to cover: the streams are copied as they are"] + copier.notices
                result.renderSeconds = clock.seconds
                return result
            }
        }
        try encode(input, identity, others, to: file, output, observer, &result)
        result.renderSeconds = clock.seconds
        return result
    }

    /// A picture beside the main one, and what to cover in it.
    private struct Other {
        var stream: StreamInfo
        var plan: RedactionPlan
    }

    private var riders: RiderPolicy {
        RiderPolicy(audio: settings.audio, keepsData: settings.keepsData, metadata: settings.metadata)
    }

    /// Looks at every picture beside the main one that will be in the output.
    private func findOthers(
        _ input: String, _ streams: [StreamInfo], output: String, hasPlan: Bool, _ observer: Observer,
        _ notices: inout [String]
    ) throws(VeilError) -> [Other] {
        var wanted = StreamPolicy.otherPictures(of: streams)
        for still in StreamPolicy.stills(of: streams)
        where try media({ () throws(MediaError) in try RedactedStill.fits(still, output: output) }) {
            wanted.append(still)
        }
        var others: [Other] = []
        for stream in wanted {
            do throws(VeilError) {
                let found = try analyse(input, stream: stream.index, observer: observer)
                others.append(Other(stream: stream, plan: found.plan))
                if hasPlan { notices.append("\(stream.label) isn't in the plan: it was searched anew") }
            } catch {
                // A cover that can't be read is left out like any that can't be written.
                if case .media = error, stream.isStill { continue }
                throw error
            }
        }
        return others
    }

    private func encode(
        _ input: String, _ identity: FileIdentity?, _ others: [Other], to file: AtomicOutput, _ output: String,
        _ observer: Observer,
        _ result: inout RedactionResult
    ) throws(VeilError) {
        var stills: [RedactedStill] = []
        for other in others where other.stream.isStill {
            if let still = try redactStill(input, other, output, &result) { stills.append(still) }
        }
        let moving = others.filter { !$0.stream.isStill }
        let (sink, sources) = try media { () throws(MediaError) in
            let main = try PictureInput(
                file: input, policy: settings.onError, bringsOthers: true, threads: settings.threads,
                reach: settings.reach)
            var inputs = [main]
            for other in moving {
                inputs.append(
                    try PictureInput(
                        file: input, stream: other.stream.index, policy: settings.onError, threads: settings.threads,
                        reach: settings.reach))
            }
            let sink = try VideoSink(
                path: file.partPath, file: output, inputs: inputs, stills: stills, settings: settings.encoder,
                riders: riders)
            return (sink, inputs.map(\.source))
        }
        var pictures: [PlannedPicture] = []
        for (source, plan) in zip(sources, [result.plan] + moving.map(\.plan)) {
            pictures.append(try PlannedPicture(source, plan: plan, settings: settings))
        }
        let done = try FramePath.render(pictures, settings: settings, to: sink, observer: observer)
        try media { () throws(MediaError) in
            try FileIdentity.check(input, is: identity)
            try file.commit()
        }
        result.framesWritten = done.frames
        result.framesCoveredWhole += done.coveredWhole
        result.notices += sink.notices
        result.encoder = sink.encoderName
    }

    /// Covers a still and encodes it anew.
    private func redactStill(
        _ input: String, _ other: Other, _ output: String, _ result: inout RedactionResult
    ) throws(VeilError) -> RedactedStill? {
        let source = try media { () throws(MediaError) in
            try VideoSource(
                file: input, stream: other.stream.index, policy: settings.onError, threads: settings.threads,
                reach: settings.reach)
        }
        let picture = try PlannedPicture(source, plan: other.plan, settings: settings)
        guard var frame = try media({ () throws(MediaError) in try source.nextFrame() }) else { return nil }
        var done = Rendered()
        try picture.cover(&frame, settings, &done)
        return try media { () throws(MediaError) in try RedactedStill(frame, of: source, output: output) }
    }

    /// Whether a plan covers anything.
    private func covers(_ plan: RedactionPlan, _ input: String) throws(VeilError) -> Bool {
        var cursor = try planned(input) { () throws(PlanError) in try PlanCursor(plan) }
        for frame in cursor.plan.frames where cursor.next(pts: frame.pts) != .regions([]) { return true }
        return false
    }

    /// Reads a file against a plan from elsewhere, to see that the plan knows all that is coded in it; nil when it doesn't.
    private func audit(
        of input: String, knownTo plan: RedactionPlan, _ observer: Observer
    ) throws(VeilError) -> CodedAudit? {
        let source = try openPicture(of: input)
        var cursor = try planned(input) { () throws(PlanError) in try PlanCursor(plan) }
        while let frame = try media({ () throws(MediaError) in try source.nextFrame() }) {
            if observer.isCancelled() { throw .cancelled }
            if cursor.next(pts: frame.pts ?? 0) != .regions([]) { return nil }
        }
        return source.audit
    }

    private func openPicture(of input: String) throws(VeilError) -> VideoSource {
        try media { () throws(MediaError) in
            try VideoSource(
                file: input, policy: settings.onError, threads: settings.threads, reach: settings.reach)
        }
    }

    /// Why the packets of a file that needs no mask can't be copied; nil when they can.
    private func reasonNotToCopy(
        _ input: String, _ audit: CodedAudit?, _ output: String
    ) throws(VeilError) -> String? {
        guard let audit else { return "it wasn't read whole" }
        let source = try openPicture(of: input)
        return try media { () throws(MediaError) in
            try PacketCopier.reasonNotToCopy(source, audit: audit, to: output, settings: settings.encoder)
        }
    }
}

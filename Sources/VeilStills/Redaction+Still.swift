import Glibc
import VeilCore
import VeilDigest
import VeilMedia
import VeilPipeline
import VeilPixels
import VeilVision

extension Redaction {
    /// Finds the faces in a still (each picture of an animated or many-paged one) and plans what to cover; writes nothing.
    ///
    /// The plan's frames are the pictures, its boxes those of the pictures as displayed. See `StillFormat.recognise`.
    public func analyseStill(_ input: String, observer: Observer = Observer()) throws(VeilError) -> RedactionPlan {
        let bytes = try media { () throws(MediaError) in try StillFile.read(input) }
        let document = try media { () throws(MediaError) in try open(bytes, input) }
        return try plan(document, bytes, input, observer)
    }

    /// Covers the faces in a copy of a still: the same format, size, colour profile, depth and transparency. The copy
    /// appears when it is whole.
    ///
    /// - Parameter plan: what to cover; nil to look for it.
    public func redactStill(
        _ input: String, to output: String, plan given: RedactionPlan? = nil, observer: Observer = Observer()
    ) throws(VeilError) -> RedactionResult {
        let clock = ContinuousClock.now
        let bytes = try media { () throws(MediaError) in try StillFile.read(input) }
        let (file, document) = try media { () throws(MediaError) in
            let format = try Self.format(of: bytes, input)
            try format.check(output: output, input: input)
            let file = try AtomicOutput(path: output, input: input, overwrite: settings.overwrite)
            return (file, try open(bytes, input))
        }
        let plan: RedactionPlan
        if let given {
            try check(given, for: input)
            plan = given
        } else {
            plan = try self.plan(document, bytes, input, observer)
        }
        let analysed = ContinuousClock.now
        var result = RedactionResult(plan: plan)
        let covered = try cover(document, plan, input, observer, &result)
        if !covered, settings.untouched == .skip {
            result.outcome = .skipped
            result.framesWritten = 0
            result.notices = ["there is nothing to cover: no output is written"]
        } else {
            try media { () throws(MediaError) in try file.write(try document.finish()) }
            result.notices += document.notices
            if !covered { result.outcome = .copied }
        }
        result.analysisSeconds = seconds(from: clock, to: analysed)
        result.renderSeconds = seconds(from: analysed, to: .now)
        return result
    }

    func seconds(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double {
        let parts = start.duration(to: end).components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }

    static func format(of bytes: [UInt8], _ file: String) throws(MediaError) -> StillFormat {
        guard let format = StillFormat.recognise(bytes[...]) else {
            throw MediaError(.notMedia, "opening", file: file, detail: "it is no picture of a known kind")
        }
        return format
    }

    func open(_ bytes: [UInt8], _ file: String) throws(MediaError) -> any StillDocument {
        switch try Self.format(of: bytes, file) {
        case .jpeg: return try JPEGStill(bytes, file: file, policy: settings.metadata, onError: settings.onError)
        case .png:
            return PNGChunks(bytes[...])["acTL"] != nil
                ? try AnimatedPNG(bytes, file: file, policy: settings.metadata)
                : try PNGStill(bytes, file: file, policy: settings.metadata)
        case .bmp: return try BMPStill(bytes, file: file, policy: settings.metadata)
        case .webp:
            let webp = try WebPFile(bytes, file: file)
            return webp.isAnimated
                ? try AnimatedWebP(webp, file: file, policy: settings.metadata)
                : try WebPStill(webp, file: file, policy: settings.metadata)
        case .tiff: return try TIFFStill(bytes, file: file, policy: settings.metadata)
        case .heic, .avif:
            return try HEIFStill(bytes, Self.format(of: bytes, file), file: file, policy: settings.metadata)
        }
    }

    private func plan(
        _ document: any StillDocument, _ bytes: [UInt8], _ input: String, _ observer: Observer
    ) throws(VeilError) -> RedactionPlan {
        let start = ContinuousClock.now
        var frames: [PlannedFrame] = []
        var tracks = StillTracks()
        var size = (width: 0, height: 0)
        while let picture = try media({ () throws(MediaError) in try document.next() }) {
            if observer.isCancelled() { throw .cancelled }
            if frames.isEmpty {
                size =
                    picture.orientation.swapsAxes
                    ? (picture.height, picture.width) : (picture.width, picture.height)
            }
            var frame = PlannedFrame(pts: Int64(picture.time), coverWhole: picture.isDamaged)
            if !picture.isDamaged {
                let found: [Detection]
                do throws(VisionError) {
                    found = try faces(
                        in: picture.looks, orientation: picture.orientation,
                        sampleAspectRatio: picture.sampleAspectRatio)
                } catch { throw .vision(error, file: input) }
                frame.regions = tracks.take(found, frame: frames.count, pts: frame.pts)
            }
            frames.append(frame)
            observer.progress(
                Progress(
                    stage: .analysing, frames: frames.count, expected: nil, faces: frame.regions.count,
                    elapsed: seconds(from: start, to: .now)))
        }
        if document.isAnimation { tracks.fill(&frames) }
        try media { () throws(MediaError) in try document.rewind() }
        guard let first = frames.first, let last = frames.last else {
            throw .media(MediaError(.damaged, "decoding", file: input, detail: "it holds no picture"))
        }
        return RedactionPlan(
            source: SourceDescription(
                file: input.split(separator: "/").last.map(String.init) ?? input, size: bytes.count,
                sha256: SHA256.hex(of: bytes), width: size.width, height: size.height, timeBase: Rational(1, 1000),
                duration: Double(last.pts - first.pts) / 1000, frames: frames.count),
            detector: description, settings: settings.analysis, tracks: tracks.summaries, frames: frames)
    }

    /// Covers what the plan says; gives back whether that was anything.
    private func cover(
        _ document: any StillDocument, _ plan: RedactionPlan, _ input: String, _ observer: Observer,
        _ result: inout RedactionResult
    ) throws(VeilError) -> Bool {
        let start = ContinuousClock.now
        var cursor: PlanCursor
        do throws(PlanError) { cursor = try PlanCursor(plan) } catch { throw .plan(error, file: input) }
        var redactors: [Redactor] = []
        var regionCount = 0
        while let picture = try media({ () throws(MediaError) in try document.next() }) {
            if observer.isCancelled() { throw .cancelled }
            do throws(FilterChainError) {
                while redactors.count < picture.views.count { redactors.append(try Redactor(settings.chain)) }
            } catch { throw .filters(error) }
            let time = Double(picture.time) / 1000
            var coverage = cursor.next(pts: Int64(picture.time))
            if picture.isDamaged { coverage = .whole }
            switch coverage {
            case .regions(let regions):
                let masks = regions.map { picture.mask($0, scale: settings.maskScale) }
                if !masks.isEmpty {
                    for (redactor, view) in zip(redactors, picture.views) {
                        redactor.apply(to: view, regions: masks, time: time)
                    }
                }
                try media { () throws(MediaError) in try document.keep(masks: masks) }
                regionCount += masks.count
            case .absent where settings.onError == .stop:
                throw .media(
                    MediaError(
                        .damaged, "rendering", file: input, time: time, detail: "the plan doesn't know this picture",
                        advice: "make the plan anew with veil detect, or let --on-error cover cover the picture whole"))
            case .whole, .absent:
                for (redactor, view) in zip(redactors, picture.views) { redactor.coverWhole(view, time: time) }
                try media { () throws(MediaError) in try document.keep(masks: nil) }
                result.framesCoveredWhole += 1
            }
            result.framesWritten += 1
            observer.progress(
                Progress(
                    stage: .rendering, frames: result.framesWritten, expected: plan.frames.count, faces: regionCount,
                    elapsed: seconds(from: start, to: .now)))
        }
        return regionCount > 0 || result.framesCoveredWhole > 0
    }
}

func media<R: ~Copyable>(_ body: () throws(MediaError) -> R) throws(VeilError) -> R {
    do throws(MediaError) { return try body() } catch { throw .media(error) }
}

extension StillPicture {
    /// The region of a plan as a mask on the picture as it is stored.
    func mask(_ region: Region, scale: Double) -> MaskRegion {
        let face = CodedEllipse(
            region.shape, orientation: orientation, codedWidth: width, codedHeight: height,
            sampleAspectRatio: sampleAspectRatio)
        return MaskRegion(
            track: region.track, centerX: face.centerX, centerY: face.centerY, radiusX: face.radiusX * scale,
            radiusY: face.radiusY * scale, angle: face.angle, faceWidth: face.radiusX * 2, faceHeight: face.radiusY * 2)
    }
}

import VeilCore
import VeilMedia
import VeilPipeline
import VeilVision

extension Redaction {
    /// Looks for faces that show in a still, in each of its pictures, thumbnails and previews among them; see
    /// `Redaction.audit`, which is for videos.
    ///
    /// - Throws: `VeilError` where the file can't be looked through to its end: it is then unknown what it shows.
    public func auditStill(_ input: String, observer: Observer = Observer()) throws(VeilError) -> FaceAudit {
        let start = ContinuousClock.now
        let bytes = try media { () throws(MediaError) in try StillFile.read(input) }
        let document = try media { () throws(MediaError) in try open(bytes, input) }
        (document as? TIFFStill)?.isLookedThrough = true
        var audit = FaceAudit()
        let orientation = try look(through: document, input, into: &audit, start, observer)
        guard audit.frames > 0 else {
            throw .media(MediaError(.damaged, "decoding", file: input, detail: "it holds no picture"))
        }
        let format = try media { () throws(MediaError) in try Self.format(of: bytes, input) }
        if HEIFStill.holdsSequence(bytes) && (format == .heic || format == .avif) || FurtherPictures.holdsVideo(bytes) {
            throw .media(
                MediaError(
                    .unsupported, "looking through", file: input,
                    detail:
                        "a video lies beside the picture, and that isn't looked at; Veil leaves it out of its copies"
                ))
        }
        // A thumbnail says nothing of its own of how it is turned.
        let pageStarts = (document as? TIFFStill)?.jpegStarts ?? []
        let places = try media { () throws(MediaError) in
            try FurtherPictures.jpegs(in: bytes, but: pageStarts, file: input)
        }
        // Parts of the file, not copies of them: one alone is copied at a time.
        let jpegs = places.map { FurtherPictures.jpeg(at: $0, in: bytes) }
        for jpeg in jpegs {
            let still = try media { () throws(MediaError) in try FurtherPictures.preview(Array(jpeg), file: input) }
            _ = try look(through: still, input, into: &audit, start, observer, asPreviewTurned: orientation)
        }
        // What is packed, or isn't a JPEG, is found by a library that knows where cameras and programs put it.
        for preview in try media({ () throws(MediaError) in
            try FurtherPictures.packed(in: bytes, format, but: jpegs, file: input)
        }) {
            _ = try look(through: preview, input, into: &audit, start, observer, asPreviewTurned: orientation)
        }
        for index in 0..<((document as? HEIFStill)?.furtherCount ?? 0) {
            let still = try media { () throws(MediaError) in
                try HEIFStill(bytes, format, file: input, policy: .none, further: index)
            }
            _ = try look(through: still, input, into: &audit, start, observer, asPreviewTurned: orientation)
        }
        return audit
    }

    /// - Parameter previewTurn: for a picture that lies in another one's file: how that is turned.
    /// - Returns: how the first picture is turned.
    private func look(
        through document: any StillDocument, _ input: String, into audit: inout FaceAudit,
        _ start: ContinuousClock.Instant, _ observer: Observer, asPreviewTurned previewTurn: Orientation? = nil
    ) throws(VeilError) -> Orientation {
        var ongoing: [Int] = []
        var first: Orientation?
        while let picture = try media({ () throws(MediaError) in try document.next() }) {
            if observer.isCancelled() { throw .cancelled }
            let isPreview = previewTurn != nil || picture.isPreview
            guard !picture.isDamaged || isPreview else {
                throw .media(MediaError(.damaged, "decoding", file: input, detail: "a picture is broken"))
            }
            var orientation = picture.orientation
            if let previewTurn, orientation == .up { orientation = previewTurn }
            first = first ?? orientation
            if audit.frames == 0 {
                audit.width = orientation.swapsAxes ? picture.height : picture.width
                audit.height = orientation.swapsAxes ? picture.width : picture.height
            }
            var seen: [ShownFace] = []
            for look in picture.looks {
                var found: [ShownFace]
                do throws(VisionError) {
                    found = try facesThatShow(
                        in: look, orientation: orientation, sampleAspectRatio: picture.sampleAspectRatio,
                        at: Double(picture.time) / 1000)
                } catch { throw .vision(error, file: input) }
                for index in found.indices { found[index].isInPreview = isPreview }
                seen += found.filter { face in !seen.contains { $0.overlap(face) > 0.3 } }
            }
            if !isPreview { audit.frames += 1 }
            audit.add(seen, open: &ongoing)
            observer.progress(
                Progress(
                    stage: .analysing, frames: audit.frames, expected: nil, faces: audit.faces.count,
                    elapsed: seconds(from: start, to: .now)))
        }
        return first ?? .up
    }
}

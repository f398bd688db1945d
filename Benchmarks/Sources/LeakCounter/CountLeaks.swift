import VeilMedia

/// How the frames of two files are brought together.
public enum FramePairing: String, Sendable, Hashable, Codable {
    /// The first with the first, and so on; both must have as many.
    case index
    /// Each of the original's with the one nearest to it in time: for files whose frames were dropped, doubled or
    /// given other times.
    case time
}

/// Counts the faces that still show in a redacted video or still, whatever made it.
///
/// Where the redacted picture has another size, it is scaled to the original's.
///
/// - Parameter minimumFace: faces with a shorter side under this many pixels aren't counted.
/// - Throws: `LeakError`; when pairing by index, also if the numbers of frames differ.
public func countLeaks(
    original: String, redacted: String, truth: FaceTruth, pairing: FramePairing = .index, minimumFace: Double = 0
) throws(LeakError) -> LeakTally {
    var tally = LeakTally(minimumFace: minimumFace)
    let originals = try media { () throws(MediaError) in try LumaReader(file: original) }
    let others = try media { () throws(MediaError) in try LumaReader(file: redacted) }
    var byTime: LumaByTime?
    if pairing == .time { byTime = try media { () throws(MediaError) in try LumaByTime(others) } }
    var start: Double?

    while let (before, time) = try media({ () throws(MediaError) in try originals.next() }) {
        let first = start ?? time
        start = first
        if tally.frames == 0 { try check(truth, fits: before) }
        let after = try media { () throws(MediaError) in
            pairing == .time ? try byTime?.frame(at: time - first) : try others.next()?.luma
        }
        guard let after else {
            let rest = try countRest(of: originals)
            throw .frameCounts(original: tally.frames + 1 + rest, redacted: tally.frames)
        }
        tally.add(
            original: before, redacted: after.scaled(toWidth: before.width, height: before.height),
            faces: truth.frames[tally.frames] ?? [])
    }
    if pairing == .index {
        let extra = try countRest(of: others)
        guard extra == 0 else { throw .frameCounts(original: tally.frames, redacted: tally.frames + extra) }
    }
    return tally
}

/// How many frames a file shows.
public func countFrames(of file: String) throws(LeakError) -> Int {
    let source = try media { () throws(MediaError) in try VideoSource(file: file) }
    var count = 0
    while try media({ () throws(MediaError) in try source.nextFrame() != nil }) { count += 1 }
    return count
}

private func countRest(of reader: LumaReader) throws(LeakError) -> Int {
    var count = 0
    while try media({ () throws(MediaError) in try reader.next() != nil }) { count += 1 }
    return count
}

private func check(_ truth: FaceTruth, fits luma: Luma) throws(LeakError) {
    let (width, height) = (truth.width ?? luma.width, truth.height ?? luma.height)
    guard width == luma.width, height == luma.height else {
        throw .truthSize(width: width, height: height, originalWidth: luma.width, originalHeight: luma.height)
    }
}

private func media<T>(_ work: () throws(MediaError) -> T) throws(LeakError) -> T {
    do {
        return try work()
    } catch {
        throw .media(error)
    }
}

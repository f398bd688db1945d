import Testing
import VeilTestSupport

/// A clip, its redacted copy, and what the program said meanwhile.
struct Redacted {
    let input: String
    let output: String
    let run: ToolResult

    /// Redacts quickly: few looks, a fast encoder where it has presets.
    init(
        _ input: String, to name: String, in folder: TemporaryFolder, _ arguments: [String] = [],
        preset: String? = "ultrafast"
    ) throws {
        self.input = input
        output = folder.file(name)
        run = try BuiltVeil.run(
            ["redact", input, "-o", output] + Redacted.quick
                + (preset.map { ["--preset", $0] } ?? []) + arguments)
    }

    /// Looks every fourth frame at a small picture.
    static let quick = ["--detect-every", "4", "--detect-size", "320"]

    /// The notes printed on standard error.
    var notes: [String] { run.errorLines.filter { $0.contains(": note: ") } }

    /// Whether a note says this.
    func says(_ words: String) -> Bool { notes.contains { $0.contains(words) } }

    /// It was done, and nothing half-made is left.
    func expectDone(_ location: SourceLocation = #_sourceLocation) {
        #expect(run.status == 0 && !run.timedOut, "\(run)", sourceLocation: location)
        #expect(FileBytes.exists(output), "\(run)", sourceLocation: location)
    }

    /// As many frames, each at its own time, exactly or within half a tick of the coarser time base.
    func expectSameTimes(exactly: Bool = true, shifted: Double = 0, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        let before = try Probe.times(input)
        let after = try Probe.times(output)
        #expect(before.count == after.count, sourceLocation: location)
        if exactly {
            #expect(before == after, sourceLocation: location)
        } else {
            for (a, b) in zip(before, after) {
                #expect(a.isNear(b, shifted: shifted), "\(a) became \(b)", sourceLocation: location)
            }
        }
    }

    /// How much later the first picture is in the copy; 0 unless the source has times before zero.
    var shift: Double {
        get throws {
            let least =
                try ["V:0", "a:0"].flatMap { try Probe.packets(input, stream: $0) }.compactMap { $0.dts ?? $0.pts }
                .map(\.seconds).min() ?? 0
            guard least < 0 else { return 0 }
            return try (Probe.times(output).first?.seconds ?? 0) - (Probe.times(input).first?.seconds ?? 0)
        }
    }

    /// Packets of a stream are the same bytes at the same times.
    ///
    /// - Parameter exactly: else within half a tick of the coarser time base.
    func expectCopied(
        _ before: String, as after: String, exactly: Bool = true, sameBytes: Bool = true, shifted: Double = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let a = try Probe.packets(input, stream: before)
        let b = try Probe.packets(output, stream: after)
        // AAC gets a head of its own in each packet of a transport stream.
        #expect(
            !a.isEmpty && a.count == b.count && (!sameBytes || a.map(\.hash) == b.map(\.hash)), "\(before) → \(after)",
            sourceLocation: location)
        if exactly {
            #expect(a.map(\.pts) == b.map(\.pts), "\(before) → \(after)", sourceLocation: location)
        } else {
            for case (let x?, let y?) in zip(a.map(\.pts), b.map(\.pts)) {
                #expect(
                    x.isNear(y, shifted: shifted), "\(before) → \(after): \(x) became \(y)", sourceLocation: location)
            }
        }
    }

    /// The face can't be seen in any frame, and what lies outside is as it was.
    ///
    /// - Parameters:
    ///   - face: where the face is in frame n of the picture as shown.
    ///   - quality: the least PSNR outside, dB.
    func expectFaceGone(
        quality: Double = 38, upright: Bool = false, face: (Int) -> Box = Portrait.face,
        around: (Int) -> Box = Portrait.surroundings, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try RawPictures(input, upright: upright)
        let after = try RawPictures(output, upright: upright)
        #expect(
            (before.width, before.height, before.count) == (after.width, after.height, after.count),
            sourceLocation: location)
        guard before.count == after.count, before.width == after.width, before.height == after.height else { return }
        #expect(before.count > 0, sourceLocation: location)
        for frame in 0..<before.count {
            let left = before.detailLeft(in: after, frame: frame, box: face(frame))
            #expect(left < 0.12, "frame \(frame)", sourceLocation: location)
            let box = around(frame)
            let psnr = before.psnr(frame, after, frame) { x, y in !box.contains(x, y) }
            #expect(psnr >= quality, "frame \(frame)", sourceLocation: location)
        }
    }
}

extension Ticks {
    /// Within half a tick of the coarser time base.
    func isNear(_ other: Ticks, shifted: Double = 0) -> Bool {
        let coarser = max(Double(num) / Double(den), Double(other.num) / Double(other.den))
        return abs(seconds + shifted - other.seconds) <= coarser / 2 + 1e-9
    }
}

/// A property that has to be the same in both files.
func expectSame(
    _ before: Probe, _ after: Probe, _ keys: [String], _ location: SourceLocation = #_sourceLocation
) {
    for key in keys {
        #expect(before.picture(key) == after.picture(key), "\(key)", sourceLocation: location)
    }
}

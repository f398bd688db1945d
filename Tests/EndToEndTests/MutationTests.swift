import Glibc
import Testing
import VeilTestSupport

/// Sample files of each container, changed at random, through the whole program.
///
/// `VEIL_MUTATIONS` says how many (60 by default; `make fuzz` has 10,000), `VEIL_MUTATIONS_FROM` the first one's number,
/// and `VEIL_MUTATIONS_KEEP` names a folder for the files that fail. The same number is the same change.
@Suite struct MutationTests {
    private static func number(_ name: String, otherwise: Int) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? otherwise
    }

    /// Bytes of memory that a run on a small file may take.
    private static let mostMemory = 1 << 30
    /// Seconds that a run may take: of the processor's, since a busy machine is nobody's fault; one that waits for ever
    /// is ended by the clock.
    private static let seconds = 20.0

    /// The unchanged files, one for each container.
    private static func seeds(in folder: TemporaryFolder) throws -> [(name: String, bytes: [UInt8])] {
        var files = try Kind.all.filter { !["b.mkv", "a.m4v", "a.3gp", "a.m2ts"].contains($0.name) }.map { kind in
            try Clip.make(
                in: folder, kind.name, frames: 5, filter: "scale=192:108,format=yuv420p", tones: 1,
                kind.video + kind.sound)
        }
        for (name, codec) in [
            ("c.gif", ["-pix_fmt", "pal8", "-c:v", "gif"]), ("c.y4m", []), ("c.ivf", ["-c:v", "libvpx"]),
            ("c.264", Clip.h264), ("c.265", ["-c:v", "libx265", "-preset", "ultrafast"]),
            ("c.mjpeg", ["-c:v", "mjpeg"]),
            ("c.mov", ["-c:v", "prores_ks"]), ("d.mov", ["-c:v", "qtrle", "-pix_fmt", "rgb24"]),
            ("d.mp4", Clip.h264 + ["-movflags", "+frag_keyframe+empty_moov"]),
            ("d.mkv", ["-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40"]),
        ] as [(String, [String])] {
            files.append(
                try Clip.make(
                    in: folder, name, frames: 4,
                    filter: name == "c.gif" ? "scale=192:108" : "scale=192:108,format=yuv420p", codec))
        }
        return try files.map { (String($0.split(separator: "/").last ?? ""), try FileBytes.read($0)) }
    }

    /// Changes that hit lengths, counts and times as well as pictures.
    static func mutated(_ original: [UInt8], other: [UInt8], _ random: inout Numbers) -> [UInt8] {
        var bytes = original
        // Most of what a demuxer believes stands at a file's beginning or end.
        func place(_ random: inout Numbers) -> Int {
            let near = min(bytes.count, 2000)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return Int.random(in: 0..<near, using: &random)
            case 1: return bytes.count - 1 - Int.random(in: 0..<near, using: &random)
            default: return Int.random(in: 0..<bytes.count, using: &random)
            }
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 64 {
            let at = place(&random)
            let length = min(1 << Int.random(in: 0...10, using: &random), bytes.count - at)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1:
                for index in at..<at + min(length, 16) { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            case 2:
                let values: [[UInt8]] = [
                    [0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [128, 0, 0, 0], [0, 0, 0, 1],
                    [0, 0, 255, 255],
                    [255, 255, 255, 127], [1, 0, 0, 0], [0, 0, 0, 128], [255, 255, 0, 0],
                ]
                let value = values[Int.random(in: 0..<values.count, using: &random)]
                for (offset, byte) in value.enumerated() where at + offset < bytes.count { bytes[at + offset] = byte }
            case 3: bytes.removeSubrange(at..<at + length)
            case 4: bytes.insert(contentsOf: bytes[at..<at + length], at: place(&random))
            case 5: for index in at..<at + length { bytes[index] = 0 }
            case 6: bytes.removeSubrange(at...)
            default:
                let from = Int.random(in: 0..<other.count, using: &random)
                bytes.insert(contentsOf: other[from..<min(other.count, from + length)], at: at)
            }
        }
        return bytes
    }

    @Test func `no change to a file crashes the program, hangs it or fills the memory`() throws {
        let folder = try TemporaryFolder()
        let seeds = try Self.seeds(in: folder)
        let (first, count) = (
            Self.number("VEIL_MUTATIONS_FROM", otherwise: 0), Self.number("VEIL_MUTATIONS", otherwise: 60)
        )
        let keep = getenv("VEIL_MUTATIONS_KEEP").map { String(cString: $0) }
        var (done, refused, slowest, largest) = (0, 0, 0.0, 0)
        for number in first..<first + count {
            var random = Numbers(number)
            let seed = seeds[number % seeds.count]
            let other = seeds[Int.random(in: 0..<seeds.count, using: &random)].bytes
            let (input, output) = (folder.file("in-" + seed.name), folder.file("out.mkv"))
            try FileBytes.write(Self.mutated(seed.bytes, other: other, &random), to: input)
            let policy = number / seeds.count % 2 == 0 ? "stop" : "cover"
            let run = try BuiltVeil.run(
                [
                    "redact", input, "-o", output, "-q", "--on-error", policy, "--detect-size", "64", "--detect-every",
                    "4", "--codec", "mpeg4", "--threads", "2",
                ])
            let took = run.processorSeconds
            (slowest, largest) = (max(slowest, took), max(largest, run.peakMemory))
            let isFine =
                !run.timedOut && took <= Self.seconds && run.peakMemory <= Self.mostMemory && folder.leftovers.isEmpty
                && (run.status == 0 && run.errors.isEmpty && FileBytes.exists(output)
                    || run.status == 1 && run.errorLines.count == 1 && !FileBytes.exists(output))
            if !isFine {
                Issue.record("mutation \(number) of \(seed.name): \(run.peakMemory >> 20) MiB, \(took) s\n\(run)")
                if let keep { try FileBytes.write(FileBytes.read(input), to: "\(keep)/\(number)-\(seed.name)") }
            }
            if run.status == 0 { done += 1 } else { refused += 1 }
            for name in folder.leftovers + ["out.mkv", "in-" + seed.name] { unlink(folder.file(name)) }
        }
        print(
            "mutations: \(count) from \(first), over \(seeds.count) files: \(done) redacted, \(refused) refused; "
                + "slowest \(slowest) s, most memory \(largest >> 20) MiB")
    }
}

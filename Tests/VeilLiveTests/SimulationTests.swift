import Glibc
import Testing
import VeilMedia
import VeilPipeline
import VeilVision

@testable import VeilLive

/// Plays a clip through the core by a clock of its own, in which a look takes a given time: what a calm machine of that
/// speed would show, however busy this one is. For measuring; see docs/live.md.
@Suite struct Simulation {
    private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    @Test(.enabled(if: getenv("VEIL_LIVE_CLIP") != nil))
    func `a clip is played by a clock of its own`() throws {
        let clip = try #require(Self.setting("VEIL_LIVE_CLIP"))
        let output = try #require(Self.setting("VEIL_LIVE_OUT"))
        let side = Int(Self.setting("VEIL_LIVE_SIDE") ?? "") ?? 640
        let look = Double(Self.setting("VEIL_LIVE_LOOK") ?? "") ?? 0.085
        var loading = RedactionSettings()
        loading.models = Self.setting("VEIL_MODELS")
        loading.threads = 1
        let detector = try DetectorLoader.load(loading).detector
        var settings = LiveSettings(input: LiveInputSettings(.file(clip)))
        if Self.setting("VEIL_LIVE_DELAY") == "auto" { settings.delay = .auto }
        settings.threshold = Self.setting("VEIL_LIVE_THRESHOLD").flatMap(Double.init)
        let core = try LiveCore(settings)
        let input = try LiveInput(settings.input) { false }
        let geometry = LiveGeometry()
        var writer: LiveWriter?
        var busy: (report: DetectionReport, done: Double)?
        var waiting: DetectionJob?
        var (whole, shown, number, late) = (0, 0, 0, 0)
        let lane = DetectorLane(detector, size: side, threshold: 0.12) { _ in }
        let begun = monotonicSeconds()
        func show(_ now: Double) throws {
            while let frame = try core.nextShown(now: now) {
                if writer == nil {
                    var encoding = LiveEncoding()
                    encoding.crf = 18
                    encoding.preset = "ultrafast"
                    writer = try LiveWriter(
                        LiveTarget(output), like: frame.picture, rate: 30, soundRate: nil, encoding: encoding,
                        overwrite: true
                    ) { false }
                }
                try writer?.write(frame.picture, time: frame.time)
                shown += 1
                if case .whole = frame.verdict, frame.time >= 1 { whole += 1 }
                if frame.time >= 1 { late += 1 }
            }
        }
        /// Lets the detector work until a moment.
        func work(until now: Double) throws {
            while true {
                if let done = busy, done.done <= now {
                    // Held-back frames that fall due before the answer is in are shown without it.
                    try show(done.done - 1e-9)
                    core.take(done.report, now: done.done)
                    busy = nil
                    if let job = waiting {
                        waiting = nil
                        busy = (lane.look(job), done.done + look)
                    }
                } else {
                    return
                }
            }
        }
        while let event = try input.next() {
            guard case .picture(let frame, let time) = consume event else { continue }
            let now = time ?? 0
            try work(until: now)
            try show(now - 1e-9)
            let picture = SharedFrame(
                try geometry.convert(frame, orientation: .up, sampleAspectRatio: nil))
            core.arrive(LiveFrame(picture: picture, number: number, time: now, arrival: now, isDamaged: false))
            lane.expect(core.expected)
            let job = DetectionJob(picture: picture, frame: number, time: now)
            number += 1
            if busy == nil { busy = (lane.look(job), now + look) } else { waiting = job }
            try show(now)
        }
        try work(until: Double(number))
        try show(.infinity)
        try writer?.finish()
        #expect(shown == number)
        print(
            "SIM shown \(shown) late \(late) whole \(whole) delay \(core.currentDelay) took \(monotonicSeconds() - begun)"
        )
    }
}

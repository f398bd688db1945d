import Glibc
import Synchronization
import Testing
import VeilCore
import VeilMedia
import VeilPixels
import VeilTestSupport
import VeilVision

@testable import VeilLive

/// A detector that knows where the face is, until it does what a test says.
private final class FaultyDetector: FaceDetector {
    enum Fault: Sendable, CaseIterable {
        case throwing
        case hangingForSeconds
        case hangingForGood
    }

    private let face: NormalizedRect
    private let fault: Fault
    private let looks = Atomic<Int>(0)
    private let isReleased = Atomic<Bool>(false)
    /// Looks that succeed first. The sizes that are tried at the start are not counted: they ask for the surest faces only.
    private static let good = 8

    init(face: NormalizedRect, fault: Fault) {
        self.face = face
        self.fault = fault
    }

    var faults: Int { max(0, looks.load(ordering: .relaxed) - Self.good) }

    /// Lets go of a thread that hangs for good, once the test is over.
    func release() { isReleased.store(true, ordering: .relaxed) }

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        let found = [Detection(bounds: face, score: 0.9)]
        if look.threshold == 1 { return found }
        if looks.add(1, ordering: .relaxed).newValue <= Self.good { return found }
        switch fault {
        case .throwing: throw VisionError(code: .unknown, doing: "looking for faces", words: "the test says so")
        case .hangingForSeconds: wait(1.5)
        case .hangingForGood: wait(600)
        }
        return found
    }

    private func wait(_ seconds: Double) {
        let end = monotonicSeconds() + seconds
        while monotonicSeconds() < end, !isReleased.load(ordering: .relaxed) { usleep(10_000) }
    }
}

/// A detector that counts its looks, and those while the session's loop is held up.
private final class WatchingDetector: FaceDetector {
    let isHeldUp = Atomic<Bool>(false)
    let looks = Atomic<Int>(0)
    let looksMeanwhile = Atomic<Int>(0)
    private let microseconds: UInt32

    init(microseconds: UInt32) { self.microseconds = microseconds }

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        // Sizes that are tried ask for the surest faces only.
        guard look.threshold < 1 else { return [] }
        usleep(microseconds)
        looks.add(1, ordering: .relaxed)
        if isHeldUp.load(ordering: .relaxed) { looksMeanwhile.add(1, ordering: .relaxed) }
        return []
    }
}

/// The whole of `veil live` but its command line, with a detector that fails.
@Suite(.serialized) struct `A live session` {
    private static let scene = Result { try StillScene(x: 60) }

    private func play(_ fault: FaultyDetector.Fault, failsOpen: Bool) throws -> (
        stats: LiveStats, seen: Sightings, faults: Int
    ) {
        let folder = try TemporaryFolder()
        let scene = try Self.scene.get()
        var settings = LiveSettings(
            input: LiveInputSettings(.file(try scene.clip("in.mkv", in: folder, seconds: 5))))
        settings.input.isPaced = true
        settings.outputs = [.target(try LiveTarget(folder.file("out.mkv")))]
        settings.encoding.crf = 1
        settings.encoding.preset = "ultrafast"
        settings.failsOpen = failsOpen
        let (width, height) = (Double(StillScene.width), Double(StillScene.height))
        let detector = FaultyDetector(
            face: NormalizedRect(
                x: Double(scene.face.x) / width, y: Double(scene.face.y) / height,
                width: Double(scene.face.width) / width, height: Double(scene.face.height) / height),
            fault: fault)
        defer { detector.release() }
        // x264 would tell the test's reader of each picture that it made.
        LibraryLog.install(verbose: false)
        let session = try LiveSession(settings, detector: detector, observer: LiveSession.Observer())
        let stats = try session.run()
        let recorded = try RawPictures(folder.file("out.mkv"))
        var seen = Sightings(of: [scene])
        for frame in 0..<recorded.count { seen.add([recorded.picture(frame)]) }
        return (stats, seen, detector.faults)
    }

    @Test(arguments: FaultyDetector.Fault.allCases)
    fileprivate func `shows no face while its detector fails, and ends its recording`(fault: FaultyDetector.Fault)
        throws
    {
        let (stats, seen, faults) = try play(fault, failsOpen: false)
        #expect(faults > 0, "the detector was never asked often enough: \(stats)")
        #expect(seen.pictures == stats.shown && seen.pictures > 0)
        #expect(seen.bare == 0 && seen.whole > 0, "\(seen) \(stats)")
        switch fault {
        case .throwing: #expect(stats.failedDetections > 0 && stats.whole[.failed] != nil)
        case .hangingForSeconds, .hangingForGood: #expect(stats.whole[.stale] != nil)
        }
    }

    @Test(arguments: FaultyDetector.Fault.allCases)
    fileprivate func `shows a face while its detector fails only where it is told to`(fault: FaultyDetector.Fault)
        throws
    {
        let (stats, seen, faults) = try play(fault, failsOpen: true)
        #expect(faults > 0)
        // Not only before the first search, but long after the last one too.
        #expect(seen.bare > 10, "\(seen) \(stats)")
    }

    private func watch(
        _ detector: WatchingDetector, seconds: Double, progress: @escaping @Sendable (LiveStats) -> Void = { _ in }
    ) throws -> LiveStats {
        let folder = try TemporaryFolder()
        var settings = LiveSettings(
            input: LiveInputSettings(.file(try Self.scene.get().clip("in.mkv", in: folder, seconds: seconds))))
        settings.input.isPaced = true
        settings.delay = .fixed(1.2)
        settings.outputs = [.target(try LiveTarget(folder.file("out.mkv")))]
        settings.encoding.preset = "ultrafast"
        LibraryLog.install(verbose: false)
        return try LiveSession(settings, detector: detector, observer: LiveSession.Observer(progress: progress)).run()
    }

    @Test func `goes on looking at new pictures while its loop is busy`() throws {
        let detector = WatchingDetector(microseconds: 2_000)
        let held = Atomic<Int>(0)
        let stats = try watch(detector, seconds: 4) { stats in
            // The loop calls this, and waits.
            guard stats.captured > 15, held.add(1, ordering: .relaxed).newValue == 1 else { return }
            detector.isHeldUp.store(true, ordering: .relaxed)
            usleep(500_000)
            detector.isHeldUp.store(false, ordering: .relaxed)
        }
        #expect(held.load(ordering: .relaxed) > 0)
        // Two could be of pictures that the loop had handed over before.
        #expect(detector.looksMeanwhile.load(ordering: .relaxed) > 3, "\(stats)")
        #expect(stats.shown == stats.captured, "\(stats)")
    }

    @Test func `waits for what is found in the last pictures, which are held back`() throws {
        // The last picture comes just before the end of the source; what is found in it a fifth of a second after it.
        let detector = WatchingDetector(microseconds: 200_000)
        let stats = try watch(detector, seconds: 2)
        #expect(stats.shown == stats.captured && stats.shown > 0, "\(stats)")
        #expect(stats.detections > 3 && stats.detections == detector.looks.load(ordering: .relaxed), "\(stats)")
    }
}

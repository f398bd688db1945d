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

/// A quick detector that counts its looks while the session's loop is held up.
private final class WatchingDetector: FaceDetector {
    let isHeldUp = Atomic<Bool>(false)
    let looks = Atomic<Int>(0)

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        usleep(2_000)
        if isHeldUp.load(ordering: .relaxed) { looks.add(1, ordering: .relaxed) }
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

    @Test func `goes on looking at new pictures while its loop is busy`() throws {
        let folder = try TemporaryFolder()
        var settings = LiveSettings(
            input: LiveInputSettings(.file(try Self.scene.get().clip("in.mkv", in: folder, seconds: 4))))
        settings.input.isPaced = true
        settings.delay = .fixed(1.2)
        settings.outputs = [.target(try LiveTarget(folder.file("out.mkv")))]
        settings.encoding.preset = "ultrafast"
        let detector = WatchingDetector()
        let held = Atomic<Int>(0)
        LibraryLog.install(verbose: false)
        let session = try LiveSession(
            settings, detector: detector,
            observer: LiveSession.Observer(progress: { stats in
                // The loop calls this, and waits.
                guard stats.captured > 15, held.add(1, ordering: .relaxed).newValue == 1 else { return }
                detector.isHeldUp.store(true, ordering: .relaxed)
                usleep(500_000)
                detector.isHeldUp.store(false, ordering: .relaxed)
            }))
        let stats = try session.run()
        #expect(held.load(ordering: .relaxed) > 0)
        // Two could be of pictures that the loop had handed over before.
        #expect(detector.looks.load(ordering: .relaxed) > 3, "\(stats)")
        #expect(stats.shown == stats.captured, "\(stats)")
    }
}

import Glibc
import Synchronization
import Testing
import VeilCore
import VeilMedia
import VeilVision

@testable import VeilLive

@Suite struct `The parts of a live picture` {
    @Test func `a full inbox loses what is oldest and takes what is urgent first`() {
        let inbox = Inbox<Int>(capacity: 2)
        #expect(inbox.put(1) == nil && inbox.put(2) == nil && inbox.put(3) == 1)
        inbox.putUrgent(9)
        #expect(inbox.take(until: nil) == 9 && inbox.take(until: nil) == 2)
        inbox.close()
        #expect(!inbox.isFinished && inbox.put(4) == 4 && inbox.take(until: nil) == 3)
        #expect(inbox.take(until: nil) == nil && inbox.isFinished)
    }

    @Test func `an empty inbox gives nothing when the time has come`() {
        let start = monotonicSeconds()
        #expect(Inbox<Int>(capacity: 1).take(until: start + 0.05) == nil)
        #expect(monotonicSeconds() - start >= 0.05)
    }

    @Test func `the newest thing replaces one that nobody took`() {
        let box = NewestBox<Int>()
        box.put(1)
        box.put(2)
        #expect(box.take() == 2)
        box.put(3)
        box.close()
        #expect(box.take() == nil)
    }

    @Test func `times are the source's, rise, and go on after a jump`() {
        var clock = CaptureClock(start: 100)
        #expect(abs(clock.stamp(5000, arrival: 100.5) - 0.5) < 1e-9)
        // Late by a tenth, yet the source's own difference counts.
        #expect(abs(clock.stamp(5000.04, arrival: 100.64) - 0.54) < 1e-9)
        // The same time twice.
        #expect(clock.stamp(5000.04, arrival: 100.7) >= 0.541 - 1e-9)
        // The source begins anew.
        #expect(abs(clock.stamp(0, arrival: 102) - 2) < 1e-9)
        #expect(abs(clock.stamp(0.04, arrival: 102.05) - 2.04) < 1e-9)
        // No time at all.
        #expect(abs(clock.stamp(nil, arrival: 103) - 3) < 1e-9)
        #expect(abs(clock.soundStamp(0.5, arrival: 103) - 2.5) < 1e-9)
    }

    @Test(arguments: [0, 1_700_000_000.0])
    func `picture and sound of two devices are in step whichever comes through sooner`(lead: Double) {
        var picture = CaptureClock(start: 100, wall: 1_700_000_000)
        var sound = CaptureClock(start: 100, wall: 1_700_000_000)
        // Both were taken at 102 of the monotonic clock, and are stamped with it or with the time of day.
        #expect(abs(picture.stamp(102 + lead, arrival: 102.01) - 2) < 1e-6)
        #expect(abs(sound.soundStamp(102 + lead, arrival: 103.5) - 2) < 1e-6)
        // Any other number is no time of this machine.
        var other = CaptureClock(start: 100, wall: 1_700_000_000)
        #expect(abs(other.stamp(7, arrival: 102) - 2) < 1e-9)
    }

    @Test func `times go on from the arrival where the source was opened anew`() {
        var clock = CaptureClock(start: 100)
        _ = clock.stamp(10, arrival: 101)
        // While it is away.
        let away = clock.stamp(nil, arrival: 103)
        clock.restart()
        #expect(abs(clock.stamp(11.9, arrival: 103.2) - 3.2) < 1e-9 && away < 3.2)
    }

    @Test func `the automatic delay is as long as a detection took, and shrinks slowly`() {
        var keeper = DelayKeeper(.auto)
        // Until it is known how long a detection takes.
        #expect(keeper.seconds == DelayKeeper.limit)
        for frame in 0..<12 { keeper.arrived(frame, at: Double(frame) / 30) }
        keeper.detected(0, at: 0.1)
        #expect(keeper.seconds > 0.1 && keeper.seconds < 0.15)
        keeper.detected(3, at: 0.6)
        // Frame 1 came at 0.033 and had to wait until 0.6.
        #expect(keeper.seconds > 0.56 && keeper.seconds < 0.6)
        let before = keeper.seconds
        keeper.detected(6, at: 0.61)
        #expect(keeper.seconds < before && keeper.seconds > 0.9 * before)
        #expect(DelayKeeper(.fixed(0.2)).seconds == 0.2)
    }

    @Test func `what was found in a picture waits until the loop has the picture`() {
        var numbers = FrameNumbers()
        func found(_ frame: Int, fails: Bool = false) -> DetectionReport {
            DetectionReport(frame: frame, time: 0, detections: fails ? nil : [], failure: nil)
        }
        #expect(numbers.took(0).isEmpty && numbers.resolve(found(0))?.frame == 0)
        // Pictures 2 and 4 wait for the loop, 1 and 3 were lost.
        for frame in 2...4 { #expect(numbers.resolve(found(frame)) == nil) }
        #expect(numbers.next == 1 && numbers.took(2).map(\.frame) == [1])
        #expect(numbers.took(4).map(\.frame) == [2] && numbers.took(5).isEmpty)
        // Again for one that the loop has; not for one that was lost.
        #expect(numbers.resolve(found(4))?.frame == 2 && numbers.resolve(found(3)) == nil)
        #expect(numbers.took(6).isEmpty && numbers.next == 5)
        // A failure doesn't wait: it counts for the next picture.
        for frame in [1, 9] { #expect(numbers.resolve(found(frame, fails: true))?.frame == 5) }
        #expect(numbers.resolve(found(6, fails: true))?.frame == 4)
        // And again for its own when that comes, or for the first after it where it was lost: what is found in one before
        // must not make up for it.
        #expect(numbers.resolve(found(7)) == nil)
        let later = numbers.took(7)
        #expect(later.map(\.frame) == [5] && later[0].detections != nil)
        let latest = numbers.took(10)
        #expect(latest.map(\.frame) == [6] && latest[0].detections == nil)
    }

    @Test func `a slow processor gets a smaller picture to search, a fast one a larger`() {
        var slow = LookSizer()
        while slow.candidate != nil { slow.measured(0.2) }
        #expect(slow.side == 320)
        var fast = LookSizer()
        while fast.candidate != nil { fast.measured(0.01) }
        #expect(fast.side == 1280)
        for _ in 0..<200 { fast.took(0.2) }
        #expect(fast.side == 320)
        for _ in 0..<900 { fast.took(0.02) }
        #expect(fast.side == 1280)
        var fixed = LookSizer(fixed: 500)
        for _ in 0..<20 { fixed.took(1) }
        #expect(fixed.side == 500)
    }

    @Test func `percentiles are right to a millisecond`() {
        var spread = Spread()
        for value in 1...100 { spread.add(Double(value) / 1000) }
        #expect(abs(spread.median - 0.0505) <= 0.001 && abs(spread.percentile(0.99) - 0.0995) <= 0.001)
        #expect(spread.maximum == 0.1 && Spread().median == 0)
    }

    @Test(arguments: [
        ("q", LiveCommand.quit), ("record", .record), ("  zoom 2", .zoom(2)), ("pan -1 0.5", .pan(x: -1, y: 0.5)),
        ("+", .larger), ("space", .pause),
    ])
    func `commands are read from lines`(line: String, command: LiveCommand) {
        #expect(LiveCommand(line: line) == command)
    }

    @Test(arguments: ["", "zoom", "zoom 9", "zoom two", "pan 1", "pan 2 0", "quit now", "qq", "zoom nan"])
    func `anything else is no command`(line: String) { #expect(LiveCommand(line: line) == nil) }

    @Test func `the view turns, zooms and pans within its limits`() {
        var view = LiveView()
        for _ in 0..<40 { view.apply(.zoomIn) }
        #expect(view.zoom == 8)
        view.apply(.pan(x: 0.95, y: 0))
        view.apply(.panBy(x: 0.1, y: -0.1))
        #expect(view.panX == 1 && view.panY == -0.1)
        for _ in 0..<4 { view.apply(.rotate) }
        #expect(view.quarterTurns == 0)
        var shapes: [Rational?] = []
        for _ in 0..<4 {
            view.apply(.nextCrop)
            shapes.append(view.aspect)
        }
        #expect(shapes == [Rational(16, 9), Rational(4, 3), Rational(1, 1), nil])
    }

    @Test(arguments: [
        ("/dev/video3", LiveAddress.device(format: "v4l2", name: "/dev/video3")),
        ("x11grab::0", .device(format: "x11grab", name: ":0")), ("-", .standardInput),
        ("udp://127.0.0.1:5000", .url("udp://127.0.0.1:5000")), ("a:b.mp4", .file("a:b.mp4")),
        ("file:alsa:x", .file("alsa:x")), ("clip.mp4", .file("clip.mp4")),
    ])
    func `sources are told apart by how they are written`(text: String, address: LiveAddress) {
        #expect(LiveAddress(text) == address)
    }

    @Test(arguments: [
        ("-", LiveTarget.Kind.pipe, "yuv4mpegpipe"), ("/dev/video10", .device, "v4l2"),
        ("rtmp://h/a", .stream, "flv"), ("udp://h:1", .stream, "mpegts"), ("srt://h:1", .stream, "mpegts"),
        ("web/list.m3u8", .playlist, "hls"), ("a.mp4", .recording, "mp4"), ("a.mkv", .recording, "matroska"),
    ])
    func `targets are told apart by how they are written`(text: String, kind: LiveTarget.Kind, format: String) throws {
        let target = try LiveTarget(text)
        #expect(target.kind == kind && target.format == format)
    }

    @Test func `takes are numbered before the extension`() throws {
        let target = try LiveTarget("walk.mp4")
        #expect(target.take(1).label == "walk.mp4" && target.take(3).label == "walk-3.mp4")
        #expect(throws: MediaError.self) { try LiveTarget("walk.unheard") }
    }
}

/// A sink that does what a test says.
private final class ScriptedSink: LiveSink {
    let write: () throws(MediaError) -> Void

    init(_ write: @escaping () throws(MediaError) -> Void) { self.write = write }

    func write(_ frame: ShownFrame) throws(MediaError) { try write() }
}

@Suite struct `An output of its own thread` {
    private func frame() throws -> ShownFrame {
        ShownFrame(
            picture: try SharedFrame(width: 16, height: 16, luma: Array(repeating: 0, count: 256)), time: 0, arrival: 0,
            verdict: .faces,
            regions: [], masks: [], age: nil)
    }

    @Test func `holds nobody up however slow it is`() throws {
        let notices = Mutex<[String]>([])
        let lane = OutputLane(
            "slow", capacity: 3, takesSound: false, notice: { text in notices.withLock { $0.append(text) } }
        ) { _, _ in ScriptedSink { () throws(MediaError) in usleep(200_000) } }
        lane.begin()
        let start = monotonicSeconds()
        let frame = try frame()
        for _ in 0..<100 { lane.put(.picture(frame)) }
        #expect(monotonicSeconds() - start < 0.2)
        lane.stop()
        #expect(lane.numbers.written + lane.numbers.dropped == 100 && lane.numbers.dropped >= 90)
        #expect(notices.withLock { $0.count } == 1)
    }

    @Test func `is tried again after a failure`() throws {
        let attempts = Mutex<[Int]>([])
        let lane = OutputLane("failing", takesSound: false, notice: { _ in }) { attempt, _ in
            attempts.withLock { $0.append(attempt) }
            return ScriptedSink { () throws(MediaError) in
                if attempt == 0 { throw MediaError(.unwritable, "writing", detail: "the test says so") }
            }
        }
        lane.begin()
        let frame = try frame()
        let end = monotonicSeconds() + 20
        while lane.numbers.written == 0, monotonicSeconds() < end {
            lane.put(.picture(frame))
            usleep(50_000)
        }
        lane.stop()
        #expect(lane.numbers.written > 0 && lane.numbers.failures == 1)
        #expect(attempts.withLock { $0 } == [0, 1])
    }

    /// Pages of a frame's first plane, whole ones, that the process still has.
    private static func presentPages(_ start: UnsafeMutableRawPointer, bytes: Int) -> Int {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let first = UnsafeMutableRawPointer(bitPattern: (Int(bitPattern: start) + page - 1) / page * page)
        let count = bytes / page - 1
        var present = [UInt8](repeating: 0, count: count)
        // Fails where nothing is mapped there any more.
        guard mincore(first, count * page, &present) == 0 else { return 0 }
        return present.reduce(0) { $0 + Int($1 & 1) }
    }

    @Test func `gives back the memory of frames that waited for it`() throws {
        let isHeld = Mutex(true)
        let lane = OutputLane("slow", takesSound: false, notice: { _ in }) { _, _ in
            ScriptedSink { () throws(MediaError) in while isHeld.withLock({ $0 }) { usleep(1000) } }
        }
        // Small enough to come from the allocator's heap, where what stays keeps what was freed before it.
        let (width, height) = (320, 240)
        var staying: [[UInt8]] = []
        var places: [UnsafeMutableRawPointer] = []
        lane.begin()
        for _ in 0..<OutputLane.capacity {
            let picture = try SharedFrame(
                width: width, height: height, luma: Array(repeating: 1, count: width * height))
            picture.frame.withPlanes { places.append($0.planes[0].base) }
            lane.put(
                .picture(
                    ShownFrame(
                        picture: picture, time: 0, arrival: 0, verdict: .faces, regions: [], masks: [], age: nil)))
            staying.append(Array(repeating: 1, count: 30_000))
        }
        func present() -> Int { places.reduce(0) { $0 + Self.presentPages($1, bytes: width * height) } }
        let waiting = present()
        isHeld.withLock { $0 = false }
        let end = monotonicSeconds() + 20
        while present() > waiting / 2, monotonicSeconds() < end { usleep(20_000) }
        #expect(waiting > 0 && present() <= waiting / 2, "\(present()) of \(waiting) pages")
        #expect(staying.count == OutputLane.capacity)
        lane.stop()
    }
}

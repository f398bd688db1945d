import Glibc

/// `veil live` between two pipes: a test feeds it pictures while it runs and sees what comes out.
///
/// Nothing here depends on speed: a test waits until it has seen what it waits for, up to a far limit.
public final class LiveRun {
    public let program: Tool.Running
    private let folder: TemporaryFolder
    private let shown: String
    private var position = 0
    private var feed: Int32
    /// What a full pipe didn't take.
    private var rest: ArraySlice<UInt8> = []
    private var fed = 0

    /// Seconds after which a test gives up.
    public static let limit = 120.0

    /// Where the program's picture comes from.
    public enum Source {
        /// What the test feeds.
        case feed
        /// A file, led to standard input and played at its own speed.
        case file(String)
        /// What `--input` takes.
        case named(String)
    }

    public init(_ flags: [String], from source: Source = .feed) throws {
        folder = try TemporaryFolder()
        shown = folder.file("shown.y4m")
        let pipe = folder.file("feed")
        guard mkfifo(pipe, 0o600) == 0 else { throw SystemError("mkfifo") }
        // For both directions: opening waits for nobody then.
        feed = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard feed >= 0 else { throw SystemError("opening \(pipe)") }
        let input =
            switch source {
            case .feed: (flags: ["-i", "-"], led: "feed")
            case .file(let file): (flags: ["-i", "-", "--pace"], led: file)
            case .named(let name): (flags: ["-i", name], led: "/dev/null")
            }
        program = try BuiltVeil.startShell(
            "led=$1; shift; exec \"$VEIL\" live -o - --stats json \"$@\" <\"$led\" >shown.y4m", in: folder.path,
            arguments: [input.led] + input.flags + flags)
        if case .feed = source {
            let (width, height) = (StillScene.width, StillScene.height)
            rest = Array("YUV4MPEG2 W\(width) H\(height) F25:1 Ip A1:1 C420jpeg\n".utf8)[...]
        }
    }

    deinit {
        if feed >= 0 { close(feed) }
        program.send(SIGKILL)
        _ = try? program.finish(timeout: 10)
    }

    // MARK: Feeding

    /// Writes a scene 25 times a second until a condition holds; false when the limit came first, or the program ended.
    public func play(_ scene: StillScene, until isDone: () throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(Self.limit))
        var due = ContinuousClock.now
        while ContinuousClock.now < end, !program.hasEnded() {
            if try isDone() { return true }
            if ContinuousClock.now >= due, rest.isEmpty {
                rest = (Array("FRAME\n".utf8) + scene.bytes)[...]
                fed += 1
                due = max(due, ContinuousClock.now.advanced(by: .milliseconds(-100))).advanced(by: .milliseconds(40))
            }
            push()
            usleep(2000)
        }
        return try isDone()
    }

    /// Writes a scene so many times.
    public func play(_ scene: StillScene, frames: Int) throws {
        let goal = fed + frames
        _ = try play(scene) { fed >= goal && rest.isEmpty }
    }

    private func push() {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(feed, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the source: the program sees the end of its standard input.
    public func endFeed() {
        let end = ContinuousClock.now.advanced(by: .seconds(Self.limit))
        while !rest.isEmpty, ContinuousClock.now < end, !program.hasEnded() {
            push()
            usleep(2000)
        }
        // What is in the pipe stays for its reader, once nobody can write any more.
        if feed >= 0 { close(feed) }
        feed = -1
    }

    // MARK: Seeing

    /// The luma of the pictures that came out since the last question.
    public func newPictures() throws -> [ArraySlice<UInt8>] {
        let file = open(shown, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        if position == 0 {
            var head = [UInt8](repeating: 0, count: 256)
            let count = pread(file, &head, head.count, 0)
            guard count > 0, let end = head[..<count].firstIndex(of: 10) else { return [] }
            let want = "YUV4MPEG2 W\(StillScene.width) H\(StillScene.height) "
            guard head.starts(with: Array(want.utf8)) else { throw Tool.Failure(description: "another size came out") }
            position = end + 1
        }
        var pictures: [ArraySlice<UInt8>] = []
        let mark = "FRAME\n".utf8.count
        let luma = StillScene.width * StillScene.height
        let size = mark + luma * 3 / 2
        var buffer = [UInt8](repeating: 0, count: size)
        while pread(file, &buffer, size, position) == size {
            guard buffer.starts(with: Array("FRAME\n".utf8)) else {
                throw Tool.Failure(description: "what came out is no YUV4MPEG")
            }
            pictures.append(Array(buffer[mark..<mark + luma])[...])
            position += size
        }
        return pictures
    }

    /// Waits until a condition holds; false when the limit came first, or the program ended.
    public func wait(until isDone: () throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now.advanced(by: .seconds(Self.limit))
        while ContinuousClock.now < end, !program.hasEnded() {
            if try isDone() { return true }
            usleep(10_000)
        }
        return try isDone()
    }

    public func finish() throws -> ToolResult { try program.finish(timeout: Self.limit) }
}

/// Counts what the pictures of a run show.
public struct Sightings: CustomStringConvertible {
    private let scenes: [StillScene]
    /// All pictures, those that were covered whole, and those with a face that one could know.
    public private(set) var pictures = 0
    public private(set) var whole = 0
    public private(set) var bare = 0
    /// The last few in a row that showed the wall, and no face.
    public private(set) var calmInARow = 0
    public private(set) var wholeInARow = 0

    public var description: String { "\(pictures) pictures, \(whole) covered whole, \(bare) with a bare face" }

    public init(of scenes: [StillScene]) { self.scenes = scenes }

    public mutating func add(_ shown: [ArraySlice<UInt8>]) {
        for luma in shown {
            pictures += 1
            let isBare = scenes.contains { $0.isBare(in: luma) }
            let isUncovered = scenes.contains { $0.isUncovered(in: luma) }
            if isBare { bare += 1 }
            if !isUncovered { whole += 1 }
            calmInARow = isUncovered && !isBare ? calmInARow + 1 : 0
            wholeInARow = isUncovered ? 0 : wholeInARow + 1
        }
    }
}

import VeilCore
import VeilPixels
import VeilVision

/// Watches a file's frames go by and keeps the tracks of its faces. Looks, never changes pixels.
///
/// Each frame is followed from the one before; the detector looks at every n-th frame and on both sides of a cut. A face
/// seen again after frames without a look is also followed backwards from the new sighting, and what lies between is
/// covered by both answers.
struct Analyser {
    private let settings: AnalysisSettings
    private let looker: Looker
    private let follower: Follower
    private var cutDetector: CutDetector
    private let builder: PlanBuilder

    /// The small pictures of the last frames, for following backwards; as many as `memory`.
    private var recent: [Past] = []
    private var frame = -1
    /// Small pictures of the frame to be added next, where they were asked for ahead of time.
    private var upcoming: (luma: LumaPicture, small: LumaPicture)?
    private var upcomingIsCut = false
    /// How far the camera has moved since the last look, in parts of the picture.
    private var drift = NormalizedPoint(x: 0, y: 0)
    private var lastLook = -1
    private var looks: [Int] = []
    private var sceneStart = 0
    private var nextID = 1
    private var active: [Track] = []
    private var finished: [Track] = []
    private var times: [Double] = []

    /// What is kept of a frame.
    private struct Past {
        var luma: LumaPicture
        var small: LumaPicture
        /// How the picture moved from the frame before to this one.
        var camera: NormalizedPoint
    }

    /// The first frame of each new scene.
    private(set) var cuts: [Int] = []
    var facesNow: Int { active.count }

    /// Seconds that a face may go unseen and still be the same track.
    private static let longestGap = 0.8
    /// The same in frames, for files whose times hardly advance: their faces would be followed for ever.
    private static let longestGapFrames = 1000
    /// Frames a second up to which the linger time is held whatever the times.
    private static let fastest = 240.0
    /// Frames that are kept for following backwards.
    private static let memory = 48
    /// Below this correlation a face is looked for more closely.
    private static let unsureBelow = 0.75
    /// The camera's way, in parts of the picture, after which it is time for a look.
    private static let farDrift = 0.08
    /// Below this correlation a patch counts as lost.
    private static let lostBelow = 0.5

    init(settings: AnalysisSettings, detector: any FaceDetector) throws(VisionError) {
        self.settings = settings
        looker = Looker(detector: detector, settings: settings)
        follower = try Follower()
        cutDetector = try CutDetector()
        builder = PlanBuilder(settings: settings)
    }

    /// What the analyser needs of a frame: its planes and how they are shown.
    struct Picture {
        var view: PlanarView
        var orientation: Orientation
        /// Of the upright picture.
        var width: Int
        var height: Int
        var sampleAspectRatio: Rational
    }

    /// Takes the next frame.
    ///
    /// - Parameter time: of showing, in seconds.
    mutating func add(_ picture: Picture, time: Double) throws(VisionError) {
        let (luma, small) = try takeUpcoming(picture)
        let isCut = upcomingIsCut
        frame += 1
        times.append(time)
        if isCut {
            cuts.append(frame)
            endScene()
        }
        let camera =
            if let before = recent.last { try follower.cameraShift(from: before.small, to: small) } else {
                NormalizedPoint(x: 0, y: 0)
            }
        drift.x += abs(camera.x)
        drift.y += abs(camera.y)
        try follow(to: luma, camera: camera)
        recent.append(Past(luma: luma, small: small, camera: camera))
        if recent.count > Self.memory { recent.removeFirst() }
        if isLookDue { try look(at: picture) }
        retire()
    }

    /// Whether the last frame that was added should be looked at before this one is, since a scene ends with it.
    ///
    /// A face that came into sight after the last look would else be missed up to the cut.
    mutating func endsScene(before picture: Picture) throws(VisionError) -> Bool {
        guard frame >= 0 else { return false }
        if upcoming == nil {
            let luma = try Self.luma(of: picture)
            let small = try luma.shrunk(to: Follower.cameraSide)
            upcomingIsCut = try cutDetector.isCut(before: small)
            upcoming = (luma, small)
        }
        return upcomingIsCut && lastLook != frame
    }

    /// Looks at the last frame that was added, if nobody has.
    mutating func lookAgain(at picture: Picture) throws(VisionError) {
        if frame >= 0 && lastLook != frame { try look(at: picture) }
    }

    private mutating func takeUpcoming(_ picture: Picture) throws(VisionError) -> (LumaPicture, LumaPicture) {
        if let upcoming {
            self.upcoming = nil
            return upcoming
        }
        let luma = try Self.luma(of: picture)
        let small = try luma.shrunk(to: Follower.cameraSide)
        upcomingIsCut = try cutDetector.isCut(before: small)
        return (luma, small)
    }

    /// Looks come every n-th frame; sooner in a new scene, when a face was lost from view, and when the camera has moved
    /// so far that others may have come into the picture.
    private var isLookDue: Bool {
        let since = frame - lastLook
        if lastLook < sceneStart || since >= settings.detectEvery { return true }
        if max(drift.x, drift.y) >= Self.farDrift { return true }
        return 2 * since >= settings.detectEvery
            && active.contains { $0.last.certainty < Self.lostBelow && isVisible($0) }
    }

    private func isVisible(_ track: Track) -> Bool {
        let box = track.last.box
        return box.intersection(.whole).area >= 0.5 * box.area
    }

    /// Ends all tracks and hands over those that are faces, with their reach decided.
    mutating func finish() -> [Track] {
        endScene()
        defer { finished.removeAll() }
        return finished.filter { builder.isFace($0, looks: looksBetween($0.firstSeen, $0.lastSeen)) }
    }

    func time(of frame: Int) -> Double { times[frame] }
    var allTimes: [Double] { times }

    private static func luma(of picture: Picture) throws(VisionError) -> LumaPicture {
        let canvas = CanvasSize.fitting(
            width: picture.width, height: picture.height, sampleAspectRatio: picture.sampleAspectRatio,
            longSide: Follower.canvasSide)
        return try LumaPicture(of: picture.view, orientation: picture.orientation, canvas: canvas)
    }

    private func looksBetween(_ first: Int, _ last: Int) -> Int {
        let end = Self.place(of: last + 1, in: looks)
        return max(0, end - Self.place(of: first, in: looks))
    }

    /// How many of rising numbers are below a number.
    private static func place(of number: Int, in rising: [Int]) -> Int {
        var (low, high) = (0, rising.count)
        while low < high {
            let middle = (low + high) / 2
            if rising[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Following

    private func past(_ frame: Int) -> Past? {
        let index = recent.count - 1 - (self.frame - frame)
        return recent.indices.contains(index) ? recent[index] : nil
    }

    /// Moves every track from the last frame to this one.
    private mutating func follow(to luma: LumaPicture, camera: NormalizedPoint) throws(VisionError) {
        guard !active.isEmpty, let before = recent.last?.luma, before.width == luma.width, before.height == luma.height
        else {
            for i in active.indices { active[i].follow(to: active[i].last.box, certainty: 0) }
            return
        }
        for i in active.indices {
            let box = active[i].last.box
            let step = try follower.follow(
                box, from: before, to: luma, starts: [velocity(of: active[i]), camera, NormalizedPoint(x: 0, y: 0)])
            if let step, step.certainty >= Self.lostBelow {
                active[i].follow(to: step.box, certainty: step.certainty)
            } else {
                // Lost: the best guess is that it moves with the camera.
                active[i].follow(to: box.offset(dx: camera.x, dy: camera.y), certainty: 0)
            }
        }
    }

    private func velocity(of track: Track) -> NormalizedPoint {
        guard track.samples.count >= 2 else { return NormalizedPoint(x: 0, y: 0) }
        let a = track.samples[track.samples.count - 2].box.center
        let b = track.last.box.center
        return NormalizedPoint(x: b.x - a.x, y: b.y - a.y)
    }

    /// Follows a box backwards from a frame; gives boxes from `frame - 1` down to `end`, fewer where it is lost.
    private func followBack(_ box: NormalizedRect, from frame: Int, to end: Int) throws(VisionError) -> [Follower.Step]
    {
        try follower.followBack(box, from: frame, to: end, lostBelow: Self.lostBelow) { k in
            past(k).map { ($0.luma, $0.camera) }
        }
    }

    // MARK: Looking

    private mutating func look(at picture: Picture) throws(VisionError) {
        lastLook = frame
        looks.append(frame)
        drift = NormalizedPoint(x: 0, y: 0)
        let least = max(settings.minFace / Double(max(1, picture.height)), settings.minFaceShare)
        let detections = try looker.faces(in: picture).filter { $0.bounds.height >= least }
        endGone()
        // A face that was followed is where it was followed to; one that was lost may be anywhere near.
        let slack = active.map { track in
            track.last.certainty >= Self.lostBelow ? 0.1 : min(0.6, 0.1 * Double(frame - track.lastSeen))
        }
        let result = Association.match(
            predicted: active.map(\.last.box), slack: slack, detections: detections, sure: settings.confirmThreshold)
        for pair in result.pairs { try see(detections[pair.detection], by: pair.track) }
        let matched = Set(result.pairs.map(\.track))
        try lookCloser(at: picture, for: active.indices.filter { !matched.contains($0) })
        for index in result.newcomers { try begin(detections[index]) }
    }

    /// Looks again, enlarged, where faces should be that the look at the whole picture didn't show and that can't be
    /// followed surely either.
    private mutating func lookCloser(at picture: Picture, for missing: [Int]) throws(VisionError) {
        let worthIt = missing.filter { isVisible(active[$0]) && builder.isFace(active[$0], looks: 1) }
        for index in worthIt.prefix(Looker.closerLooks) {
            if let found = try looker.closer(at: active[index].last.box, in: picture) { try see(found, by: index) }
        }
    }

    /// A track is seen again: takes the detection's box, and settles the frames since it was last seen.
    private mutating func see(_ detection: Detection, by index: Int) throws(VisionError) {
        var track = active[index]
        let followed = track.last
        let previous = track.lastSeen
        // The follower has put a sample for this frame already; the detection takes its place.
        track.cut(after: frame - 1)
        // The detector's box jumped aside (a hand in front, a shadow): the rest of the face stays covered.
        let jumped = followed.certainty >= 0.7 && detection.bounds.iou(followed.box) < 0.7
        let back = frame - previous > 1 ? try followBack(detection.bounds, from: frame, to: previous + 1) : []
        if let start = track[frame: previous]?.box {
            for k in stride(from: frame - 1, to: previous, by: -1) {
                guard let forward = track[frame: k] else { continue }
                track.fill(
                    Self.between(
                        start, detection.bounds, share: Double(k - previous) / Double(frame - previous),
                        forward: forward, backward: back.indices.contains(frame - 1 - k) ? back[frame - 1 - k] : nil))
            }
        }
        track.see(detection, alsoCovering: jumped ? followed.box : nil)
        active[index] = track
    }

    /// Where a face is between two sightings: both ways of following it, and the straight line where both are lost.
    static func between(
        _ start: NormalizedRect, _ end: NormalizedRect, share: Double, forward: TrackSample, backward: Follower.Step?
    ) -> TrackSample {
        let width = start.width + (end.width - start.width) * share
        let height = start.height + (end.height - start.height) * share
        func mix(_ a: NormalizedPoint, _ b: NormalizedPoint) -> NormalizedRect {
            NormalizedRect(
                center: NormalizedPoint(x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share), width: width,
                height: height)
        }
        func far(_ a: NormalizedRect, _ b: NormalizedRect) -> Bool {
            max(abs(a.center.x - b.center.x) / width, abs(a.center.y - b.center.y) / height) > 0.2
        }
        let line = mix(start.center, end.center)
        var sample = TrackSample(frame: forward.frame, box: line, origin: .interpolated, certainty: 0)
        let isForwardSure = forward.certainty >= lostBelow
        if isForwardSure, let backward {
            // The nearer sighting counts more; where the two disagree, both places are covered.
            sample.box = mix(forward.box.center, backward.box.center)
            sample.certainty = max(forward.certainty, backward.certainty)
            if far(forward.box, backward.box) {
                sample.box = NormalizedRect(center: forward.box.center, width: width, height: height)
                sample.otherBox = NormalizedRect(center: backward.box.center, width: width, height: height)
            }
        } else if let center = backward?.box.center ?? (isForwardSure ? forward.box.center : nil) {
            sample.box = NormalizedRect(center: center, width: width, height: height)
            sample.certainty = backward?.certainty ?? forward.certainty
            if far(sample.box, line) { sample.otherBox = line }
        }
        return sample
    }

    /// A face nobody knew: it was there before it was seen, so it is followed backwards as far as it goes.
    private mutating func begin(_ detection: Detection) throws(VisionError) {
        var track = Track(id: nextID, frame: frame, detection: detection)
        nextID += 1
        let end = max(sceneStart, frame - reach(before: frame))
        for step in try followBack(detection.bounds, from: frame, to: end) {
            track.precede(with: step.box, certainty: step.certainty)
        }
        // Lost or not, the frames just before are covered where the face must have been if it moved with the camera.
        var margin = Self.margin
        while margin > 0 && track.firstFrame > end, let camera = past(track.firstFrame)?.camera {
            track.precede(with: track.samples[0].box.offset(dx: -camera.x, dy: -camera.y), certainty: 0)
            margin -= 1
        }
        active.append(track)
    }

    /// Frames covered beyond the last one in which a face could be followed.
    private static let margin = 1

    /// How many frames back the linger time and two intervals between looks reach, as far as pictures are kept: behind
    /// those nothing can be followed, and times that hardly advance would lead back to the first frame.
    private func reach(before frame: Int) -> Int {
        var count = 0
        while count < min(frame, Self.memory) && times[frame] - times[frame - count] < settings.linger { count += 1 }
        return max(count, 2 * settings.detectEvery)
    }

    // MARK: Ending

    /// Ends tracks that went out of the picture: what comes in there next is somebody else.
    private mutating func endGone() {
        let isGone = { (track: Track) in
            let box = track.last.box
            return box.intersection(.whole).area < 0.15 * box.area
        }
        finished += active.filter(isGone).map(ended)
        active.removeAll(where: isGone)
    }

    /// Ends tracks that nobody has seen for too long, and not before their linger time is over.
    private mutating func retire() {
        let longest = max(Self.longestGap, settings.linger)
        let most = max(Self.longestGapFrames, Int(settings.linger * Self.fastest))
        let isOver = { [times, frame, settings] (track: Track) in
            let frames = frame - track.lastSeen
            return frames > 3 * settings.detectEvery
                && (times[frame] - times[track.lastSeen] > longest || frames > most)
        }
        finished += active.filter(isOver).map(ended)
        active.removeAll(where: isOver)
    }

    private mutating func endScene() {
        finished += active.map(ended)
        active.removeAll()
        recent.removeAll()
        sceneStart = frame
    }

    /// The track with its end decided: it stays for the linger time after its last sighting, and longer (up to two
    /// intervals between looks and a margin) while it can be followed.
    private func ended(_ track: Track) -> Track {
        var result = track
        var linger = track.lastSeen
        while linger < track.lastFrame && times[linger + 1] - times[track.lastSeen] <= settings.linger { linger += 1 }
        let farthest = track.lastSeen + 2 * settings.detectEvery
        var followed = track.lastSeen
        while followed < farthest, let next = track[frame: followed + 1], next.certainty >= Self.lostBelow {
            followed += 1
        }
        result.cut(after: max(linger, followed + Self.margin))
        return result
    }
}

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
    private let detector: any FaceDetector
    private let follower: Follower
    private var cutDetector: CutDetector
    private let builder: PlanBuilder

    /// The small pictures of the last frames, for following backwards; as many as `memory`.
    private var recent: [LumaPicture] = []
    private var frame = -1
    private var lastLook = -1
    private var looks: [Int] = []
    private var sceneStart = 0
    private var nextID = 1
    private var active: [Track] = []
    private var finished: [Track] = []
    private var times: [Double] = []

    /// The first frame of each new scene.
    private(set) var cuts: [Int] = []
    var facesNow: Int { active.count }

    /// Seconds that a face may go unseen and still be the same track.
    private static let longestGap = 0.8
    /// Frames that are kept for following backwards.
    private static let memory = 48
    /// Below this correlation a patch counts as lost.
    private static let lostBelow = 0.5

    init(settings: AnalysisSettings, detector: any FaceDetector) throws(VisionError) {
        self.settings = settings
        self.detector = detector
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
        frame += 1
        times.append(time)
        let luma = try Self.luma(of: picture, side: Follower.canvasSide)
        let small = try Self.luma(of: picture, side: CutDetector.canvasSide)
        if try cutDetector.isCut(before: small) {
            cuts.append(frame)
            endScene()
        }
        try follow(to: luma)
        recent.append(luma)
        if recent.count > Self.memory { recent.removeFirst() }
        if lastLook < sceneStart || frame - lastLook >= settings.detectEvery { try look(at: picture) }
        retire()
    }

    /// Ends all tracks and hands over those that are faces, with their reach decided.
    mutating func finish() -> [Track] {
        endScene()
        defer { finished.removeAll() }
        return finished.filter { builder.isFace($0, looks: looksBetween($0.firstSeen, $0.lastSeen)) }
    }

    func time(of frame: Int) -> Double { times[frame] }
    var allTimes: [Double] { times }

    private static func luma(of picture: Picture, side: Int) throws(VisionError) -> LumaPicture {
        let canvas = CanvasSize.fitting(
            width: picture.width, height: picture.height, sampleAspectRatio: picture.sampleAspectRatio, longSide: side)
        return try LumaPicture(of: picture.view, orientation: picture.orientation, canvas: canvas)
    }

    private func looksBetween(_ first: Int, _ last: Int) -> Int {
        looks.count { $0 >= first && $0 <= last }
    }

    // MARK: Following

    private func picture(_ frame: Int) -> LumaPicture? {
        let index = recent.count - 1 - (self.frame - frame)
        return recent.indices.contains(index) ? recent[index] : nil
    }

    /// Moves every track from the last frame to this one.
    private mutating func follow(to luma: LumaPicture) throws(VisionError) {
        guard !active.isEmpty, let before = recent.last, before.width == luma.width, before.height == luma.height else {
            for i in active.indices { active[i].follow(to: active[i].last.box, certainty: 0) }
            return
        }
        let camera = try follower.cameraShift(from: before, to: luma)
        for i in active.indices {
            let box = active[i].last.box
            let step = try follower.follow(
                box, from: before, to: luma, starts: [velocity(of: active[i]), camera, NormalizedPoint(x: 0, y: 0)])
            if let step, step.certainty >= Self.lostBelow {
                active[i].follow(to: step.box, certainty: step.certainty)
            } else {
                // Lost: the best guess is that it moves as it did, with the camera.
                let drift = camera
                active[i].follow(to: box.offset(dx: drift.x, dy: drift.y), certainty: 0)
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
        var steps: [Follower.Step] = []
        var current = box
        var speed = NormalizedPoint(x: 0, y: 0)
        var k = frame
        while k > end, let a = picture(k), let b = picture(k - 1), a.width == b.width, a.height == b.height {
            let camera = try follower.cameraShift(from: a, to: b)
            guard
                let step = try follower.follow(
                    current, from: a, to: b, starts: [speed, camera, NormalizedPoint(x: 0, y: 0)]),
                step.certainty >= Self.lostBelow
            else { break }
            speed = NormalizedPoint(x: step.box.center.x - current.center.x, y: step.box.center.y - current.center.y)
            current = step.box
            steps.append(step)
            k -= 1
        }
        return steps
    }

    // MARK: Looking

    private mutating func look(at picture: Picture) throws(VisionError) {
        lastLook = frame
        looks.append(frame)
        let canvas = CanvasSize.fitting(
            width: picture.width, height: picture.height, sampleAspectRatio: picture.sampleAspectRatio,
            longSide: settings.detectSize)
        let all = try detector.detect(
            in: picture.view, orientation: picture.orientation, canvas: canvas, threshold: settings.continueThreshold)
        let least = max(settings.minFace / Double(max(1, picture.height)), settings.minFaceShare)
        let detections = all.filter { $0.bounds.height >= least }
        let slack = active.map { track in min(1.5, 0.1 * Double(frame - track.lastSeen)) }
        let result = Association.match(
            predicted: active.map(\.last.box), slack: slack, detections: detections, sure: settings.confirmThreshold)
        for pair in result.pairs { try see(detections[pair.detection], by: pair.track) }
        for index in result.newcomers { try begin(detections[index]) }
    }

    /// A track is seen again: takes the detection's box, and settles the frames since it was last seen.
    private mutating func see(_ detection: Detection, by index: Int) throws(VisionError) {
        var track = active[index]
        let followed = track.last
        let previous = track.lastSeen
        // The follower has put a sample for this frame already; the detection takes its place.
        track.cut(after: frame - 1)
        var box = detection.bounds
        if followed.certainty >= 0.7 && box.iou(followed.box) < 0.5 {
            // The detector's box jumped aside (a hand in front, a shadow): the rest of the face stays covered.
            box = box.union(followed.box)
        }
        let back = frame - previous > 1 ? try followBack(detection.bounds, from: frame, to: previous + 1) : []
        if let start = track[frame: previous]?.box {
            for k in stride(from: frame - 1, to: previous, by: -1) {
                guard let forward = track[frame: k] else { continue }
                let share = Double(k - previous) / Double(frame - previous)
                let step = back.indices.contains(frame - 1 - k) ? back[frame - 1 - k] : nil
                let (between, certainty) = Self.between(
                    start, detection.bounds, share: share, forward: forward, backward: step)
                track.fill(k, with: between, certainty: certainty)
            }
        }
        track.see(detection, covering: box)
        active[index] = track
    }

    /// Where a face is between two sightings: both ways of following it, and the straight line where both are lost.
    static func between(
        _ start: NormalizedRect, _ end: NormalizedRect, share: Double, forward: TrackSample, backward: Follower.Step?
    ) -> (NormalizedRect, Double) {
        let width = start.width + (end.width - start.width) * share
        let height = start.height + (end.height - start.height) * share
        func sized(_ center: NormalizedPoint) -> NormalizedRect {
            NormalizedRect(center: center, width: width, height: height)
        }
        let line = sized(
            NormalizedPoint(
                x: start.center.x + (end.center.x - start.center.x) * share,
                y: start.center.y + (end.center.y - start.center.y) * share))
        let isForwardSure = forward.certainty >= lostBelow
        switch (isForwardSure, backward) {
        case (true, let backward?):
            let a = sized(forward.box.center)
            let b = sized(backward.box.center)
            // Near agreement is settled by the nearer sighting; else both places are covered.
            let offset = max(abs(a.center.x - b.center.x) / width, abs(a.center.y - b.center.y) / height)
            if offset < 0.25 {
                let c = NormalizedPoint(
                    x: a.center.x * (1 - share) + b.center.x * share, y: a.center.y * (1 - share) + b.center.y * share)
                return (sized(c), max(forward.certainty, backward.certainty))
            }
            return (offset < 2 ? a.union(b) : a.union(line), max(forward.certainty, backward.certainty))
        case (false, let backward?): return (sized(backward.box.center).union(line), backward.certainty)
        case (true, nil): return (sized(forward.box.center).union(line), forward.certainty)
        case (false, nil): return (line, 0)
        }
    }

    /// A face nobody knew: it was there before it was seen, so it is followed backwards as far as it goes.
    private mutating func begin(_ detection: Detection) throws(VisionError) {
        var track = Track(id: nextID, frame: frame, detection: detection)
        nextID += 1
        let end = max(sceneStart, frame - reach(before: frame))
        for step in try followBack(detection.bounds, from: frame, to: end) {
            track.precede(with: step.box, certainty: step.certainty)
        }
        // Lost or not, the frames just before are covered where the face was last.
        var margin = Self.margin
        while margin > 0 && track.firstFrame > end {
            track.precede(with: track.samples[0].box, certainty: 0)
            margin -= 1
        }
        active.append(track)
    }

    /// Frames covered beyond the last one in which a face could be followed.
    private static let margin = 2

    /// How many frames back the linger time and two intervals between looks reach.
    private func reach(before frame: Int) -> Int {
        var count = 0
        while frame - count > 0 && times[frame] - times[frame - count] < settings.linger { count += 1 }
        return max(count, 2 * settings.detectEvery, 4)
    }

    // MARK: Ending

    /// Ends tracks that nobody has seen for too long.
    private mutating func retire() {
        let isOver = { [times, frame, settings] (track: Track) in
            times[frame] - times[track.lastSeen] > Self.longestGap && frame - track.lastSeen > 3 * settings.detectEvery
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
        let farthest = track.lastSeen + max(2 * settings.detectEvery, 4)
        var followed = track.lastSeen
        while followed < farthest, let next = track[frame: followed + 1], next.certainty >= Self.lostBelow {
            followed += 1
        }
        result.cut(after: max(linger, followed + Self.margin))
        return result
    }
}

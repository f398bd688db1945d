import VeilCore
import VeilPipeline
import VeilVision

/// Keeps the faces' places between the detections, which come late: a result for a frame of a tenth of a second ago is
/// brought up to the present by following the picture, and back to the frames that are still held.
///
/// Frames are numbered from 0 without gaps. Used from one thread.
struct LiveTracker {
    struct Settings {
        /// The score from which a detection is a face at once: lower than for files, as there is no second look at a frame.
        var threshold = 0.15
        /// The score from which it goes on being one, or becomes one when it is seen again and again.
        var continueThreshold = 0.1
        /// Seconds for which a face stays covered where it was last seen or could be followed to.
        var linger = 0.4
        /// Seconds for which a search counts: what it has found is covered for at least as long.
        var maxAge = 0.25

        /// Seconds for which a face is covered after it was seen. One that the newest search has found hasn't been missed
        /// yet.
        func patience(with track: LiveTrack, _ factor: Double) -> Double {
            max(linger * factor, track.missed == 0 ? maxAge : 0)
        }
    }

    /// What is kept of a frame.
    private struct Past {
        var time: Double
        var luma: LumaPicture
        var small: LumaPicture
        /// How the picture moved from the frame before, as far as that can be told.
        var camera: NormalizedPoint
        /// The same where it is sure that the whole picture moved; else nothing.
        var turn: NormalizedPoint
    }

    private let settings: Settings
    private let follower: Follower
    private var past: [Past] = []
    /// The number of the newest frame.
    private var newest = -1
    private var sceneStart = 0
    private var tracks: [LiveTrack] = []
    private var nextID = 1
    /// The frames that were looked at, the last few.
    private var looks: [Int] = []

    /// Frames that are kept for following.
    static let memory = 96
    /// From this correlation a patch is found, and isn't looked for elsewhere: there is no time for it in a crowd.
    private static let surely = 0.9
    /// Below this correlation a patch counts as lost.
    private static let lostBelow = 0.5
    /// A face that can be followed stays covered this many times as long as one that can't.
    private static let surelyFollowed = 2.0
    /// From this correlation, and this overlap of where it was followed to with where it is seen, its way is known.
    private static let surelyThere = 0.7
    /// Sightings after which an unsure face counts, if their mean score is `weakScore`.
    private static let weakSightings = 2
    private static let weakScore = 0.15
    /// Growth of the mask with age: this share of the face's size per second, up to the limit.
    private static let growthPerSecond = 0.6
    private static let growthLimit = 0.5

    init(_ settings: Settings) throws(VisionError) {
        self.settings = settings
        follower = try Follower()
    }

    var faces: Int { tracks.count { isFace($0) } }

    /// Takes the next frame. `endsScene`: nothing of the frames before is left in it.
    mutating func add(
        _ frame: Int, luma: LumaPicture, small: LumaPicture, time: Double, endsScene: Bool
    ) throws(VisionError) {
        if frame != newest + 1 {
            // A frame in between couldn't be looked at: what was known can't be followed across it.
            past.removeAll()
            tracks.removeAll()
            sceneStart = frame
        }
        var camera = NormalizedPoint(x: 0, y: 0)
        if let before = past.last, !endsScene {
            camera = try follower.cameraShift(from: before.small, to: small)
        }
        var turn = NormalizedPoint(x: 0, y: 0)
        if let before = past.last, small.isTurn(by: camera, of: before.small) { turn = camera }
        // Only now: a frame that can't be looked at is one that isn't known.
        newest = frame
        past.append(Past(time: time, luma: luma, small: small, camera: camera, turn: turn))
        if past.count > Self.memory { past.removeFirst() }
        if endsScene {
            sceneStart = newest
            let oldest = oldest
            tracks.removeAll { $0.lastFrame < oldest }
            return
        }
        for i in tracks.indices where tracks[i].lastFrame == newest - 1 { try step(&tracks[i]) }
    }

    private var oldest: Int { newest - past.count + 1 }

    private func past(_ frame: Int) -> Past? {
        let index = frame - oldest
        return past.indices.contains(index) ? past[index] : nil
    }

    /// Follows a track by one frame.
    private func step(_ track: inout LiveTrack) throws(VisionError) {
        let frame = track.lastFrame + 1
        let box = track.last.box
        guard let a = past(frame - 1), let b = past(frame) else {
            track.append(.init(box: box, certainty: 0))
            return
        }
        let dt = max(0, min(0.2, b.time - a.time))
        let own = NormalizedPoint(x: track.velocity.x * dt, y: track.velocity.y * dt)
        if a.luma.width == b.luma.width, a.luma.height == b.luma.height,
            let step = try follower.follow(
                box, from: a.luma, to: b.luma, starts: [own, b.camera, NormalizedPoint(x: 0, y: 0)],
                enough: Self.surely),
            step.certainty >= Self.lostBelow
        {
            if dt > 0 {
                let moved = NormalizedPoint(
                    x: (step.box.center.x - box.center.x) / dt, y: (step.box.center.y - box.center.y) / dt)
                track.velocity = NormalizedPoint(
                    x: 0.6 * track.velocity.x + 0.4 * moved.x, y: 0.6 * track.velocity.y + 0.4 * moved.y)
            }
            track.append(.init(box: step.box, certainty: step.certainty))
        } else {
            // Lost: it goes on as it went, or with the camera; both places are covered.
            let camera = box.offset(dx: b.camera.x, dy: b.camera.y)
            let onward = box.offset(dx: own.x, dy: own.y)
            let differ =
                abs(camera.center.x - onward.center.x) > 0.2 * box.width
                || abs(camera.center.y - onward.center.y) > 0.2 * box.height
            track.velocity = NormalizedPoint(x: 0.9 * track.velocity.x, y: 0.9 * track.velocity.y)
            track.append(.init(box: onward, otherBox: differ ? camera : nil, certainty: 0))
        }
    }

    // MARK: Detections

    /// Takes what was found in a frame of the present scene or, where frames are held back, of one before.
    ///
    /// - Parameter held: the oldest frame that hasn't been shown yet: up to it faces are followed backwards.
    /// - Returns: false where the frame is too long ago, or couldn't be looked at: nothing of what was found is known then.
    mutating func see(_ detections: [Detection], in frame: Int, held: Int) throws(VisionError) -> Bool {
        guard let now = past(frame) else { return false }
        let isPresent = frame >= sceneStart
        looks.append(frame)
        if looks.count > Self.memory { looks.removeFirst() }
        let known = tracks.indices.filter { tracks[$0][frame] != nil }
        let slack = known.map { i in
            tracks[i].missed == 0 && (tracks[i][frame]?.certainty ?? 0) >= Self.lostBelow
                ? 0.2 : min(0.8, 0.2 + 2 * tracks[i].age(time: now.time))
        }
        let result = Association.match(
            predicted: known.map { tracks[$0][frame]?.box ?? .whole }, slack: slack, detections: detections,
            sure: settings.threshold)
        for i in known { tracks[i].missed += 1 }
        for pair in result.pairs {
            try refresh(known[pair.track], by: detections[pair.detection], in: frame, now.time, held, isPresent)
        }
        for index in result.newcomers {
            try begin(detections[index], in: frame, now.time, held, isPresent)
        }
        retire(held: held)
        return true
    }

    /// A face is seen again.
    private mutating func refresh(
        _ index: Int, by detection: Detection, in frame: Int, _ time: Double, _ held: Int, _ isPresent: Bool
    ) throws(VisionError) {
        var track = tracks[index]
        guard let before = track[frame] else { return }
        let previous = track.lastSighting
        // Boxes get larger at once and smaller slowly: never smaller than what was seen.
        let bounds = NormalizedRect(
            center: detection.bounds.center,
            width: max(detection.bounds.width, 0.85 * before.box.width),
            height: max(detection.bounds.height, 0.85 * before.box.height))
        let end = track.lastFrame
        if track.count == 1, time > previous.time, before.certainty < Self.lostBelow,
            let old = track[previous.frame]?.box.center
        {
            let dt = time - previous.time
            track.velocity = NormalizedPoint(
                x: (bounds.center.x - old.x) / dt, y: (bounds.center.y - old.y) / dt)
        }
        track.see(detection, frame: frame, time: time)
        // The detector's box jumped aside (a hand, a shadow): the rest of the face stays covered.
        let jumped = before.certainty >= 0.7 && bounds.iou(before.box) < 0.6
        let wasFollowed = (frame...end).allSatisfy { (track[$0]?.certainty ?? 0) >= 0.6 }
        if wasFollowed {
            // The same correction for all frames since.
            let (dx, dy) = (bounds.center.x - before.box.center.x, bounds.center.y - before.box.center.y)
            for k in frame...end {
                guard var sample = track[k] else { continue }
                let center = NormalizedPoint(x: sample.box.center.x + dx, y: sample.box.center.y + dy)
                sample.otherBox = jumped ? sample.box : nil
                sample.box = NormalizedRect(center: center, width: bounds.width, height: bounds.height)
                track[k] = sample
            }
        } else {
            try follow(&track, anew: bounds, from: frame, to: end)
        }
        let start = max(previous.frame + 1, held)
        if start < frame, !isSure(tracks[index], from: start, to: frame, bounds) {
            try settle(&track, from: start - 1, to: frame, bounds)
        }
        tracks[index] = track
    }

    /// Whether a face was followed so surely, and to just where it is seen now, that following it back tells nothing new.
    private func isSure(_ track: LiveTrack, from start: Int, to frame: Int, _ bounds: NormalizedRect) -> Bool {
        guard let end = track[frame], end.box.iou(bounds) >= Self.surelyThere else { return false }
        return (start...frame).allSatisfy { (track[$0]?.certainty ?? 0) >= Self.surelyThere }
    }

    /// Replaces what comes after a frame by following from a new place.
    private func follow(
        _ track: inout LiveTrack, anew box: NormalizedRect, from frame: Int, to end: Int
    ) throws(VisionError) {
        var copy = LiveTrack(
            id: track.id, frame: frame, time: 0, detection: Detection(bounds: box, score: 1))
        copy.velocity = track.velocity
        while copy.lastFrame < end { try step(&copy) }
        track.velocity = copy.velocity
        for k in frame...max(frame, end) { track[k] = copy[k] }
    }

    /// Frames between two sightings that are still held: what was followed backwards from the newer one counts as well.
    private func settle(
        _ track: inout LiveTrack, from start: Int, to frame: Int, _ bounds: NormalizedRect
    ) throws(VisionError) {
        let back = try followBack(bounds, from: frame, to: start + 1)
        for (offset, box) in back.enumerated() {
            let k = frame - 1 - offset
            guard var sample = track[k] else { continue }
            let isFar =
                abs(sample.box.center.x - box.center.x) > 0.2 * box.width
                || abs(sample.box.center.y - box.center.y) > 0.2 * box.height
            if sample.certainty < Self.lostBelow {
                sample.otherBox = isFar ? sample.box : sample.otherBox
                sample.box = box
                sample.certainty = Self.lostBelow
            } else if isFar {
                sample.otherBox = box
            }
            track[k] = sample
        }
    }

    /// Boxes from `frame - 1` down to `end`, fewer where it is lost.
    private func followBack(
        _ box: NormalizedRect, from frame: Int, to end: Int
    ) throws(VisionError) -> [NormalizedRect] {
        try follower.followBack(box, from: frame, to: end, lostBelow: Self.lostBelow, enough: Self.surely) { k in
            past(k).map { ($0.luma, $0.camera) }
        }.map(\.box)
    }

    /// A face nobody knew: brought up to the present, and back to the frames that are still held.
    private mutating func begin(
        _ detection: Detection, in frame: Int, _ time: Double, _ held: Int, _ isPresent: Bool
    ) throws(VisionError) {
        var track = LiveTrack(id: nextID, frame: frame, time: time, detection: detection)
        nextID += 1
        let end = isPresent ? newest : sceneStart - 1
        while track.lastFrame < end { try step(&track) }
        let start = max(held, isPresent ? sceneStart : oldest, oldest)
        if start < frame {
            for box in try followBack(detection.bounds, from: frame, to: start) {
                track.prepend(.init(box: box, certainty: Self.lostBelow))
            }
            // Lost or not: the frames just before are covered where it must have been.
            var margin = Self.margin
            while margin > 0, track.firstFrame > start, let camera = past(track.firstFrame)?.camera {
                let box = track.samples[0].box
                track.prepend(.init(box: box.offset(dx: -camera.x, dy: -camera.y), certainty: 0))
                margin -= 1
            }
        }
        tracks.append(track)
    }

    private static let margin = 3

    private mutating func retire(held: Int) {
        guard let now = past.last?.time else { return }
        let settings = settings
        // What is held back may still show a face that is gone by now.
        let shown = min(now, past(held)?.time ?? now)
        let oldest = oldest
        tracks.removeAll { track in
            track.lastFrame < min(held, oldest)
                || shown - track.lastSighting.time > settings.patience(with: track, Self.surelyFollowed)
        }
        for i in tracks.indices { tracks[i].forget(before: min(held, max(oldest, newest - Self.memory))) }
    }

    // MARK: Regions

    private func isFace(_ track: LiveTrack) -> Bool {
        track.bestScore >= settings.threshold
            || (track.count >= Self.weakSightings && track.meanScore >= Self.weakScore)
    }

    /// What to cover in a frame; nil where it isn't known any more, or never was.
    func regions(in frame: Int) -> [LiveRegion]? {
        guard let time = past(frame)?.time else { return nil }
        var regions: [LiveRegion] = []
        for track in tracks where isFace(track) {
            guard let sample = track[frame] else { continue }
            let age = track.age(time: time)
            let isFollowed = sample.certainty >= Self.lostBelow
            guard age <= settings.patience(with: track, isFollowed ? Self.surelyFollowed : 1) else { continue }
            let grow = 1 + min(Self.growthLimit, Self.growthPerSecond * age)
            for box in [sample.box, sample.otherBox].compactMap(\.self) {
                var cover = box.scaled(by: grow)
                if !isFollowed {
                    // Where it went is a guess, the worse the faster it was.
                    let dx = min(0.5 * box.width, abs(track.velocity.x) * age * 0.5)
                    let dy = min(0.5 * box.height, abs(track.velocity.y) * age * 0.5)
                    cover = NormalizedRect(
                        center: cover.center, width: cover.width + 2 * dx, height: cover.height + 2 * dy)
                }
                guard cover.intersection(.whole).area > 0 else { continue }
                regions.append(LiveRegion(track: track.id, face: box, cover: cover, isSeen: age == 0))
            }
        }
        return regions + strips(in: frame)
    }

    /// Less than this share of the picture that the camera has turned to is let pass: it holds no face that can be told.
    private static let leastStrip = 0.02
    /// Of a face at the edge the search may have missed what was in sight.
    private static let stripMargin = 0.02

    /// What has come into the picture by the camera's own movement since the last search: nobody has looked there yet.
    ///
    /// A strip along an edge as a row of discs, since masks have round edges: where two of them meet they reach 1.02 times
    /// as far as the strip.
    private func strips(in frame: Int) -> [LiveRegion] {
        // A later search has seen it, and faces were followed back from there.
        guard !looks.contains(where: { $0 >= frame }), let look = looks.last, look >= oldest, frame > look,
            let picture = past(frame)?.luma, picture.width > 0, picture.height > 0
        else { return [] }
        var shift = NormalizedPoint(x: 0, y: 0)
        for k in (look + 1)...frame {
            guard let turn = past(k)?.turn else { return [] }
            shift.x += turn.x
            shift.y += turn.y
        }
        let (width, height) = (Double(picture.width), Double(picture.height))
        var discs: [LiveRegion] = []
        func row(_ edge: Int, length: Double, depth: Double, _ place: (Double) -> NormalizedPoint) {
            let count = Int((length / (0.8 * depth)).rounded(.up)) + 1
            for i in 0..<count {
                let center = place(Double(i) / Double(max(1, count - 1)))
                let box = NormalizedRect(
                    center: center, width: 2.2 * depth / width, height: 2.2 * depth / height)
                discs.append(
                    LiveRegion(track: -1 - edge - 4 * i, face: box, cover: box, isSeen: false, isUnsearched: true))
            }
        }
        let (x, y) = (abs(shift.x) + Self.stripMargin, abs(shift.y) + Self.stripMargin)
        if abs(shift.x) > Self.leastStrip {
            let side = shift.x > 0 ? 0.0 : 1.0
            row(shift.x > 0 ? 0 : 1, length: height, depth: min(1, x) * width) { NormalizedPoint(x: side, y: $0) }
        }
        if abs(shift.y) > Self.leastStrip {
            let side = shift.y > 0 ? 0.0 : 1.0
            row(shift.y > 0 ? 2 : 3, length: width, depth: min(1, y) * height) { NormalizedPoint(x: $0, y: side) }
        }
        return discs
    }

    /// Where the faces are thought to be in the newest frame, for a closer look where the detector misses one.
    var expected: [NormalizedRect] {
        tracks.filter {
            isFace($0) && $0.lastFrame == newest && $0.last.box.intersection(.whole).area > 0.5 * $0.last.box.area
        }
        .map(\.last.box)
    }
}

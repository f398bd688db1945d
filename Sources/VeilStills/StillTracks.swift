import VeilCore

/// Which faces of one picture are those of the pictures before, so that cells keep their colours in an animation, and a
/// face that one frame hides from the detector is covered there too.
struct StillTracks {
    private(set) var summaries: [TrackSummary] = []
    private var known: [(track: Int, box: NormalizedRect, frame: Int)] = []

    /// The IoU from which a box is the same face's.
    private static let sameFace = 0.3
    /// For how many frames a face that isn't seen is remembered.
    private static let memory = 10

    /// The regions of the next picture.
    mutating func take(_ found: [Detection], frame: Int, pts: Int64) -> [Region] {
        var free = known.filter { frame - $0.frame <= Self.memory }
        var now: [(track: Int, box: NormalizedRect, frame: Int)] = []
        var regions: [Region] = []
        for face in found {
            let best = free.indices.max { free[$0].box.iou(face.bounds) < free[$1].box.iou(face.bounds) }
            var track = summaries.count
            if let best, free[best].box.iou(face.bounds) >= Self.sameFace {
                track = free.remove(at: best).track
                summaries[track].lastPTS = pts
                summaries[track].sightings += 1
                summaries[track].score = max(summaries[track].score, face.score)
            } else {
                summaries.append(
                    TrackSummary(id: track, firstPTS: pts, lastPTS: pts, score: face.score, sightings: 1))
            }
            now.append((track, face.bounds, frame))
            regions.append(Region(track: track, shape: Shape(inscribedIn: face.bounds), origin: .detected))
        }
        known = now + free
        return regions
    }

    /// Covers each face between its sightings, in a straight line, and a frame before the first and after the last.
    mutating func fill(_ frames: inout [PlannedFrame]) {
        var seen: [Int: [(frame: Int, shape: Shape)]] = [:]
        for (index, frame) in frames.enumerated() {
            for region in frame.regions { seen[region.track, default: []].append((index, region.shape)) }
        }
        func add(_ track: Int, _ frame: Int, _ shape: Shape, _ origin: Origin) {
            guard frames.indices.contains(frame) else { return }
            frames[frame].regions.append(Region(track: track, shape: shape, origin: origin))
            summaries[track].firstPTS = min(summaries[track].firstPTS, frames[frame].pts)
            summaries[track].lastPTS = max(summaries[track].lastPTS, frames[frame].pts)
        }
        for (track, sightings) in seen.sorted(by: { $0.key < $1.key }) {
            guard let first = sightings.first, let last = sightings.last else { continue }
            add(track, first.frame - 1, first.shape, .extended)
            add(track, last.frame + 1, last.shape, .extended)
            for (a, b) in zip(sightings, sightings.dropFirst()) where b.frame > a.frame + 1 {
                for frame in (a.frame + 1)..<b.frame {
                    let share = Double(frame - a.frame) / Double(b.frame - a.frame)
                    add(track, frame, a.shape.between(b.shape, share), .interpolated)
                }
            }
        }
    }
}

extension Shape {
    /// The shape a share of the way to another, and large enough for both.
    fileprivate func between(_ other: Shape, _ share: Double) -> Shape {
        Shape(
            center: NormalizedPoint(
                x: center.x + (other.center.x - center.x) * share, y: center.y + (other.center.y - center.y) * share),
            radiusX: max(radiusX, other.radiusX), radiusY: max(radiusY, other.radiusY))
    }
}

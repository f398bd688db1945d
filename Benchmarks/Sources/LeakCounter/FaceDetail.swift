/// How much of a face's fine detail a redaction left, inside the ellipse that fits the face's box.
///
/// Detail is what remains of the luma after a blur of one eighth of the face's size is taken off: a face whose detail is
/// gone can't be recognised from it.
public struct FaceDetail: Sendable, Hashable {
    /// The redacted detail projected on the original's: 1 for an untouched face, about 0 for a covered one.
    public let kept: Double
    /// Share of the places with much detail that still hold it, so that a mask which misses the chin counts.
    public let keptPlaces: Double

    /// Above which the face shows.
    static let keptLimit = 0.35
    static let placesLimit = 0.25
    /// Sides under this many pixels hold too little to tell.
    static let smallestSide = 8
    /// Mean square of detail, in luma levels: a face with less has nothing to show.
    static let leastEnergy = 4.0

    public var leaks: Bool { kept > FaceDetail.keptLimit || keptPlaces > FaceDetail.placesLimit }

    /// Compares one face of two pictures of the same size.
    ///
    /// - Returns: nil for a face without detail in the original, or with less than 8 pixels of width or height inside
    ///   the picture.
    public init?(of face: TruthFace, original: Luma, redacted: Luma) {
        precondition(original.width == redacted.width && original.height == redacted.height, "sizes differ")
        func whole(_ value: Double) -> Int { Int(value.rounded(.toNearestOrEven)) }
        let left = max(0, whole(face.x))
        let top = max(0, whole(face.y))
        let right = min(original.width, whole(face.x + face.width))
        let bottom = min(original.height, whole(face.y + face.height))
        guard right - left >= FaceDetail.smallestSide, bottom - top >= FaceDetail.smallestSide else { return nil }
        let size = min(right - left, bottom - top)
        let before = Patch(original, x: left..<right, y: top..<bottom).detail(faceSize: size)
        let after = Patch(redacted, x: left..<right, y: top..<bottom).detail(faceSize: size)
        let energy = before.times(before)
        let common = before.times(after)

        let inside = FaceDetail.ellipse(of: face, left: left, top: top, width: before.width, height: before.height)
        var (total, shared) = (0.0, 0.0)
        for i in inside {
            total += energy.values[i]
            shared += common.values[i]
        }
        guard total >= FaceDetail.leastEnergy * Double(inside.count), !inside.isEmpty else { return nil }
        kept = shared / total

        let radius = max(2, size / 10)
        let localEnergy = energy.blurred(radius: radius)
        let localCommon = common.blurred(radius: radius)
        let enough = 0.25 * total / Double(inside.count)
        var (busy, showing) = (0, 0)
        for i in inside where localEnergy.values[i] > enough {
            busy += 1
            if localCommon.values[i] > 0.5 * localEnergy.values[i] { showing += 1 }
        }
        keptPlaces = Double(showing) / Double(max(1, busy))
    }

    /// Indices into the patch of the pixels whose centre is in the ellipse that fits the whole box.
    private static func ellipse(of face: TruthFace, left: Int, top: Int, width: Int, height: Int) -> [Int] {
        let (radiusX, radiusY) = (face.width / 2, face.height / 2)
        let (centerX, centerY) = (face.x + radiusX, face.y + radiusY)
        var result: [Int] = []
        for y in 0..<height {
            let v = (Double(top + y) + 0.5 - centerY) / radiusY
            for x in 0..<width {
                let u = (Double(left + x) + 0.5 - centerX) / radiusX
                if u * u + v * v <= 1 { result.append(y * width + x) }
            }
        }
        return result
    }
}

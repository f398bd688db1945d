/// How the coded picture is turned or flipped for display: the eight cases of a display matrix.
///
/// Raw values are EXIF's orientation numbers (TIFF 6.0, tag 0x0112), which name where the coded picture's first row and
/// column appear on display.
public enum Orientation: Int, Sendable, Hashable, Codable, CaseIterable {
    /// Coded as displayed.
    case up = 1
    /// Mirrored left to right.
    case upMirrored = 2
    /// Turned by 180°.
    case down = 3
    /// Mirrored top to bottom.
    case downMirrored = 4
    /// Transposed (mirrored along the main diagonal).
    case leftMirrored = 5
    /// To be turned clockwise by 90° for display.
    case right = 6
    /// Mirrored along the other diagonal.
    case rightMirrored = 7
    /// To be turned clockwise by 270° for display.
    case left = 8

    /// Whether display swaps width and height.
    public var swapsAxes: Bool { rawValue >= 5 }

    /// Whether the picture is mirrored (an odd number of flips).
    public var isMirrored: Bool { [2, 4, 5, 7].contains(rawValue) }

    /// The orientation that undoes this one.
    public var inverse: Orientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }

    /// Maps a point of the upright picture to the coded picture, both 0…1.
    public func coded(_ p: NormalizedPoint) -> NormalizedPoint {
        switch self {
        case .up: p
        case .upMirrored: NormalizedPoint(x: 1 - p.x, y: p.y)
        case .down: NormalizedPoint(x: 1 - p.x, y: 1 - p.y)
        case .downMirrored: NormalizedPoint(x: p.x, y: 1 - p.y)
        case .leftMirrored: NormalizedPoint(x: p.y, y: p.x)
        case .right: NormalizedPoint(x: p.y, y: 1 - p.x)
        case .rightMirrored: NormalizedPoint(x: 1 - p.y, y: 1 - p.x)
        case .left: NormalizedPoint(x: 1 - p.y, y: p.x)
        }
    }

    /// Maps a point of the coded picture to the upright picture, both 0…1.
    public func upright(_ p: NormalizedPoint) -> NormalizedPoint { inverse.coded(p) }

    /// Maps a rectangle of the upright picture to the coded picture.
    public func coded(_ r: NormalizedRect) -> NormalizedRect {
        let a = coded(NormalizedPoint(x: r.x, y: r.y))
        let b = coded(NormalizedPoint(x: r.maxX, y: r.maxY))
        return NormalizedRect(x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
    }

    /// Maps a rectangle of the coded picture to the upright picture.
    public func upright(_ r: NormalizedRect) -> NormalizedRect { inverse.coded(r) }

    /// How an offset of the upright picture is an offset of the coded picture, apart from scale: two rows of two numbers,
    /// each 0, 1 or -1, so that coded x = xx · x + xy · y and coded y = yx · x + yy · y.
    public var axes: (xx: Int, xy: Int, yx: Int, yy: Int) {
        switch self {
        case .up: (1, 0, 0, 1)
        case .upMirrored: (-1, 0, 0, 1)
        case .down: (-1, 0, 0, -1)
        case .downMirrored: (1, 0, 0, -1)
        case .leftMirrored: (0, 1, 1, 0)
        case .right: (0, 1, -1, 0)
        case .rightMirrored: (0, -1, -1, 0)
        case .left: (0, -1, 1, 0)
        }
    }

    /// The orientation of a picture that is turned by this one and its result then by another.
    public func composed(with next: Orientation) -> Orientation {
        let (a, b) = (axes, next.axes)
        // coded = a · (b · upright)
        let product = (
            xx: a.xx * b.xx + a.xy * b.yx, xy: a.xx * b.xy + a.xy * b.yy, yx: a.yx * b.xx + a.yy * b.yx,
            yy: a.yx * b.xy + a.yy * b.yy
        )
        // The eight are a group, so one always fits.
        return Self.allCases.first { $0.axes == product } ?? .up
    }
}

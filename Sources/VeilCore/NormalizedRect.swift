/// A point of the upright picture: 0…1 across and down, may lie outside.
public struct NormalizedPoint: Sendable, Hashable, Codable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// A bounding box in the upright (displayed) picture: 0…1 of its width and height, origin at the top left.
///
/// It may reach outside 0…1: a face cut by the picture's edge keeps its whole box, so that a mask grown from it still
/// covers the face to the last row.
public struct NormalizedRect: Sendable, Hashable, Codable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public init(center: NormalizedPoint, width: Double, height: Double) {
        self.init(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    public static let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)

    public var maxX: Double { x + width }
    public var maxY: Double { y + height }
    public var center: NormalizedPoint { NormalizedPoint(x: x + width / 2, y: y + height / 2) }
    public var area: Double { isEmpty ? 0 : width * height }
    public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// The common part; empty (zero-sized) where there is none.
    public func intersection(_ other: NormalizedRect) -> NormalizedRect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return NormalizedRect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }

    /// The smallest rectangle that holds both.
    public func union(_ other: NormalizedRect) -> NormalizedRect {
        let left = min(x, other.x)
        let top = min(y, other.y)
        return NormalizedRect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// Intersection over union, 0…1.
    public func iou(_ other: NormalizedRect) -> Double {
        let common = intersection(other).area
        let all = area + other.area - common
        return all > 0 ? common / all : 0
    }

    /// The same centre, both sides times `factor`.
    public func scaled(by factor: Double) -> NormalizedRect {
        NormalizedRect(center: center, width: width * factor, height: height * factor)
    }

    public func offset(dx: Double, dy: Double) -> NormalizedRect {
        NormalizedRect(x: x + dx, y: y + dy, width: width, height: height)
    }

    /// Whether another rectangle lies inside; each of its edges may stand out by `tolerance`.
    public func contains(_ other: NormalizedRect, tolerance: Double = 0) -> Bool {
        other.x >= x - tolerance && other.y >= y - tolerance && other.maxX <= maxX + tolerance
            && other.maxY <= maxY + tolerance
    }
}

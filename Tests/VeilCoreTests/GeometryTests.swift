import Foundation
import Testing
import VeilCore

@Suite struct GeometryTests {
    @Test func `rectangles meet, join and measure as expected`() {
        let a = NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5)
        let b = NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
        #expect(a.intersection(b) == NormalizedRect(x: 0.25, y: 0.25, width: 0.25, height: 0.25))
        #expect(a.union(b) == NormalizedRect(x: 0, y: 0, width: 0.75, height: 0.75))
        #expect(abs(a.iou(b) - 0.0625 / 0.4375) < 1e-12)
        #expect(a.iou(a) == 1)
        let far = NormalizedRect(x: 2, y: 2, width: 1, height: 1)
        #expect(a.intersection(far).isEmpty && a.iou(far) == 0)
        #expect(NormalizedRect(x: 0, y: 0, width: 0, height: 1).iou(a) == 0)
        #expect(a.scaled(by: 2) == NormalizedRect(x: -0.25, y: -0.25, width: 1, height: 1))
        #expect(a.scaled(by: 2).contains(a) && !a.contains(a.scaled(by: 2)))
        #expect(a.contains(a.offset(dx: 0.01, dy: -0.01), tolerance: 0.011))
        #expect(!a.contains(a.offset(dx: 0.01, dy: 0), tolerance: 0.009))
        #expect(Shape(inscribedIn: b).bounds == b)
    }

    /// Where the coded picture's top left and top right corners are on display: EXIF's table ("the 0th row is at the
    /// visual …, the 0th column at the visual …").
    @Test(
        arguments: [
            (Orientation.up, (0, 0), (1, 0)), (.upMirrored, (1, 0), (0, 0)), (.down, (1, 1), (0, 1)),
            (.downMirrored, (0, 1), (1, 1)), (.leftMirrored, (0, 0), (0, 1)), (.right, (1, 0), (1, 1)),
            (.rightMirrored, (1, 1), (1, 0)), (.left, (0, 1), (0, 0)),
        ] as [(Orientation, (Double, Double), (Double, Double))])
    func `corners land where EXIF says`(
        _ orientation: Orientation, _ topLeft: (Double, Double), _ topRight: (Double, Double)
    ) {
        #expect(orientation.upright(NormalizedPoint(x: 0, y: 0)) == NormalizedPoint(x: topLeft.0, y: topLeft.1))
        #expect(orientation.upright(NormalizedPoint(x: 1, y: 0)) == NormalizedPoint(x: topRight.0, y: topRight.1))
        #expect(orientation.coded(NormalizedPoint(x: topLeft.0, y: topLeft.1)) == NormalizedPoint(x: 0, y: 0))
        // A flip is what changes the sense of turning from top left over top right.
        let bottomLeft = orientation.upright(NormalizedPoint(x: 0, y: 1))
        let cross =
            (topRight.0 - topLeft.0) * (bottomLeft.y - topLeft.1) - (topRight.1 - topLeft.1)
            * (bottomLeft.x - topLeft.0)
        #expect(orientation.isMirrored == (cross < 0))
        #expect(orientation.swapsAxes == (topLeft.0 == topRight.0))
    }

    @Test(arguments: Orientation.allCases)
    func `there and back is the identity`(_ orientation: Orientation) {
        var random = SeededGenerator(orientation.rawValue)
        for _ in 0..<100 {
            let p = NormalizedPoint(x: random.double(-1...2), y: random.double(-1...2))
            let q = orientation.upright(orientation.coded(p))
            #expect(hypot(p.x - q.x, p.y - q.y) < 1e-12)
            let r = NormalizedRect(x: p.x, y: p.y, width: random.double(0...1), height: random.double(0...1))
            let s = orientation.coded(orientation.upright(r))
            #expect(r.contains(s, tolerance: 1e-12) && s.contains(r, tolerance: 1e-12))
            #expect(orientation.inverse.inverse == orientation)
        }
        #expect(orientation.composed(with: orientation.inverse) == .up)
        #expect(
            orientation.composed(with: .up) == orientation && Orientation.up.composed(with: orientation) == orientation)
    }

    @Test(arguments: Orientation.allCases, Orientation.allCases)
    func `composed is one after the other`(_ first: Orientation, _ second: Orientation) {
        let both = first.composed(with: second)
        for p in [NormalizedPoint(x: 0.1, y: 0.3), NormalizedPoint(x: 0.9, y: 0.2)] {
            let (a, b) = (both.upright(p), second.upright(first.upright(p)))
            #expect(hypot(a.x - b.x, a.y - b.y) < 1e-12)
        }
        #expect(both.isMirrored == (first.isMirrored != second.isMirrored))
    }

    @Test(arguments: Orientation.allCases)
    func `the axes are what the point map does to offsets`(_ orientation: Orientation) {
        let zero = orientation.coded(NormalizedPoint(x: 0, y: 0))
        let right = orientation.coded(NormalizedPoint(x: 1, y: 0))
        let below = orientation.coded(NormalizedPoint(x: 0, y: 1))
        let axes = orientation.axes
        #expect(right.x - zero.x == Double(axes.xx) && right.y - zero.y == Double(axes.yx))
        #expect(below.x - zero.x == Double(axes.xy) && below.y - zero.y == Double(axes.yy))
    }

    @Test(
        arguments: Orientation.allCases,
        [Rational(1, 1), Rational(16, 11), Rational(3, 4), Rational(10, 1), Rational(1, 10)])
    func `an ellipse's outline maps point by point to the coded ellipse`(_ orientation: Orientation, _ aspect: Rational)
    {
        var random = SeededGenerator(orientation.rawValue + aspect.num * 100)
        let (codedWidth, codedHeight) = (720, 576)
        let displayedWidth = Double(codedWidth) * aspect.value
        let width = orientation.swapsAxes ? Double(codedHeight) : displayedWidth
        let height = orientation.swapsAxes ? displayedWidth : Double(codedHeight)
        for round in 0..<40 {
            let shape = Shape(
                center: NormalizedPoint(x: random.double(-0.5...1.5), y: random.double(-0.5...1.5)),
                radiusX: random.double(0.001...0.3), radiusY: random.double(0.001...0.3),
                angle: round == 0 ? 0 : round == 1 ? 90 : random.double(-180...180))
            let ellipse = CodedEllipse(
                shape, orientation: orientation, codedWidth: codedWidth, codedHeight: codedHeight,
                sampleAspectRatio: aspect)
            var (reachX, reachY, deviation) = (0.0, 0.0, 0.0)
            for step in 0..<720 {
                let t = Double(step) * .pi / 360
                let turn = shape.angle * .pi / 180
                // In displayed pixels, y downwards, turned clockwise.
                let (u, v) = (shape.radiusX * width * cos(t), shape.radiusY * height * sin(t))
                let p = NormalizedPoint(
                    x: shape.center.x + (u * cos(turn) - v * sin(turn)) / width,
                    y: shape.center.y + (u * sin(turn) + v * cos(turn)) / height)
                let coded = orientation.coded(p)
                let (x, y) = (coded.x * Double(codedWidth), coded.y * Double(codedHeight))
                deviation = max(deviation, abs(ellipse.distance(x: x, y: y) - 1))
                reachX = max(reachX, abs(x - ellipse.centerX))
                reachY = max(reachY, abs(y - ellipse.centerY))
            }
            #expect(deviation < 1e-6)
            let extents = ellipse.halfExtents
            #expect(reachX <= extents.x * (1 + 1e-9) && reachX > extents.x * 0.999)
            #expect(reachY <= extents.y * (1 + 1e-9) && reachY > extents.y * 0.999)
        }
    }

    @Test func `mirroring negates the angle, a quarter turn swaps the radii, pixels' shape scales the width`() {
        let shape = Shape(center: NormalizedPoint(x: 0.25, y: 0.5), radiusX: 0.1, radiusY: 0.2, angle: 30)
        func coded(_ orientation: Orientation, _ shape: Shape, _ aspect: Rational = Rational(1, 1)) -> CodedEllipse {
            CodedEllipse(
                shape, orientation: orientation, codedWidth: 400, codedHeight: 200, sampleAspectRatio: aspect)
        }
        #expect(coded(.up, shape) == CodedEllipse(centerX: 100, centerY: 100, radiusX: 40, radiusY: 40, angle: 30))
        #expect(coded(.upMirrored, shape).angle == -30 && coded(.upMirrored, shape).centerX == 300)
        // Upright it is 200 wide and 400 high.
        #expect(coded(.right, shape) == CodedEllipse(centerX: 200, centerY: 150, radiusX: 80, radiusY: 20, angle: 30))
        #expect(coded(.leftMirrored, shape).angle == -30)
        var plain = shape
        plain.angle = 0
        #expect(coded(.up, plain, Rational(2, 1)) == CodedEllipse(centerX: 100, centerY: 100, radiusX: 40, radiusY: 40))
        #expect(coded(.up, plain, Rational(0, 1)) == coded(.up, plain))
        #expect(coded(.up, plain, Rational(1, 0)) == coded(.up, plain))
        // Nearly square pixels hardly change the ellipse: no jump to another way of naming its axes.
        let near = coded(.up, shape, Rational(1001, 1000))
        #expect(abs(near.angle - 30) < 1 || abs(near.radiusX - near.radiusY) < 0.1)
    }
}

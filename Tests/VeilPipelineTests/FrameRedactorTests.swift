import Testing
import Veil

/// A detector that answers what it is told, picture after picture.
// @unchecked: each test uses its own from one thread.
private final class Script: FaceDetector, @unchecked Sendable {
    var answers: [Result<[Detection], VisionError>]

    init(_ answers: [Result<[Detection], VisionError>]) { self.answers = answers }

    func detect(in view: PlanarView, _ look: Look) throws(VisionError) -> [Detection] {
        try answers.removeFirst().get()
    }
}

private func face(_ x: Double, _ y: Double, score: Double = 0.9) -> Detection {
    Detection(bounds: NormalizedRect(x: x, y: y, width: 0.2, height: 0.25), score: score)
}

private let failure = VisionError(code: .unknown, doing: "looking for faces", words: "the test says so")

private let width = 64
private let height = 48

/// A picture in which no pixel is like its neighbours.
private func pixels(_ bytesPerRow: Int = 4 * width) -> [UInt8] {
    (0..<height * bytesPerRow).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ ($0 / bytesPerRow) &* 101) }
}

private func redactor(_ answers: [Result<[Detection], VisionError>]) throws -> FrameRedactor {
    try FrameRedactor(detector: Script(answers))
}

@Suite struct `A redactor of frames` {
    @Test(arguments: FrameRedactor.ChannelOrder.allCases, [4 * width, 4 * width + 12])
    func `covers a face and leaves everything else as it is`(
        order: FrameRedactor.ChannelOrder, bytesPerRow: Int
    ) throws {
        let before = pixels(bytesPerRow)
        var after = before
        let faces = try redactor([.success([face(0.5, 0.4)])]).redact(
            &after, width: width, height: height, bytesPerRow: bytesPerRow, order: order)
        let mask = try #require(faces.first?.mask)
        #expect(faces.count == 1)
        let ellipse = CodedEllipse(
            centerX: mask.centerX, centerY: mask.centerY, radiusX: mask.radiusX, radiusY: mask.radiusY)
        var inside: Set<[UInt8]> = []
        for y in 0..<height {
            for x in 0..<width {
                let at = y * bytesPerRow + 4 * x
                let distance = ellipse.distance(x: Double(x) + 0.5, y: Double(y) + 0.5)
                if distance < 0.9 { inside.insert(Array(after[at..<at + 3])) }
                if distance > 1.6 { #expect(after[at..<at + 4] == before[at..<at + 4]) }
                #expect(after[at + 3] == before[at + 3])
            }
            let end = y * bytesPerRow + 4 * width
            #expect(after[end..<(y + 1) * bytesPerRow] == before[end..<(y + 1) * bytesPerRow])
        }
        // Hundreds of different pixels have become a few cells.
        #expect(inside.count < 60)
    }

    @Test func `paints the colour that was asked for in either order`() throws {
        for (order, red) in [(FrameRedactor.ChannelOrder.rgba, 0), (.bgra, 2)] {
            var settings = FrameRedactor.Settings()
            settings.chain = FilterChain(effects: [.solid(color: RGBColor(red: 250, green: 20, blue: 60))])
            var picture = pixels()
            let detector = Script([.success([face(0.4, 0.4)])])
            try FrameRedactor(settings: settings, detector: detector).redact(
                &picture, width: width, height: height, order: order)
            let middle = (height / 2) * 4 * width + 4 * (width / 2)
            #expect(picture[middle + red] == 250)
            #expect(picture[middle + 1] == 20)
            #expect(picture[middle + 2 - red] == 60)
        }
    }

    @Test func `leaves a picture without faces as it is`() throws {
        let before = pixels()
        var after = before
        let faces = try redactor([.success([face(0.4, 0.4, score: 0.2)])]).redact(
            &after, width: width, height: height, order: .rgba)
        #expect(faces.isEmpty)
        #expect(after == before)
    }

    @Test func `covers the picture whole before it throws`() throws {
        let before = pixels()
        var after = before
        let redactor = try redactor([.failure(failure)])
        #expect {
            try redactor.redact(&after, width: width, height: height, order: .bgra)
        } throws: { error in
            guard case .vision(failure, _)? = error as? VeilError else { return false }
            return true
        }
        let colors = Set(stride(from: 0, to: after.count, by: 4).map { Array(after[$0..<$0 + 3]) })
        #expect(colors.count <= 12 * 16)
        #expect(stride(from: 0, to: after.count, by: 4).count { after[$0..<$0 + 3] == before[$0..<$0 + 3] } < 40)
    }

    @Test(arguments: [(64, 49, 256), (65, 48, 256), (0, 48, 256), (64, -1, 256), (64, 48, 255), (64, 48, Int.max)])
    func `erases memory that the sizes don't fit`(width: Int, height: Int, bytesPerRow: Int) throws {
        var picture = pixels()
        let redactor = try redactor([])
        #expect(throws: VeilError.self) {
            try redactor.redact(&picture, width: width, height: height, bytesPerRow: bytesPerRow, order: .rgba)
        }
        #expect(picture.allSatisfy { $0 == 0 })
    }

    @Test func `refuses planes that don't fit together`() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64 * 64 * 2, alignment: 16)
        defer { memory.deallocate() }
        func plane(_ width: Int, _ height: Int, stride: Int = 128, bytes: Int = 1) -> Plane {
            Plane(base: memory, width: width, height: height, stride: stride, bytesPerSample: bytes)
        }
        func view(_ planes: [Plane], _ model: PlanarView.ColorModel, depth: Int = 8, shift: Int = 0) -> PlanarView {
            PlanarView(
                planes: planes, model: model, hasAlpha: false, depth: depth, chromaShiftX: shift, chromaShiftY: shift,
                fullRange: true)
        }
        let broken = [
            view([], .gray), view([plane(64, 64)], .yuv), view([plane(64, 64, stride: 63)], .gray),
            view([plane(64, 64)], .gray, depth: 10), view([plane(64, 64)], .gray, depth: 7),
            view([plane(0, 64)], .gray),
            view([plane(64, 64), plane(32, 32), plane(32, 31)], .yuv, shift: 1),
            view([plane(64, 64), plane(32, 32), plane(32, 32)], .gbr, shift: 1),
        ]
        let redactor = try redactor([])
        for view in broken {
            #expect(throws: VeilError.self) { try redactor.redact(view) }
        }
    }

    @Test func `keeps a track from frame to frame and covers on when it isn't seen`() throws {
        let redactor = try redactor([
            .success([face(0.1, 0.1), face(0.6, 0.5)]), .success([face(0.62, 0.5, score: 0.15), face(0.12, 0.1)]),
            .success([face(0.14, 0.1)]), .success([face(0.16, 0.1)]), .success([face(0.16, 0.1)]),
        ])
        func faces(at time: Double, isNewScene: Bool = false) throws -> [CoveredFace] {
            var picture = pixels()
            return try redactor.redact(
                &picture, width: width, height: height, order: .rgba, time: time, isNewScene: isNewScene)
        }
        let first = try faces(at: 0)
        #expect(first.map(\.track) == [1, 2])
        let second = try faces(at: 0.04)
        #expect(second.map(\.track) == [1, 2])
        #expect(second.map(\.score) == [0.9, 0.15])
        let third = try faces(at: 0.08)
        #expect(third.map(\.score) == [0.9, nil])
        #expect(third.last?.bounds == second.last?.bounds)
        // Half a second later the second face is taken for gone.
        #expect(try faces(at: 0.6).map(\.track) == [1])
        #expect(try faces(at: 0.64, isNewScene: true).map(\.track) == [3])
    }

    @Test func `takes pictures without a time for pictures of their own`() throws {
        let redactor = try redactor([.success([face(0.1, 0.1)]), .success([])])
        var picture = pixels()
        #expect(try redactor.redact(&picture, width: width, height: height, order: .rgba).count == 1)
        #expect(try redactor.redact(&picture, width: width, height: height, order: .rgba).isEmpty)
    }

    @Test(arguments: Orientation.allCases)
    func `covers where the upright picture shows the face`(orientation: Orientation) throws {
        var picture = pixels()
        let found = face(0.1, 0.6)
        let faces = try redactor([.success([found])]).redact(
            &picture, width: width, height: height, order: .rgba, orientation: orientation)
        let mask = try #require(faces.first?.mask)
        let center = orientation.coded(found.bounds.center)
        #expect(abs(mask.centerX - center.x * Double(width)) < 1e-9)
        #expect(abs(mask.centerY - center.y * Double(height)) < 1e-9)
    }
}

import Testing
import VeilCore
import VeilVision

@testable import VeilPipeline

@Suite struct FollowerTests {
    private let follower: Follower
    private let box = PixelBox(x: 130, y: 60, width: 44, height: 56)

    init() throws { follower = try Follower() }

    /// A face that is at `box` in frame 0 and moved in frame 1, before a still world or with the camera.
    private func film(_ dx: Int, _ dy: Int, camera: (x: Int, y: Int) = (0, 0), light: Double = 1) -> Film {
        let box = box
        return Film(
            frames: 2,
            faces: { frame in
                var moved = box
                moved.x += frame * dx
                moved.y += frame * dy
                return [FilmFace(name: 0, box: moved)]
            },
            camera: { frame in (frame * camera.x, frame * camera.y) }, light: { $0 == 1 ? light : 1 })
    }

    private func follow(_ film: Film, starts: [NormalizedPoint] = [NormalizedPoint(x: 0, y: 0)]) throws -> Follower
        .Step?
    {
        try follower.follow(
            Film.normalized(box), from: film.luma(0, side: Follower.canvasSide),
            to: film.luma(1, side: Follower.canvasSide), starts: starts)
    }

    /// Within a pixel of where the face went.
    private func expect(_ step: Follower.Step?, _ film: Film, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let step else {
            Issue.record("the face was lost", sourceLocation: sourceLocation)
            return
        }
        let truth = film.truth(1)[0]
        #expect(abs(step.box.center.x - truth.center.x) * Double(Film.width) < 1, sourceLocation: sourceLocation)
        #expect(abs(step.box.center.y - truth.center.y) * Double(Film.height) < 1, sourceLocation: sourceLocation)
        #expect(step.box.width == truth.width && step.box.height == truth.height, sourceLocation: sourceLocation)
        #expect(step.certainty > 0.6 && step.certainty <= 1, sourceLocation: sourceLocation)
    }

    @Test(arguments: [(0, 0), (1, 0), (-5, 3), (13, 0), (-13, 0), (0, 16), (0, -16), (13, 16), (-13, -16)])
    func `a face is found up to three tenths of its size away`(dx: Int, dy: Int) throws {
        let film = film(dx, dy)
        expect(try follow(film), film)
    }

    @Test(arguments: [-12, -20, -32], [0, 3])
    func `a face on its way over the edge is known by what stays in the picture`(dx: Int, dy: Int) throws {
        // At first 8 pixels from the edge; then 4 to 24 of its 44 columns are outside.
        let film = Film(
            frames: 2,
            faces: { frame in
                [FilmFace(name: 0, box: PixelBox(x: 8 + frame * dx, y: 60 + frame * dy, width: 44, height: 56))]
            })
        let speed = NormalizedPoint(x: Double(dx) / Double(Film.width), y: Double(dy) / Double(Film.height))
        let step = try follower.follow(
            film.truth(0)[0], from: film.luma(0, side: Follower.canvasSide),
            to: film.luma(1, side: Follower.canvasSide), starts: [speed])
        expect(step, film)
    }

    @Test func `places that are left aren't tried once a face is found well enough`() throws {
        let film = film(0, 0)
        // One start leads far away, where nothing of it is, the other to where it is.
        let far = NormalizedPoint(x: 0.5, y: 0)
        let starts = [far, NormalizedPoint(x: 0, y: 0)]
        func follow(_ starts: [NormalizedPoint], enough: Double) throws -> Follower.Step? {
            try follower.follow(
                Film.normalized(box), from: film.luma(0, side: Follower.canvasSide),
                to: film.luma(1, side: Follower.canvasSide), starts: starts, enough: enough)
        }
        expect(try follow(starts, enough: 0.9), film)
        expect(try follow(starts.reversed(), enough: 0.9), film)
        // Where anything is well enough, the first is taken.
        let first = try #require(try follow(starts, enough: -1))
        #expect(first.box.center.x > Film.normalized(box).center.x + 0.3)
        #expect(first.certainty < 0.6)
    }

    @Test(arguments: [(40, 0), (-60, 20), (90, -30)])
    func `a face that moves fast is found where it is expected`(dx: Int, dy: Int) throws {
        let film = film(dx, dy)
        let expected = NormalizedPoint(x: Double(dx) / Double(Film.width), y: Double(dy) / Double(Film.height))
        expect(try follow(film, starts: [NormalizedPoint(x: 0, y: 0), expected]), film)
    }

    @Test(arguments: [0.5, 0.8, 1.2])
    func `light doesn't matter`(light: Double) throws {
        let film = film(6, -4, light: light)
        expect(try follow(film), film)
    }

    @Test func `a face that went is not taken for sure`() throws {
        var film = film(0, 0)
        let there = film.faces
        film.faces = { $0 == 0 ? there(0) : [] }
        #expect(try follow(film)?.certainty ?? 0 < 0.5)
    }

    @Test func `where there is nothing to see there is nothing to follow`() throws {
        var film = film(0, 0)
        film.damaged = [0]
        #expect(try follow(film) == nil)
        film.damaged = [0, 1]
        #expect(try follow(film) == nil)
    }

    @Test func `a box outside the picture can't be followed`() throws {
        let film = film(0, 0)
        for x in [-0.5, 1.2] {
            let outside = NormalizedRect(x: x, y: 0.3, width: 0.1, height: 0.2)
            #expect(
                try follower.follow(
                    outside, from: film.luma(0, side: 320), to: film.luma(1, side: 320),
                    starts: [NormalizedPoint(x: 0, y: 0)]) == nil)
        }
    }

    @Test func `a tiny box is followed by its surroundings`() throws {
        let film = film(0, 0, camera: (3, -2))
        let tiny = NormalizedRect(x: 0.2, y: 0.2, width: 0.01, height: 0.015)
        let step = try #require(
            try follower.follow(
                tiny, from: film.luma(0, side: 320), to: film.luma(1, side: 320),
                starts: [NormalizedPoint(x: 0, y: 0)]))
        #expect(abs((step.box.x - tiny.x) * Double(Film.width) + 3) < 1)
        #expect(abs((step.box.y - tiny.y) * Double(Film.height) - 2) < 1)
    }

    @Test(arguments: [(0, 0), (8, 0), (-32, 0), (32, 9), (0, -18)])
    func `the camera's way is told, a fifth of the picture included`(x: Int, y: Int) throws {
        var film = film(0, 0, camera: (x, y))
        film.faces = { _ in [] }
        let side = Follower.cameraSide
        let shift = try follower.cameraShift(from: film.luma(0, side: side), to: film.luma(1, side: side))
        // What the camera turns to moves the other way.
        #expect(abs(shift.x * Double(Film.width) + Double(x)) < 3)
        #expect(abs(shift.y * Double(Film.height) + Double(y)) < 3)
    }

    @Test func `pictures with nothing in common have no common way`() throws {
        var film = film(0, 0)
        film.world = { $0 }
        let shift = try follower.cameraShift(
            from: film.luma(0, side: Follower.cameraSide), to: film.luma(1, side: Follower.cameraSide))
        #expect(abs(shift.x) < 0.02 && abs(shift.y) < 0.02)
        let small = try film.luma(0, side: 80)
        let other = try follower.cameraShift(from: small, to: film.luma(1, side: 160))
        #expect(other == NormalizedPoint(x: 0, y: 0))
    }
}

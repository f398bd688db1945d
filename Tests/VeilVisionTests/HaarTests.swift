import Testing
import VeilCore
import VeilPixels
import VeilVision

@Suite struct `Haar cascades` {
    private func detector() throws -> HaarDetector {
        try HaarDetector(frontal: checkedModel("haar-frontal"), profile: checkedModel("haar-profile"))
    }

    @Test(arguments: [Coding.plain, Coding(name: "10-bit", depth: 10, shiftX: 1, shiftY: 1)])
    func `a frontal face is found`(coding: Coding) throws {
        let coded = CodedPicture(try Portrait.picture(side: 512), coding)
        let found = try detector().detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 360, height: 360), threshold: 0.6)
        let best = try #require(found.first)
        #expect(best.bounds.iou(Portrait.face) >= 0.5)
        #expect((0.6...1).contains(best.score))
        #expect(best.landmarks == nil)
        // A profile's box may lie inside the frontal one.
        #expect(found.allSatisfy { $0.bounds.intersection(Portrait.face).area > 0.5 * $0.bounds.area })
    }

    @Test func `profiles are looked for in both directions`() throws {
        // The profile cascade takes half of this face for a face that looks one way; in the mirrored picture it can only
        // be found by the mirrored look.
        let half = NormalizedRect(x: 221.0 / 512, y: 79.0 / 512, width: 49.0 / 512, height: 64.0 / 512)
        let all = try HaarDetector(
            frontal: checkedModel("haar-frontal"), profile: checkedModel("haar-profile"), overlapLimit: 1)
        let picture = try Portrait.picture(side: 512)
        func boxes(_ picture: RGBPicture) throws -> [NormalizedRect] {
            let coded = CodedPicture(picture, Coding(name: "gray", model: .gray))
            return try all.detect(
                in: coded.view, orientation: .up, canvas: CanvasSize(width: 512, height: 512), threshold: 0.01
            ).map(\.bounds)
        }
        let straight = try boxes(picture)
        let mirrored = try boxes(picture.mirrored())
        #expect(straight.contains { $0.iou(half) > 0.8 })
        #expect(mirrored.contains { Orientation.upMirrored.coded($0).iou(half) > 0.8 })
    }

    @Test func `faces below the smallest size are left out`() throws {
        let large = try HaarDetector(
            frontal: checkedModel("haar-frontal"), profile: checkedModel("haar-profile"), minimumSize: 120)
        let coded = CodedPicture(try Portrait.picture(side: 512), .plain)
        let found = try large.detect(
            in: coded.view, orientation: .up, canvas: CanvasSize(width: 360, height: 360), threshold: 0.1)
        #expect(found.isEmpty)
    }

    @Test(arguments: ["", "<opencv_storage></opencv_storage>", "<?xml version=\"1.0\"?><opencv_storage><cascade", "{}"])
    func `a file that is no cascade is an error`(text: String) throws {
        let broken = Model(name: "broken", path: "broken.xml", version: "1", bytes: Array(text.utf8))
        let error = #expect(throws: VisionError.self) {
            try HaarDetector(frontal: broken, profile: checkedModel("haar-profile"))
        }
        #expect(error?.description.contains("broken.xml") == true)
    }
}

import Foundation
import Testing

@testable import VeilPixels

@Suite struct `A filter chain` {
    @Test(arguments: [
        FilterChain(), FilterChain(effects: [.blur(cells: 7)], shape: .box, softness: 0.1, hold: 1.5, levelStep: 16),
        FilterChain(effects: [.pixellate(cells: 3), .solid(color: RGBColor(red: 1, green: 2, blue: 254), opacity: 0.5)]
        ),
    ])
    func `is the same after writing and reading`(chain: FilterChain) throws {
        #expect(try JSONDecoder().decode(FilterChain.self, from: JSONEncoder().encode(chain)) == chain)
    }

    @Test func `is plain to read as JSON`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let chain = FilterChain(effects: [.pixellate(cells: 5), .solid(color: .black, opacity: 0.25)])
        let text = String(decoding: try encoder.encode(chain), as: UTF8.self)
        #expect(
            text
                == ##"{"contrast":0.3,"effects":[{"pixellate":{"cells":5}},{"solid":{"color":"#000000","opacity":0.25}}],"##
                + ##""hold":0.5,"levelStep":4,"shape":"ellipse","softness":0.2}"##)
    }

    @Test(arguments: [
        (FilterChain(effects: []), FilterChainError.nothingCovers),
        (FilterChain(effects: [.solid(color: .black, opacity: 0.999)]), .nothingCovers),
        (FilterChain(effects: [.pixellate(cells: 0)]), .cells(0)),
        (FilterChain(effects: [.blur(cells: 257)]), .cells(257)),
        (FilterChain(effects: [.pixellate(), .solid(color: .black, opacity: 1.5)]), .opacity(1.5)),
        (FilterChain(softness: -0.1), .softness(-0.1)),
        (FilterChain(hold: -1), .hold(-1)),
        (FilterChain(hold: .infinity), .hold(.infinity)),
        (FilterChain(levelStep: 0), .levelStep(0)),
        (FilterChain(contrast: 1.1), .contrast(1.1)),
    ])
    func `that would leave faces visible is refused`(chain: FilterChain, error: FilterChainError) {
        #expect(throws: error) { try Redactor(chain) }
    }

    @Test func `lays later filters over earlier ones`() throws {
        let original = TestPicture(80, 80).noise(seed: 6)
        let region = MaskRegion.face(x: 40, y: 40, width: 50, height: 50)
        let (plain, tinted) = (original.copy(), original.copy())
        try Redactor(FilterChain()).apply(to: plain, regions: [region], time: 0)
        let chain = FilterChain(effects: [.solid(color: .black), .pixellate(), .solid(color: .black, opacity: 0.5)])
        try Redactor(chain).apply(to: tinted, regions: [region], time: 0)
        for x in 20..<60 { #expect(tinted[0, x, 40] == (plain[0, x, 40] * 128 + 128) / 256) }
    }

    @Test(arguments: [
        // By hand from the standards: luma, Cb, Cr of limited 8-bit BT.709 and BT.601.
        (RGBColor(red: 255, green: 255, blue: 255), [235, 128, 128], [235, 128, 128]),
        (RGBColor(red: 0, green: 0, blue: 0), [16, 128, 128], [16, 128, 128]),
        (RGBColor(red: 255, green: 0, blue: 0), [63, 102, 240], [81, 90, 240]),
        (RGBColor(red: 0, green: 255, blue: 0), [173, 42, 26], [145, 54, 34]),
        (RGBColor(red: 0, green: 0, blue: 255), [32, 240, 118], [41, 240, 110]),
    ])
    func `paints colours in the picture's own terms`(color: RGBColor, bt709: [UInt16], bt601: [UInt16]) {
        func samples(_ layout: Layout, bt709: Bool = true) -> [UInt16] {
            let format = TestPicture(2, 2, layout).withView { view in
                PictureFormat(
                    PlanarView(
                        planes: view.planes, model: view.model, hasAlpha: view.hasAlpha, depth: view.depth,
                        chromaShiftX: view.chromaShiftX, chromaShiftY: view.chromaShiftY, fullRange: view.fullRange,
                        bt709: bt709))
            }
            return (0..<format.planeCount).map { color.sample(plane: $0, in: format) }
        }
        #expect(samples(Layout()) == bt709)
        #expect(samples(Layout(), bt709: false) == bt601)
        #expect(zip(samples(Layout(depth: 10)), bt709).allSatisfy { abs(Int($0) - 4 * Int($1)) <= 2 })
        let rgb = [color.green, color.blue, color.red].map(UInt16.init)
        #expect(samples(Layout(model: .gbr, shiftX: 0, shiftY: 0, fullRange: true)) == rgb)
        #expect(samples(Layout(model: .gbr, depth: 16, shiftX: 0, shiftY: 0, fullRange: true)) == rgb.map { $0 * 257 })
    }

    @Test func `reads colours only if they are six hexadecimal digits`() {
        #expect(RGBColor(hex: "#0a0B0c") == RGBColor(red: 10, green: 11, blue: 12))
        #expect(RGBColor(hex: "ffffff")?.hex == "#ffffff")
        for text in ["", "#", "12345", "1234567", "+12345", "-12345", "##12345", "zzzzzz", "１２３４５６"] {
            #expect(RGBColor(hex: text) == nil)
        }
    }
}

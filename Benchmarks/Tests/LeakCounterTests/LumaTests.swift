import Testing
import VeilCore
import VeilPixels

@testable import LeakCounter

@Suite struct LumaTests {
    @Test(arguments: [(8, 16, 0), (8, 0, 0), (8, 235, 255), (8, 255, 255), (8, 126, 128), (10, 64, 0), (10, 940, 255)])
    func `limited range is stretched to full range`(_ depth: Int, _ sample: Int, _ full: UInt8) {
        #expect(Luma.fullRangeTable(depth: depth, isFullRange: false)[sample] == full)
    }

    @Test(arguments: [(8, 16, 16), (8, 255, 255), (10, 1023, 255), (12, 2048, 128), (16, 65535, 255)])
    func `full range keeps its values`(_ depth: Int, _ sample: Int, _ full: UInt8) {
        #expect(Luma.fullRangeTable(depth: depth, isFullRange: true)[sample] == full)
    }

    @Test(arguments: Orientation.allCases, [8, 10])
    func `a coded picture is turned for display`(_ orientation: Orientation, _ depth: Int) {
        // Each pixel holds its own number; rows are longer than the picture.
        let (width, height, stride) = (5, 3, 16)
        let bytes = depth > 8 ? 2 : 1
        let memory = UnsafeMutableRawPointer.allocate(byteCount: stride * height, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xff, count: stride * height)
        for y in 0..<height {
            for x in 0..<width {
                let value = (y * width + x) << (depth - 8)
                if bytes == 1 {
                    memory.storeBytes(of: UInt8(value), toByteOffset: y * stride + x, as: UInt8.self)
                } else {
                    memory.storeBytes(of: UInt16(value), toByteOffset: y * stride + 2 * x, as: UInt16.self)
                }
            }
        }
        let plane = Plane(base: memory, width: width, height: height, stride: stride, bytesPerSample: bytes)
        let view = PlanarView(
            planes: [plane], model: .gray, hasAlpha: false, depth: depth, chromaShiftX: 0, chromaShiftY: 0,
            fullRange: true)
        let luma = Luma(view, orientation: orientation)
        #expect(luma.width == (orientation.swapsAxes ? height : width))
        for y in 0..<luma.height {
            for x in 0..<luma.width {
                let place = orientation.coded(
                    NormalizedPoint(
                        x: (Double(x) + 0.5) / Double(luma.width), y: (Double(y) + 0.5) / Double(luma.height)))
                let expected = Int(place.y * Double(height)) * width + Int(place.x * Double(width))
                #expect(Int(luma.samples[y * luma.width + x]) == expected)
            }
        }
    }

    @Test func `scaling to the same size changes nothing`() {
        let luma = Luma.noisy(width: 31, height: 17)
        #expect(luma.scaled(toWidth: 31, height: 17) == luma)
    }

    @Test func `half the size is the mean of four pixels`() {
        let luma = Luma(width: 4, height: 2, samples: [10, 20, 100, 100, 30, 40, 0, 0])
        #expect(luma.scaled(toWidth: 2, height: 1).samples == [25, 50])
    }

    @Test(arguments: [(480, 270), (7, 5), (1, 1), (33, 300)])
    func `a flat picture stays flat at any size`(_ size: (Int, Int)) {
        let scaled = Luma.flat(width: 48, height: 27, 77).scaled(toWidth: size.0, height: size.1)
        #expect(scaled == Luma.flat(width: size.0, height: size.1, 77))
    }
}

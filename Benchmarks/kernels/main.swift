// Times the pixel kernels against plain code or memcpy in the same run. Ratios below 1 are faster than the yardstick.

import Foundation

let (width, height) = (1920, 1080)
let count = width * height

/// Memory for a picture that is never freed: the program is short.
func buffer<Sample: FixedWidthInteger & UnsignedInteger>(_ type: Sample.Type, _ count: Int) -> UnsafeMutablePointer<
    Sample
> {
    let samples = UnsafeMutablePointer<Sample>.allocate(capacity: count)
    var state: UInt64 = 1
    for index in 0..<count {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        samples[index] = Sample(truncatingIfNeeded: state >> 40)
    }
    return samples
}

let (a8, b8, mask) = (buffer(UInt8.self, count), buffer(UInt8.self, count), buffer(UInt8.self, count))
let (a16, b16) = (buffer(UInt16.self, count), buffer(UInt16.self, count))
let copy8 = leastTime { memcpy(a8, b8, count) }
let copy16 = leastTime { memcpy(a16, b16, 2 * count) }
let plane8 = Plane(base: a8, width: width, height: height, stride: width, bytesPerSample: 1)
let plane16 = Plane(base: a16, width: width, height: height, stride: 2 * width, bytesPerSample: 2)
var sink: UInt64 = 0

func rows(_ body: (_ offset: Int, _ y: Int) -> Void) { for y in 0..<height { body(y * width, y) } }

print("One 1080p plane of luma, per sample; ratios are to the yardstick named\n")

report(
    "Blending bytes is far faster than with checked arithmetic",
    leastTime { rows { y, _ in blend8(a8 + y, b8 + y, mask + y, width) } }, samples: count,
    yardstick: leastTime { rows { y, _ in plainBlend(a8 + y, b8 + y, mask + y, width) } }, "plain")
report(
    "Blending bytes costs a few copies", leastTime { rows { y, _ in blend8(a8 + y, b8 + y, mask + y, width) } },
    samples: count, yardstick: copy8, "memcpy")
report(
    "Blending 16-bit samples is far faster than with checked arithmetic",
    leastTime { rows { y, _ in blend16(a16 + y, b16 + y, mask + y, width) } }, samples: count,
    yardstick: leastTime { rows { y, _ in plainBlend(a16 + y, b16 + y, mask + y, width) } }, "plain")
report(
    "Blending 16-bit samples costs a few copies",
    leastTime { rows { y, _ in blend16(a16 + y, b16 + y, mask + y, width) } }, samples: count, yardstick: copy16,
    "memcpy")
report(
    "Summing cells of bytes is faster than with checked arithmetic",
    leastTime { for x in stride(from: 0, to: width, by: 40) { sink &+= cellSum8(plane8, x..<x + 40, 0..<height) } },
    samples: count, yardstick: leastTime { rows { y, _ in sink &+= UInt64(plainSum(a8 + y, width)) } }, "plain")
report(
    "Summing cells of 16-bit samples is faster than with checked arithmetic",
    leastTime { for x in stride(from: 0, to: width, by: 40) { sink &+= cellSum16(plane16, x..<x + 40, 0..<height) } },
    samples: count, yardstick: leastTime { rows { y, _ in sink &+= UInt64(plainSum(a16 + y, width)) } }, "plain")

let colors = buffer(UInt16.self, 3 * 100)
let cells8 = UnsafeMutablePointer<UInt16>.allocate(capacity: 300)
for index in 0..<300 { cells8[index] = colors[index] & 255 }
func cells(_ colors: UnsafeMutablePointer<UInt16>) -> CellRow {
    CellRow(
        originX: -6, side: 40, columns: 0..<50, above: colors, own: colors + 100, below: colors + 200, position: 0.3)
}
report(
    "Flat cells of bytes are drawn as fast as memory is written",
    leastTime { rows { y, _ in fillCells8(a8 + y, 0..<width, cells(cells8)) } }, samples: count, yardstick: copy8,
    "memcpy")
report(
    "Flat cells of bytes are drawn by runs, not by samples",
    leastTime { rows { y, _ in fillCells8(a8 + y, 0..<width, cells(cells8)) } }, samples: count,
    yardstick: leastTime { rows { y, _ in plainFill(a8 + y, 0..<width, cells(cells8)) } }, "plain")
report(
    "Flat cells of 16-bit samples are drawn by runs, not by samples",
    leastTime { rows { y, _ in fillCells16(a16 + y, 0..<width, cells(colors)) } }, samples: count,
    yardstick: leastTime { rows { y, _ in plainFill(a16 + y, 0..<width, cells(colors)) } }, "plain")
report(
    "Smooth cells of bytes are one quadratic a cell, not nine weights a sample",
    leastTime { rows { y, _ in smoothCells8(a8 + y, 0..<width, cells(cells8)) } }, samples: count,
    yardstick: leastTime { rows { y, _ in plainSmooth(a8 + y, 0..<width, cells(cells8)) } }, "plain")
report(
    "Smooth cells of bytes cost about ten copies",
    leastTime { rows { y, _ in smoothCells8(a8 + y, 0..<width, cells(cells8)) } }, samples: count, yardstick: copy8,
    "memcpy")
report(
    "Smooth cells of 16-bit samples cost some copies",
    leastTime { rows { y, _ in smoothCells16(a16 + y, 0..<width, cells(colors)) } }, samples: count,
    yardstick: copy16, "memcpy")

let region = MaskRegion(
    track: 1, centerX: 960, centerY: 540, radiusX: 390, radiusY: 520, angle: 12, faceWidth: 600, faceHeight: 800)
let outline = MaskOutline(region, shape: .ellipse, softness: FilterChain.defaultSoftness)
report(
    "A large turned ellipse is worked out at its soft edge only",
    leastTime { rows { y, row in raiseMask(mask + y, left: 0, y: row, width: width, outline: outline) } },
    samples: count, yardstick: leastTime { rows { y, row in plainMask(mask + y, row, width, outline) } }, "plain")
report(
    "The chroma mask is made faster than by plain code",
    leastTime {
        for y in stride(from: 0, to: height, by: 2) {
            reduceMask(b8 + y / 2 * width, mask + y * width, lumaWidth: width, stride: width, rows: 2, shift: 1)
        }
    }, samples: count,
    yardstick: leastTime {
        for y in stride(from: 0, to: height, by: 2) { plainReduce(b8 + y / 2 * width, mask + y * width, width) }
    }, "plain")

// Whole frames, as 8-bit and 10-bit 4:2:0.
func view<Sample: FixedWidthInteger & UnsignedInteger>(_ samples: UnsafeMutablePointer<Sample>, depth: Int)
    -> PlanarView
{
    let size = MemoryLayout<Sample>.size
    func plane(_ offset: Int, _ width: Int, _ height: Int) -> Plane {
        Plane(base: samples + offset, width: width, height: height, stride: width * size, bytesPerSample: size)
    }
    return PlanarView(
        planes: [
            plane(0, width, height), plane(count, width / 2, height / 2), plane(count * 5 / 4, width / 2, height / 2),
        ], model: .yuv, hasAlpha: false, depth: depth, chromaShiftX: 1, chromaShiftY: 1, fullRange: false)
}
let frame8 = view(buffer(UInt8.self, count * 3 / 2), depth: 8)
let samples10 = buffer(UInt16.self, count * 3 / 2)
for index in 0..<count * 3 / 2 { samples10[index] &= 1023 }
let frame10 = view(samples10, depth: 10)

let close = [region]
let crowd = (0..<40).map { index in
    MaskRegion(
        track: index, centerX: Double(120 + index % 8 * 240), centerY: Double(110 + index / 8 * 215), radiusX: 40,
        radiusY: 52, faceWidth: 62, faceHeight: 80)
}
print("\nWhole 1080p frames of 4:2:0, per luma sample of the frame; ratios are to copying the frame\n")
for (name, regions) in [("one large face", close), ("forty small faces", crowd), ("no face", [])] {
    for (effectName, effect) in [
        ("pixellated", Effect.pixellate()), ("blurred", .blur()), ("painted over", .solid(color: .black)),
    ] {
        for (depth, frame, copy) in [(8, frame8, copy8 * 1.5), (10, frame10, copy16 * 1.5)] {
            guard let redactor = try? Redactor(FilterChain(effects: [effect])) else { continue }
            var time = 0.0
            // At 25 frames a second, so that the least time is that of a frame with held colours.
            let least = leastTime {
                redactor.apply(to: frame, regions: regions, time: time)
                time += 0.04
            }
            report("A frame with \(name), \(effectName), \(depth) bit", least, samples: count, yardstick: copy, "copy")
            if regions.isEmpty { continue }
            guard let fresh = try? Redactor(FilterChain(effects: [effect], hold: 0)) else { continue }
            if case .solid = effect { continue }
            report(
                "The same with fresh colours", leastTime { fresh.apply(to: frame, regions: regions, time: 0) },
                samples: count, yardstick: copy, "copy")
        }
    }
}
if sink == 1 { print(sink) }

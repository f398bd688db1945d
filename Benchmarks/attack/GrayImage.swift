import Foundation

/// A picture of luma values 0…255 in rows.
struct GrayImage {
    let width: Int
    let height: Int
    var samples: [Float]

    init(width: Int, height: Int, value: Float = 0) {
        self.width = width
        self.height = height
        samples = Array(repeating: value, count: width * height)
    }

    /// Between pixels in a straight line, past the edge the edge's own; `x` and `y` count from pixel centres.
    func at(_ x: Float, _ y: Float) -> Float {
        let cx = min(max(x, 0), Float(width - 1))
        let cy = min(max(y, 0), Float(height - 1))
        let (x0, y0) = (Int(cx), Int(cy))
        let (x1, y1) = (min(x0 + 1, width - 1), min(y0 + 1, height - 1))
        let (fx, fy) = (cx - Float(x0), cy - Float(y0))
        let top = samples[y0 * width + x0] * (1 - fx) + samples[y0 * width + x1] * fx
        let bottom = samples[y1 * width + x0] * (1 - fx) + samples[y1 * width + x1] * fx
        return top * (1 - fy) + bottom * fy
    }

    /// The part from (`x`, `y`) on, shrunk to `width` × `height` by averaging.
    func shrunk(x: Double, y: Double, scale: Double, width: Int, height: Int) -> GrayImage {
        var out = GrayImage(width: width, height: height)
        let taps = max(1, Int(scale.rounded(.up)))
        for row in 0..<height {
            for column in 0..<width {
                var sum: Float = 0
                for j in 0..<taps {
                    for i in 0..<taps {
                        let sx = x + (Double(column) + (Double(i) + 0.5) / Double(taps)) * scale - 0.5
                        let sy = y + (Double(row) + (Double(j) + 0.5) / Double(taps)) * scale - 0.5
                        sum += at(Float(sx), Float(sy))
                    }
                }
                out.samples[row * width + column] = sum / Float(taps * taps)
            }
        }
        return out
    }

    /// Reads a binary PGM or PPM file of 8 bits; nil if it is none.
    init?(netpbm data: Data) {
        let bytes = [UInt8](data)
        var position = 0
        func token() -> String {
            var text: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "#") {
                    while position < bytes.count, bytes[position] != 10 { position += 1 }
                } else if [9, 10, 13, 32].contains(byte) {
                    if !text.isEmpty { break }
                } else {
                    text.append(byte)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
        let kind = token()
        guard ["P5", "P6"].contains(kind), let width = Int(token()), let height = Int(token()), token() == "255",
            width > 0, height > 0, bytes.count >= position + width * height * (kind == "P6" ? 3 : 1)
        else { return nil }
        self.init(width: width, height: height)
        for index in samples.indices {
            if kind == "P5" {
                samples[index] = Float(bytes[position + index])
            } else {
                let pixel = position + 3 * index
                samples[index] =
                    0.299 * Float(bytes[pixel]) + 0.587 * Float(bytes[pixel + 1]) + 0.114 * Float(bytes[pixel + 2])
            }
        }
    }

    var pgm: Data {
        Data("P5\n\(width) \(height)\n255\n".utf8) + Data(samples.map { UInt8(min(max($0.rounded(), 0), 255)) })
    }

    /// A face-like texture: an oval with hair, brows, eyes, nose, mouth and skin noise, over a patterned ground. The
    /// face's bounds are `face` pixels high in the middle of the picture.
    static func portrait(width: Int, height: Int, face: Double) -> GrayImage {
        var out = GrayImage(width: width, height: height)
        var state: UInt64 = 7
        func random() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 24) - 0.5
        }
        func soft(_ distance: Double, _ width: Double) -> Double { 1 / (1 + exp(distance / width)) }
        for row in 0..<height {
            for column in 0..<width {
                // In face units: x -0.4…0.4, y -0.5…0.5 are the bounds.
                let x = (Double(column) + 0.5 - Double(width) / 2) / face
                let y = (Double(row) + 0.5 - Double(height) / 2) / face
                func oval(_ cx: Double, _ cy: Double, _ rx: Double, _ ry: Double) -> Double {
                    soft(hypot((x - cx) / rx, (y - cy) / ry) - 1, 0.08)
                }
                var value = 120 + 25 * sin(9 * x + 4 * y) + 20 * sin(23 * y - 7 * x)
                func paint(_ amount: Double, _ level: Double) { value += amount * (level - value) }
                paint(oval(0, -0.08, 0.46, 0.56), 45 + 18 * sin(60 * x + 9 * y))
                paint(oval(0, 0.04, 0.37, 0.46), 178 - 60 * x - 20 * y)
                for side in [-1.0, 1.0] {
                    paint(oval(0.16 * side, -0.13, 0.1, 0.022), 60)
                    paint(oval(0.16 * side, -0.03, 0.085, 0.038), 225)
                    paint(oval(0.16 * side + 0.01, -0.03, 0.034, 0.036), 35)
                    paint(oval(0.2 * side, 0.16, 0.07, 0.06), 165 - 30 * side)
                    paint(oval(0.045 * side, 0.155, 0.022, 0.014), 80)
                }
                paint(oval(0.03, 0.06, 0.025, 0.11), 205)
                paint(oval(0, 0.29, 0.13, 0.035), 95)
                paint(oval(0, 0.285, 0.11, 0.008), 50)
                paint(oval(-0.02, 0.4, 0.06, 0.03), 190)
                out.samples[row * width + column] = Float(value) + 10 * random()
            }
        }
        return out
    }

    /// Structural similarity (Wang et al., 2004) with 7×7 windows, mean over the ellipse inscribed in a box.
    func similarity(to other: GrayImage, centerX: Double, centerY: Double, radiusX: Double, radiusY: Double) -> Double {
        let (c1, c2) = (6.5025, 58.5225)  // (0.01 · 255)², (0.03 · 255)²
        var (total, count) = (0.0, 0.0)
        for row in 3..<height - 3 {
            for column in 3..<width - 3 {
                let dx = (Double(column) + 0.5 - centerX) / radiusX
                let dy = (Double(row) + 0.5 - centerY) / radiusY
                guard dx * dx + dy * dy <= 1 else { continue }
                var (sa, sb, saa, sbb, sab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for j in -3...3 {
                    for i in -3...3 {
                        let index = (row + j) * width + column + i
                        let (a, b) = (Double(samples[index]), Double(other.samples[index]))
                        sa += a
                        sb += b
                        saa += a * a
                        sbb += b * b
                        sab += a * b
                    }
                }
                let (ma, mb) = (sa / 49, sb / 49)
                let (va, vb, cov) = (saa / 49 - ma * ma, sbb / 49 - mb * mb, sab / 49 - ma * mb)
                total += (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2))
                count += 1
            }
        }
        return count > 0 ? total / count : 0
    }
}

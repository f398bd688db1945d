import Glibc
import Testing
import VeilCore
import VeilPixels
import VeilVision

/// The folder that holds Package.swift.
let checkout: String = {
    let parts = #filePath.split(separator: "/")
    return "/" + parts.dropLast(3).joined(separator: "/")
}()

/// A picture in memory, 8-bit red, green and blue planes.
struct RGBPicture: Sendable {
    var width: Int
    var height: Int
    /// red, green, blue
    var planes: [[UInt8]]

    init(width: Int, height: Int, gray: UInt8 = 96) {
        self.width = width
        self.height = height
        planes = Array(repeating: Array(repeating: gray, count: width * height), count: 3)
    }

    /// Puts another picture's upper left corner at x, y; what lies outside is cut.
    mutating func paste(_ other: RGBPicture, x left: Int, y top: Int) {
        for c in 0..<3 {
            for y in max(0, -top)..<max(0, -top, min(other.height, height - top)) {
                for x in max(0, -left)..<max(0, -left, min(other.width, width - left)) {
                    planes[c][(top + y) * width + left + x] = other.planes[c][y * other.width + x]
                }
            }
        }
    }

    /// The coded picture that this orientation turns into `self`.
    func coded(for orientation: Orientation) -> RGBPicture {
        var out = RGBPicture(
            width: orientation.swapsAxes ? height : width, height: orientation.swapsAxes ? width : height)
        for y in 0..<height {
            for x in 0..<width {
                let p = orientation.coded(
                    NormalizedPoint(x: (Double(x) + 0.5) / Double(width), y: (Double(y) + 0.5) / Double(height)))
                let to = Int(p.y * Double(out.height)) * out.width + Int(p.x * Double(out.width))
                for c in 0..<3 { out.planes[c][to] = planes[c][y * width + x] }
            }
        }
        return out
    }

    func mirrored() -> RGBPicture { coded(for: .upMirrored) }
}

/// The portrait of samples/: NASA's picture of the astronaut Eileen Collins (public domain).
enum Portrait {
    /// The face's box, drawn by hand from hairline to chin and from ear to ear, in the 512×512 picture.
    static let face = NormalizedRect(x: 178.0 / 512, y: 66.0 / 512, width: 94.0 / 512, height: 122.0 / 512)

    /// The picture, decoded and scaled by the ffmpeg tool to `side`×`side` pixels.
    static func picture(side: Int) throws -> RGBPicture {
        let command = """
            ffmpeg -v error -nostdin -i '\(checkout)/samples/astronaut.jpg' -f rawvideo -pix_fmt gbrp \
            -vf scale=\(side):\(side):flags=area+accurate_rnd+full_chroma_int -
            """
        let output = try #require(popen(command, "r"))
        var bytes = [UInt8](repeating: 0, count: side * side * 3 + 1)
        let count = fread(&bytes, 1, bytes.count, output)
        try #require(pclose(output) == 0, "ffmpeg could not decode samples/astronaut.jpg")
        bytes.removeLast(bytes.count - count)
        try #require(bytes.count == side * side * 3)
        var picture = RGBPicture(width: side, height: side)
        let (green, blue, red) = (
            bytes[..<(side * side)], bytes[(side * side)..<(side * side * 2)], bytes[(side * side * 2)...]
        )
        picture.planes = [Array(red), Array(green), Array(blue)]
        return picture
    }
}

/// Several copies of the portrait on one canvas, and the boxes of their faces.
struct Scene: Sendable {
    var picture: RGBPicture
    var faces: [NormalizedRect]

    struct Copy: Sendable {
        var x: Int
        var y: Int
        var side: Int
    }

    init(width: Int, height: Int, copies: [Copy]) throws {
        picture = RGBPicture(width: width, height: height)
        faces = []
        for copy in copies {
            picture.paste(try Portrait.picture(side: copy.side), x: copy.x, y: copy.y)
            let f = Portrait.face
            faces.append(
                NormalizedRect(
                    x: (Double(copy.x) + f.x * Double(copy.side)) / Double(width),
                    y: (Double(copy.y) + f.y * Double(copy.side)) / Double(height),
                    width: f.width * Double(copy.side) / Double(width),
                    height: f.height * Double(copy.side) / Double(height)))
        }
    }
}

/// How a test picture is coded.
struct Coding: Sendable, CustomTestStringConvertible {
    var name: String
    var model: PlanarView.ColorModel = .yuv
    var depth = 8
    var shiftX = 0
    var shiftY = 0
    var fullRange = false
    var bt709 = true
    var bottomUp = false
    /// Bytes after each row.
    var padding = 0

    var testDescription: String { name }

    static let plain = Coding(name: "8-bit 4:2:0", shiftX: 1, shiftY: 1)
}

/// A coded picture that owns its memory.
final class CodedPicture {
    private var storage: [UnsafeMutableRawPointer] = []
    private(set) var planes: [Plane] = []
    let coding: Coding

    init(_ picture: RGBPicture, _ coding: Coding) {
        self.coding = coding
        let values = Self.code(picture, coding)
        for (index, plane) in values.enumerated() {
            let chroma = coding.model == .yuv && index > 0
            let sx = chroma ? coding.shiftX : 0
            let sy = chroma ? coding.shiftY : 0
            let width = (picture.width + (1 << sx) - 1) >> sx
            let height = (picture.height + (1 << sy) - 1) >> sy
            let size = coding.depth > 8 ? 2 : 1
            let stride = width * size + coding.padding
            let memory = UnsafeMutableRawPointer.allocate(byteCount: stride * height, alignment: 64)
            memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: stride * height)
            storage.append(memory)
            let view = Plane(
                base: coding.bottomUp ? memory + (height - 1) * stride : memory, width: width, height: height,
                stride: coding.bottomUp ? -stride : stride, bytesPerSample: size)
            planes.append(view)
            for y in 0..<height {
                for x in 0..<width {
                    // The mean of the luma samples that share this sample.
                    var sum = 0.0
                    var count = 0.0
                    for yy in (y << sy)..<min(picture.height, (y + 1) << sy) {
                        for xx in (x << sx)..<min(picture.width, (x + 1) << sx) {
                            sum += plane[yy * picture.width + xx]
                            count += 1
                        }
                    }
                    let value = Int((sum / count).rounded())
                    if size == 1 {
                        view.row(y).storeBytes(of: UInt8(clamping: value), toByteOffset: x, as: UInt8.self)
                    } else {
                        view.row(y).storeBytes(of: UInt16(clamping: value), toByteOffset: 2 * x, as: UInt16.self)
                    }
                }
            }
        }
    }

    deinit {
        for memory in storage { memory.deallocate() }
    }

    var view: PlanarView {
        PlanarView(
            planes: planes, model: coding.model, hasAlpha: false, depth: coding.depth, chromaShiftX: coding.shiftX,
            chromaShiftY: coding.shiftY, fullRange: coding.fullRange, bt709: coding.bt709)
    }

    /// Code values at full resolution, before chroma is subsampled (ITU-R BT.601 and BT.709).
    private static func code(_ picture: RGBPicture, _ coding: Coding) -> [[Double]] {
        let unit = Double(1 << (coding.depth - 8))
        let top = Double((1 << coding.depth) - 1)
        let rgb = picture.planes
        if coding.model == .gbr { return [rgb[1], rgb[2], rgb[0]].map { $0.map { Double($0) / 255 * top } } }
        let kr = coding.bt709 ? 0.2126 : 0.299
        let kb = coding.bt709 ? 0.0722 : 0.114
        var planes = Array(repeating: Array(repeating: 0.0, count: rgb[0].count), count: 3)
        for i in rgb[0].indices {
            let r = Double(rgb[0][i]) / 255
            let g = Double(rgb[1][i]) / 255
            let b = Double(rgb[2][i]) / 255
            let y = kr * r + (1 - kr - kb) * g + kb * b
            planes[0][i] = coding.fullRange ? y * top : (16 + 219 * y) * unit
            let chroma = coding.fullRange ? top : 224 * unit
            planes[1][i] = 128 * unit + chroma * (b - y) / (2 * (1 - kb))
            planes[2][i] = 128 * unit + chroma * (r - y) / (2 * (1 - kr))
        }
        return coding.model == .gray ? [planes[0]] : planes
    }
}

/// The checkout's models. Fails, and says how to get them, where they are absent.
func checkedModel(_ name: String) throws -> Model {
    do {
        return try ModelStore(directory: checkout + "/Models").model(name)
    } catch {
        Issue.record("\(error)")
        throw error
    }
}

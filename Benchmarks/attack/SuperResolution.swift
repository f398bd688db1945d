/// Where a look's cells lie on the still, worked out once.
struct Footprint {
    let look: Look
    /// For each pixel of the still, the cell it lies in, or -1.
    private(set) var cellOfPixel: [Int32]
    /// For each pixel of the frame that lies in a cell: the cell, and where on the still it comes from.
    private(set) var pixels: [(cell: Int32, x: Float, y: Float)] = []

    init(_ look: Look, width: Int, height: Int) {
        self.look = look
        let pose = look.pose
        cellOfPixel = Array(repeating: -1, count: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let fx = (Double(x) + 0.5 - Double(width) / 2) * pose.scale + pose.x
                let fy = (Double(y) + 0.5 - Double(height) / 2) * pose.scale + pose.y
                cellOfPixel[y * width + x] = Self.cell(Int(fx.rounded(.down)), Int(fy.rounded(.down)), look)
            }
        }
        let left = max(0, look.originX + look.columns.lowerBound * look.side)
        let right = min(Scene.width, look.originX + look.columns.upperBound * look.side)
        let top = max(0, look.originY + look.rows.lowerBound * look.side)
        let bottom = min(Scene.height, look.originY + look.rows.upperBound * look.side)
        for y in top..<max(top, bottom) {
            for x in left..<max(left, right) {
                let cell = Self.cell(x, y, look)
                guard cell >= 0 else { continue }
                let sx = (Double(x) + 0.5 - pose.x) / pose.scale + Double(width) / 2 - 0.5
                let sy = (Double(y) + 0.5 - pose.y) / pose.scale + Double(height) / 2 - 0.5
                pixels.append((cell, Float(sx), Float(sy)))
            }
        }
    }

    private static func cell(_ x: Int, _ y: Int, _ look: Look) -> Int32 {
        let column = floorDivide(x - look.originX, look.side)
        let row = floorDivide(y - look.originY, look.side)
        guard look.columns.contains(column), look.rows.contains(row) else { return -1 }
        let cell = (row - look.rows.lowerBound) * look.columns.count + column - look.columns.lowerBound
        return look.colors[cell].isNaN ? -1 : Int32(cell)
    }

    /// The mean of each cell if `still` were the face.
    func means(_ still: GrayImage) -> [Float] {
        var sums = [Float](repeating: 0, count: look.colors.count)
        var counts = sums
        for pixel in pixels {
            sums[Int(pixel.cell)] += still.at(pixel.x, pixel.y)
            counts[Int(pixel.cell)] += 1
        }
        return zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 }
    }
}

/// Gives a face back from cells seen at many positions: the average of the looks laid over one another, then iterative
/// back-projection (Irani and Peleg, 1991) with the known cells.
struct SuperResolution {
    let width: Int
    let height: Int
    var iterations = 40
    /// Differences up to this are taken for rounding and left alone (0 trusts the cells to the last digit).
    var tolerance: Float = 0
    /// Whether to expect a smooth face: the start and each correction are blurred over a part of a cell.
    var isSmooth = false

    func recover(_ looks: [Footprint]) -> GrayImage {
        var estimate = GrayImage(width: width, height: height, value: 128)
        for (index, value) in spread(looks, looks.map(\.look.colors)).samples.enumerated() where !value.isNaN {
            estimate.samples[index] = value
        }
        let radius = isSmooth ? (looks.first?.look.side ?? 0) / 4 : 0
        estimate.blur(radius)
        for _ in 0..<iterations {
            let residuals = looks.map { footprint in
                zip(footprint.look.colors, footprint.means(estimate)).map { color, mean in
                    let difference = color - mean
                    if difference > tolerance { return difference - tolerance }
                    return difference < -tolerance ? difference + tolerance : 0
                }
            }
            var correction = spread(looks, residuals)
            for index in correction.samples.indices where correction.samples[index].isNaN {
                correction.samples[index] = 0
            }
            correction.blur(radius)
            for index in estimate.samples.indices { estimate.samples[index] += correction.samples[index] }
        }
        return estimate
    }

    /// For each pixel the mean over the looks of the value of the cell that it lies in; NaN where no look shows any.
    private func spread(_ looks: [Footprint], _ values: [[Float]]) -> GrayImage {
        var sums = GrayImage(width: width, height: height)
        var counts = [Float](repeating: 0, count: width * height)
        for (footprint, cells) in zip(looks, values) {
            for (index, cell) in footprint.cellOfPixel.enumerated() where cell >= 0 {
                sums.samples[index] += cells[Int(cell)]
                counts[index] += 1
            }
        }
        for index in counts.indices { sums.samples[index] /= counts[index] }
        return sums
    }
}

extension GrayImage {
    /// Three box blurs, near to a Gaussian one; the edge repeats.
    mutating func blur(_ radius: Int) {
        guard radius > 0 else { return }
        for _ in 0..<3 {
            for (count, step, lines, stride) in [(width, 1, height, width), (height, width, width, 1)] {
                for line in 0..<lines {
                    let base = line * stride
                    let old = (0..<count).map { samples[base + $0 * step] }
                    var sum: Float = 0
                    for k in -radius...radius { sum += old[min(max(k, 0), count - 1)] }
                    for k in 0..<count {
                        samples[base + k * step] = sum / Float(2 * radius + 1)
                        sum += old[min(k + radius + 1, count - 1)] - old[max(k - radius, 0)]
                    }
                }
            }
        }
    }
}

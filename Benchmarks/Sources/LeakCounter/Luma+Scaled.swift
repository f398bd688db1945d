extension Luma {
    /// The picture at another size: each pixel is the mean of the area that it covers. Made for sizes that differ a little
    /// (an encoder that rounds sizes up) or that shrink; enlarging interpolates between the nearest two.
    public func scaled(toWidth newWidth: Int, height newHeight: Int) -> Luma {
        if newWidth == width && newHeight == height { return self }
        let columns = AreaTaps(from: width, to: newWidth)
        let rows = AreaTaps(from: height, to: newHeight)
        var wide = [Float](repeating: 0, count: newWidth * height)
        for y in 0..<height {
            for x in 0..<newWidth {
                let first = columns.first[x]
                var sum: Float = 0
                for k in 0..<columns.length {
                    sum += columns.weights[x * columns.length + k] * Float(samples[y * width + first + k])
                }
                wide[y * newWidth + x] = sum
            }
        }
        var result = [UInt8](repeating: 0, count: newWidth * newHeight)
        var row = [Float](repeating: 0, count: newWidth)
        for y in 0..<newHeight {
            for x in 0..<newWidth { row[x] = 0 }
            for k in 0..<rows.length {
                let weight = rows.weights[y * rows.length + k]
                let base = (rows.first[y] + k) * newWidth
                for x in 0..<newWidth { row[x] += weight * wide[base + x] }
            }
            for x in 0..<newWidth { result[y * newWidth + x] = UInt8(min(max(row[x] + 0.5, 0), 255)) }
        }
        return Luma(width: newWidth, height: newHeight, samples: result)
    }
}

/// For each new sample the old ones that it is made of, and their weights.
private struct AreaTaps {
    /// How many old samples go into each new one; the same for all, some with weight 0.
    let length: Int
    var first: [Int] = []
    var weights: [Float] = []

    init(from old: Int, to new: Int) {
        let ratio = Double(old) / Double(new)
        let shrinks = ratio >= 1
        length = min(old, shrinks ? Int(ratio.rounded(.up)) + 1 : 2)
        for i in 0..<new {
            let start: Int
            var own = [Double](repeating: 0, count: length)
            if shrinks {
                let low = Double(i) * ratio
                start = min(Int(low), old - length)
                for k in 0..<length {
                    let overlap = min(low + ratio, Double(start + k + 1)) - max(low, Double(start + k))
                    own[k] = max(0, overlap)
                }
            } else {
                let centre = min(max((Double(i) + 0.5) * ratio - 0.5, 0), Double(old - 1))
                start = min(Int(centre), old - length)
                for k in 0..<length { own[k] = max(0, 1 - abs(centre - Double(start + k))) }
            }
            let sum = own.reduce(0, +)
            first.append(start)
            weights += own.map { Float($0 / sum) }
        }
    }
}

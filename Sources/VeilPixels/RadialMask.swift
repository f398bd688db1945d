/// Raises one row of a mask to what a region's outline wants there. A mask of several regions is the highest of each.
///
/// `row[0]` is column `left`. Returns the columns it may have touched.
///
/// - Parameter columns: the region's own, cut by the picture's edge. They and a row's span come from two formulas, which may
///   round to different pixels: nothing is written outside of either.
@discardableResult
func raiseMask(
    _ row: UnsafeMutablePointer<UInt8>, left: Int, y: Int, columns: Range<Int>, outline: MaskOutline
) -> Range<Int> {
    let touched = outline.touched(row: y, width: columns.upperBound).clamped(to: columns)
    guard !touched.isEmpty else { return touched }
    let opaque = outline.opaque(row: y, width: columns.upperBound).clamped(to: columns)
    if opaque.isEmpty {
        raiseEdge(row, left, touched, y, outline)
        return touched
    }
    raiseEdge(row, left, touched.lowerBound..<max(opaque.lowerBound, touched.lowerBound), y, outline)
    (row + (opaque.lowerBound &- left)).update(repeating: 255, count: opaque.count)
    raiseEdge(row, left, min(opaque.upperBound, touched.upperBound)..<touched.upperBound, y, outline)
    return touched
}

private func raiseEdge(
    _ row: UnsafeMutablePointer<UInt8>, _ left: Int, _ columns: Range<Int>, _ y: Int, _ outline: MaskOutline
) {
    guard !columns.isEmpty else { return }
    let start = row + (columns.lowerBound &- left)
    let dx = Double(columns.lowerBound) + 0.5 - outline.centerX
    let dy = Double(y) + 0.5 - outline.centerY
    // Along the outline's own axes; one step to the right adds (cosine, -sine).
    let u = dx * outline.cosine + dy * outline.sine
    let v = dy * outline.cosine - dx * outline.sine
    switch outline.shape {
    case .ellipse: raiseEllipseEdge(start, columns.count, u, v, outline)
    case .box: raiseBoxEdge(start, columns.count, u, v, outline)
    }
}

/// Smoothstep from 1 at `t` = 0 to 0 at 1, as 0…255. The bias rounds (see `smoothCells8`).
@inline(__always)
private func falloff(_ t: Float) -> UInt8 {
    let s = t > 0 ? (t < 1 ? t : 1) : 0
    return UInt8(truncatingIfNeeded: (255 * (1 - s * s * (3 - 2 * s)) + 8_388_608).bitPattern)
}

/// The soft edge of an ellipse: a smoothstep along the ray from the centre, from the opaque ellipse to the outer one.
private func raiseEllipseEdge(
    _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ u: Double, _ v: Double, _ outline: MaskOutline
) {
    let (u0, v0) = (Float(u), Float(v))
    let (du, dv) = (Float(outline.cosine), Float(-outline.sine))
    let (innerX, innerY) = (1 / Float(outline.innerX), 1 / Float(outline.innerY))
    let (outerX, outerY) = (1 / Float(outline.outerX), 1 / Float(outline.outerY))
    for k in 0..<count {
        let step = Float(Int32(truncatingIfNeeded: k))
        let (pu, pv) = (u0 + step * du, v0 + step * dv)
        // Distances from the centre in units of the two ellipses' radii along this ray.
        let (iu, iv, ou, ov) = (pu * innerX, pv * innerY, pu * outerX, pv * outerY)
        let inner = (iu * iu + iv * iv).squareRoot()
        let outer = (ou * ou + ov * ov).squareRoot()
        let value = falloff((inner - 1) * outer / (inner - outer))
        row[k] = row[k] > value ? row[k] : value
    }
}

/// The soft edge of a box: a smoothstep of the distance to it.
private func raiseBoxEdge(
    _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ u: Double, _ v: Double, _ outline: MaskOutline
) {
    let (u0, v0) = (Float(u), Float(v))
    let (du, dv) = (Float(outline.cosine), Float(-outline.sine))
    let (innerX, innerY, width) = (Float(outline.innerX), Float(outline.innerY), 1 / Float(outline.feather))
    for k in 0..<count {
        let step = Float(Int32(truncatingIfNeeded: k))
        let pu = (u0 + step * du).magnitude - innerX
        let pv = (v0 + step * dv).magnitude - innerY
        let (x, y) = (pu > 0 ? pu : 0, pv > 0 ? pv : 0)
        let value = falloff((x * x + y * y).squareRoot() * width)
        row[k] = row[k] > value ? row[k] : value
    }
}

/// Makes a row of the chroma mask: each sample the highest of the luma mask's that it covers, so that no colour shows
/// where luma is hidden.
///
/// `luma` holds `rows` rows of `lumaWidth` values, one `stride` after the other.
func reduceMask(
    _ out: UnsafeMutablePointer<UInt8>, _ luma: UnsafePointer<UInt8>, lumaWidth: Int, stride: Int, rows: Int,
    shift: Int
) {
    let width = (lumaWidth &+ (1 &<< shift) &- 1) &>> shift
    out.update(repeating: 0, count: width)
    for y in 0..<rows {
        let row = luma + y &* stride
        switch shift {
        case 0:
            for x in 0..<width { out[x] = out[x] > row[x] ? out[x] : row[x] }
        case 1:
            let pairs = lumaWidth &>> 1
            for x in 0..<pairs {
                let high = row[2 &* x] > row[2 &* x &+ 1] ? row[2 &* x] : row[2 &* x &+ 1]
                out[x] = out[x] > high ? out[x] : high
            }
            if pairs < width { out[pairs] = max(out[pairs], row[lumaWidth &- 1]) }
        default:
            for x in 0..<lumaWidth {
                let block = x &>> shift
                out[block] = out[block] > row[x] ? out[block] : row[x]
            }
        }
    }
}

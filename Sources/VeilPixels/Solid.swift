/// One colour over everything drawn so far.
struct Solid: Filter {
    var color: RGBColor
    /// 0…1; 1 hides what is below.
    var opacity: Double

    var cells: Int? { nil }
    /// Whether the weight in 256ths is full: what rounds to less than that lets something through.
    var covers: Bool { weight == 256 }
    private var weight: UInt32 { UInt32(min(max(opacity, 0), 1) * 256) }

    func draw(_ row: EffectRow) {
        let sample = color.sample(plane: row.plane, in: row.format)
        if row.format.bytesPerSample == 1 {
            let out = row.samples.assumingMemoryBound(to: UInt8.self)
            tint8(out, row.x.count, UInt8(truncatingIfNeeded: sample), weight)
        } else {
            tint16(row.samples.assumingMemoryBound(to: UInt16.self), row.x.count, sample, weight)
        }
    }
}

/// Mixes a colour into a row, with a weight of 0…256.
func tint8(_ out: UnsafeMutablePointer<UInt8>, _ count: Int, _ sample: UInt8, _ weight: UInt32) {
    if weight == 256 { return out.update(repeating: sample, count: count) }
    let share = UInt32(sample) &* weight &+ 128
    for x in 0..<count {
        out[x] = UInt8(truncatingIfNeeded: (UInt32(out[x]) &* (256 &- weight) &+ share) &>> 8)
    }
}

/// `tint8` for samples of 9 to 16 bits.
func tint16(_ out: UnsafeMutablePointer<UInt16>, _ count: Int, _ sample: UInt16, _ weight: UInt32) {
    if weight == 256 { return out.update(repeating: sample, count: count) }
    let share = UInt32(sample) &* weight &+ 128
    for x in 0..<count {
        out[x] = UInt16(truncatingIfNeeded: (UInt32(out[x]) &* (256 &- weight) &+ share) &>> 8)
    }
}

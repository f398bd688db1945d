/// The sum of the samples in a rectangle of a plane. Nothing overflows below 2⁴⁸ samples.
func cellSum8(_ plane: Plane, _ x: Range<Int>, _ y: Range<Int>) -> UInt64 {
    var total: UInt64 = 0
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt8.self) + x.lowerBound
        var start = 0
        // 2²⁴ samples of 255 fit 32 bits, in which the loop vectorises best.
        while start < x.count {
            let end = min(x.count, start &+ (1 &<< 24))
            var sum: UInt32 = 0
            for k in start..<end { sum &+= UInt32(samples[k]) }
            total &+= UInt64(sum)
            start = end
        }
    }
    return total
}

/// `cellSum8` for samples of 9 to 16 bits.
func cellSum16(_ plane: Plane, _ x: Range<Int>, _ y: Range<Int>) -> UInt64 {
    var total: UInt64 = 0
    for row in y {
        let samples = plane.row(row).assumingMemoryBound(to: UInt16.self) + x.lowerBound
        var start = 0
        // 2¹⁶ samples of 65535 fit 32 bits.
        while start < x.count {
            let end = min(x.count, start &+ (1 &<< 16))
            var sum: UInt32 = 0
            for k in start..<end { sum &+= UInt32(samples[k]) }
            total &+= UInt64(sum)
            start = end
        }
    }
    return total
}

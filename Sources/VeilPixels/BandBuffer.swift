/// A region with all that is needed to draw it.
struct MaskedRegion {
    /// Nil for the whole frame.
    let outline: MaskOutline?
    /// The pixels it may touch, in whole chroma blocks.
    let area: PixelRect
    let cells: HeldCells?
    let track: Int
}

/// Regions whose areas hang together, in drawing order.
struct MaskedGroup {
    var area: PixelRect
    var regions: [MaskedRegion]
}

/// Puts regions with overlapping areas together, so that every pixel belongs to one group and is blended once.
func disjointGroups(_ regions: [MaskedRegion]) -> [MaskedGroup] {
    var groups: [(area: PixelRect, members: [Int])] = []
    for (index, region) in regions.enumerated() {
        var merged = (area: region.area, members: [index])
        // Each merge makes the area larger, which may bring it into reach of others.
        while let other = groups.firstIndex(where: { $0.area.overlaps(merged.area) }) {
            let group = groups.remove(at: other)
            merged = (group.area.union(merged.area), group.members + merged.members)
        }
        groups.append(merged)
    }
    return groups.map { group in MaskedGroup(area: group.area, regions: group.members.sorted().map { regions[$0] }) }
}

/// Draws a group of regions into a picture, one row of chroma blocks at a time: mask, effect, blend.
///
/// Only a few rows of mask and effect are ever in memory, and they stay in the cache.
final class BandBuffer {
    private var mask: UnsafeMutablePointer<UInt8>
    private var chromaMask: UnsafeMutablePointer<UInt8>
    private var effect: UnsafeMutableRawPointer
    private var capacity = 0

    init() {
        mask = .allocate(capacity: 1)
        chromaMask = .allocate(capacity: 1)
        effect = .allocate(byteCount: 2, alignment: 16)
    }

    deinit {
        mask.deallocate()
        chromaMask.deallocate()
        effect.deallocate()
    }

    /// Room for a band of `rows` rows of `width` pixels.
    private func reserve(_ width: Int, _ rows: Int) {
        guard width * rows > capacity else { return }
        mask.deallocate()
        chromaMask.deallocate()
        effect.deallocate()
        capacity = width * rows
        mask = .allocate(capacity: capacity)
        chromaMask = .allocate(capacity: capacity)
        effect = .allocate(byteCount: 2 * capacity, alignment: 16)
        // Where the mask is 0 the effect is never drawn but still read, times 0.
        effect.initializeMemory(as: UInt8.self, repeating: 0, count: 2 * capacity)
    }

    func redact(_ view: PlanarView, _ group: MaskedGroup, _ filters: [any Filter], _ format: PictureFormat) {
        // Through pointers: copying a region or a filter for each row counts references, which took as long as drawing.
        group.regions.withUnsafeBufferPointer { regions in
            filters.withUnsafeBufferPointer { filters in
                withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: 2 * regions.count) { spans in
                    spans.initialize(repeating: 0..<0)
                    redact(view, group.area, regions, filters, format, spans)
                }
            }
        }
    }

    /// `ranges` has room for two to a region: the columns that it touches in a row, and in the band's row of chroma.
    private func redact(
        _ view: PlanarView, _ area: PixelRect, _ regions: UnsafeBufferPointer<MaskedRegion>,
        _ filters: UnsafeBufferPointer<any Filter>, _ format: PictureFormat,
        _ ranges: UnsafeMutableBufferPointer<Range<Int>>
    ) {
        let width = area.x.count
        let bandHeight = 1 << format.shiftY
        reserve(width, bandHeight)
        let hasChroma = format.model == .yuv && format.planeCount > 1
        let spans = UnsafeMutableBufferPointer(rebasing: ranges[..<regions.count])
        let chromaSpans = UnsafeMutableBufferPointer(rebasing: ranges[regions.count...])

        var top = area.y.lowerBound
        while top < area.y.upperBound {
            let rows = min(bandHeight, area.y.upperBound - top)
            mask.update(repeating: 0, count: width * rows)
            for index in chromaSpans.indices { chromaSpans[index] = 0..<0 }
            for line in 0..<rows {
                let y = top + line
                let row = mask + line * width
                for index in regions.indices {
                    spans[index] = 0..<0
                    guard regions[index].area.y.contains(y) else { continue }
                    spans[index] = raise(
                        row, area.x.lowerBound, y, regions[index].outline, regions[index].area.x)
                    chromaSpans[index] = hull(chromaSpans[index], covering(spans[index], format.shiftX))
                }
                for plane in 0..<(hasChroma ? 1 : format.planeCount) {
                    draw(view, regions, filters, format, plane, y, spans, row, area.x.lowerBound)
                }
            }
            if hasChroma {
                reduceMask(
                    chromaMask, mask, lumaWidth: width, stride: width, rows: rows, shift: format.shiftX)
                for plane in 1..<format.planeCount {
                    draw(
                        view, regions, filters, format, plane, top >> format.shiftY, chromaSpans, chromaMask,
                        area.x.lowerBound >> format.shiftX)
                }
            }
            top += rows
        }
    }

    private func raise(
        _ row: UnsafeMutablePointer<UInt8>, _ left: Int, _ y: Int, _ outline: MaskOutline?, _ columns: Range<Int>
    ) -> Range<Int> {
        if let outline { return raiseMask(row, left: left, y: y, columns: columns, outline: outline) }
        (row + (columns.lowerBound - left)).update(repeating: 255, count: columns.count)
        return columns
    }

    /// The chroma columns that cover luma columns.
    private func covering(_ span: Range<Int>, _ shift: Int) -> Range<Int> {
        span.isEmpty ? 0..<0 : span.lowerBound >> shift..<(span.upperBound + (1 << shift) - 1) >> shift
    }

    /// The smallest range that holds both.
    private func hull(_ a: Range<Int>, _ b: Range<Int>) -> Range<Int> {
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
    }

    /// Draws the effect of one row of one plane and blends it in. `left` is the column that the mask begins with.
    private func draw(
        _ view: PlanarView, _ regions: UnsafeBufferPointer<MaskedRegion>, _ filters: UnsafeBufferPointer<any Filter>,
        _ format: PictureFormat, _ plane: Int, _ y: Int, _ spans: UnsafeMutableBufferPointer<Range<Int>>,
        _ mask: UnsafePointer<UInt8>, _ left: Int
    ) {
        var touched = 0..<0
        let target = view.planes[plane]
        guard y < target.height else { return }
        for index in regions.indices where !spans[index].isEmpty {
            let x = spans[index].clamped(to: 0..<target.width)
            guard !x.isEmpty else { continue }
            touched = hull(touched, x)
            let row = EffectRow(
                samples: effect + (x.lowerBound - left) * format.bytesPerSample, x: x, plane: plane, format: format,
                cells: regions[index].cells?.row(y, plane: plane, format: format))
            for filter in filters.indices { filters[filter].draw(row) }
        }
        guard !touched.isEmpty else { return }
        let offset = touched.lowerBound - left
        if format.bytesPerSample == 1 {
            blend8(
                target.row(y).assumingMemoryBound(to: UInt8.self) + touched.lowerBound,
                effect.assumingMemoryBound(to: UInt8.self) + offset, mask + offset, touched.count)
        } else {
            blend16(
                target.row(y).assumingMemoryBound(to: UInt16.self) + touched.lowerBound,
                effect.assumingMemoryBound(to: UInt16.self) + offset, mask + offset, touched.count)
        }
    }
}

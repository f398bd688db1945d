/// Covers the faces of one stream, frame after frame in the order of showing. Made once per file from a `FilterChain`.
///
/// It holds cell colours per track between frames, so each stream needs its own, used from one thread at a time.
///
///     let redactor = try Redactor(FilterChain(effects: [.blur(cells: 5)]))
///     redactor.apply(to: view, regions: regions, time: seconds, cutBefore: false)
public final class Redactor {
    /// A whole frame is covered with at most this many cells across its shorter side, fewer if the chain asks for
    /// fewer. A face is at most about as large as the shorter side, and then gets no more cells than the chain allows a
    /// face; this limit keeps a chain of small cells from showing a scene's smaller faces.
    static let wholeFrameCells = 12
    /// A track not seen for so long, in seconds or in frames with regions, is forgotten.
    static let memorySeconds = 2.0
    static let memoryFrames = 256

    public let chain: FilterChain
    private let filters: [any Filter]
    private let cells: Int?
    private var held: [Key: HeldCells] = [:]
    private var format: PictureFormat?
    private var quantisers: [Quantiser] = []
    private var frame = 0
    private let bands = BandBuffer()
    /// Covers alpha where that is the picture; nil in that one itself.
    private let alpha: Redactor?
    /// The tracks of the last frame whose face was drawn in alpha.
    private var drawnTracks: Set<Int> = []

    /// Colours are held by track; a second region of the same track in a frame has its own, and so has a whole frame.
    private enum Key: Hashable {
        case region(track: Int, repeat: Int)
        case wholeFrame
    }

    /// Throws `FilterChainError` if the chain would leave faces visible or can't be drawn.
    public convenience init(_ chain: FilterChain) throws(FilterChainError) {
        var opaque = chain
        opaque.effects = chain.effects.map { effect in
            guard case .solid(_, let opacity) = effect else { return effect }
            return .solid(color: RGBColor(red: 255, green: 255, blue: 255), opacity: opacity)
        }
        try self.init(chain, alpha: Redactor(opaque, alpha: nil))
    }

    private init(_ chain: FilterChain, alpha: Redactor?) throws(FilterChainError) {
        self.chain = chain
        self.alpha = alpha
        filters = try chain.filters()
        cells = filters.compactMap(\.cells).min()
    }

    /// Covers the regions of one frame in place. Everything outside the masks stays as it is; a frame without regions
    /// costs nothing.
    ///
    /// The alpha plane stays as it is too, unless it is the picture itself where the face's middle lies (line art, a keyed
    /// portrait): there it is covered by the same effects, by solid colours with opacity.
    ///
    /// - Parameters:
    ///   - time: When the frame is shown, in seconds. Colours are held by this clock.
    ///   - cutBefore: Whether a new shot begins with this frame, which ends all holds.
    ///
    /// A region with a number that isn't finite can't be placed: then the whole frame is covered.
    public func apply(to view: PlanarView, regions: [MaskRegion], time: Double, cutBefore: Bool = false) {
        if cutBefore { forget() }
        guard !regions.isEmpty, view.width > 0, view.height > 0 else { return drawnTracks.removeAll() }
        guard regions.allSatisfy(\.isFinite) else { return coverWhole(view, time: time) }
        coverDrawnAlpha(of: view, regions, time)
        let format = begin(view, time)

        // All cells are taken from the unredacted frame, before anything is drawn.
        var repeats: [Int: Int] = [:]
        var masked: [MaskedRegion] = []
        for region in regions {
            let count = repeats[region.track, default: 0]
            repeats[region.track] = count + 1
            let outline = MaskOutline(region, shape: chain.shape, softness: chain.softness)
            let bounds = outline.bounds(width: format.width, height: format.height)
            let grid = grid(
                .region(track: region.track, repeat: count), outline.centerX, outline.centerY, region.faceSize, cells,
                time, format)
            guard !bounds.isEmpty else { continue }
            let area = bounds.aligned(to: format)
            grid?.sample(view, area: area, quantisers: quantisers, format: format)
            masked.append(MaskedRegion(outline: outline, area: area, cells: grid, track: region.track))
        }

        // Where masks overlap, the coarser cells are drawn last and stay on top.
        masked.sort { ($0.cells?.side ?? 0, $0.track) < ($1.cells?.side ?? 0, $1.track) }
        for group in disjointGroups(masked) {
            bands.redact(view, group, filters, format)
        }
    }

    /// Covers the whole frame, for one that could not be analysed.
    ///
    /// With at most `wholeFrameCells` cells across the shorter side, held and quantised like those of a track; alpha too.
    public func coverWhole(_ view: PlanarView, time: Double, cutBefore: Bool = false) {
        if cutBefore { forget() }
        guard view.width > 0, view.height > 0 else { return }
        if let plane = view.alphaAsGray { alpha?.coverWhole(plane, time: time) }
        let format = begin(view, time)
        let (width, height) = (Double(format.width), Double(format.height))
        let area = PixelRect(x: 0..<format.width, y: 0..<format.height)
        let grid = grid(
            .wholeFrame, width / 2, height / 2, min(width, height), cells.map { min($0, Self.wholeFrameCells) }, time,
            format)
        grid?.sample(view, area: area, quantisers: quantisers, format: format)
        let whole = MaskedRegion(outline: nil, area: area, cells: grid, track: 0)
        bands.redact(view, MaskedGroup(area: area, regions: [whole]), filters, format)
    }

    /// The cells last drawn for a track: for audits, such as an attempt to undo the effect. Nil if it has none.
    public func cellGrid(ofTrack track: Int) -> CellGrid? {
        held[.region(track: track, repeat: 0)].map { CellGrid(originX: $0.originX, originY: $0.originY, side: $0.side) }
    }

    /// Covers alpha under the regions whose face is drawn in it. A face that was drawn in the last frame still is: a key's
    /// strength may sink for a moment.
    private func coverDrawnAlpha(of view: PlanarView, _ regions: [MaskRegion], _ time: Double) {
        guard let alpha, let gray = view.alphaAsGray else { return }
        let drawn = regions.filter {
            drawnTracks.contains($0.track) || $0.isDrawn(in: gray.planes[0], depth: gray.depth)
        }
        drawnTracks = Set(drawn.map(\.track))
        alpha.apply(to: gray, regions: drawn, time: time)
    }

    /// Ends all holds.
    private func forget() {
        held.removeAll()
        drawnTracks.removeAll()
        alpha?.forget()
    }

    private func begin(_ view: PlanarView, _ time: Double) -> PictureFormat {
        let format = PictureFormat(view)
        if format != self.format {
            self.format = format
            held.removeAll()
            quantisers = (0..<format.planeCount).map {
                Quantiser(levelStep: chain.levelStep, plane: $0, format: format)
            }
        }
        frame += 1
        let memory = max(Self.memorySeconds, 2 * chain.hold)
        held = held.filter {
            frame - $0.value.lastFrame <= Self.memoryFrames && !(abs(time - $0.value.lastTime) > memory)
        }
        return format
    }

    private func grid(
        _ key: Key, _ centerX: Double, _ centerY: Double, _ faceSize: Double, _ cellsAcross: Int?, _ time: Double,
        _ format: PictureFormat
    ) -> HeldCells? {
        guard let cellsAcross else { return nil }
        let cells =
            held[key]
            ?? HeldCells(
                cellsAcross: cellsAcross, contrast: chain.contrast, faceSize: faceSize, time: time, format: format)
        held[key] = cells
        cells.move(
            centerX: centerX, centerY: centerY, faceSize: faceSize, time: time, hold: chain.hold, format: format)
        cells.lastFrame = frame
        return cells
    }
}

/// Where the cells of a track lie, in luma pixels of the coded picture.
public struct CellGrid: Sendable, Hashable {
    /// Top left corner of one cell.
    public let originX: Int
    public let originY: Int
    public let side: Int
}

/// What covers a face. A new effect is a case here and one small file with a `Filter`.
public enum Effect: Sendable, Hashable, Codable {
    /// Flat square cells, at most `cells` across the face either way.
    case pixellate(cells: Int = FilterChain.defaultCells)
    /// The same cells drawn without edges. Holds what the mosaic holds, no more.
    case blur(cells: Int = FilterChain.defaultCells)
    /// One colour, laid over what the chain drew so far; `opacity` 0…1 (1 hides it).
    case solid(color: RGBColor, opacity: Double = 1)

    /// The working part: chosen once per file, then called row by row.
    var filter: any Filter {
        switch self {
        case .pixellate(let cells): Pixellate(cells: cells)
        case .blur(let cells): Blur(cells: cells)
        case .solid(let color, let opacity): Solid(color: color, opacity: opacity)
        }
    }
}

/// How faces are covered in a file: the mask's outline and the filters drawn under it, one over the other.
///
/// The chain never sees the picture. It is given cells, each the held and quantised mean of a square of the unredacted
/// frame, or nothing at all; so no filter, however written, can show more than the cells hold.
public struct FilterChain: Sendable, Hashable, Codable {
    /// Cells across the face. A published closed-set attack still names faces at 6×7 cells; a public driving data set
    /// ships 5×5.
    public static let defaultCells = 5
    public static let defaultSoftness = 0.2
    public static let defaultHold = 0.5
    public static let defaultLevelStep = 4
    public static let defaultContrast = 0.3

    /// Drawn in order, each over the ones before it. At least one must cover: pixellate, blur or an opaque solid.
    public var effects: [Effect]
    public var shape: MaskShape
    /// Width of the soft edge as a share of the ellipse's mean radius, 0…1; never less than 2 pixels. The edge lies
    /// outside the ellipse only, since where a mask is between, the original can be solved for.
    public var softness: Double
    /// For how long a track's cell colours stay as they are, in seconds (0 for anew in every frame).
    ///
    /// Each new look at a face under another position of the cells tells a little more of it. Half a second leaves two
    /// looks a second instead of 30, and still follows a change of light. With these defaults 60 frames of a moving
    /// face give super-resolution at most 0.1 more similarity (SSIM) than one frame does, whether or not the boxes
    /// jitter and the face comes nearer; without hold and levels it is up to 0.15, and 0.37 for a mosaic fixed to the
    /// picture. `Benchmarks/attack` measures it.
    public var hold: Double
    /// Size of the steps, of 256 levels (1…128), in which a cell's colour may lie away from the face's own; smaller
    /// differences are dropped. Coarse steps drop the small differences between looks that super-resolution lives on.
    public var levelStep: Int
    /// How much of the cells' contrast with the face's mean colour is left, 0…1.
    ///
    /// The layout of light and dark is what a mosaic still tells of a face, the more so the less the picture itself
    /// does, in motion blur or at a low bit rate: a mosaic of half the contrast tells up to half of such a face's
    /// detail. Measured on ten hard versions of four clips (4,409 labelled faces), the faces of whose fine detail over
    /// a third could still be matched were 27 at half the contrast and steps of 32 to the nearest, and none at 0.3 and
    /// steps of 4 or 8.
    public var contrast: Double

    public init(
        effects: [Effect] = [.pixellate()], shape: MaskShape = .ellipse, softness: Double = Self.defaultSoftness,
        hold: Double = Self.defaultHold, levelStep: Int = Self.defaultLevelStep,
        contrast: Double = Self.defaultContrast
    ) {
        self.effects = effects
        self.shape = shape
        self.softness = softness
        self.hold = hold
        self.levelStep = levelStep
        self.contrast = contrast
    }

    /// The filters to run: from the last one that covers, as nothing below it can be seen.
    ///
    /// Throws `FilterChainError` for a chain that would leave faces visible or can't be drawn.
    func filters() throws(FilterChainError) -> [any Filter] {
        guard softness >= 0, softness <= 1 else { throw .softness(softness) }
        guard hold >= 0, hold.isFinite else { throw .hold(hold) }
        guard (1...128).contains(levelStep) else { throw .levelStep(levelStep) }
        guard contrast >= 0, contrast <= 1 else { throw .contrast(contrast) }
        for effect in effects {
            switch effect {
            case .pixellate(let cells), .blur(let cells):
                guard (1...256).contains(cells) else { throw .cells(cells) }
            case .solid(_, let opacity):
                guard opacity >= 0, opacity <= 1 else { throw .opacity(opacity) }
            }
        }
        let filters = effects.map(\.filter)
        guard let first = filters.lastIndex(where: \.covers) else { throw .nothingCovers }
        return Array(filters[first...])
    }
}

/// Why a chain of filters can't be used.
public enum FilterChainError: Error, Sendable, Hashable {
    /// No filter hides what is below it, so faces would stay visible.
    case nothingCovers
    /// Cells across the face, not in 1…256.
    case cells(Int)
    /// Opacity, not in 0…1.
    case opacity(Double)
    /// Softness, not in 0…1.
    case softness(Double)
    /// Seconds to hold colours, negative or not finite.
    case hold(Double)
    /// Distance of levels, not in 1…128.
    case levelStep(Int)
    /// Contrast, not in 0…1.
    case contrast(Double)
}

extension FilterChainError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothingCovers: "the chain of filters covers nothing: it needs pixellate, blur or an opaque colour"
        case .cells(let value): "cells across the face must be 1 to 256, not \(value)"
        case .opacity(let value): "opacity must be 0 to 1, not \(value)"
        case .softness(let value): "softness must be 0 to 1, not \(value)"
        case .hold(let value): "the time to hold colours must be 0 seconds or more, not \(value)"
        case .contrast(let value): "the contrast of cells must be 0 to 1, not \(value)"
        case .levelStep(let value): "the distance of colour levels must be 1 to 128, not \(value)"
        }
    }
}

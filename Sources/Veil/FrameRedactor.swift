import VeilCore
import VeilPipeline
import VeilPixels
import VeilVision

/// Finds and covers the faces in pictures that a program holds itself: photos, or the frames of a stream.
///
///     let redactor = try FrameRedactor()
///     let faces = try redactor.redact(&pixels, width: 1280, height: 720, order: .bgra, time: seconds)
///     print(faces.count, "faces covered")
///
/// It sees one picture after the other and never ahead, so it can miss what `Redaction` finds in a file: a face in the
/// frames before its first sighting stays visible. Prefer `Redaction` wherever there is a file.
///
/// **It fails closed.** When looking fails, the picture is covered whole before the error is thrown.
///
/// Holds the network (7 MB) and works on the caller's memory. Use it for one stream, from one thread at a time.
public final class FrameRedactor {
    /// What a program may choose.
    public struct Settings: Sendable, Hashable {
        /// What covers the faces.
        public var chain = FilterChain()
        /// The mask's size, in sizes of the face (1…4).
        public var maskScale = 1.3
        /// The longer side, in pixels, of the small picture that the detector sees. Larger finds smaller faces and takes
        /// longer. 0: half the picture's longer side, and at least 640.
        public var detectSize = AnalysisSettings().detectSize
        /// The score (above 0, at most 1) from which a detection is a face.
        public var threshold = AnalysisSettings().confirmThreshold
        /// The score (above 0, at most 1) from which a detection goes on being a face seen a moment ago.
        public var continueThreshold = AnalysisSettings().continueThreshold
        /// For how many seconds a face stays covered where it was last seen. Longer than for files, as no later frame
        /// tells where it went.
        public var linger = 0.5
        /// The folder of models; nil for the installed ones.
        public var models: String?

        public init() {}
    }

    /// The order of the four bytes of a pixel.
    public enum ChannelOrder: Sendable, Hashable, CaseIterable {
        case rgba, bgra
    }

    public let settings: Settings
    private let detector: any FaceDetector
    private let redactor: Redactor
    private var memory: FaceMemory
    private var planar = PlanarCopy()

    /// Loads and checks CenterFace.
    ///
    /// - Throws: `VeilError` `.model` when the model is missing or altered, `.vision` when it can't be loaded, `.filters`
    ///   when the chain would leave faces visible.
    public convenience init(settings: Settings = Settings()) throws(VeilError) {
        let model: Model
        do throws(ModelError) {
            model = try ModelStore.locate(flag: settings.models).model("centerface")
        } catch { throw .model(error) }
        let detector: CenterFaceDetector
        do throws(VisionError) {
            detector = try CenterFaceDetector(model: model)
        } catch { throw .vision(error, file: model.path) }
        try self.init(settings: settings, detector: detector)
    }

    /// With a detector of the caller's own.
    ///
    /// - Throws: `VeilError` `.filters` when the chain would leave faces visible.
    public init(settings: Settings = Settings(), detector: any FaceDetector) throws(VeilError) {
        self.settings = settings
        self.detector = detector
        do throws(FilterChainError) { redactor = try Redactor(settings.chain) } catch { throw .filters(error) }
        memory = FaceMemory(settings)
    }

    /// Covers the faces of a picture in place, and says where they are.
    ///
    /// - Parameters:
    ///   - picture: planes in the caller's memory: gray, YUV or GBR, 8 to 16 bits.
    ///   - orientation: how the picture is turned for display; faces are looked for upright.
    ///   - sampleAspectRatio: a sample's displayed width by its height, before turning.
    ///   - time: when the frame is shown, in seconds, growing from frame to frame: faces then keep their track, and
    ///     cells their place and colours. Nil for a picture of its own.
    ///   - isNewScene: whether nothing of the frame before is left; a time that doesn't grow has the same effect.
    /// - Throws: `VeilError` `.vision`. The picture is covered whole then, unless its planes don't fit together
    ///   (`.badArgument`, "the planes don't fit"): such memory can't be written to, and must not be shown.
    @discardableResult
    public func redact(
        _ picture: PlanarView, orientation: Orientation = .up, sampleAspectRatio: Rational = Rational(1, 1),
        time: Double? = nil, isNewScene: Bool = false
    ) throws(VeilError) -> [CoveredFace] {
        guard picture.isWhole else { throw Self.refusal("the planes don't fit") }
        let isCut = memory.begin(time: time, isNewScene: isNewScene)
        let upright =
            orientation.swapsAxes ? (picture.height, picture.width) : (picture.width, picture.height)
        let aspect =
            orientation.swapsAxes ? Rational(sampleAspectRatio.den, sampleAspectRatio.num) : sampleAspectRatio
        var size = AnalysisSettings()
        size.detectSize = settings.detectSize
        let side = size.detectorSide(width: upright.0, height: upright.1, sampleAspectRatio: aspect)
        let detections: [Detection]
        do throws(VisionError) {
            detections = try detector.detect(
                in: picture, orientation: orientation,
                canvas: .fitting(width: upright.0, height: upright.1, sampleAspectRatio: aspect, longSide: side),
                threshold: min(settings.threshold, settings.continueThreshold))
        } catch {
            redactor.coverWhole(picture, time: time ?? 0, cutBefore: isCut)
            throw .vision(error, file: "a frame")
        }
        let faces = memory.take(detections).map { face in
            CoveredFace(
                face, scale: settings.maskScale, orientation: orientation, width: picture.width, height: picture.height,
                sampleAspectRatio: sampleAspectRatio)
        }
        redactor.apply(to: picture, regions: faces.map(\.mask), time: time ?? 0, cutBefore: isCut)
        return faces
    }

    /// Covers the faces of a picture with four bytes to a pixel. Alpha stays as it is.
    ///
    /// - Parameters:
    ///   - pixels: the rows, `bytesPerRow` apart, in the caller's memory.
    ///   - bytesPerRow: at least 4 × `width`; nil for exactly that.
    ///   - time: as for planes.
    /// - Throws: `VeilError` `.vision`. The picture is covered whole then; memory that the sizes don't fit is zeroed.
    @discardableResult
    public func redact(
        _ pixels: UnsafeMutableRawBufferPointer, width: Int, height: Int, bytesPerRow: Int? = nil, order: ChannelOrder,
        orientation: Orientation = .up, time: Double? = nil, isNewScene: Bool = false
    ) throws(VeilError) -> [CoveredFace] {
        let sides = 1...32768
        let stride = bytesPerRow ?? 4 &* width
        guard sides.contains(width), sides.contains(height), stride >= 4 * width, stride < 1 << 32,
            pixels.count >= (height - 1) * stride + 4 * width, let base = pixels.baseAddress
        else {
            pixels.initializeMemory(as: UInt8.self, repeating: 0)
            throw Self.refusal("the sizes don't fit the memory")
        }
        let rows = InterleavedRows(base: base, width: width, height: height, stride: stride, order: order)
        planar.take(rows)
        do throws(VeilError) {
            let faces = try redact(planar.view, orientation: orientation, time: time, isNewScene: isNewScene)
            if !faces.isEmpty { planar.give(rows) }
            return faces
        } catch {
            planar.give(rows)
            throw error
        }
    }

    /// The same for an array.
    @discardableResult
    public func redact(
        _ pixels: inout [UInt8], width: Int, height: Int, bytesPerRow: Int? = nil, order: ChannelOrder,
        orientation: Orientation = .up, time: Double? = nil, isNewScene: Bool = false
    ) throws(VeilError) -> [CoveredFace] {
        try pixels.withUnsafeMutableBufferPointer { (bytes) throws(VeilError) in
            try redact(
                UnsafeMutableRawBufferPointer(bytes), width: width, height: height, bytesPerRow: bytesPerRow,
                order: order, orientation: orientation,
                time: time, isNewScene: isNewScene)
        }
    }

    private static func refusal(_ words: String) -> VeilError {
        .vision(VisionError(code: .badArgument, doing: "reading a picture", words: words), file: "a frame")
    }
}

/// A face that was covered in one picture.
public struct CoveredFace: Sendable, Hashable {
    /// The same number from frame to frame as long as it is taken for the same face.
    public var track: Int
    /// In the upright picture, not grown.
    public var bounds: NormalizedRect
    /// The detector's score, 0…1; nil where it wasn't seen now, and is covered where it was seen last.
    public var score: Double?
    /// What was covered, in the picture's own pixels.
    public var mask: MaskRegion
}

extension CoveredFace {
    fileprivate init(
        _ face: FaceMemory.Face, scale: Double, orientation: Orientation, width: Int, height: Int,
        sampleAspectRatio: Rational
    ) {
        let ellipse = CodedEllipse(
            Shape(inscribedIn: face.box), orientation: orientation, codedWidth: width, codedHeight: height,
            sampleAspectRatio: sampleAspectRatio)
        self.init(
            track: face.track, bounds: face.box, score: face.score,
            mask: MaskRegion(
                track: face.track, centerX: ellipse.centerX, centerY: ellipse.centerY, radiusX: ellipse.radiusX * scale,
                radiusY: ellipse.radiusY * scale, angle: ellipse.angle, faceWidth: ellipse.radiusX * 2,
                faceHeight: ellipse.radiusY * 2))
    }
}

extension PlanarView {
    /// Whether there are as many planes as the model says, of the sizes that it says. What lies behind their pointers
    /// can't be checked.
    fileprivate var isWhole: Bool {
        let colors = model == .gray ? 1 : 3
        guard planes.count == colors + (hasAlpha ? 1 : 0), (8...16).contains(depth), (0...4).contains(chromaShiftX),
            (0...4).contains(chromaShiftY)
        else { return false }
        let bytes = depth == 8 ? 1 : 2
        return planes.indices.allSatisfy { index in
            let isChroma = model == .yuv && (1...2).contains(index)
            let (x, y) = isChroma ? (chromaShiftX, chromaShiftY) : (0, 0)
            let plane = planes[index]
            return width > 0 && height > 0 && plane.width == (width + (1 << x) - 1) >> x
                && plane.height == (height + (1 << y) - 1) >> y && plane.bytesPerSample == bytes
                && (plane.height == 1 || abs(plane.stride) >= plane.width * bytes)
        }
    }
}

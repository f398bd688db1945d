import CWebP
import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// What the two kinds of WebP files share.
struct WebPFile {
    let bytes: [UInt8]
    let chunks: WebPChunks
    let width: Int
    let height: Int
    let hasAlpha: Bool
    let isAnimated: Bool
    /// Every picture in it is coded without loss.
    let isLossless: Bool
    /// libwebp's quality, 0…100, at which the finest of its lossy pictures was coded.
    let quality: Float
    let orientation: Orientation

    init(_ bytes: [UInt8], file: String) throws(MediaError) {
        func refuse(_ detail: String, _ kind: MediaError.Kind = .damaged) -> MediaError {
            MediaError(kind, "decoding", file: file, detail: detail)
        }
        var features = WebPBitstreamFeatures()
        guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK else {
            throw refuse("its header is broken")
        }
        width = Int(features.width)
        height = Int(features.height)
        guard width * height <= MediaLimits.pixels else { throw refuse("it claims to be too large", .unsupported) }
        let length = WebPChunks.number(bytes[4...], 4) + 8
        guard length <= bytes.count else { throw refuse("the file breaks off") }
        self.bytes = bytes
        hasAlpha = features.has_alpha != 0
        isAnimated = features.has_animation != 0
        chunks = WebPChunks(bytes[...])
        let coded = chunks.codedPictures(isAnimated: isAnimated)
        isLossless = coded.contains { $0.type == "VP8L" } && !coded.contains { $0.type == "VP8 " }
        // A little finer than the source, for it is coded a second time.
        quality = min(100, (coded.filter { $0.type == "VP8 " }.compactMap { VP8Quality.of($0.data) }.max() ?? 90) + 3)
        orientation =
            chunks["EXIF"].map { Metadata.orientation($0.starts(with: "Exif\0\0".utf8) ? $0.dropFirst(6) : $0) } ?? .up
    }

    func configuration(_ file: String) throws(MediaError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw MediaError(.internalFailure, "encoding", file: file, detail: "libwebp has another version")
        }
        config.lossless = isLossless ? 1 : 0
        config.quality = isLossless ? 75 : quality
        config.alpha_quality = 100
        // Colours under transparent pixels stay: what hides there was covered too.
        config.exact = 1
        return config
    }

    /// - Parameter encoded: a file of libwebp's own making to take the pictures from: an animation of one frame may have
    ///   become a still in it. Nil for this one's.
    func rebuilt(_ policy: MetadataPolicy, from encoded: [UInt8]?) -> [UInt8] {
        let source = encoded.map { WebPChunks($0[...]) } ?? chunks
        let isAnimated = encoded == nil ? isAnimated : source["ANIM"] != nil
        return chunks.rebuilt(
            policy, pictures: source.pictures(isAnimated: isAnimated), isAnimated: isAnimated, width: width,
            height: height, hasAlpha: hasAlpha)
    }
}

/// A WebP of one picture: YCbCr planes of the lossy kind, RGB of the lossless one.
final class WebPStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private let webp: WebPFile
    /// Of the lossless kind.
    private let raster: Raster?
    /// Luma, Cb, Cr, alpha of the lossy kind, one behind the other; and luma over gray where some is transparent.
    private let planes: PixelBuffer?
    private var blend: PixelBuffer?
    private var isDone = false
    private var isCovered = false

    private var chromaWidth: Int { (webp.width + 1) / 2 }
    private var chromaHeight: Int { (webp.height + 1) / 2 }
    private var offsets: [Int] {
        let (luma, chroma) = (webp.width * webp.height, chromaWidth * chromaHeight)
        return [0, luma, luma + chroma, luma + 2 * chroma]
    }

    init(_ webp: WebPFile, file: String, policy: MetadataPolicy) throws(MediaError) {
        self.webp = webp
        self.file = file
        self.policy = policy
        let damaged = MediaError(.damaged, "decoding", file: file, detail: "its picture can't be decoded")
        let (width, height) = (webp.width, webp.height)
        if webp.isLossless {
            let raster = try Raster(
                width: width, height: height, depth: 8, layout: webp.hasAlpha ? .rgba : .rgb, file: file)
            let pixels = try PixelBuffer(size: 4 * width * height, file: file)
            guard
                WebPDecodeRGBAInto(
                    webp.bytes, webp.bytes.count, pixels.base.assumingMemoryBound(to: UInt8.self), pixels.size,
                    Int32(4 * width)) != nil
            else { throw damaged }
            raster.take(pixels.base, stride: 4 * width, order: [0, 1, 2, 3])
            self.raster = raster
            planes = nil
            return
        }
        raster = nil
        let (luma, chroma) = (width * height, (width + 1) / 2 * ((height + 1) / 2))
        let planes = try PixelBuffer(size: 2 * luma + 2 * chroma, file: file)
        let base = planes.base.assumingMemoryBound(to: UInt8.self)
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw MediaError(.internalFailure, "decoding", file: file, detail: "libwebp has another version")
        }
        config.output.colorspace = webp.hasAlpha ? MODE_YUVA : MODE_YUV
        config.output.is_external_memory = 1
        config.output.u.YUVA.y = base
        config.output.u.YUVA.u = base + luma
        config.output.u.YUVA.v = base + luma + chroma
        config.output.u.YUVA.a = webp.hasAlpha ? base + luma + 2 * chroma : nil
        config.output.u.YUVA.y_stride = Int32(width)
        config.output.u.YUVA.u_stride = Int32((width + 1) / 2)
        config.output.u.YUVA.v_stride = Int32((width + 1) / 2)
        config.output.u.YUVA.a_stride = Int32(width)
        config.output.u.YUVA.y_size = luma
        config.output.u.YUVA.u_size = chroma
        config.output.u.YUVA.v_size = chroma
        config.output.u.YUVA.a_size = webp.hasAlpha ? luma : 0
        guard WebPDecode(webp.bytes, webp.bytes.count, &config) == VP8_STATUS_OK else { throw damaged }
        self.planes = planes
    }

    func rewind() { isDone = false }

    func next() throws(MediaError) -> StillPicture? {
        if isDone { return nil }
        isDone = true
        if let raster {
            return StillPicture(views: [raster.view], looks: try raster.looks(), orientation: webp.orientation)
        }
        guard let planes else { return nil }
        let view = view(of: planes)
        var looks = [view]
        if webp.hasAlpha { looks.append(try shown(planes)) }
        return StillPicture(views: [view], looks: looks, orientation: webp.orientation)
    }

    private func view(of planes: PixelBuffer) -> PlanarView {
        let offsets = offsets
        func plane(_ index: Int, _ width: Int, _ height: Int) -> Plane {
            planes.plane(at: offsets[index], width: width, height: height, stride: width)
        }
        var all = [
            plane(0, webp.width, webp.height), plane(1, chromaWidth, chromaHeight), plane(2, chromaWidth, chromaHeight),
        ]
        if webp.hasAlpha { all.append(plane(3, webp.width, webp.height)) }
        // RFC 6386, 9.2: BT.601, limited range.
        return PlanarView(
            planes: all, model: .yuv, hasAlpha: webp.hasAlpha, depth: 8, chromaShiftX: 1, chromaShiftY: 1,
            fullRange: false, bt709: false)
    }

    /// Luma as it is seen over gray.
    private func shown(_ planes: PixelBuffer) throws(MediaError) -> PlanarView {
        let count = webp.width * webp.height
        let blend: PixelBuffer
        if let own = self.blend { blend = own } else { blend = try PixelBuffer(size: count, file: file) }
        self.blend = blend
        let (luma, out) = (
            planes.base.assumingMemoryBound(to: UInt8.self), blend.base.assumingMemoryBound(to: UInt8.self)
        )
        let alpha = luma + offsets[3]
        for i in 0..<count {
            let share = UInt32(alpha[i])
            out[i] = UInt8(truncatingIfNeeded: (UInt32(luma[i]) &* share &+ 126 &* (255 &- share)) / 255)
        }
        return PlanarView(
            planes: [blend.plane(width: webp.width, height: webp.height, stride: webp.width)], model: .gray,
            hasAlpha: false, depth: 8, chromaShiftX: 0, chromaShiftY: 0, fullRange: false, bt709: false)
    }

    func keep(masks: [MaskRegion]?) {
        if masks == nil || masks?.isEmpty == false { isCovered = true }
    }

    func finish() throws(MediaError) -> [UInt8] {
        guard isCovered else { return webp.rebuilt(policy, from: nil) }
        if !webp.isLossless { notices.append("the picture is encoded anew") }
        return webp.rebuilt(policy, from: try encoded())
    }

    private func encoded() throws(MediaError) -> [UInt8] {
        var config = try webp.configuration(file)
        var picture = WebPPicture()
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        var isDone = WebPPictureInit(&picture) != 0
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(webp.width)
        picture.height = Int32(webp.height)
        picture.writer = WebPMemoryWrite
        if let raster {
            picture.use_argb = 1
            let pixels = try PixelBuffer(size: 4 * webp.width * webp.height, file: file)
            memset(pixels.base, 255, pixels.size)
            raster.give(pixels.base, stride: 4 * webp.width, order: [0, 1, 2, 3])
            let samples = pixels.base.assumingMemoryBound(to: UInt8.self)
            isDone =
                isDone
                && (webp.hasAlpha
                    ? WebPPictureImportRGBA(&picture, samples, Int32(4 * webp.width))
                    : WebPPictureImportRGBX(&picture, samples, Int32(4 * webp.width))) != 0
        } else if let planes {
            let (base, offsets) = (planes.base.assumingMemoryBound(to: UInt8.self), offsets)
            picture.use_argb = 0
            picture.colorspace = webp.hasAlpha ? WEBP_YUV420A : WEBP_YUV420
            picture.y = base
            picture.u = base + offsets[1]
            picture.v = base + offsets[2]
            picture.a = webp.hasAlpha ? base + offsets[3] : nil
            picture.y_stride = Int32(webp.width)
            picture.uv_stride = Int32(chromaWidth)
            picture.a_stride = Int32(webp.width)
        }
        let code = withUnsafeMutablePointer(to: &writer) { writer in
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return isDone ? WebPEncode(&config, &picture) : 0
        }
        guard code != 0, let memory = writer.mem else {
            throw MediaError(
                .internalFailure, "encoding", file: file, detail: "libwebp says \(picture.error_code.rawValue)")
        }
        return Array(UnsafeBufferPointer(start: memory, count: writer.size))
    }
}

/// An animated WebP: every frame as it is shown, covered, at its own time.
final class AnimatedWebP: StillDocument {
    private(set) var notices: [String] = []
    let isAnimation = true
    private let file: String
    private let policy: MetadataPolicy
    private let webp: WebPFile
    private let data: PixelBuffer
    private let decoder: OpaquePointer
    private let raster: Raster
    private let info: WebPAnimInfo
    private var encoder: OpaquePointer?
    private var start: Int32 = 0
    private var end: Int32 = 0
    private var last = -1
    private var count = 0
    private var isCovered = false

    init(_ webp: WebPFile, file: String, policy: MetadataPolicy) throws(MediaError) {
        self.webp = webp
        self.file = file
        self.policy = policy
        data = try PixelBuffer(copying: webp.bytes, file: file)
        raster = try Raster(width: webp.width, height: webp.height, depth: 8, layout: .rgba, file: file)
        var options = WebPAnimDecoderOptions()
        var source = WebPData(bytes: data.base.assumingMemoryBound(to: UInt8.self), size: webp.bytes.count)
        var info = WebPAnimInfo()
        guard WebPAnimDecoderOptionsInit(&options) != 0 else {
            throw MediaError(.internalFailure, "decoding", file: file, detail: "libwebp has another version")
        }
        options.color_mode = MODE_RGBA
        guard let decoder = WebPAnimDecoderNew(&source, &options) else {
            throw MediaError(.damaged, "decoding", file: file, detail: "the animation can't be decoded")
        }
        guard WebPAnimDecoderGetInfo(decoder, &info) != 0, info.frame_count > 0 else {
            WebPAnimDecoderDelete(decoder)
            throw MediaError(.damaged, "decoding", file: file, detail: "the animation has no frames")
        }
        self.decoder = decoder
        self.info = info
    }

    deinit {
        WebPAnimDecoderDelete(decoder)
        if let encoder { WebPAnimEncoderDelete(encoder) }
    }

    func rewind() {
        WebPAnimDecoderReset(decoder)
        (start, end, last, count) = (0, 0, -1, 0)
    }

    func next() throws(MediaError) -> StillPicture? {
        guard WebPAnimDecoderHasMoreFrames(decoder) != 0 else {
            guard count == Int(info.frame_count) else { throw broken }
            return nil
        }
        var pixels: UnsafeMutablePointer<UInt8>?
        start = end
        guard WebPAnimDecoderGetNext(decoder, &pixels, &end) != 0, let pixels else { throw broken }
        count += 1
        raster.take(pixels, stride: 4 * webp.width)
        // Frames without a duration share a time; a plan needs one for each.
        last = max(last + 1, Int(start))
        return StillPicture(
            views: [raster.view], looks: try raster.looks(), orientation: webp.orientation, time: last)
    }

    private var broken: MediaError {
        MediaError(.damaged, "decoding", file: file, time: Double(end) / 1000, detail: "a frame can't be decoded")
    }

    func keep(masks: [MaskRegion]?) throws(MediaError) {
        if masks == nil || masks?.isEmpty == false { isCovered = true }
        let encoder: OpaquePointer
        if let own = self.encoder { encoder = own } else { encoder = try makeEncoder() }
        self.encoder = encoder
        var picture = WebPPicture()
        var config = try webp.configuration(file)
        var isDone = WebPPictureInit(&picture) != 0
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(webp.width)
        picture.height = Int32(webp.height)
        picture.use_argb = 1
        let pixels = try PixelBuffer(size: 4 * webp.width * webp.height, file: file)
        raster.give(pixels.base, stride: 4 * webp.width)
        isDone =
            isDone
            && WebPPictureImportRGBA(
                &picture, pixels.base.assumingMemoryBound(to: UInt8.self), Int32(4 * webp.width)) != 0
        guard isDone, WebPAnimEncoderAdd(encoder, &picture, start, &config) != 0 else {
            throw MediaError(
                .internalFailure, "encoding", file: file, time: Double(start) / 1000,
                detail: String(cString: WebPAnimEncoderGetError(encoder)))
        }
    }

    private func makeEncoder() throws(MediaError) -> OpaquePointer {
        var options = WebPAnimEncoderOptions()
        let isReady = WebPAnimEncoderOptionsInit(&options) != 0
        options.anim_params.loop_count = Int32(truncatingIfNeeded: info.loop_count)
        options.anim_params.bgcolor = info.bgcolor
        guard isReady, let encoder = WebPAnimEncoderNew(Int32(webp.width), Int32(webp.height), &options) else {
            throw MediaError(.internalFailure, "encoding", file: file, detail: "libwebp has no encoder")
        }
        return encoder
    }

    func finish() throws(MediaError) -> [UInt8] {
        guard isCovered, let encoder else { return webp.rebuilt(policy, from: nil) }
        var data = WebPData()
        WebPDataInit(&data)
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAdd(encoder, nil, end, nil) != 0, WebPAnimEncoderAssemble(encoder, &data) != 0,
            let bytes = data.bytes
        else {
            throw MediaError(
                .internalFailure, "encoding", file: file, detail: String(cString: WebPAnimEncoderGetError(encoder)))
        }
        if !webp.isLossless { notices.append("the frames are encoded anew") }
        return webp.rebuilt(policy, from: Array(UnsafeBufferPointer(start: bytes, count: data.size)))
    }
}

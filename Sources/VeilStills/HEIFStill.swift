import CAVIF
import CHEIF
import Glibc
import VeilCore
import VeilMedia
import VeilPixels

/// An HEIC or AVIF picture: the primary one is decoded upright, covered in its own planes and encoded anew by libheif.
/// Thumbnails, depth and gain maps, further pictures and clips are left out.
final class HEIFStill: StillDocument {
    private(set) var notices: [String] = []
    private let file: String
    private let policy: MetadataPolicy
    private let format: StillFormat
    // libheif reads from it for as long as the context lives.
    private let bytes: PixelBuffer
    private let context: OpaquePointer
    private let handle: OpaquePointer
    private let image: OpaquePointer
    private let view: PlanarView
    private var blend: PixelBuffer?
    private var isDone = false

    /// libheif's quality for what is coded a second time. Files don't say at which they were coded.
    private static let quality: Int32 = 92

    /// - Parameter further: a picture beside the primary one to take instead, up to `furtherCount`.
    init(
        _ data: [UInt8], _ format: StillFormat, file: String, policy: MetadataPolicy, further: Int? = nil
    ) throws(MediaError) {
        self.file = file
        self.policy = policy
        self.format = format
        bytes = try PixelBuffer(copying: data, file: file)
        let failure = MediaError(.internalFailure, "opening", file: file, detail: "out of memory")
        guard let context = heif_context_alloc() else { throw failure }
        var handle: OpaquePointer?
        var image: OpaquePointer?
        let view: PlanarView
        do throws(MediaError) {
            heif_context_set_maximum_image_size_limit(context, 1 << 15)
            try Self.check(
                heif_context_read_from_memory_without_copy(context, bytes.base, data.count, nil), .damaged, "opening",
                file)
            try Self.check(heif_context_get_primary_image_handle(context, &handle), .damaged, "opening", file)
            if let further, let primary = handle {
                handle = nil
                defer { heif_image_handle_release(primary) }
                handle = Self.further(further, beside: primary, in: context)
            }
            guard let handle else { throw failure }
            let (width, height) = (Int(heif_image_handle_get_width(handle)), Int(heif_image_handle_get_height(handle)))
            guard width > 0, height > 0, width * height <= MediaLimits.pixels else {
                throw MediaError(.unsupported, "decoding", file: file, detail: "it claims to be too large")
            }
            let options = heif_decoding_options_alloc()
            defer { heif_decoding_options_free(options) }
            options?.pointee.strict_decoding = 1
            let form = Self.codedForm(data)
            try Self.check(
                heif_decode_image(handle, &image, form.space, form.chroma, options), .damaged, "decoding", file)
            guard let image else { throw failure }
            view = try Self.view(of: image, handle, file)
        } catch {
            if let image { heif_image_release(image) }
            if let handle { heif_image_handle_release(handle) }
            heif_context_free(context)
            throw error
        }
        guard let handle, let image else { throw failure }
        self.context = context
        self.handle = handle
        self.image = image
        self.view = view
        leaveOut()
        if Self.holdsSequence(data) {
            notices.append("its image sequence is left out: the copy is of the primary picture")
        }
    }

    deinit {
        heif_image_release(image)
        heif_image_handle_release(handle)
        heif_context_free(context)
    }

    /// Registered once for the process.
    private static let hasEncoder = cavif_register() == 0

    private static func check(
        _ error: heif_error, _ kind: MediaError.Kind, _ operation: String, _ file: String
    ) throws(MediaError) {
        guard error.code != heif_error_Ok else { return }
        let words = error.message.map { String(cString: $0) } ?? "libheif failed"
        let isUnsupported = [heif_error_Unsupported_feature, heif_error_Unsupported_filetype].contains(error.code)
        throw MediaError(isUnsupported ? .unsupported : kind, operation, file: file, detail: words)
    }

    /// Pictures beside the primary one: further ones at the top, its thumbnails, its auxiliary pictures other than alpha.
    var furtherCount: Int {
        max(0, Int(heif_context_get_number_of_top_level_images(context)) - 1)
            + Int(heif_image_handle_get_number_of_thumbnails(handle))
            + max(0, Int(heif_image_handle_get_number_of_auxiliary_images(handle, Self.noAlpha)))
    }

    private static let noAlpha = Int32(LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA)

    private static func further(
        _ index: Int, beside primary: OpaquePointer, in context: OpaquePointer
    ) -> OpaquePointer? {
        func list(_ count: Int32, _ fill: (UnsafeMutablePointer<heif_item_id>, Int32) -> Int32) -> [heif_item_id] {
            var ids = [heif_item_id](repeating: 0, count: max(0, Int(count)))
            let filled = ids.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.map { fill($0, Int32(buffer.count)) } ?? 0
            }
            return Array(ids.prefix(max(0, Int(filled))))
        }
        var main: heif_item_id = 0
        _ = heif_context_get_primary_image_ID(context, &main)
        let tops = list(heif_context_get_number_of_top_level_images(context)) {
            heif_context_get_list_of_top_level_image_IDs(context, $0, $1)
        }.filter { $0 != main }
        let thumbnails = list(heif_image_handle_get_number_of_thumbnails(primary)) {
            heif_image_handle_get_list_of_thumbnail_IDs(primary, $0, $1)
        }
        let others = list(heif_image_handle_get_number_of_auxiliary_images(primary, noAlpha)) {
            heif_image_handle_get_list_of_auxiliary_image_IDs(primary, noAlpha, $0, $1)
        }
        var handle: OpaquePointer?
        if tops.indices.contains(index) {
            _ = heif_context_get_image_handle(context, tops[index], &handle)
        } else if thumbnails.indices.contains(index - tops.count) {
            _ = heif_image_handle_get_thumbnail(primary, thumbnails[index - tops.count], &handle)
        } else if others.indices.contains(index - tops.count - thumbnails.count) {
            _ = heif_image_handle_get_auxiliary_image_handle(
                primary, others[index - tops.count - thumbnails.count], &handle)
        }
        return handle
    }

    /// Says what of the file won't be in the copy.
    private func leaveOut() {
        let others = Int(heif_context_get_number_of_top_level_images(context)) - 1
        if others > 0 { notices.append("\(others) further picture\(others == 1 ? " is" : "s are") left out") }
        let hidden =
            heif_image_handle_get_number_of_thumbnails(handle)
            + max(
                0,
                heif_image_handle_get_number_of_auxiliary_images(
                    handle, Int32(LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA | LIBHEIF_AUX_IMAGE_FILTER_OMIT_DEPTH)))
            + heif_image_handle_get_number_of_depth_images(handle)
        if hidden > 0 { notices.append("thumbnails and auxiliary pictures are left out") }
    }

    /// The planes of a decoded picture, where libheif has them.
    private static func view(
        of image: OpaquePointer, _ handle: OpaquePointer, _ file: String
    ) throws(MediaError) -> PlanarView {
        func refuse() -> MediaError {
            MediaError(.unsupported, "decoding", file: file, detail: "its samples are stored in an unknown way")
        }
        let space = heif_image_get_colorspace(image)
        let channels: [heif_channel]
        switch space {
        case heif_colorspace_YCbCr: channels = [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]
        case heif_colorspace_RGB: channels = [heif_channel_G, heif_channel_B, heif_channel_R]
        case heif_colorspace_monochrome: channels = [heif_channel_Y]
        default: throw refuse()
        }
        var planes: [Plane] = []
        for channel in channels {
            var stride: Int32 = 0
            guard let base = heif_image_get_plane(image, channel, &stride) else { throw refuse() }
            let depth = heif_image_get_bits_per_pixel_range(image, channel)
            guard depth == heif_image_get_bits_per_pixel_range(image, channels[0]), (8...16).contains(depth) else {
                throw refuse()
            }
            planes.append(
                Plane(
                    base: UnsafeMutableRawPointer(base), width: Int(heif_image_get_width(image, channel)),
                    height: Int(heif_image_get_height(image, channel)), stride: Int(stride),
                    bytesPerSample: depth > 8 ? 2 : 1))
        }
        let shifts = [heif_chroma_420: (1, 1), heif_chroma_422: (1, 0)]
        let shift = channels.count == 3 ? shifts[heif_image_get_chroma_format(image)] ?? (0, 0) : (0, 0)
        if channels.count == 3 {
            let wanted = ((planes[0].width + shift.0) >> shift.0, (planes[0].height + shift.1) >> shift.1)
            guard planes[1...].allSatisfy({ ($0.width, $0.height) == wanted }) else { throw refuse() }
        }
        var (isFull, matrix) = (true, heif_matrix_coefficients_ITU_R_BT_601_6)
        var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
        if heif_image_handle_get_nclx_color_profile(handle, &profile).code == heif_error_Ok, let profile {
            isFull = profile.pointee.full_range_flag != 0
            matrix = profile.pointee.matrix_coefficients
            heif_nclx_color_profile_free(profile)
        }
        // The identity matrix stores green, blue and red where others have luma and chroma.
        let isRGB =
            space == heif_colorspace_RGB
            || (channels.count == 3 && matrix == heif_matrix_coefficients_RGB_GBR && shift == (0, 0))
        let is709 = ![
            heif_matrix_coefficients_ITU_R_BT_470_6_System_B_G, heif_matrix_coefficients_ITU_R_BT_601_6,
            heif_matrix_coefficients_unspecified,
        ].contains(matrix)
        let alpha = Self.alpha(
            of: image, like: planes[0], depth: heif_image_get_bits_per_pixel_range(image, channels[0]))
        return PlanarView(
            planes: planes + (alpha.map { [$0] } ?? []), model: channels.count == 1 ? .gray : isRGB ? .gbr : .yuv,
            hasAlpha: alpha != nil,
            depth: Int(heif_image_get_bits_per_pixel_range(image, channels[0])), chromaShiftX: shift.0,
            chromaShiftY: shift.1, fullRange: isFull, bt709: is709)
    }

    /// The alpha plane, where its samples have the form of the colours'.
    private static func alpha(of image: OpaquePointer, like plane: Plane, depth: Int32) -> Plane? {
        var stride: Int32 = 0
        guard heif_image_has_channel(image, heif_channel_Alpha) != 0,
            heif_image_get_bits_per_pixel_range(image, heif_channel_Alpha) == depth,
            Int(heif_image_get_width(image, heif_channel_Alpha)) == plane.width,
            Int(heif_image_get_height(image, heif_channel_Alpha)) == plane.height,
            let base = heif_image_get_plane(image, heif_channel_Alpha, &stride)
        else { return nil }
        return Plane(
            base: UnsafeMutableRawPointer(base), width: plane.width, height: plane.height, stride: Int(stride),
            bytesPerSample: plane.bytesPerSample)
    }

    func rewind() { isDone = false }

    func next() throws(MediaError) -> StillPicture? {
        if isDone { return nil }
        isDone = true
        var looks = [view]
        if let shown = try shown() { looks.append(shown) }
        return StillPicture(views: [view], looks: looks)
    }

    /// Luma (or green) as it is seen over gray, where something is transparent.
    private func shown() throws(MediaError) -> PlanarView? {
        var stride: Int32 = 0
        guard heif_image_has_channel(image, heif_channel_Alpha) != 0,
            let alpha = heif_image_get_plane_readonly(image, heif_channel_Alpha, &stride)
        else { return nil }
        let depth = Int(heif_image_get_bits_per_pixel_range(image, heif_channel_Alpha))
        let (width, height) = (view.width, view.height)
        guard Int(heif_image_get_width(image, heif_channel_Alpha)) == width,
            Int(heif_image_get_height(image, heif_channel_Alpha)) == height
        else { return nil }
        let blend: PixelBuffer
        if let own = self.blend { blend = own } else { blend = try PixelBuffer(size: width * height, file: file) }
        self.blend = blend
        let out = blend.base.assumingMemoryBound(to: UInt8.self)
        for y in 0..<height {
            let luma = view.planes[0].row(y)
            let row = UnsafeRawPointer(alpha + y * Int(stride))
            for x in 0..<width {
                let share =
                    depth > 8
                    ? Int(row.load(fromByteOffset: 2 * x, as: UInt16.self)) >> (depth - 8)
                    : Int(row.load(fromByteOffset: x, as: UInt8.self))
                let level =
                    view.depth > 8
                    ? Int(luma.load(fromByteOffset: 2 * x, as: UInt16.self)) >> (view.depth - 8)
                    : Int(luma.load(fromByteOffset: x, as: UInt8.self))
                out[y * width + x] = UInt8(truncatingIfNeeded: (level * share + 128 * (255 - share)) / 255)
            }
        }
        return PlanarView(
            planes: [blend.plane(width: width, height: height, stride: width)], model: .gray, hasAlpha: false, depth: 8,
            chromaShiftX: 0, chromaShiftY: 0, fullRange: view.fullRange)
    }

    func keep(masks: [MaskRegion]?) {}

    func finish() throws(MediaError) -> [UInt8] {
        let failure = MediaError(.internalFailure, "encoding", file: file, detail: "out of memory")
        guard let out = heif_context_alloc() else { throw failure }
        defer { heif_context_free(out) }
        guard Self.hasEncoder else { throw failure }
        var encoder: OpaquePointer?
        try Self.check(
            heif_context_get_encoder_for_format(
                out, format == .avif ? heif_compression_AV1 : heif_compression_HEVC, &encoder), .unsupported,
            "encoding",
            file)
        defer { heif_encoder_release(encoder) }
        try Self.check(heif_encoder_set_lossy_quality(encoder, Self.quality), .internalFailure, "encoding", file)
        // The encoder of AVIF pictures takes the chroma sampling from the picture.
        let chroma =
            view.model == .yuv ? (view.chromaShiftX == 0 ? "444" : view.chromaShiftY == 0 ? "422" : "420") : "444"
        if view.model != .gray, format == .heic {
            try Self.check(
                heif_encoder_set_parameter_string(encoder, "chroma", chroma), .internalFailure, "encoding", file)
        }
        let options = heif_encoding_options_alloc()
        defer { heif_encoding_options_free(options) }
        options?.pointee.save_two_colr_boxes_when_ICC_and_nclx_available = 1
        options?.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
        var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
        if heif_image_handle_get_nclx_color_profile(handle, &profile).code == heif_error_Ok {
            options?.pointee.output_nclx_profile = profile
        }
        defer { heif_nclx_color_profile_free(profile) }
        var written: OpaquePointer?
        try Self.check(
            heif_context_encode_image(out, image, encoder, options, &written), .internalFailure, "encoding", file)
        defer { heif_image_handle_release(written) }
        try copyMetadata(to: out, written)
        notices.append("the picture is encoded anew")
        return try Self.write(out, file)
    }

    private func copyMetadata(to out: OpaquePointer, _ written: OpaquePointer?) throws(MediaError) {
        func blocks(_ type: String?) -> [[UInt8]] {
            let count = Int(heif_image_handle_get_number_of_metadata_blocks(handle, type))
            var ids = [heif_item_id](repeating: 0, count: max(0, count))
            let given = heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &ids, Int32(count))
            return ids.prefix(Int(given)).compactMap { id in
                if type == "mime" {
                    let kind = heif_image_handle_get_metadata_content_type(handle, id).map { String(cString: $0) }
                    guard kind == "application/rdf+xml" else { return nil }
                }
                var data = [UInt8](repeating: 0, count: heif_image_handle_get_metadata_size(handle, id))
                return heif_image_handle_get_metadata(handle, id, &data).code == heif_error_Ok ? data : nil
            }
        }
        // The first four bytes say where the TIFF structure begins behind them (ISO/IEC 23008-12, annex A.2.1).
        if let exif = blocks("Exif").first, exif.count > 4 {
            let start = 4 + exif[..<4].reduce(0) { $0 << 8 | Int($1) }
            // The picture stands upright by now.
            if start < exif.count, let cleaned = Metadata.exif(exif[start...], policy, orientation: .up) {
                try Self.check(
                    heif_context_add_exif_metadata(out, written, cleaned, Int32(cleaned.count)), .internalFailure,
                    "encoding", file)
            }
        }
        if policy == .keep, let xmp = blocks("mime").first, let packet = Metadata.xmp(xmp, policy) {
            try Self.check(
                heif_context_add_XMP_metadata(out, written, packet, Int32(packet.count)), .internalFailure, "encoding",
                file)
        }
    }

    private final class Sink {
        var bytes: [UInt8] = []
    }

    private static func write(_ context: OpaquePointer, _ file: String) throws(MediaError) -> [UInt8] {
        let sink = Sink()
        var writer = heif_writer(
            writer_api_version: 1,
            write: { _, data, size, user in
                if let data, let user {
                    Unmanaged<Sink>.fromOpaque(user).takeUnretainedValue().bytes +=
                        UnsafeRawBufferPointer(start: data, count: size)
                }
                return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
            })
        try check(
            heif_context_write(context, &writer, Unmanaged.passUnretained(sink).toOpaque()), .internalFailure,
            "encoding", file)
        return sink.bytes
    }
}

import CFFmpeg
import VeilCore
import VeilPixels

/// Re-encodes pictures; owns its AVCodecContext.
final class Encoder {
    let context: UnsafeMutablePointer<AVCodecContext>
    let choice: EncoderChoice
    let timeBase: AVRational
    private let file: String
    private let scaler: Scaler?
    private let makesPalette: Bool
    private let packet: Packet

    /// Times by what the encoder was given: presentation time in, in the source's time base, and the duration.
    private var times: [Int64: (pts: Int64, duration: Int64)] = [:]
    private var count: Int64 = 0
    private var hasGivenPackets = false
    private var isFinishing = false

    /// - Parameters:
    ///   - frame: the first picture to come: size, colour tags, field order and HDR metadata are taken from it.
    ///   - timeBase: of the frames' pts.
    init(
        choice: EncoderChoice, settings: EncoderSettings, like frame: borrowing Frame, timeBase: Rational,
        frameRate: Rational, sampleAspectRatio: Rational, hdr: HDRMetadata, sourceProfile: Int32,
        sourceFieldOrder: AVFieldOrder, container: OutputFormat,
        file: String
    ) throws(MediaError) {
        self.choice = choice
        self.file = file
        let name = choice.encoderName
        let interlaced = frame.isInterlaced
        packet = try Packet()
        makesPalette = choice.format == PixelFormat(AV_PIX_FMT_PAL8)
        let wanted =
            makesPalette ? PixelFormat(frame.format.hasAlpha ? AV_PIX_FMT_GBRAP : AV_PIX_FMT_GBRP) : choice.format
        scaler = frame.format.withoutRange == wanted.withoutRange ? nil : Scaler(to: wanted)
        guard let context = avcodec_alloc_context3(choice.codec) else {
            throw MediaError(.internalFailure, "opening the encoder", file: file, detail: "out of memory")
        }
        self.context = context
        self.timeBase = AVRational(num: Int32(timeBase.num), den: Int32(timeBase.den))

        let properties = frame.pointer.pointee
        context.pointee.width = Int32(choice.width)
        context.pointee.height = Int32(choice.height)
        context.pointee.pix_fmt = choice.format.raw
        context.pointee.sample_aspect_ratio = AVRational(
            num: Int32(sampleAspectRatio.num), den: Int32(sampleAspectRatio.den))
        context.pointee.color_range =
            frame.format.impliesFullRange ? AVCOL_RANGE_JPEG : properties.color_range
        context.pointee.color_primaries = properties.color_primaries
        context.pointee.color_trc = properties.color_trc
        context.pointee.colorspace = properties.colorspace
        context.pointee.chroma_sample_location = properties.chroma_location
        if choice.format.isRGB != frame.format.isRGB {
            // The matrix tag of one colour model says nothing about the other.
            context.pointee.colorspace = choice.format.isRGB ? AVCOL_SPC_RGB : AVCOL_SPC_UNSPECIFIED
        }
        let rate = Self.frameRate(frameRate, for: choice.codec)
        context.pointee.framerate = rate
        context.pointee.time_base = choice.countsFrames ? AVRational(num: rate.den, den: rate.num) : self.timeBase
        context.pointee.thread_count = settings.isReproducible ? 1 : Int32(settings.threads)
        if settings.isReproducible {
            context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
            cff_take_memory_empty()
        }
        context.pointee.strict_std_compliance = cff_compliance_unofficial
        if container.needsGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        // AVI has no presentation times: frames must come in the order in which they are shown.
        if container.isAVI { context.pointee.max_b_frames = 0 }
        let named: [AVFieldOrder] = frame.isTopFieldFirst ? [AV_FIELD_TT, AV_FIELD_TB] : [AV_FIELD_BB, AV_FIELD_BT]
        let fieldOrder = named.contains(sourceFieldOrder) ? sourceFieldOrder : named[0]
        if interlaced && choice.marksFields {
            context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT
            if name == "libx264" || name == "mpeg2video" { context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_ME }
            context.pointee.field_order = fieldOrder
        } else {
            context.pointee.field_order = interlaced ? fieldOrder : AV_FIELD_PROGRESSIVE
        }

        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        try Self.setQuality(settings, name: name, context: context, rate: rate, options: &options, file: file)
        var extra: [(String, String)] = settings.options.map { ($0.name, $0.value) }
        if name == "libx265" {
            // It has threads of its own; how many frames it works on at once changes what it writes.
            let frames = settings.isReproducible ? ":frame-threads=1" : ""
            extra.insert(("x265-params", "log-level=none" + frames), at: 0)
        }
        if ["prores_ks", "dnxhd"].contains(name) && sourceProfile != cff_profile_unknown {
            extra.insert(("profile", "\(sourceProfile)"), at: 0)
        }
        if name.hasPrefix("libvpx") && choice.format.hasAlpha {
            // Hidden reference pictures carry no alpha: libvpx refuses the two together.
            extra.insert(("auto-alt-ref", "0"), at: 0)
        }
        if name == "prores_ks" && choice.format.hasAlpha { extra.insert(("alpha_bits", "16"), at: 0) }
        if name == "libx264" && interlaced {
            // FFmpeg tells x264 with the first picture, when the stream's header is written already.
            extra.insert(("x264-params", frame.isTopFieldFirst ? "tff=1" : "bff=1"), at: 0)
        }
        if name == "libx265" && interlaced {
            // Single fields, which libx265 takes in turn: `EncoderChoice.marksFields` sees to that.
            extra.insert(("x265-params", frame.isTopFieldFirst ? "interlace=tff" : "interlace=bff"), at: 0)
        }
        if let own = hdr.options(for: name) { extra.insert(own, at: 0) }
        for (key, value) in extra {
            // Parameter lists add up instead of replacing one another.
            if key.hasSuffix("-params"), let old = av_dict_get(options, key, nil, 0) {
                av_dict_set(&options, key, String(cString: old.pointee.value) + ":" + value, 0)
            } else {
                av_dict_set(&options, key, value, 0)
            }
        }
        let operation = "opening the encoder \(name)"
        try check(avcodec_open2(context, choice.codec, &options), .unsupported, operation, file: file)
        if let unused = av_dict_get(options, "", nil, AV_DICT_IGNORE_SUFFIX) {
            throw MediaError(
                .unsupported, operation, file: file,
                detail: "it has no option '\(String(cString: unused.pointee.key))'",
                advice: "see ffmpeg -h encoder=\(name)")
        }
    }

    deinit {
        // SVT-AV1 1.4 waits on closing for the last of its pictures: for ever, if it was given none.
        if count == 0 && choice.encoderName == "libsvtav1" {
            try? submit(Frame.allocate(width: choice.width, height: choice.height, format: choice.format), 0)
        }
        var c: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&c)
    }

    /// The encoder's nearest frame rate where it takes only some, and one that a 16-bit time base holds.
    private static func frameRate(_ rate: Rational, for codec: UnsafePointer<AVCodec>) -> AVRational {
        var num: Int32 = 0
        var den: Int32 = 0
        av_reduce(&num, &den, Int64(rate.num), Int64(rate.den), 60000)
        let wanted = num > 0 && den > 0 ? AVRational(num: num, den: den) : AVRational(num: 25, den: 1)
        guard cff_codec_has_frame_rates(codec) != 0 else { return wanted }
        var best = wanted
        var distance = Double.infinity
        var i: Int32 = 0
        while true {
            let r = cff_codec_frame_rate(codec, i)
            if r.num == 0 { break }
            if abs(r.value - wanted.value) < distance {
                distance = abs(r.value - wanted.value)
                best = r
            }
            i += 1
        }
        return best
    }

    /// The presets of x264 and x265, from x264.h.
    private static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]

    private static func setQuality(
        _ settings: EncoderSettings, name: String, context: UnsafeMutablePointer<AVCodecContext>, rate: AVRational,
        options: inout OpaquePointer?, file: String
    ) throws(MediaError) {
        guard let quality = QualityControl.default(for: name).with(settings.crf) else {
            throw MediaError(
                .unsupported, "setting the quality", file: file, detail: "the encoder \(name) has no --crf",
                advice: "leave --crf out, or choose a --codec")
        }
        switch quality {
        case .crf(let value):
            av_dict_set(&options, "crf", value == value.rounded() ? "\(Int(value))" : "\(value)", 0)
            if name != "libx264" && name != "libx264rgb" && name != "libx265" { context.pointee.bit_rate = 0 }
        case .cappedCRF(let value, let bits):
            av_dict_set(&options, "crf", "\(Int(value))", 0)
            context.pointee.bit_rate =
                Int64(Double(context.pointee.width) * Double(context.pointee.height) * max(1, rate.value) * bits)
        case .quantizer(let value):
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = Int32(value * Double(FF_QP2LAMBDA))
            context.pointee.qmin = 1
        case .none: break
        }
        let isPrivateOption = { (key: String) in av_opt_find2(context.pointee.priv_data, key, nil, 0, 0, nil) != nil }
        if let preset = settings.preset {
            guard let key = ["preset", "cpu-used"].first(where: isPrivateOption) else {
                throw MediaError(
                    .unsupported, "setting the preset", file: file, detail: "the encoder \(name) has no presets",
                    advice: "leave --preset out")
            }
            // x264 writes its own complaint to standard error before anything can keep it from doing so.
            let isKnown = Self.presets.contains(preset) || Int(preset).map { (0...9).contains($0) } ?? false
            if ["libx264", "libx264rgb", "libx265"].contains(name) && !isKnown {
                throw MediaError(
                    .unsupported, "setting the preset", file: file,
                    detail: "the encoder \(name) has no preset '\(preset)'",
                    advice: "it has " + Self.presets.joined(separator: ", "))
            }
            av_dict_set(&options, key, preset, 0)
        } else {
            switch name {
            case "libvpx-vp9": av_dict_set(&options, "cpu-used", "3", 0)
            case "libvpx": av_dict_set(&options, "cpu-used", "2", 0)
            case "libaom-av1": av_dict_set(&options, "cpu-used", "6", 0)
            case "libsvtav1": av_dict_set(&options, "preset", "7", 0)
            default: break
            }
        }
        if name == "libvpx-vp9" || name == "libaom-av1" { av_dict_set(&options, "row-mt", "1", 0) }
    }

    /// The stream's parameters for the container.
    func describe(in parameters: UnsafeMutablePointer<AVCodecParameters>) throws(MediaError) {
        try check(
            avcodec_parameters_from_context(parameters, context), .internalFailure, "describing the stream", file: file)
    }

    /// Takes a picture; its pts must be later than those before it.
    func send(_ frame: borrowing Frame) throws(MediaError) {
        let pts = frame.pts ?? 0
        let key = choice.countsFrames ? count : pts
        times[key] = (pts, frame.duration)
        count += 1
        if makesPalette {
            if let scaler {
                try submit(Palettizer.convert(scaler.convert(frame)), key)
            } else {
                try submit(Palettizer.convert(frame), key)
            }
        } else if let scaler {
            try submit(padding(scaler.convert(frame)), key)
        } else if (choice.width, choice.height) != (frame.width, frame.height) {
            try submit(padding(frame), key)
        } else {
            try submit(frame, key)
        }
    }

    private func submit(_ frame: borrowing Frame, _ key: Int64) throws(MediaError) {
        let own = frame.pts
        frame.pointer.pointee.pts = key
        // Whether a picture is a key frame is the encoder's to decide, not the source's.
        frame.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
        frame.pointer.pointee.key_frame = 0
        if frame.format != choice.format { frame.pointer.pointee.format = choice.format.raw.rawValue }
        if QualityControl.default(for: choice.encoderName).isQuantizer {
            frame.pointer.pointee.quality = context.pointee.global_quality
        }
        let code = avcodec_send_frame(context, frame.pointer)
        frame.pointer.pointee.pts = own ?? cff_no_pts
        try check(code, .internalFailure, "encoding", file: file, time: own.map { Double($0) * timeBase.value })
    }

    /// The picture with its last column and row repeated up to the size that the encoder needs.
    private func padding(_ frame: borrowing Frame) throws(MediaError) -> Frame {
        if (choice.width, choice.height) == (frame.width, frame.height) { return try frame.reference() }
        let result = try Frame.allocate(width: choice.width, height: choice.height, format: frame.format)
        try result.copyProperties(from: frame)
        frame.withPlanes { from in
            result.withPlanes { to in
                for (a, b) in zip(from.planes, to.planes) {
                    let bytes = a.bytesPerSample
                    for y in 0..<b.height {
                        let row = b.row(y)
                        row.copyMemory(from: a.row(min(y, a.height - 1)), byteCount: a.width * bytes)
                        for x in a.width..<max(a.width, b.width) {
                            (row + x * bytes).copyMemory(from: row + (a.width - 1) * bytes, byteCount: bytes)
                        }
                    }
                }
            }
        }
        return result
    }

    /// Tells the encoder that no more pictures will come.
    func finish() throws(MediaError) {
        isFinishing = true
        try check(avcodec_send_frame(context, nil), .internalFailure, "finishing the encoder", file: file)
    }

    /// Hands every packet that is ready to `body`, its times in `timeBase`.
    func drain(_ body: (borrowing Packet) throws(MediaError) -> Void) throws(MediaError) {
        // x265 3.5 makes up decoding times for a clip that is shorter than its delay from memory it never set.
        if isFinishing && !hasGivenPackets && choice.encoderName == "libx265" { return try drainShortClip(body) }
        while try receive(into: packet) {
            hasGivenPackets = true
            restoreTimes(of: packet)
            try body(packet)
            av_packet_unref(packet.pointer)
        }
    }

    /// The next packet that is ready; false when there is none.
    private func receive(into packet: borrowing Packet) throws(MediaError) -> Bool {
        let code = avcodec_receive_packet(context, packet.pointer)
        if code == cff_error_again || code == cff_error_eof { return false }
        try check(code, .internalFailure, "encoding", file: file)
        return true
    }

    /// Packets of a clip that was still whole inside the encoder, with decoding times of our own: the presentation times
    /// in rising order, as much earlier as it takes for no picture to be shown before it is decoded.
    private func drainShortClip(_ body: (borrowing Packet) throws(MediaError) -> Void) throws(MediaError) {
        hasGivenPackets = true
        var list: [HeldPacket] = []
        while true {
            let held = try HeldPacket()
            guard try receive(into: held.packet) else { break }
            list.append(held)
        }
        let shown = list.map { $0.packet.pointer.pointee.pts }
        let rising = shown.sorted()
        let delay = zip(rising, shown).map { $0 - $1 }.max() ?? 0
        for (held, time) in zip(list, rising) {
            held.packet.pointer.pointee.dts = time - delay
            restoreTimes(of: held.packet)
            try body(held.packet)
        }
    }

    /// A packet that can be kept in a list.
    private final class HeldPacket {
        let packet: Packet
        init() throws(MediaError) { packet = try Packet() }
    }

    /// The time base of packets handed out: the frames' own.
    var packetTimeBase: AVRational { timeBase }

    /// Puts the frame's own time and duration on its packet.
    private func restoreTimes(of packet: borrowing Packet) {
        let p = packet.pointer
        guard let known = times.removeValue(forKey: p.pointee.pts) else { return }
        if choice.countsFrames {
            // These encoders don't reorder.
            p.pointee.pts = known.pts
            p.pointee.dts = known.pts
        }
        p.pointee.duration = known.duration
    }
}

extension QualityControl {
    var isQuantizer: Bool { if case .quantizer = self { true } else { false } }
}

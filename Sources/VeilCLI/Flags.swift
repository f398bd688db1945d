/// The table of flags: parser, help, man page and completions are made from it.
///
/// To add a flag, declare it here and name it in its group below; read it with `options.value(Flags.name)`.
enum Flags {
    // MARK: Output

    static let output = Flag<String?>.optional(
        "output", short: "o", .file, otherwise: "IN.redacted.EXT beside IN", .output,
        "Write the result to FILE; - is standard output. For several inputs or a folder, FILE is a folder."
    ).common()
    static let format = Flag<String?>.optional(
        "format", .text(name: "NAME"), otherwise: nil, .output,
        "Choose the container of what goes to standard output: matroska, mp4, mpegts or another that FFmpeg writes. A "
            + "file's own name says it.")
    static let force = Flag.toggle("force", .output, "Replace the output if it exists.").common()
    static let audio = Flag.value(
        "audio", .choice(), default: AudioChoice.keep, .output,
        "Keep the sound or leave it out. A voice can tell who someone is, too.")
    static let keepData = Flag.toggle(
        "keep-data", .output,
        "Keep timed data, such as positions and telemetry, where the container holds it. It can tell who was where.")
    static let metadata = Flag.value(
        "metadata", .choice(), default: MetadataChoice.safe, .output,
        "What to keep of tags and metadata: all but thumbnails, previews, makers' notes and whatever else may hold a "
            + "picture, which always go (keep); what colours, orientation, resolution and camera settings say, but nothing "
            + "that tells who or where (safe); or only what the picture can't be shown right without (none).")
    static let untouched = Flag.value(
        "untouched", .choice(), default: UntouchedChoice.copy, .output,
        "What to do with a file in which nothing has to be covered: copy its streams as they are, encode it, or skip it "
            + "and write nothing.")
    static let deinterlace = Flag.toggle(
        "deinterlace", .output, "Make whole pictures of interlaced ones.")
    static let codec = Flag<CodecChoice?>.optional(
        "codec", .choice(name: "NAME"), otherwise: "the source's own", .output, "Encode the video with this codec.")
    static let crf = Flag<Int?>.optional(
        "crf", .whole(0...63), otherwise: "by encoder, 18 for H.264", .output,
        "Set the encoder's constant quality: lower looks better and takes more space (but for Theora).")
    static let preset = Flag<String?>.optional(
        "preset", .text(name: "NAME"), otherwise: "by encoder, medium for H.264", .output,
        "Choose the encoder's speed, such as medium or slow.")
    static let encoderOption = Flag<[EncoderOption]>.list(
        "encoder-option", EncoderOption.kind, .output, "Hand an option to the encoder as it is.")
    static let onError = Flag.value(
        "on-error", .choice(), default: ErrorChoice.stop, .output,
        "What to do about a frame that can't be read or searched: stop and write nothing, or cover the whole frame and "
            + "go on.")

    static let reproducible = Flag.toggle(
        "reproducible", .output,
        "Give the same bytes for the same input on every machine with the same libraries. Encodes with one thread.")

    // MARK: Finding faces

    static let detector = Flag.value(
        "detector", .choice(), default: DetectorChoice.centerface, .faces,
        "Choose what finds the faces. centerface is a neural network; haar is older and misses far more.")
    static let threshold = Flag<Double?>.optional(
        "threshold", .number(0...1), otherwise: "0.35 in videos, 0.15 in pictures", .faces,
        "Take for a face what scores at least this much. Lower finds more faces and more that are none.")
    static let detectSize = Flag<Int?>.optional(
        "detect-size", .whole(64...8192, name: "PIXELS"),
        otherwise: "half the picture's, 640 to 1920, or what --min-face needs",
        .faces,
        "Search a picture whose longer side has this size. Larger finds smaller faces and takes longer.")
    static let detectEvery = Flag<Int?>.optional(
        "detect-every", .whole(1...), otherwise: "chosen by the frame rate", .faces,
        "Search each Nth frame only; in between, faces are followed.")
    static let minFace = Flag<MinimumFace?>.optional(
        "min-face", MinimumFace.kind, otherwise: "none", .faces,
        "Leave out faces smaller than this, in pixels (24) or in percent of the picture's height (2%). The picture that is "
            + "searched gets as large as it takes to see such a face, up to 1920.")
    static let thorough = Flag.toggle(
        "thorough", .faces, "Search harder for small and turned faces; takes many times as long."
    ).common().excluding(["fast"])
    static let fast = Flag.toggle("fast", .faces, "Search less; small or brief faces may be missed.").common()
    static let linger = Flag.value(
        "linger", .number(0...60, name: "SECONDS"), default: 0.15, .faces,
        "Go on covering a face for this long after it was last seen.")

    // MARK: Covering faces

    static let effect = Flag.value(
        "effect", .choice(), default: EffectChoice.pixellate, .mask,
        "Cover with a mosaic, a blur or one colour. Only solid leaves nothing of the face."
    ).common()
    static let cells = Flag.value(
        "cells", .whole(2...64), default: 5, .mask,
        "Use this many mosaic cells across a face. Fewer hide more; more than 8 leave a face readable."
    ).warning { $0 > 8 ? "more than 8 cells leave a face readable" : nil }
    static let color = Flag.value(
        "color", FillColor.kind, default: FillColor(red: 0, green: 0, blue: 0), .mask, "Use this colour for solid.")
    static let mask = Flag.value(
        "mask", .choice(), default: MaskChoice.ellipse, .mask, "Cover an ellipse or the whole box around a face.")
    static let maskScale = Flag.value(
        "mask-scale", .number(1...4), default: 1.3, .mask, "Make the mask this many times as large as the face.")
    static let softness = Flag.value(
        "softness", .number(0...1), default: 0.2, .mask,
        "Fade the mask's edge over this share of its size. The fade lies outside the mask.")
    static let hold = Flag.value(
        "hold", .number(0...60, name: "SECONDS"), default: 0.5, .mask,
        "Keep a mosaic's colours for this long. Fresh colours in each frame give a moving face away.")

    // MARK: Plan and report

    static let plan = Flag<String?>.optional(
        "plan", .file, otherwise: nil, .plan,
        "Cover what this plan says instead of searching. Make one with 'veil detect'."
    ).excluding(facesGroup.map(\.info.name))
    static let report = Flag<String?>.optional(
        "report", .file, otherwise: nil, .plan,
        "Write what was found and done to FILE, as JSON. For several inputs or a folder, FILE is a folder for a page to read."
    )
    static let planOutput = Flag<String?>.optional(
        "output", short: "o", .file, otherwise: "IN.EXT.plan.json beside IN", .output,
        "Write the plan to FILE; - is standard output."
    ).common()

    // MARK: General

    static let models = Flag<String?>.optional(
        "models", .directory, otherwise: "$VEIL_MODELS, or the installed ones", .general,
        "Take the detectors' models from DIR.")
    static let threads = Flag<Int?>.optional(
        "threads", .whole(1...1024), otherwise: "as many as there are cores, shared by the files at work", .general,
        "Use this many threads.")
    static let allowReferences = Flag.toggle(
        "allow-references", .general,
        "Open local files that a playlist (HLS, DASH) or a movie names, if they lie in its own folder or below.")
    static let allowNetwork = Flag.toggle(
        "allow-network", .general, "Open the HTTP and HTTPS addresses that a playlist (HLS, DASH) names.")
    static let noSandbox = Flag.toggle(
        "no-sandbox", .general,
        "Work with all rights of the user. Without this flag, network, other programs and other files are shut off "
            + "before a file is opened, as far as the kernel can.")
    static let quiet = Flag.toggle(
        "quiet", short: "q", .general, "Print errors only, no progress."
    ).common().excluding(["verbose"])
    static let verbose = Flag.toggle("verbose", short: "v", .general, "Say more about what is done.")
    static let help = Flag.toggle("help", short: "h", .general, "Print help.").common()
    static let version = Flag.toggle("version", short: "V", .general, "Print the version.").common()

    // MARK: Groups, in the order of help

    static let outputGroup: [any FlagDeclaration] = [
        output, format, force, audio, keepData, metadata, untouched, codec, crf, preset, encoderOption, deinterlace,
        onError, reproducible,
    ]
    static let facesGroup: [any FlagDeclaration] = [
        detector, threshold, detectSize, detectEvery, minFace, thorough, fast, linger,
    ]
    static let maskGroup: [any FlagDeclaration] = [effect, cells, color, mask, maskScale, softness, hold]
    static let planGroup: [any FlagDeclaration] = [plan, report]
    static let workGroup: [any FlagDeclaration] = [models, threads]
    static let sandboxGroup: [any FlagDeclaration] = [allowReferences, allowNetwork, noSandbox]
    static let talkGroup: [any FlagDeclaration] = [quiet, verbose]
    static let everywhere: [any FlagDeclaration] = [help, version]
}

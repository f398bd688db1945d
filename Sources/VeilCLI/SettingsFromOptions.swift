import VeilCore
import VeilMedia
import VeilPipeline
import VeilPixels

extension RedactionSettings {
    /// What a command line means to the pipeline. Verbs that don't cover anything have no flags for it.
    init(_ options: Options) {
        self.init()
        detector = options.value(Flags.detector) == .haar ? .haar : .centerface
        onError = options.value(Flags.onError) == .cover ? .cover : .stop
        overwrite = options.value(Flags.force)
        models = options.value(Flags.models)
        threads = options.value(Flags.threads) ?? 0
        encoder.threads = threads
        if options.value(Flags.allowReferences) { reach.insert(.references) }
        if options.value(Flags.allowNetwork) { reach.insert(.network) }
        analysis = AnalysisSettings(options)
        guard options.verb == .redact else { return }

        encoder.isReproducible = options.value(Flags.reproducible)
        audio = options.value(Flags.audio) == .drop ? .drop : .keep
        keepsData = options.value(Flags.keepData)
        metadata = MetadataPolicy(rawValue: options.value(Flags.metadata).rawValue) ?? .safe
        untouched = UntouchedPolicy(rawValue: options.value(Flags.untouched).rawValue) ?? .copy
        encoder.deinterlaces = options.value(Flags.deinterlace)
        encoder.codec = options.value(Flags.codec).flatMap { VideoCodec(rawValue: $0.rawValue) }
        encoder.crf = options.value(Flags.crf).map(Double.init)
        encoder.preset = options.value(Flags.preset)
        for option in options.value(Flags.encoderOption) { encoder.addOption(option.key, option.value) }

        chain = FilterChain(covering: options)
        maskScale = options.value(Flags.maskScale)
    }
}

extension FilterChain {
    /// What covers faces, by the flags for it.
    init(covering options: Options) {
        let cells = options.value(Flags.cells)
        let effect: Effect =
            switch options.value(Flags.effect) {
            case .pixellate: .pixellate(cells: cells)
            case .blur: .blur(cells: cells)
            case .solid:
                .solid(
                    color: RGBColor(
                        red: options.value(Flags.color).red, green: options.value(Flags.color).green,
                        blue: options.value(Flags.color).blue))
            }
        self.init(
            effects: [effect], shape: options.value(Flags.mask) == .box ? .box : .ellipse,
            softness: options.value(Flags.softness), hold: options.value(Flags.hold))
    }
}

extension AnalysisSettings {
    /// Presets first, then what was said in so many words.
    init(_ options: Options) {
        self.init()
        if options.value(Flags.thorough) { self = .thorough }
        if options.value(Flags.fast) { self = .fast }
        if let threshold = options.value(Flags.threshold) {
            confirmThreshold = threshold
            stillThreshold = threshold
            continueThreshold = min(continueThreshold, threshold)
            weakScore = max(weakScore, threshold)
        }
        switch options.value(Flags.minFace) {
        case .pixels(let count)?: minFace = Double(count)
        case .percent(let share)?: minFaceShare = share / 100
        case nil: break
        }
        // The smallest face asked for counts more than the size that a preset suggests.
        if minFace > 0 || minFaceShare > 0 { detectSize = 0 }
        if let size = options.value(Flags.detectSize) { detectSize = size }
        if let every = options.value(Flags.detectEvery) { detectEvery = every }
        linger = options.value(Flags.linger)
    }
}

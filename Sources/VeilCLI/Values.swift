// The words and small values that flags take. What they mean to the pipeline is decided where a command runs.

/// `--audio`.
enum AudioChoice: String, CaseIterable, Sendable { case keep, drop }

/// `--metadata`.
enum MetadataChoice: String, CaseIterable, Sendable { case keep, safe, none }

/// `--untouched`.
enum UntouchedChoice: String, CaseIterable, Sendable { case copy, encode, skip }

/// `--codec`: names as FFmpeg has them, but for `mpeg2` and `prores`.
enum CodecChoice: String, CaseIterable, Sendable {
    case h264, hevc, vp8, vp9, av1, mpeg4, mpeg2, mjpeg, prores, ffv1
}

/// `--on-error`.
enum ErrorChoice: String, CaseIterable, Sendable { case stop, cover }

/// `--detector`.
enum DetectorChoice: String, CaseIterable, Sendable { case centerface, haar }

/// `--mask`.
enum MaskChoice: String, CaseIterable, Sendable { case ellipse, box }

/// `--effect`.
enum EffectChoice: String, CaseIterable, Sendable { case pixellate, blur, solid }

/// `--min-face`: the smallest face that counts.
enum MinimumFace: Sendable, Equatable {
    /// In pixels of the displayed picture, 1 or more.
    case pixels(Int)
    /// In percent of the picture's height, above 0 and up to 100.
    case percent(Double)

    static let kind = ValueKind<MinimumFace>(
        name: "SIZE", expected: "a size in pixels (24) or in percent (2%)",
        read: { text in
            if text.hasSuffix("%") {
                return decimalNumber(String(text.dropLast())).flatMap { $0 > 0 && $0 <= 100 ? .percent($0) : nil }
            }
            return Int(text).flatMap { $0 >= 1 ? .pixels($0) : nil }
        },
        show: { size in
            switch size {
            case .pixels(let count): String(count)
            case .percent(let share): plainNumber(share) + "%"
            }
        })
}

/// `--color`: full-range R'G'B', 8 bits each.
struct FillColor: Sendable, Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    /// Names are those of CSS, level 1, where it has them.
    static let names: [(name: String, color: FillColor)] = [
        ("black", FillColor(red: 0, green: 0, blue: 0)),
        ("gray", FillColor(red: 128, green: 128, blue: 128)),
        ("white", FillColor(red: 255, green: 255, blue: 255)),
        ("red", FillColor(red: 255, green: 0, blue: 0)),
        ("green", FillColor(red: 0, green: 128, blue: 0)),
        ("blue", FillColor(red: 0, green: 0, blue: 255)),
        ("yellow", FillColor(red: 255, green: 255, blue: 0)),
    ]

    static let kind = ValueKind<FillColor>(
        name: "COLOR", expected: "a colour: six hexadecimal digits (RRGGBB), or \(alternatives(names.map(\.name)))",
        limits: "RRGGBB or \(alternatives(names.map(\.name)))", completion: .words(names.map(\.name)),
        read: { text in
            if let named = names.first(where: { $0.name == text }) { return named.color }
            let digits = text.first == "#" ? text.dropFirst() : text[...]
            guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16) else {
                return nil
            }
            return FillColor(
                red: UInt8(truncatingIfNeeded: code >> 16), green: UInt8(truncatingIfNeeded: code >> 8),
                blue: UInt8(truncatingIfNeeded: code))
        },
        show: { color in
            if let named = names.first(where: { $0.color == color }) { return named.name }
            let code = UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
            let digits = String(code, radix: 16)
            return String(repeating: "0", count: 6 - digits.count) + digits
        })
}

/// `--encoder-option`: one option for the encoder.
struct EncoderOption: Sendable, Equatable {
    var key: String
    var value: String

    static let kind = ValueKind<EncoderOption>(
        name: "KEY=VALUE", expected: "an option of the form KEY=VALUE",
        read: { text in
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
            return EncoderOption(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
        },
        show: { "\($0.key)=\($0.value)" })
}

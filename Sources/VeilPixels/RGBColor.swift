/// A colour as red, green and blue, 0…255 each (full range). Coded in JSON as `"#rrggbb"`.
public struct RGBColor: Sendable, Hashable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public static let black = RGBColor(red: 0, green: 0, blue: 0)

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads six hexadecimal digits with or without a `#` before them; nil for anything else.
    public init?(hex: String) {
        let digits = hex.hasPrefix("#") ? hex.dropFirst() : hex[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
            return nil
        }
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    public var hex: String {
        "#"
            + [red, green, blue].map { byte in
                let digits = String(byte, radix: 16)
                return digits.count < 2 ? "0" + digits : digits
            }.joined()
    }

    /// The sample value of this colour in one plane of a picture.
    ///
    /// Coefficients and ranges are those of ITU-R BT.601-7 and BT.709-6, with the quantisation of BT.709-6, 3.4, for
    /// limited range and of JFIF for full range.
    func sample(plane: Int, in format: PictureFormat) -> UInt16 {
        let (r, g, b) = (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
        let (kr, kb) = format.bt709 ? (0.2126, 0.0722) : (0.299, 0.114)
        let y = kr * r + (1 - kr - kb) * g + kb * b
        switch format.model {
        case .gbr: return format.luma([g, b, r][min(plane, 2)])
        case .gray: return format.luma(y)
        case .yuv:
            switch plane {
            case 0: return format.luma(y)
            case 1: return format.chroma((b - y) / (2 * (1 - kb)))
            default: return format.chroma((r - y) / (2 * (1 - kr)))
            }
        }
    }
}

extension RGBColor: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let color = RGBColor(hex: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no #rrggbb colour")
        }
        self = color
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

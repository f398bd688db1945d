/// How many columns of a terminal a text takes (no control characters in it).
///
/// A character is as wide as its widest scalar: 2 for East Asian wide and full-width ones and for emoji (Unicode
/// Standard Annex 11, in whole blocks), 0 for combining marks, else 1.
func displayWidth(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + displayWidth($1) } }

/// The beginning of a text that fits into so many columns.
func fitting(_ text: String, columns: Int) -> String {
    var used = 0
    return String(
        text.prefix { character in
            used += displayWidth(character)
            return used <= columns
        })
}

/// A text cut in its middle to fit, with "..." for what's missing: names differ at their ends.
func shortened(_ text: String, columns: Int) -> String {
    guard displayWidth(text) > columns else { return text }
    guard columns > 5 else { return fitting(text, columns: columns) }
    let tailColumns = (columns - 3) / 2
    let tail = String(fitting(String(text.reversed()), columns: tailColumns).reversed())
    let head = fitting(text, columns: columns - 3 - tailColumns)
    return head + "..." + tail
}

private func displayWidth(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { max($0, displayWidth($1)) }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20..<0x7F: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE0F, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1B000...0x1B2FF,
        0x20000...0x3FFFD:
        return 2
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
}

/// Text that came from outside (a file's name, a tag, a library's words), made harmless for a terminal.
///
/// Control characters, line breaks, bidirectional overrides and other invisible format characters become visible
/// escapes, one `\xNN` per UTF-8 byte. The two joiners of emoji and of several scripts (U+200C, U+200D) stay.
func sanitised(_ text: String) -> String {
    // The common case has nothing to escape.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var safe = ""
    for scalar in text.unicodeScalars { append(scalar, to: &safe) }
    return safe
}

/// The same for bytes that need not be UTF-8, as names of files: what isn't becomes `\xNN` too.
func sanitised(_ bytes: [UInt8]) -> String {
    var safe = ""
    var parser = Unicode.UTF8.ForwardParser()
    var next = bytes.makeIterator()
    var position = 0
    while true {
        switch parser.parseScalar(from: &next) {
        case .valid(let encoded):
            append(Unicode.UTF8.decode(encoded), to: &safe)
            position += encoded.count
        case .error(let length):
            for byte in bytes[position..<min(position + length, bytes.count)] { escape(byte, to: &safe) }
            position += length
        case .emptyInput:
            return safe
        }
    }
}

private func append(_ scalar: Unicode.Scalar, to text: inout String) {
    if isHarmless(scalar) {
        text.unicodeScalars.append(scalar)
    } else {
        for byte in String(scalar).utf8 { escape(byte, to: &text) }
    }
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F, 0x200C, 0x200D: return true
    case 0x00..<0xA0: return false
    default: break
    }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    default: true
    }
}

private func escape(_ byte: UInt8, to text: inout String) {
    let digits = String(byte, radix: 16, uppercase: true)
    text += byte < 16 ? "\\x0\(digits)" : "\\x\(digits)"
}

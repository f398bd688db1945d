/// Breaks text at spaces into lines of at most `width` columns. A word that is longer gets a line of its own.
func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
        if line.isEmpty {
            line = String(word)
        } else if line.count + 1 + word.count <= width {
            line += " " + word
        } else {
            lines.append(line)
            line = String(word)
        }
    }
    return line.isEmpty ? lines : lines + [line]
}

/// The candidate most like a mistyped word, or nil if none is near.
///
/// Near is: the only one that begins with the word, or at most one slip for every three letters.
func nearest(to word: String, among candidates: [String]) -> String? {
    let begun = candidates.filter { $0.hasPrefix(word) }
    if word.count >= 2, begun.count == 1 { return begun.first }
    let ranked = candidates.map { (word: $0, slips: slips(from: word, to: $0)) }
    guard let best = ranked.min(by: { $0.slips < $1.slips }) else { return nil }
    return best.slips <= max(1, word.count / 3) ? best.word : nil
}

/// The fewest insertions, deletions, substitutions and swaps of neighbours that turn one word into another
/// (optimal string alignment distance).
func slips(from a: String, to b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    // Three rows of the table are enough: a swap looks back two.
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 0..<a.count {
        var row = [i + 1]
        for j in 0..<b.count {
            var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
            row.append(cost)
        }
        before = last
        last = row
    }
    return last[b.count]
}

import VeilCore
import VeilMedia

/// What a person or a script asks of a running live picture: a key in the window, or a line on standard input.
public enum LiveCommand: Sendable, Hashable {
    case quit, pause, record, still, nextEffect, toggleMask, toggleBoxes, toggleNumbers, larger, smaller
    case zoom(Double)
    case zoomIn, zoomOut
    /// −1…1 each.
    case pan(x: Double, y: Double)
    case panBy(x: Double, y: Double)
    case mirror, rotate
    /// The next of the shapes that `--crop` knows.
    case nextCrop

    /// Reads a line: a key's letter, or a word with its numbers. Nil for anything else.
    public init?(line: String) {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" }).map(String.init)
        guard let first = words.first else { return nil }
        let numbers = words.dropFirst().compactMap(Double.init)
        guard numbers.count == words.count - 1, numbers.allSatisfy(\.isFinite) else { return nil }
        if numbers.isEmpty, let plain = Self.words[first] {
            self = plain
        } else if first == "zoom", numbers.count == 1, (1...8).contains(numbers[0]) {
            self = .zoom(numbers[0])
        } else if first == "pan", numbers.count == 2, numbers.allSatisfy({ (-1...1).contains($0) }) {
            self = .pan(x: numbers[0], y: numbers[1])
        } else {
            return nil
        }
    }

    /// Reads a key of the window, by the character that it types; 1 to 4 are the arrows.
    init?(key: Int32) {
        switch key {
        case 1: self = .panBy(x: -0.1, y: 0)
        case 2: self = .panBy(x: 0.1, y: 0)
        case 3: self = .panBy(x: 0, y: -0.1)
        case 4: self = .panBy(x: 0, y: 0.1)
        case 32: self = .pause
        default:
            guard let scalar = Unicode.Scalar(UInt32(bitPattern: key)), let found = Self.words[String(scalar)] else {
                return nil
            }
            self = found
        }
    }

    private static let words: [String: LiveCommand] = [
        "q": .quit, "quit": .quit, "space": .pause, "pause": .pause, "r": .record, "record": .record, "s": .still,
        "still": .still, "f": .nextEffect, "effect": .nextEffect, "m": .toggleMask, "mask": .toggleMask,
        "b": .toggleBoxes, "boxes": .toggleBoxes, "n": .toggleNumbers, "numbers": .toggleNumbers, "+": .larger,
        "-": .smaller, "z": .zoomIn, "x": .zoomOut, "mirror": .mirror, "h": .mirror, "rotate": .rotate, "t": .rotate,
        "c": .nextCrop, "crop": .nextCrop,
    ]
}

extension LiveView {
    /// The shapes that `--crop` knows, in the order in which a key goes through them; nil is the whole picture.
    private static let shapes: [Rational?] = [nil, Rational(16, 9), Rational(4, 3), Rational(1, 1)]

    /// What a command changes of the view; others change nothing.
    mutating func apply(_ command: LiveCommand) {
        func limited(_ value: Double) -> Double { min(1, max(-1, value)) }
        switch command {
        case .zoom(let factor): zoom = min(8, max(1, factor))
        case .zoomIn: zoom = min(8, zoom * 1.25)
        case .zoomOut: zoom = max(1, zoom / 1.25)
        case .pan(let x, let y): (panX, panY) = (limited(x), limited(y))
        case .panBy(let x, let y): (panX, panY) = (limited(panX + x), limited(panY + y))
        case .mirror: isMirrored.toggle()
        case .rotate: quarterTurns = (quarterTurns + 1) % 4
        case .nextCrop:
            let index = Self.shapes.firstIndex { $0 == aspect } ?? 0
            aspect = Self.shapes[(index + 1) % Self.shapes.count]
        default: break
        }
    }
}

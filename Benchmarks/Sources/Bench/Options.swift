import Foundation

/// What was typed.
struct Options {
    static let usage = """
        usage: bench [FLAGS]

        Redacts each clip of a folder and prints, as Markdown, what came out and what it cost.

          --media DIR       measure on the clips of DIR, with NAME.faces.json beside each (default: made from samples/)
          --only NAME       only this clip; may be given again
          --veil PATH       the program to measure (default: the checkout's release build)
          --deface PATH     the program to compare with (default: deface, if it is on the PATH)
          --no-deface       don't compare with deface
          --min-face N      count faces from N pixels of the shorter side on (default: 24)
          --json FILE       write all figures to FILE as well
          --write FILE      put the table between the two markers of a Markdown file, such as docs/benchmarks.md
          --keep DIR        keep the clips and everything made from them in DIR
          -h, --help        print this

        """

    var media: String?
    var only: [String] = []
    var veil: String?
    var deface: String?
    var comparesDeface = true
    var minimumFace = 24.0
    var json: String?
    var document: String?
    var keep: String?
    var wantsHelp = false

    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments[...]
        func value(of flag: String) throws(BenchError) -> String {
            guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("\(flag) takes a value") }
            return value
        }
        while let flag = rest.popFirst() {
            switch flag {
            case "--media": media = try value(of: flag)
            case "--only": only.append(try value(of: flag))
            case "--veil": veil = try value(of: flag)
            case "--deface": deface = try value(of: flag)
            case "--no-deface": comparesDeface = false
            case "--min-face":
                guard let number = Double(try value(of: flag)), number >= 0, number.isFinite else {
                    throw .usage("--min-face takes a number of pixels")
                }
                minimumFace = number
            case "--json": json = try value(of: flag)
            case "--write": document = try value(of: flag)
            case "--keep": keep = try value(of: flag)
            case "-h", "--help": wantsHelp = true
            default: throw .usage("there is no \(flag)")
            }
        }
    }

    /// The command that gives the same figures, without this machine's folders.
    var command: String {
        var words = ["make bench"]
        if media != nil { words.append("MEDIA=DIR") }
        var more: [String] = []
        if minimumFace != 24 { more.append("--min-face \(minimumFace)") }
        if !comparesDeface { more.append("--no-deface") }
        more += only.map { "--only \($0)" }
        if !more.isEmpty { words.append("ARGS='\(more.joined(separator: " "))'") }
        return words.joined(separator: " ")
    }
}

/// Why there are no figures.
enum BenchError: Error {
    case usage(String)
    /// A program that is needed isn't there; what to do.
    case missing(String)
    /// Something else, in words.
    case failed(String)
}

/// What was typed.
struct Options {
    static let usage = """
        usage: soak [FLAGS]

        Runs veil for long and watches its memory and its open files. Ends with 1 if either grows with the clip's length
        or the memory's peak is too high.

          --seconds N      length of the long clip, 1920x1080 (default: 600)
          --short N        length of the clip that is redacted at the default settings; 0: none (default: 40)
          --limit MB       the most memory that a run may take at its peak (default: 600)
          --veil PATH      the program to watch (default: the checkout's release build)
          --keep DIR       keep the clips and everything made from them in DIR
          -h, --help       print this

        """

    var seconds = 600
    var short = 40
    var limit = 600
    var veil: String?
    var keep: String?
    var wantsHelp = false

    init(_ arguments: [String]) throws(SoakError) {
        var rest = arguments[...]
        func value(of flag: String) throws(SoakError) -> String {
            guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("\(flag) takes a value") }
            return value
        }
        func number(of flag: String, from least: Int) throws(SoakError) -> Int {
            guard let number = Int(try value(of: flag)), number >= least, number <= 1_000_000 else {
                throw .usage("\(flag) takes a whole number from \(least) on")
            }
            return number
        }
        while let flag = rest.popFirst() {
            switch flag {
            case "--seconds": seconds = try number(of: flag, from: 4)
            case "--short": short = try number(of: flag, from: 0)
            case "--limit": limit = try number(of: flag, from: 1)
            case "--veil": veil = try value(of: flag)
            case "--keep": keep = try value(of: flag)
            case "-h", "--help": wantsHelp = true
            default: throw .usage("there is no \(flag)")
            }
        }
    }
}

/// Why nothing was watched.
enum SoakError: Error {
    case usage(String)
    /// Something else, in words.
    case failed(String)
}

/// A command line that can't be carried out, with the evidence; `UsageErrorText` words it.
struct UsageError: Error, Equatable {
    /// The verb whose help explains more; nil for the overview.
    let verb: VerbName?
    let problem: Problem

    enum Problem: Equatable, Sendable {
        /// `typed` as typed, with its dashes; `nearest` a flag's name with its dashes.
        case unknownFlag(typed: String, nearest: String?)
        /// `instead` is what follows where a value belongs, if it looks like a flag.
        case missingValue(flag: String, valueName: String, instead: String?)
        /// A switch was given a value.
        case needlessValue(flag: String, value: String)
        case refusedValue(flag: String, value: String, expected: String, nearest: String?)
        case excluded(flag: String, by: String)
        case missingOperand(what: String)
        case needlessOperand(String)
        case refusedOperand(String, expected: String, nearest: String?)
        /// A verb's name where the first file is expected.
        case verbNotFirst(VerbName)
        /// A flag that names one file, beside several inputs.
        case oneNameForSeveral(flag: String, inputs: Int)
        /// Standard input without a name for the output.
        case namelessInput(flag: String)
        /// Standard input beside other inputs.
        case standardInputAmongOthers
        /// Standard output without a container format.
        case formatlessOutput
        /// A container format beside an output that has a name.
        case needlessFormat
        /// The n-th argument, counted from 1, isn't UTF-8.
        case notUTF8(position: Int, bytes: [UInt8])
    }
}

/// Words a usage error in one line. Nothing that was typed reaches the terminal unsanitised.
enum UsageErrorText {
    static func line(_ error: UsageError) -> String {
        let help = error.verb.map { "veil \($0.rawValue) --help" } ?? "veil --help"
        return "veil: \(words(error.problem)) (try '\(help)')"
    }

    private static func words(_ problem: UsageError.Problem) -> String {
        switch problem {
        case .unknownFlag(let typed, let nearest):
            "there is no flag \(sanitised(typed))" + suggestion(nearest)
        case .missingValue(let flag, let valueName, nil):
            "--\(flag) needs a value: --\(flag) \(valueName)"
        case .missingValue(let flag, let valueName, let instead?):
            "--\(flag) needs a value, but '\(sanitised(instead))' looks like a flag; if it's meant, write "
                + "--\(flag)=\(valueName)"
        case .needlessValue(let flag, let value):
            "--\(flag) takes no value, but was given '\(sanitised(value))'"
        case .refusedValue(let flag, let value, let expected, let nearest):
            "--\(flag): '\(sanitised(value))' is not \(expected)" + suggestion(nearest)
        case .excluded(let flag, let by):
            "--\(flag) can't be used with --\(by)"
        case .missingOperand(let what):
            "\(what) is missing"
        case .needlessOperand(let typed):
            "nothing to do with '\(sanitised(typed))' here"
        case .refusedOperand(let typed, let expected, let nearest):
            "'\(sanitised(typed))' is not \(expected)" + suggestion(nearest)
        case .verbNotFirst(let verb):
            "'\(verb.rawValue)' must come first: veil \(verb.rawValue) [FLAGS]; for a file of that name write "
                + "./\(verb.rawValue)"
        case .oneNameForSeveral(let flag, let inputs):
            "--\(flag) names one file, but there are \(inputs) inputs"
        case .namelessInput(let flag):
            "standard input has no name to go by: add --\(flag)"
        case .standardInputAmongOthers:
            "standard input can't be worked on beside other inputs; to read their names from it, write --from-file -"
        case .formatlessOutput:
            "standard output has no name to choose the container by: add --format, such as --format matroska"
        case .needlessFormat:
            "--format is for standard output (-o -); a file's name says its format"
        case .notUTF8(let position, let bytes):
            "argument \(position) is not UTF-8: '\(sanitised(bytes))'"
        }
    }

    private static func suggestion(_ nearest: String?) -> String { nearest.map { "; did you mean \($0)?" } ?? "" }
}

/// How a run ended, as the number that the shell sees.
public enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case inputFailed = 1
    case usage = 2
    /// Of `veil check`: a file was searched and shows a face.
    case faceFound = 3
    /// 128 + SIGINT, as shells have it.
    case interrupted = 130

    /// The codes that the present verbs give, for help and the man page.
    static let documented: [ExitCode] = [.done, .inputFailed, .usage, .faceFound, .interrupted]

    /// One sentence for the man page.
    var meaning: String {
        switch self {
        case .done: "All inputs were done."
        case .inputFailed: "At least one input failed and has no output; the others were done."
        case .usage: "The command line was wrong; nothing was done."
        case .faceFound: "veil check: a face shows that no baseline accepts, and all files were looked through."
        case .interrupted: "The run was interrupted; finished outputs are whole, the others are absent."
        }
    }

    /// The code of a run over several inputs: the one that needs attention most.
    ///
    /// An interrupted run beats all, for the rest is then unknown; a failure beats a found face, for a search that
    /// didn't end says nothing. Associative and commutative, with `done` as the neutral element.
    public func merged(with other: ExitCode) -> ExitCode { weight >= other.weight ? self : other }

    private var weight: Int {
        switch self {
        case .done: 0
        case .faceFound: 1
        case .inputFailed: 2
        case .usage: 3
        case .interrupted: 4
        }
    }
}

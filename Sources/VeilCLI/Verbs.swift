// The table of verbs.

extension Verb {
    static let redact = Verb(
        name: .redact,
        summary: "Cover the faces in videos and pictures",
        description: [
            "Finds the faces in each IN, follows them from frame to frame, and writes a copy in which they are covered. "
                + "IN itself is never changed, and the copy appears under its name only when it is whole. A single - "
                + "is standard input.",
            "No detector finds every face: look at the result before you hand it on.",
        ],
        operands: .inputs,
        flags: Flags.outputGroup + Flags.facesGroup + Flags.maskGroup + Flags.planGroup + Flags.workGroup
            + Flags.sandboxGroup + Flags.talkGroup + Flags.everywhere,
        examples: [
            Example(command: "veil clip.mp4", meaning: "Write clip.redacted.mp4 with all faces covered"),
            Example(command: "veil photo.jpg", meaning: "Write photo.redacted.jpg; of a JPEG only the faces change"),
            Example(command: "veil clip.mp4 -o out.mp4 --effect solid", meaning: "Choose the name, cover in black"),
            Example(command: "veil --thorough *.mp4", meaning: "Search harder, in many files"),
            Example(command: "veil clip.mp4 --plan plan.json", meaning: "Cover what a plan says"),
            Example(command: "veil - -o - --format matroska <a.ts | b", meaning: "Stand between two programs"),
        ],
        rules: [
            oneNameForOneInput(Flags.output), namedOutputForStandardInput(Flags.output), oneNameForOneInput(Flags.plan),
            formatForStandardOutput,
        ])

    static let detect = Verb(
        name: .detect,
        summary: "Find the faces and write a plan of what to cover",
        description: [
            "Finds the faces in each IN and follows them, as redact does, but writes a plan instead of a copy: a JSON "
                + "file that says what to cover, when and where. Look through it, change it, and hand it to "
                + "'veil redact --plan'."
        ],
        operands: .inputs,
        flags: [Flags.planOutput, Flags.force, Flags.onError] + Flags.facesGroup + Flags.workGroup + Flags.sandboxGroup
            + Flags.talkGroup + Flags.everywhere,
        examples: [
            Example(command: "veil detect clip.mp4 -o plan.json", meaning: "Write a plan to look through")
        ],
        rules: [oneNameForOneInput(Flags.planOutput), namedOutputForStandardInput(Flags.planOutput)])

    static let doctor = Verb(
        name: .doctor,
        summary: "Check that everything veil needs is in place",
        description: [
            "Looks for the models, the codecs, the libraries and what the kernel has for a sandbox, and says what is "
                + "there, what is missing and what to do about it. Changes nothing."
        ],
        operands: .none,
        flags: Flags.workGroup + Flags.talkGroup + Flags.everywhere,
        examples: [Example(command: "veil doctor", meaning: "Check the installation")])

    static let help = Verb(
        name: .help,
        summary: "Print help, or help on a verb",
        description: ["Prints the same as 'veil VERB --help'."],
        operands: .verb,
        flags: Flags.everywhere,
        examples: [Example(command: "veil help redact", meaning: "Explain all flags of redact")])

    static let man = Verb(
        name: .man,
        summary: "Print the man page",
        description: ["Prints the man page veil(1) in roff. To read it: veil man | man -l -"],
        operands: .none,
        flags: Flags.everywhere,
        isHidden: true)

    static let completions = Verb(
        name: .completions,
        summary: "Print completions for a shell",
        description: [
            "Prints a script that lets the shell complete veil's verbs, flags and values. Save it where your shell "
                + "looks for completions, or load it at start-up:",
            "bash: source <(veil completions bash)",
            "zsh: source <(veil completions zsh), after compinit",
            "fish: veil completions fish | source",
        ],
        operands: .shell,
        flags: Flags.everywhere,
        isHidden: true)
}

/// A flag that names one file can't serve several inputs.
private func oneNameForOneInput(_ flag: Flag<String?>) -> @Sendable (Options) -> UsageError.Problem? {
    { options in
        guard options.value(flag) != nil, options.operands.count > 1 else { return nil }
        return .oneNameForSeveral(flag: flag.info.name, inputs: options.operands.count)
    }
}

/// Standard input has no name to make the output's from.
private func namedOutputForStandardInput(_ flag: Flag<String?>) -> @Sendable (Options) -> UsageError.Problem? {
    { options in
        guard options.operands.contains("-"), options.value(flag) == nil else { return nil }
        return .namelessInput(flag: flag.info.name)
    }
}

/// The container's format is said by the output's name; standard output has none.
@Sendable private func formatForStandardOutput(_ options: Options) -> UsageError.Problem? {
    let isNamed = options.value(Flags.format) != nil
    if options.value(Flags.output) == "-" { return isNamed ? nil : .formatlessOutput }
    return isNamed ? .needlessFormat : nil
}

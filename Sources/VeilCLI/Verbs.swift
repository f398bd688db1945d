// The table of verbs.

extension Verb {
    static let redact = Verb(
        name: .redact,
        summary: "Cover the faces in videos and pictures",
        description: [
            "Finds the faces in each IN, follows them from frame to frame, and writes a copy in which they are covered. "
                + "IN itself is never changed, and the copy appears under its name only when it is whole. A single - "
                + "is standard input.",
            "An IN may also be a folder, or a pattern in quotes such as 'cam*/**/*.mp4'; of several files, each is worked on "
                + "in a process of its own. With -o, a folder's tree is mirrored; run again, only what is missing or has "
                + "changed is done.",
            "No detector finds every face: look at the result before you hand it on.",
        ],
        operands: .inputsOrList,
        flags: Flags.outputGroup + Flags.folderGroup + Flags.facesGroup + Flags.maskGroup + Flags.planGroup
            + Flags.workGroup
            + Flags.sandboxGroup + Flags.talkGroup + Flags.everywhere,
        examples: [
            Example(command: "veil clip.mp4", meaning: "Write clip.redacted.mp4 with all faces covered"),
            Example(command: "veil photo.jpg", meaning: "Write photo.redacted.jpg; of a JPEG only the faces change"),
            Example(command: "veil clip.mp4 -o out.mp4 --effect solid", meaning: "Choose the name, cover in black"),
            Example(command: "veil --thorough *.mp4", meaning: "Search harder, in many files"),
            Example(command: "veil footage -o covered", meaning: "Cover all that is in a folder, into another"),
            Example(command: "veil footage --in-place", meaning: "Put the results in the inputs' places"),
            Example(command: "veil clip.mp4 --plan plan.json", meaning: "Cover what a plan says"),
            Example(command: "veil - -o - --format matroska <a.ts | b", meaning: "Stand between two programs"),
        ],
        rules: [
            standardStreamsAlone, namedOutputForStandardInput(Flags.output), oneNameForOneInput(Flags.plan),
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

    static let check = Verb(
        name: .check,
        summary: "Find faces that show, and fail if there is one",
        description: [
            "Looks through each IN (a picture or video, a folder, or a pattern in quotes) for faces that can be seen, prints a "
                + "line for each, and ends with code 3 if there is one. Changes nothing, and opens nothing that a playlist names.",
            "A face shows if the detector finds it and there is detail inside its bounds that a mosaic or blur would have "
                + "taken away: what Veil has covered passes, whatever a file says of itself.",
        ],
        operands: .inputsOrList,
        flags: Flags.checkGroup + Flags.workGroup + [Flags.noSandbox] + Flags.talkGroup + Flags.everywhere,
        examples: [
            Example(command: "veil check media", meaning: "Look through all pictures and videos in a folder"),
            Example(command: "veil check --every 1s clips", meaning: "Look at one frame of each second"),
            Example(
                command: "veil check --format sarif media >veil.sarif", meaning: "Say it in the form of code scanning"),
            Example(command: "veil check --write-baseline known.json media", meaning: "Accept what is there now"),
        ])

    static let live = Verb(
        name: .live,
        summary: "Cover the faces of a camera's picture as it comes",
        description: [
            "Shows the picture of a camera, a screen or a stream with its faces covered, and sends it wherever -o says, "
                + "at the source's own rate. Faces are searched for beside it, as often as the processor can. Whenever "
                + "nothing recent is known of them the whole picture is covered.",
            "Keys in the window: q quits, space pauses, r starts and stops recording, s saves a still, f changes the effect, "
                + "+ and - the mask's size, m, b and n show mask, boxes and numbers, z and x zoom, arrows pan, c crops, "
                + "h mirrors, t turns.",
            "No detector finds every face, and a live one has little time. A face that comes into the picture is bare until "
                + "the next search has found it, about a tenth of a second, unless --delay holds the picture back.",
        ],
        operands: .none,
        flags: Flags.Live.group + [Flags.models, Flags.Live.threads] + Flags.talkGroup + Flags.everywhere,
        examples: [
            Example(command: "veil live", meaning: "Show the first camera's picture, faces covered"),
            Example(command: "veil live -o /dev/video10", meaning: "Be a camera for other programs (v4l2loopback)"),
            Example(
                command: "veil live -i rtsp://host/cam -o rec.mkv --delay auto",
                meaning: "Record a stream, late but sure"),
            Example(command: "veil live -i x11grab::0 --serve 127.0.0.1:8080", meaning: "Show a screen in a browser"),
        ],
        rules: [oneUseOfStandardInput])

    static let doctor = Verb(
        name: .doctor,
        summary: "Check that everything veil needs is in place",
        description: [
            "Looks for the models, the codecs, the libraries and what the kernel has for a sandbox, and says what is "
                + "there, what is missing and what to do about it. Changes nothing."
        ],
        operands: .none,
        flags: [Flags.models] + Flags.everywhere,
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

/// Standard input and output go with a single file.
@Sendable private func standardStreamsAlone(_ options: Options) -> UsageError.Problem? {
    let inputs = options.operands.count + (options.isGiven(Flags.fromFile) ? 1 : 0)
    guard inputs > 1 || options.isGiven(Flags.inPlace) else { return nil }
    if options.operands.contains("-") { return .standardInputAmongOthers }
    return options.value(Flags.output) == "-"
        ? .oneNameForSeveral(flag: Flags.output.info.name, inputs: options.operands.count) : nil
}

/// Standard input is the picture or the commands, not both.
@Sendable private func oneUseOfStandardInput(_ options: Options) -> UsageError.Problem? {
    guard let control = options.value(Flags.Live.control) else { return nil }
    if control != "-" {
        return .refusedValue(
            flag: Flags.Live.control.info.name, value: control, expected: "- (standard input)", nearest: nil)
    }
    return options.value(Flags.Live.input) == "-"
        ? .excluded(flag: Flags.Live.input.info.name, by: Flags.Live.control.info.name) : nil
}

/// The container's format is said by the output's name; standard output has none.
@Sendable private func formatForStandardOutput(_ options: Options) -> UsageError.Problem? {
    let isNamed = options.value(Flags.format) != nil
    if options.value(Flags.output) == "-" { return isNamed ? nil : .formatlessOutput }
    return isNamed ? .needlessFormat : nil
}

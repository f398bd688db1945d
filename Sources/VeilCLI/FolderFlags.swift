import VeilBatch

// Flags for folders and many files.

extension Flags {
    static let noRecursive = Flag.toggle("no-recursive", .folders, "Leave out folders in folders.")
    static let include = Flag<[GlobPattern]>.list(
        "include", .pattern, .folders,
        "Of the pictures and videos in folders, take only those that match PATTERN, such as '*.mp4' or 'cam1/**'.")
    static let exclude = Flag<[GlobPattern]>.list(
        "exclude", .pattern, .folders, "Leave out files and folders in folders that match PATTERN.")
    static let followSymlinks = Flag.toggle(
        "follow-symlinks", .folders, "Follow symbolic links in folders.")
    static let hidden = Flag.toggle("hidden", .folders, "Take files and folders whose names begin with a dot, too.")
    static let copyOthers = Flag.toggle(
        "copy-others", .folders,
        "Copy files that are neither pictures nor videos to the output folder. What begins like a picture or video, whatever "
            + "its name, is not copied.")
    static let fromFile = Flag<String?>.optional(
        "from-file", .file, otherwise: nil, .folders,
        "Read names of inputs from FILE, one a line; - is standard input. Below an output folder they keep their paths."
    )
    static let null = Flag.toggle(
        "null", short: "0", .folders, "Names in the list end with NUL instead of a line feed.")
    static let inPlace = Flag.toggle(
        "in-place", .folders,
        "Put each result in its input's place. The input, which shows the faces, is kept beside it under another name."
    ).excluding(["output", "copy-others", "plan"])
    static let backupSuffix = Flag.value(
        "backup-suffix", .text(name: "SUFFIX"), default: ".unredacted", .folders,
        "With --in-place, keep the input under its name with this ending, readable by its owner only.")
    static let jobs = Flag<Int?>.optional(
        "jobs", short: "j", .whole(1...256), otherwise: "as many as cores, and as memory of 1 GiB each, allow",
        .folders,
        "Work on this many files at a time.")
    static let shard = Flag<Shard.Choice?>.optional(
        "shard", .shard, otherwise: nil, .folders,
        "Take only the Ith of N shares of the files, of about equal work: for N machines. auto asks the scheduler's "
            + "environment (Slurm; with /N also indexed jobs of Kubernetes and arrays of AWS Batch).")
    static let rehash = Flag.toggle(
        "rehash", .folders,
        "Read all files that were done before to see whether they have changed, whatever their times say.")
    static let retryFailed = Flag.toggle(
        "retry-failed", .folders, "Try files again that were found broken before and haven't changed.")

    /// What to take.
    static let listGroup: [any FlagDeclaration] = [
        noRecursive, include, exclude, followSymlinks, hidden, fromFile, null,
    ]
    static let folderGroup: [any FlagDeclaration] =
        listGroup + [copyOthers, inPlace, backupSuffix, jobs, shard, rehash, retryFailed]

    /// Flags that don't change what an output looks like: all others are told apart in a manifest.
    static let withoutEffect: Set<String> = Set(
        (folderGroup + workGroup + sandboxGroup + talkGroup + everywhere + [output, force, report]).map(\.info.name))
}

extension ValueKind where Value == GlobPattern {
    /// A pattern for names.
    static let pattern = ValueKind(
        name: "PATTERN", expected: "a pattern: a bracket, a brace or a \\ isn't closed", read: { GlobPattern($0) },
        show: { $0.text })
}

extension ValueKind where Value == Shard.Choice {
    /// `2/8`, `auto`, `auto/8`.
    static let shard = ValueKind(
        name: "I/N", expected: "a share such as 2/8, auto or auto/8", limits: "1/1 or more, auto, auto/N",
        read: { Shard.Choice($0) },
        show: { choice in
            switch choice {
            case .exactly(let shard): "\(shard.index)/\(shard.count)"
            case .automatic(let count): "auto" + (count.map { "/\($0)" } ?? "")
            }
        })
}

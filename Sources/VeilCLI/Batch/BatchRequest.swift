import Glibc
import VeilBatch

/// What a command line asks for over many files: which, and where the results go.
struct BatchRequest {
    let place: Mirror.Place
    let discovery: Discovery
    let shard: Shard?

    /// Why it can't be carried out.
    enum Refusal: Error {
        case usage(String)
        case failed(String)
    }

    /// Whether there is more to do than one file.
    static func isMeant(_ options: Options) -> Bool {
        guard options.verb == .redact else { return false }
        let operands = options.operands
        if operands.count > 1 || options.isGiven(Flags.fromFile) || options.isGiven(Flags.inPlace)
            || options.isGiven(Flags.shard)
        {
            return true
        }
        guard let operand = operands.first else { return false }
        if Files.isFolder(operand) || !Files.exists(operand) && operand != "-" && GlobPattern.isPattern(operand) {
            return true
        }
        // A file into a folder.
        return operand != "-" && options.value(Flags.output).map { $0.hasSuffix("/") || Files.isFolder($0) } ?? false
    }

    init(_ options: Options) throws(Refusal) {
        for flag in [Flags.plan, Flags.format] where options.isGiven(flag) {
            throw .usage("--\(flag.info.name) goes with a single file")
        }
        if options.value(Flags.inPlace) {
            place = .inPlace(backupSuffix: options.value(Flags.backupSuffix))
            if options.value(Flags.backupSuffix).contains("/") {
                throw .usage("--backup-suffix: an ending of a name has no / in it")
            }
        } else if let output = options.value(Flags.output) {
            if output == "-" { throw .usage("--output - goes with a single file") }
            if Files.exists(output) && !Files.isFolder(output) {
                throw .usage("--output: for several files it names a folder, and '\(sanitised(output))' is a file")
            }
            // Meant for one video, most likely; a folder of such a name would surprise.
            if MediaKind.isMedia(name: output) && !output.hasSuffix("/") && !Files.isFolder(output) {
                throw .usage(
                    "--output: for several files or a folder it names a folder; if '\(sanitised(output))' is meant to be "
                        + "one, end it with /")
            }
            place = .folder(output)
        } else {
            place = .beside
            if options.value(Flags.copyOthers) {
                throw .usage("--copy-others needs a folder to copy to: add --output DIR")
            }
        }
        if let report = options.value(Flags.report), Files.exists(report) && !Files.isFolder(report) {
            throw .usage("--report: for several files it names a folder, and '\(sanitised(report))' is a file")
        }
        shard = try Self.shard(options)
        discovery = try Self.discovery(options, place)
    }

    private static func shard(_ options: Options) throws(Refusal) -> Shard? {
        guard let choice = options.value(Flags.shard) else { return nil }
        do throws(Shard.EnvironmentError) {
            return try Shard(choice) { name in getenv(name).map { String(cString: $0) } }
        } catch { throw .usage("--shard: \(sanitised(error.description))") }
    }

    static func discovery(_ options: Options, _ place: Mirror.Place?) throws(Refusal) -> Discovery {
        var settings = Discovery.Settings()
        settings.isRecursive = !options.value(Flags.noRecursive)
        settings.includes = options.value(Flags.include)
        settings.excludes = options.value(Flags.exclude)
        settings.followsLinks = options.value(Flags.followSymlinks)
        settings.takesHidden = options.value(Flags.hidden)
        if case .folder(let folder)? = place { settings.ownFolders.append(folder) }
        if case .inPlace(let suffix)? = place { settings.backupSuffix = suffix }
        if place == nil {
            // Whoever looks for faces wants to see these, too.
            settings.takesRedacted = true
            settings.takesBackups = Flags.backupSuffix.initial
        }
        if options.verb == .redact, let report = options.value(Flags.report) { settings.ownFolders.append(report) }
        var listed: [String] = []
        if let list = options.value(Flags.fromFile) {
            let bytes: [UInt8]
            do throws(BatchError) { bytes = try Files.contents(list) } catch { throw .failed("\(error)") }
            let end: UInt8 = options.value(Flags.null) ? 0 : 0x0A
            for (number, line) in bytes.split(separator: end).enumerated() {
                guard let name = String(validating: line, as: UTF8.self) else {
                    throw .failed("\(list): name \(number + 1) is not UTF-8")
                }
                listed.append(name)
            }
        }
        return Discovery(options.operands, listed: listed, settings)
    }
}

/// How many files are worked on at a time.
enum Concurrency {
    /// A video of high definition takes up to so much, most of it the encoder's.
    private static let memoryOfJob = 1 << 30

    static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// As many as there are cores, but no more than there are files, and no more than free memory allows at 1 GiB each.
    static func jobs(files: Int, asked: Int?) -> Int {
        if let asked { return max(1, min(asked, files)) }
        return max(1, min(cores, files, (availableMemory ?? .max) / memoryOfJob))
    }

    /// Bytes that can be had without swapping: the machine's, or what is left of the control group's limit.
    static var availableMemory: Int? {
        let machine = number(behind: "MemAvailable:", in: "/proc/meminfo").map { $0 * 1024 }
        let limit = number(behind: "", in: "/sys/fs/cgroup/memory.max")
        let used = number(behind: "", in: "/sys/fs/cgroup/memory.current")
        let group = limit.flatMap { limit in used.map { max(0, limit - $0) } }
        return [machine, group].compactMap(\.self).min()
    }

    private static func number(behind word: String, in file: String) -> Int? {
        guard let bytes = try? Files.contents(file) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(word) {
            return line.dropFirst(word.count).split(separator: " ").first.flatMap { Int($0) }
        }
        return nil
    }
}

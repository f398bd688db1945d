import CSandbox
import Glibc
import VeilMedia
import VeilVision

/// Least rights for the work on one file: decoders of hostile files are where tools of this kind are broken into.
///
/// Landlock lets the process open its input, its models and the system's libraries, and write into the folders of its
/// outputs; nothing else. A filter of system calls takes away sockets and other programs. Neither can be widened again,
/// so a process works on one file only (see `Workers`).
struct Sandbox {
    /// Files to read, as they are opened later.
    var inputs: [String] = []
    /// Files to write: their folders are opened up, as the unfinished file lies beside the final one.
    var outputs: [String] = []
    /// Folders of the program's own, to read and write.
    var folders: [String] = []
    /// Folders to read, with all that is below them.
    var trees: [String] = []
    /// Leave the network open.
    var reachesNetwork = false

    /// For the work on one input.
    init(_ options: Options, input: String, outputs: [String] = []) {
        inputs = [input]
        self.outputs = outputs
        if options.value(Flags.allowReferences) { trees = [Self.folder(of: input)] }
        reachesNetwork = options.value(Flags.allowNetwork)
    }

    /// For reading only.
    init(inputs: [String]) { self.inputs = inputs }

    /// Whatever libraries read when they start: their own files, clocks and the number of cores.
    private static let system = [
        "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
        "/sys/devices/system", "/sys/fs/cgroup", "/dev/urandom", "/dev/zero",
        "/proc/sys/vm", "/sys/kernel/mm/transparent_hugepage",
    ]

    /// Where names and certificates are looked up, for those who reach the network.
    private static let network = [
        "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
        "/etc/ssl", "/etc/ca-certificates", "/etc/gnutls", "/run/systemd/resolve",
    ]

    /// Gives up all rights but those named, for good; says what holds then.
    ///
    /// What the kernel doesn't have is left out, and named in what is given back.
    func enter(models: String?) -> [String] {
        [enterLandlock(models: models), enterFilter()]
    }

    private func enterLandlock(models: String?) -> String {
        // Landlock binds the calling thread and those it starts.
        let threads = csb_thread_count()
        guard threads <= 1 else { return "files: not confined, for there are \(threads) threads already" }
        let rules = csb_rules_new(reachesNetwork ? 1 : 0)
        guard rules >= 0 else { return "files: not confined (Landlock: \(Self.words(-rules)))" }
        func allow(_ path: String, _ access: csb_access) {
            // What isn't there can't be opened either.
            _ = csb_rules_allow(rules, path, access)
        }
        for path in Self.system { allow(path, CSB_READ_TREE) }
        allow("/dev/null", CSB_READ_WRITE_FILE)
        if let store = try? ModelStore.locate(flag: models) {
            allow(store.directory, CSB_READ_TREE)
            for entry in store.entries { allow(store.path(of: entry), CSB_READ_FILE) }
        }
        for path in inputs { allow(path, CSB_READ_FILE) }
        for path in trees { allow(path, CSB_READ_TREE) }
        if reachesNetwork { for path in Self.network { allow(path, CSB_READ_TREE) } }
        for path in outputs { allow(Self.folder(of: path), CSB_WRITE_FOLDER) }
        for path in folders {
            allow(path, CSB_OWN_FOLDER)
            allow(Self.folder(of: path), CSB_REMOVE_FOLDERS)
        }
        let code = csb_rules_enforce(rules)
        guard code == 0 else { return "files: not confined (Landlock: \(Self.words(-code)))" }
        return "files: only its own can be opened (Landlock \(csb_landlock_version()))"
    }

    private func enterFilter() -> String {
        let code = csb_filter_enforce(reachesNetwork ? 1 : 0)
        guard code == 0 else { return "network and other programs: not shut off (seccomp: \(Self.words(-code)))" }
        if reachesNetwork { return "other programs: shut off (seccomp); network: open (--allow-network)" }
        return "network and other programs: shut off (seccomp)"
    }

    /// What the kernel has, for `veil doctor`.
    static var abilities: [String] {
        let version = csb_landlock_version()
        return [
            version > 0
                ? "other files: yes (Landlock \(version))"
                : "other files: no; this kernel has no Landlock (Linux 5.13 or newer, with landlock among its lsm=)",
            csb_has_seccomp() != 0
                ? "network and other programs: yes (seccomp)"
                : "network and other programs: no; this kernel filters no system calls (CONFIG_SECCOMP_FILTER)",
        ]
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return String(path[...slash])
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

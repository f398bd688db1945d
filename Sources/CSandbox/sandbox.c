#define _GNU_SOURCE
#include "CSandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

// Landlock as in linux/landlock.h of Linux 6.12; written out here because Debian 12's headers are older than many
// kernels.
enum {
    call_create_ruleset = 444,
    call_add_rule = 445,
    call_restrict_self = 446,
    rule_path_beneath = 1,
    create_ruleset_version = 1,
};
static const uint64_t fs_write_file = 1 << 1, fs_read_file = 1 << 2, fs_read_dir = 1 << 3, fs_remove_dir = 1 << 4,
                      fs_remove_file = 1 << 5, fs_make_reg = 1 << 8, fs_truncate = 1 << 14;
struct ruleset_attr {
    uint64_t handled_access_fs, handled_access_net, scoped;
};
struct path_beneath_attr {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

int csb_landlock_version(void) {
    long version = syscall(call_create_ruleset, NULL, 0, create_ruleset_version);
    return version > 0 ? (int)version : 0;
}

// All rights over files that a version knows: those that are handled are refused unless a rule allows them.
static uint64_t all_fs(int version) {
    static const int bits[] = {0, 13, 14, 15, 15, 16};
    return (1ull << bits[version > 5 ? 5 : version]) - 1;
}

int csb_rules_new(int leaves_network) {
    int version = csb_landlock_version();
    if (version == 0) return -ENOSYS;
    struct ruleset_attr attr = {.handled_access_fs = all_fs(version)};
    size_t size = offsetof(struct ruleset_attr, handled_access_net);
    if (version >= 4) {
        attr.handled_access_net = leaves_network ? 1 : 3;  // TCP: bind, and connect
        size = offsetof(struct ruleset_attr, scoped);
    }
    if (version >= 6) {
        attr.scoped = 3;  // abstract sockets of others, signals to others
        size = sizeof attr;
    }
    long rules = syscall(call_create_ruleset, &attr, size, 0);
    return rules < 0 ? -errno : (int)rules;
}

int csb_rules_allow(int rules, const char *path, enum csb_access access) {
    struct path_beneath_attr attr = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (attr.parent_fd < 0) return -errno;
    const uint64_t write = fs_write_file | fs_remove_file | fs_make_reg | fs_truncate | fs_read_dir;
    switch (access) {
        case CSB_READ_FILE: attr.allowed_access = fs_read_file; break;
        case CSB_READ_TREE: attr.allowed_access = fs_read_file | fs_read_dir; break;
        case CSB_WRITE_FOLDER: attr.allowed_access = write; break;
        case CSB_OWN_FOLDER: attr.allowed_access = write | fs_read_file; break;
        case CSB_REMOVE_FOLDERS: attr.allowed_access = fs_remove_dir; break;
        case CSB_READ_WRITE_FILE: attr.allowed_access = fs_read_file | fs_write_file | fs_truncate; break;
    }
    // Rights over folders can't be given for a file.
    struct stat info;
    if (fstat(attr.parent_fd, &info) == 0 && !S_ISDIR(info.st_mode)) {
        attr.allowed_access &= fs_read_file | fs_write_file | fs_truncate;
    }
    attr.allowed_access &= all_fs(csb_landlock_version());
    int result = syscall(call_add_rule, rules, rule_path_beneath, &attr, 0) == 0 ? 0 : -errno;
    close(attr.parent_fd);
    return result;
}

int csb_rules_enforce(int rules) {
    int result = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(call_restrict_self, rules, 0) != 0) result = -errno;
    close(rules);
    return result;
}

#if defined(__x86_64__)
#define CSB_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CSB_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

int csb_has_seccomp(void) {
#ifdef CSB_ARCHITECTURE
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return 0;
#endif
}

#define REFUSE(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
#define REFUSE_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE(EPERM)

int csb_filter_enforce(int leaves_network) {
#ifdef CSB_ARCHITECTURE
    static const struct sock_filter head[] = {
        // System calls of another architecture have other numbers: all refused.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CSB_ARCHITECTURE, 1, 0),
        REFUSE(ENOSYS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
        // The x32 numbers begin here.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        REFUSE(ENOSYS),
#endif
    };
    static const struct sock_filter network[] = {
        // Sockets can't be made, so that nothing is left to connect.
        REFUSE_CALL(socket), REFUSE_CALL(socketpair), REFUSE_CALL(connect), REFUSE_CALL(bind), REFUSE_CALL(listen),
        REFUSE_CALL(accept), REFUSE_CALL(accept4),
    };
    static const struct sock_filter rest[] = {
        // io_uring opens and connects past this filter.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 425, 0, 1), REFUSE(EPERM),  // io_uring_setup
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 426, 0, 1), REFUSE(EPERM),  // io_uring_enter
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 427, 0, 1), REFUSE(EPERM),  // io_uring_register
        // Other programs and processes.
        REFUSE_CALL(execve), REFUSE_CALL(execveat), REFUSE_CALL(ptrace), REFUSE_CALL(process_vm_readv),
        REFUSE_CALL(process_vm_writev), REFUSE_CALL(kcmp),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 434, 0, 1), REFUSE(EPERM),  // pidfd_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 438, 0, 1), REFUSE(EPERM),  // pidfd_getfd
#if defined(__x86_64__)
        REFUSE_CALL(fork), REFUSE_CALL(vfork),
#endif
        // The kernel's configuration and its less trodden paths.
        REFUSE_CALL(mount), REFUSE_CALL(umount2), REFUSE_CALL(pivot_root), REFUSE_CALL(chroot), REFUSE_CALL(setns),
        REFUSE_CALL(unshare), REFUSE_CALL(bpf), REFUSE_CALL(perf_event_open), REFUSE_CALL(init_module),
        REFUSE_CALL(finit_module), REFUSE_CALL(delete_module), REFUSE_CALL(kexec_load), REFUSE_CALL(reboot),
        REFUSE_CALL(swapon), REFUSE_CALL(swapoff), REFUSE_CALL(add_key), REFUSE_CALL(request_key),
        REFUSE_CALL(keyctl), REFUSE_CALL(userfaultfd), REFUSE_CALL(open_by_handle_at), REFUSE_CALL(acct),
        REFUSE_CALL(quotactl), REFUSE_CALL(settimeofday), REFUSE_CALL(clock_settime), REFUSE_CALL(sethostname),
        REFUSE_CALL(personality),
        // Threads, but no processes. clone3 has its flags in memory, where a filter can't see them; the C library falls
        // back on clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 0, 1), REFUSE(ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0), REFUSE(EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    // All jumps stay within their part, so that one can be left out.
    struct sock_filter program[(sizeof head + sizeof network + sizeof rest) / sizeof head[0]];
    size_t length = 0;
#define APPEND(part) \
    memcpy(program + length, part, sizeof part); \
    length += sizeof part / sizeof part[0]
    APPEND(head);
    if (!leaves_network) {
        APPEND(network);
    }
    APPEND(rest);
    struct sock_fprog filter = {.len = (unsigned short)length, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    // A positive number is a thread that could not be brought along.
    return result == 0 ? 0 : result > 0 ? -ESRCH : -errno;
#else
    return -ENOSYS;
#endif
}

int csb_thread_count(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

int csb_start_worker(const char *path, char *const arguments[], pid_t *worker) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        // Signals from the keyboard reach the parent, which hands them on: else they would come twice.
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) execv(path, arguments);
        _exit(127);
    }
    *worker = child;
    return 0;
}

// Closes all files from `first` to `last`; one by one where the kernel can't do it at once.
static void close_files(unsigned first, unsigned last) {
    if (first > last) return;
    const long close_range = 436;
    if (syscall(close_range, first, last, 0) == 0) return;
    for (unsigned fd = first; fd <= last && fd < 65536; ++fd) close((int)fd);
}

int csb_fork_worker(int keep, pid_t *worker) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        // As in csb_start_worker.
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        close_files(3, (unsigned)keep - 1);
        close_files((unsigned)keep + 1, ~0u);
    }
    *worker = child;
    return 0;
}

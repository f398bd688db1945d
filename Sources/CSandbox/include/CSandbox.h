// Least rights for a process that reads hostile files: Landlock and seccomp by system call, without a library.
#ifndef VEIL_CSANDBOX_H
#define VEIL_CSANDBOX_H

#include <sys/types.h>

// The kernel's Landlock version; 0 where it has none or has it switched off.
int csb_landlock_version(void);

// Whether the kernel filters system calls.
int csb_has_seccomp(void);

// What a path is opened for. Everything that no rule allows is refused from csb_rules_enforce on.
enum csb_access {
    // Read this file.
    CSB_READ_FILE,
    // Read all below this folder, and list it.
    CSB_READ_TREE,
    // Create, write, rename and remove files in this folder, and list it; not read them.
    CSB_WRITE_FOLDER,
    // The same, and read them.
    CSB_OWN_FOLDER,
    // Remove empty folders in this folder.
    CSB_REMOVE_FOLDERS,
    // Read and write this file (a device, such as /dev/null).
    CSB_READ_WRITE_FILE,
};

// Rules that don't hold yet: a descriptor, or a negative error number (-ENOSYS without Landlock). TCP connections are
// refused where the kernel's Landlock can do that, unless the network is to stay open.
int csb_rules_new(int leaves_network);

// Adds a rule for what is there now under a path. 0, or a negative error number.
int csb_rules_allow(int rules, const char *path, enum csb_access access);

// Makes the rules hold for this thread and what it starts, for good, with no new privileges. Closes the descriptor.
int csb_rules_enforce(int rules);

// Refuses (EPERM) sockets (unless the network is to stay open), other programs, tracing, mounts and what else a decoder
// has no use for: in all threads of the process, for good, with no new privileges. 0, or a negative error number.
int csb_filter_enforce(int leaves_network);

// How many threads the process has; 0 where that can't be told.
int csb_thread_count(void);

// Starts a program that is killed when this process ends. 0, or a negative error number. The caller must have no other
// threads.
int csb_start_worker(const char *path, char *const arguments[], pid_t *worker);

// Goes on in a new process that is killed when this one ends. In it, *worker is 0, and all files are closed but the
// standard ones and `keep`. 0, or a negative error number. The caller must have no other threads.
int csb_fork_worker(int keep, pid_t *worker);

#endif

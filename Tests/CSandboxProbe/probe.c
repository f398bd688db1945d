#define _GNU_SOURCE
#include "CSandboxProbe.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CSandbox.h"

static int opens(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int connects(int port) {
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0) return 0;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int done = connect(s, (struct sockaddr *)&to, sizeof to) == 0;
    close(s);
    return done;
}

static int forks(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child > 0;
}

static void *nothing(void *unused) { return unused; }

static int starts_threads(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

// A program that ends with 0 if it is started at all.
static int executes(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 0;
    char *const arguments[] = {"true", NULL};
    execv("/bin/true", arguments);
    return 0;
}

int csp_try(int confined, const char *input, const char *other, const char *folder, const char *output,
            const char *neighbour, int port) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (confined) {
            int rules = csb_rules_new(0);
            if (rules < 0 || csb_rules_allow(rules, input, CSB_READ_FILE) != 0 ||
                csb_rules_allow(rules, folder, CSB_WRITE_FOLDER) != 0 || csb_rules_enforce(rules) != 0 ||
                csb_filter_enforce(0) != 0) {
                _exit(1);
            }
        }
        int can = 0;
        if (opens(input, O_RDONLY)) can |= CSP_READS_INPUT;
        if (opens(output, O_WRONLY | O_CREAT)) can |= CSP_WRITES_OUTPUT;
        if (opens(other, O_RDONLY)) can |= CSP_READS_OTHER;
        if (opens(other, O_WRONLY)) can |= CSP_WRITES_OTHER;
        if (opens(neighbour, O_RDONLY)) can |= CSP_READS_OUTPUT_FOLDER;
        if (connects(port)) can |= CSP_CONNECTS;
        if (forks()) can |= CSP_FORKS;
        if (starts_threads()) can |= CSP_STARTS_THREADS;
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) can |= CSP_TRACES;
        if (write(ends[1], &can, sizeof can) != sizeof can) _exit(1);
        executes();
        _exit(77);
    }
    close(ends[1]);
    int can = -1;
    if (read(ends[0], &can, sizeof can) != sizeof can) can = -1;
    close(ends[0]);
    int status = 0;
    // A traced child stops when it becomes another program.
    if (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        can |= CSP_EXECUTES;
        ptrace(PTRACE_KILL, child, 0, 0);
        waitpid(child, &status, 0);
    }
    return can;
}

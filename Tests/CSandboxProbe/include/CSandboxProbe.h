// Tries forbidden things in a child process that has entered the sandbox.
#ifndef VEIL_CSANDBOX_PROBE_H
#define VEIL_CSANDBOX_PROBE_H

// What the child was able to do, as bits; the first two are the ones that it should be able to do.
enum csp_ability {
    CSP_READS_INPUT = 1,
    CSP_WRITES_OUTPUT = 2,
    CSP_READS_OTHER = 4,
    CSP_WRITES_OTHER = 8,
    CSP_READS_OUTPUT_FOLDER = 16,
    CSP_CONNECTS = 32,
    CSP_EXECUTES = 64,
    CSP_FORKS = 128,
    CSP_TRACES = 256,
    CSP_STARTS_THREADS = 512,
};

// With `confined` 0 nothing is given up: what the tries come to without a sandbox. Paths are of existing files but for
// `output`. A negative number if there was no child to ask.
int csp_try(int confined, const char *input, const char *other, const char *folder, const char *output,
            const char *neighbour, int port);

#endif

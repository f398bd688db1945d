// What Swift can't call: prctl takes variable arguments, and joining with a limit is an extension of the GNU library.
#define _GNU_SOURCE
#include "CLive.h"

#include <sys/prctl.h>

int clive_join_thread(pthread_t thread, double deadline) {
    struct timespec end = {.tv_sec = (time_t)deadline};
    end.tv_nsec = (long)((deadline - (double)end.tv_sec) * 1e9);
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end);
}

void clive_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// prctl takes variable arguments, which Swift can't call.
#include "CLive.h"

#include <sys/prctl.h>

void clive_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

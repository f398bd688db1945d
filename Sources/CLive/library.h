// A library that is loaded when it is asked for. Before including this, define EACH_CALL(X), which names its functions, and
// LIBRARY, its name: each function `f` is then to be called as `p_f`, once `load` has given 0.
#include <dlfcn.h>
#include <stdio.h>

#define DECLARE(name) static __typeof__(&name) p_##name;
EACH_CALL(DECLARE)

/// 0, or -1 with a line of why not. Loaded once for the process, and never given up.
static int load(char *error, size_t size) {
    static void *library;
    if (library) return 0;
    void *opened = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        snprintf(error, size, "%s", dlerror());
        return -1;
    }
#define FIND(name) \
    if (!(p_##name = (__typeof__(&name))dlsym(opened, #name))) { \
        snprintf(error, size, "%s", dlerror()); \
        dlclose(opened); \
        return -1; \
    }
    EACH_CALL(FIND)
    library = opened;
    return 0;
}

/* Makes every fsync and fdatasync of a process wait SYNC_MICROSECONDS more: preloaded, it turns a disk that only says
 * that it has stored something into one that takes as long as a real one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static struct timespec pause_;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("SYNC_MICROSECONDS");
    long each = text ? atol(text) : 0;
    pause_ = (struct timespec){each / 1000000, each % 1000000 * 1000};
}

static int after_pause(const char *name, int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    nanosleep(&pause_, NULL);
    return real(file);
}

int fsync(int file) { return after_pause("fsync", file); }
int fdatasync(int file) { return after_pause("fdatasync", file); }

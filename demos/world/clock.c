/* The two clocks of a run: wall time, and the processor time of all threads. */
#include "demos/world/world.h"

#include <time.h>

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double lab_now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

double lab_cpu_now(void)
{
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

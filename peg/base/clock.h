/* Wall-clock time, for statistics only. */
#ifndef PEG_CLOCK_H
#define PEG_CLOCK_H

#include <time.h>

static inline double peg_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds the time since *then to a sum, and moves *then on. */
static inline void peg_lap(double *then, double *sum)
{
    double now = peg_seconds();
    *sum += now - *then;
    *then = now;
}

#endif

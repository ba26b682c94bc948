/* Worker processes of this machine. Processes, not threads: ODE keeps its random numbers and
 * message handlers in globals, and a case that takes its process down or too long costs no other.
 *
 * A worker is two processes: one that runs cases, and one that starts it again if it ends. */
#ifndef LAB_SWEEP_POOL_H
#define LAB_SWEEP_POOL_H

#include <sys/types.h>

#include "demos/sweep/plan.h"

typedef struct sweep_worker {
    pid_t keeper;
    int socket;
    int running;  /* case; -1: idle */
    double began; /* it, lab_now() */
} sweep_worker;

typedef struct sweep_pool {
    const sweep_plan *plan;
    sweep_worker *worker;
    int count;
    double mean; /* s, of the cases so far, the last ones most; 0: none so far */
} sweep_pool;

/* Starts the workers; before MPI is, and before the plan is freed. 0, or 1. */
int sweep_pool_start(sweep_pool *pool, const sweep_plan *plan, int count);
/* Ends them, whatever they do. */
void sweep_pool_stop(sweep_pool *pool);

int sweep_pool_idle(const sweep_pool *pool); /* a worker; -1: none */
int sweep_pool_running(const sweep_pool *pool);
/* Hands a case to an idle worker. */
void sweep_pool_submit(sweep_pool *pool, int worker, int index);
/* Sleeps until a case has finished, but not longer than the timeout (ms; < 0: no limit), and calls
 * back for each: the row as JSON is the callback's to keep. Returns -1 if the workers are broken.
 */
int sweep_pool_wait(sweep_pool *pool, int timeout, void (*done)(void *data, int index, char *row),
                    void *data);

#endif

/* Who runs what: hands out the cases of a plan that have not finished, and takes their rows to the
 * journal, which only it writes. */
#ifndef LAB_SWEEP_COORDINATOR_H
#define LAB_SWEEP_COORDINATOR_H

#include <jansson.h>

#include "demos/sweep/journal.h"
#include "demos/sweep/plan.h"
#include "demos/sweep/pool.h"
#include "demos/sweep/store.h"
#include "demos/world/progress.h"

typedef struct sweep_coordinator {
    const sweep_plan *plan;
    const char *dir;
    int part, parts;     /* of this one, from 1; parts 0: all */
    json_t **rows;       /* of the cases that had finished before; else null */
    int next;            /* case to look at */
    int left;            /* cases of this part that have not finished */
    int finished, unmet; /* cases of this part; of them, whose check or run failed */
    sweep_journal journal;
    sweep_store store; /* not of a part */
    lab_progress progress;
    double synced;
    int failed; /* a row could not be written */
} sweep_coordinator;

/* Reads what has finished before and opens the journal. 0, or 1 after a line on stderr. */
int sweep_begin(sweep_coordinator *c, int quiet);
/* The next case to run; -1: all are handed out. */
int sweep_next(sweep_coordinator *c);
/* Takes a row over. */
void sweep_finish(void *coordinator, int index, char *row);
/* Closes the journal, and writes the result file unless this is a part. 0, or 1. */
int sweep_end(sweep_coordinator *c);

/* Runs all with these workers. 0, or 1 if it broke or was stopped. */
int sweep_run_all(sweep_coordinator *c, sweep_pool *pool);
int sweep_is_stopped(void); /* by a signal, since sweep_begin */

/* rows[i] of the plan's cases, from all journals and the result file; left out are rows of other
 * versions of the library, if `version` is given. Lines that are none are told on stderr. */
void sweep_read_rows(const sweep_plan *plan, const char *dir, const char *version, json_t **rows);

#endif

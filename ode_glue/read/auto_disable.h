/* Auto-disabling of bodies that touch, by ODE's rules: ODE itself does it for bodies with joints
 * alone, and contacts are none here.
 *
 * As in ODE a body is idle when the averages of its velocities over the last samples are below its
 * thresholds, and tires when it was idle for the set number of steps and time. A tired body is
 * stopped at the start of the step; it sleeps if nothing in its island is awake. Its counters go on
 * when it is woken by another body and start anew when the program enables it. */
#ifndef PEG_SLEEP_H
#define PEG_SLEEP_H

#include "ode_glue/base/map.h"
#include "peg/peg.h"
#include <ode/ode.h>

/* What is remembered of a body with the auto-disable flag. */
typedef struct peg_idler {
    double x[3], q[4]; /* where the last step left it */
    int touched;       /* in that step */
    int asleep;        /* after it */
    int steps_left;
    double time_left;    /* s */
    double (*sample)[6]; /* the last velocities */
    int samples, next, full;
    int built; /* samples allocated in this step */
} peg_idler;

/* Two generations: after the last whole step, and for the coming one. */
typedef struct peg_sleep {
    struct peg_idlers {
        peg_map body;
        peg_idler *of; /* room entries */
        int room;
    } kept, coming;
} peg_sleep;

/* Starts a step. */
void peg_sleep_begin(peg_sleep *sleep);
/* Takes the body up if it has the flag and no joints. *tires: it is to be stopped. Error: MEMORY.
 */
pegStatus peg_sleep_add(peg_sleep *sleep, dBodyID id, double h, int *tires);
/* After ODE's step: what the step did to a body that may have been taken up. */
void peg_sleep_note(peg_sleep *sleep, dBodyID id, int touched);
/* Ends the step: what was noted is kept, or the step never happened. */
void peg_sleep_end(peg_sleep *sleep, int keep);
void peg_sleep_free(peg_sleep *sleep);

#endif

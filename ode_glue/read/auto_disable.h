/* Auto-disabling of bodies that touch, by ODE's rules: ODE itself does it for bodies with joints
 * alone, and contacts are none here.
 *
 * As in ODE a body counts as slow when the averages of its velocities over the last samples are
 * below its thresholds, and as idle when it was slow for the set number of steps and time. An idle
 * body is stopped at the start of the step; it is disabled if nothing in its island is awake. Its
 * counters go on when another body wakes it and start anew when the program enables it. */
#ifndef PEG_AUTO_DISABLE_H
#define PEG_AUTO_DISABLE_H

#include "ode_glue/base/map.h"
#include "peg/base/buffer.h"
#include "peg/peg.h"
#include <ode/ode.h>

/* What is remembered of a body with the auto-disable flag. */
typedef struct peg_idle_body {
    double x[3], q[4]; /* where the last step left it */
    int touched;       /* in that step */
    int asleep;        /* after it */
    int steps_left;
    double time_left;    /* s */
    double (*sample)[6]; /* the last velocities */
    int samples, next, full;
    int built; /* samples allocated in this step */
} peg_idle_body;

/* Two generations: after the last whole step, and for the coming one. */
typedef struct peg_auto_disable {
    struct peg_idle_bodies {
        peg_map body;
        peg_idle_body *of; /* room entries */
        int room;
    } kept, coming;
} peg_auto_disable;

/* Starts a step. */
void peg_auto_disable_begin(peg_auto_disable *sleep);
/* Takes the body up if it has the flag and no joints. *idle: it is to be stopped. Error: MEMORY.
 */
pegStatus peg_auto_disable_add(peg_auto_disable *sleep, dBodyID id, double h, int *idle);
/* After ODE's step: what the step did to a body that may have been taken up. */
void peg_auto_disable_note(peg_auto_disable *sleep, dBodyID id, int touched);
/* Ends the step: what was noted is kept, or the step never happened. */
void peg_auto_disable_end(peg_auto_disable *sleep, int keep);
/* What is kept of a body, as bytes. Reading adds it to `sleep`; 0: no memory, or no such bytes. */
void peg_auto_disable_save(const peg_auto_disable *sleep, dBodyID id, peg_writer *writer);
int peg_auto_disable_restore(peg_auto_disable *sleep, dBodyID id, peg_reader *reader);
void peg_auto_disable_free(peg_auto_disable *sleep);

#endif

/* The bodies of a world that still move, with what their energy did in the last seconds: for the
 * summaries of peg-run, peg-lab and soak. Each of them compiles it; the library does not hold it.
 */
#ifndef PEG_MOVING_BODIES_H
#define PEG_MOVING_BODIES_H

#include "plugin/ode-peg.h"

#include <stdio.h>

enum { PEG_MOVING_LISTED = 8 }; /* bodies: a summary shows them, and counts the rest */

/* What a body rests on has class -1 if that is not known. */
typedef struct peg_moving_body {
    dBodyID body;
    int number;                    /* in the list of bodies that was given */
    int geom_class;                /* ODE's, of its first geom; -1: none */
    double at[3];                  /* m, world */
    double linear, angular;        /* m/s, rad/s */
    double kinetic;                /* J, now, */
    double kinetic_before, change; /* J, and earlier; change of kinetic and potential energy since
                                      then; not finite: the body was not there */
    int on, on_class;              /* number of the body that bears most of it; -1: has none */
} peg_moving_body;

typedef struct peg_moving {
    int bodies, moving, listed; /* dynamic ones; of these not at rest; entries of `body` */
    double since;               /* s: the earlier energies are so old */
    peg_moving_body body[PEG_MOVING_LISTED]; /* those of most kinetic energy first */
} peg_moving;

/* Energies of all bodies at one time. */
typedef struct peg_moving_sample {
    struct peg_moving_energy {
        dBodyID body;
        double kinetic, total; /* J */
    } * of;
    int n, room;
    double time; /* s */
} peg_moving_sample;

/* Zero-initialised; the last two samples. */
typedef struct peg_moving_watch {
    peg_moving_sample old, recent;
} peg_moving_watch;

/* Kinetic energy, and with the potential one against gravity, J. */
double peg_moving_kinetic(dBodyID body);
double peg_moving_total(dWorldID world, dBodyID body);

/* To be called at the start and after each step. Entries of body may be null. 0: no memory. */
int peg_moving_note(peg_moving_watch *watch, dWorldID world, const dBodyID *body, int n,
                    double time);
/* Before the body is destroyed: another one may get its address. */
void peg_moving_forget(peg_moving_watch *watch, dBodyID body);
/* A dynamic body moves unless it sleeps or both velocities are exactly 0. peg (may be null) tells
 * what it rests on, if no geom was destroyed since its last step. */
void peg_moving_list(const peg_moving_watch *watch, dWorldID world, pegWorldID peg,
                     const dBodyID *body, int n, double time, peg_moving *out);
void peg_moving_free(peg_moving_watch *watch);

/* "sphere", "no geom", ..; null of -1 where nothing is known. */
const char *peg_moving_class(int geom_class);
/* A line, and one for each listed body. Each begins with `before`; name (may be null) gives what a
 * body is called by its number. */
void peg_moving_print(FILE *file, const char *before, const peg_moving *moving,
                      const char *(*name)(const void *data, int number), const void *data);

#endif

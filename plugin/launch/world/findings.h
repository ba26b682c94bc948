/* What dCollide found of pairs of geoms: of geoms that have hardly moved relative to each other
 * since, it need not be found again. */
#ifndef PEG_LAUNCH_FINDINGS_H
#define PEG_LAUNCH_FINDINGS_H

#include "plugin/launch/world/world_registry.h"

/* All that contacts of two geoms that rest depend on, beside what findings do. */
typedef struct peg_rest_state {
    double body[2][7]; /* position and quaternion; of a geom without body 0 */
    int mode[2];       /* whether it is enabled, and falls */
    double h;
    dVector3 gravity;
    unsigned long moves; /* count of changes */
    int odes;            /* pairs that are left to ODE */
    int limit;           /* contacts asked for */
} peg_rest_state;

typedef struct peg_finding {
    unsigned long sizes, shapes, geoms; /* counts of changes, and */
    unsigned flags[2];                  /* of the bodies, for which the rest holds: */
    int is_of;                          /* 1: it does; of geoms with exact contacts */
    int known;                          /* contacts were found, or looked for, */
    int limit;                          /* up to so many: */
    double at[3], turn[9];              /* pose of the one geom in the frame of the other, */
    int frame;                          /* this one (0, 1), which is the plane if one is */
    double arm;                         /* m: of the contacts, about the middle of the one geom */
    double reach, rest;    /* m; share of the coming step's way that was still to be gone */
    dContactGeom *contact; /* pos and normal in that frame; depth: minus the gap */
    int n, room;
    double direction[3]; /* which told the geoms apart last, from the second to the first; or 0 */
    int rests;           /* the last answer was given at rest: */
    peg_rest_state state;
    dContactGeom *answer; /* in the world */
    int answers, answer_room;
} peg_finding;

/* The pair's, in this order; null without memory. Valid until the next call, or step. What changes
 * of geoms or their bodies made void is cleared. */
peg_finding *peg_finding_of(peg_world_entry *entry, dGeomID a, dGeomID b);
/* Whether it is known of the pair, in this order, that exact contacts keep it apart. */
int peg_finding_is_exact(const peg_world_entry *entry, dGeomID a, dGeomID b);
/* What is kept of pairs that nobody asks for any more is dropped. After each step. */
void peg_findings_turn(peg_world_entry *entry);
void peg_findings_free(peg_world_entry *entry);

#endif

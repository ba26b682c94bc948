/* The search for pairs of geoms that are near each other, or could be in the coming step.
 *
 * Boxes get room to move, and pairs of overlapping rooms are kept: as long as all stay within
 * theirs, only these pairs have to be looked at. */
#ifndef PEG_LAUNCH_SEARCH_H
#define PEG_LAUNCH_SEARCH_H

#include "peg/base/sweep_and_prune.h"
#include "plugin/launch/near/geom_motion.h"

#include <stdatomic.h>

/* A geom or space, as the broad phase sees it; first what each call looks at. Squares are compared,
 * as roots take their time. */
typedef struct peg_item {
    int left;  /* beyond its limits */
    int rigid; /* its box only moves with its body, or as calls that are seen let it */
    dBodyID body;
    const dReal *x, *q, *v, *w, *force; /* of the body: valid while the search is */
    double x_seen[3], q_seen[4];        /* where it was when its box was looked at, */
    double way, turned;            /* and squares of how far from there it is calm anyway: m, 1 */
    double speed, turn, arm, push; /* limits: squares of m/s, 1/s, m; m/s */
    dGeomID geom;
    unsigned long run; /* of the search, that its box is of */
    dReal box[6];      /* as ODE has it */
    peg_aabb calm;     /* the box stays in here */
    double motion;     /* m; < 0: this and the size are not known yet */
    int group;         /* of two: only pairs of different groups count */
    peg_aabb room;     /* what is nearer than `reach` to a box that keeps to its limits */
    double most;       /* m: motion in a step within the limits; of a space: of its fastest geom */
    double reach;      /* m: most, and the margin */
    double size;       /* m; of a space: of its largest geom */
    size_t parts;      /* of a space: what lies in it */
    size_t first;      /* of these */
    size_t within;     /* of a part: the space */
} peg_item;

typedef struct peg_items {
    peg_item *of;
    size_t n, room;
} peg_items;

typedef struct peg_search {
    struct peg_search *next;
    dGeomID a, b;       /* pairs of these; b null: pairs in the space a */
    int lasting;        /* it is asked for again, and sees all geoms there are */
    const void *thread; /* whose it is, if it is kept */
    atomic_int busy;
    unsigned long changes; /* of geoms, when they were collected */
    unsigned long moves;   /* of geoms, when their boxes were looked at */
    unsigned long run;     /* how often it was asked for */
    int valid;
    peg_items item, part; /* what is met; what lies in spaces among these */
    peg_item **watch;     /* those whose boxes can change without calls that are seen */
    size_t watched, watch_room;
    size_t second;  /* of two groups: where the second begins */
    dWorldID world; /* of the first body */
    int worlds;     /* > 1: of others, too */
    struct peg_count {
        dSpaceID space;
        int geoms;
    } * count; /* all spaces that were looked into */
    size_t counts, count_room;
    struct peg_near {
        size_t a, b;
    } * pair; /* items whose rooms overlap */
    size_t pairs, pair_room;
    size_t near;           /* of these, in the last run */
    unsigned long limited; /* run in which all got their rooms */
    int lost;              /* memory ran out */
    peg_arena arena;
    peg_common now; /* of the world, when limits were set */
    double gravity; /* its square */
} peg_search;

/* Calls near for the pairs; the callback may start other searches. */
void peg_search_run(peg_search *search, void *data, dNearCallback *near);

#endif

/* A random world, a function of its seed alone: what is in it, how it is placed, pushed, joined and
 * changed while it runs. */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "tests/fuzz/solid.h"

#include <ode-peg.h>

enum { FUZZ_BODIES = 256, FUZZ_SOLIDS = 512, FUZZ_SURFACES = 3 };

typedef struct fuzz_options {
    int no_meshes; /* neither meshes nor heightfields: a seed is another world then */
    int surfaces;  /* some move, slip or hinder rolling: another world, too */
    int steps;     /* 0: as the seed wants */
    int threads;   /* 0: one */
} fuzz_options;

typedef struct fuzz_world {
    uint64_t seed;
    dice dice;
    fuzz_options options;
    /* what kind of world */
    double size, h, spread; /* of the bodies, m; of the step, s; of the place, m */
    double speed, spin;     /* largest at the start, m/s and rad/s */
    vec gravity;
    int steps;
    int fixed;    /* has something that does not move */
    int driven;   /* kinematic bodies that move, or motors */
    int joined;   /* joints */
    int edited;   /* bodies are added, removed, moved, resized, pushed */
    int overlaps; /* some bodies start inside of each other */
    int round;    /* inertia is the same about all axes: ODE's rotation keeps the energy */
    int quick;    /* pegWorldQuickStep */
    /* what is in it */
    dWorldID ode;
    dSpaceID space;
    pegWorldID peg;
    dBodyID body[FUZZ_BODIES]; /* null: removed */
    int bodies;
    solid *solid[FUZZ_SOLIDS]; /* null: removed */
    int solids;
    int joints;
    dSurfaceParameters surface[FUZZ_SURFACES];
    int surfaces;
} fuzz_world;

/* Null if the library refused the world: *status tells why. */
fuzz_world *fuzz_create(uint64_t seed, const fuzz_options *options, pegStatus *status);
/* The same in two parts, for worlds that are built otherwise: all fields 0 but the random numbers;
 * then ODE's world with the gravity and the surfaces that were set. */
fuzz_world *fuzz_empty(uint64_t seed, const fuzz_options *options);
pegStatus fuzz_open(fuzz_world *w, const pegSettings *settings);
void fuzz_destroy(fuzz_world *w);

/* Before a step: what the world's seed changes at this time. Whether anything was. */
int fuzz_edit(fuzz_world *w);

int fuzz_is_dynamic(dBodyID body);
/* Index of the body of a solid, or -1. */
int fuzz_body_of(const fuzz_world *w, const solid *s);
/* Whether the library is to keep these two apart. */
int fuzz_counts(const solid *a, const solid *b);

/* ---- parts of fuzz_create ---- */

/* shapes.c: a solid with its geom in the space, or null where there is no more room. */
solid *fuzz_add_shape(fuzz_world *w, double size, int moves);
solid *fuzz_add_box(fuzz_world *w, vec sides);
solid *fuzz_add_plane(fuzz_world *w, vec normal, double level);
solid *fuzz_add_field(fuzz_world *w);
void fuzz_drop_solid(fuzz_world *w, int i);

/* bodies.c */
dBodyID fuzz_add_body(fuzz_world *w, int gap_needed);
void fuzz_drop_body(fuzz_world *w, int i);
void fuzz_close_ranks(fuzz_world *w); /* after bodies were dropped: others take their numbers */
void fuzz_add_bodies(fuzz_world *w);
int fuzz_overlaps(const fuzz_world *w, int from);

/* joints.c */
void fuzz_add_joints(fuzz_world *w);

#endif

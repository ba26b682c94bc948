/* The convex shapes of geoms, kept from step to step and rebuilt when a geom changes. */
#ifndef PEG_SHAPE_H
#define PEG_SHAPE_H

#include "ode_glue/map.h"
#include "peg/polytope.h"
#include <ode/ode.h>

typedef struct peg_shape {
    dGeomID geom;
    const peg_polytope *shape; /* null: the geom takes no part (see status) */
    peg_polytope *own;         /* the same, if built here (not of a convex geom) */
    int class;                 /* ODE's */
    double size[4];            /* box: sides; plane: a, b, c, d */
    unsigned long version;     /* convex: of its registration */
    unsigned long id;          /* > 0, changes with the shape */
    pegStatus status;          /* OK, GEOM_CLASS or, for a box without volume, SHAPE_EMPTY */
    int swept;                 /* lies in an added space */
    int built;                 /* in this collection */
} peg_shape;

/* Two generations: the geoms of the last whole collection and those of the coming one. */
typedef struct peg_shapes {
    struct peg_generation {
        peg_map geom;
        peg_shape *of; /* room entries */
        int room;
    } kept, coming;
    unsigned long last_id;
} peg_shapes;

/* Starts a collection. */
void peg_shapes_begin(peg_shapes *shapes);
/* Collects a geom (no space); further calls for the same geom only raise `swept`. Errors: MEMORY,
 * NOT_FINITE, SHAPE_EMPTY, SHAPE_UNKNOWN; after one the collection must be abandoned. */
pegStatus peg_shapes_add(peg_shapes *shapes, dGeomID geom, int swept);
/* Ends a collection: its shapes are kept, or it never happened. */
void peg_shapes_end(peg_shapes *shapes, int keep);
void peg_shapes_free(peg_shapes *shapes);

/* Whether ODE's class is a polytope or a half-space. */
int peg_class_is_exact(int class);

#endif

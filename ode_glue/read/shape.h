/* The shapes of geoms, kept from step to step and rebuilt when a geom changes. */
#ifndef PEG_SHAPE_H
#define PEG_SHAPE_H

#include "ode_glue/base/map.h"
#include "ode_glue/read/trimesh.h"
#include "ode_glue/read/heightfield_window.h"
#include <ode/ode.h>

/* What determines a shape. */
typedef struct peg_parameters {
    dGeomID leaf;          /* the geom itself, or the one that transforms hold */
    int class;             /* ODE's, of the leaf; -1: an empty transform */
    double size[4];        /* box: sides; plane: a, b, c, d; sphere, capsule, cylinder: radius,
                              length */
    double round;          /* radius about it (pegGeomSetRadius) */
    unsigned long version; /* convex, heightfield: of its registration */
    const void *data;      /* mesh */
} peg_parameters;

/* What ODE asks of two geoms before it collides them, as read in a collection. */
typedef struct peg_geom_filter {
    dSpaceID space;
    unsigned long category, collide; /* bits */
    int has_joints;                  /* its body has */
} peg_geom_filter;
peg_geom_filter peg_geom_filter_of(dGeomID geom);

typedef struct peg_shape {
    dGeomID geom; /* as it lies in a space */
    int swept;    /* lies in an added space */
    peg_geom_filter filter;
    dGeomID named; /* as contacts name it */
    peg_parameters is;
    const peg_polytope *shape; /* at most one of these two */
    const peg_triangle_mesh
        *triangle_mesh;     /* none: the geom takes no part (see status) or is opaque */
    peg_polytope *own;      /* the shape, if built here (not of a convex geom without radius) */
    peg_trimesh *mesh;      /* the mesh's owner */
    peg_heightfield *field; /* the mesh's owner, too */
    const peg_heightfield *endless; /* the field, if it repeats itself */
    peg_windows windows;            /* of it: its complexes */
    int opaque;                     /* meets others through ODE's contacts */
    unsigned long id;               /* > 0, changes with the shape */
    pegStatus status;               /* OK, GEOM_CLASS (rays) or SHAPE_EMPTY (without volume) */
    int built;                      /* in this collection */
    int doubted;                    /* the program says that it has changed */
} peg_shape;

/* Two generations: the geoms of the last whole collection and those of the coming one. */
typedef struct peg_shapes {
    struct peg_generation {
        peg_map geom;
        peg_shape *of; /* room entries */
        int room;
        int transforms; /* of these geoms */
    } kept, coming;
    unsigned long last_id, collections;
    /* Where another list sees geoms first: the number of a shape that was built, greater than all
     * before if the geom's last one was another; null: last_id counts. */
    unsigned long (*number)(dGeomID geom, int is_another);
} peg_shapes;

/* Starts a collection. */
void peg_shapes_begin(peg_shapes *shapes);
/* Collects a geom (no space); further calls for the same geom only raise `swept`. Errors: MEMORY,
 * NOT_FINITE, SHAPE_EMPTY, SHAPE_UNKNOWN, RADIUS; after one the collection must be abandoned. */
pegStatus peg_shapes_add(peg_shapes *shapes, dGeomID geom, int swept);
/* Ends a collection: its shapes are kept, or it never happened. */
void peg_shapes_end(peg_shapes *shapes, int keep);
void peg_shapes_free(peg_shapes *shapes);

/* The transform that holds the geom, if it is among the generation's geoms; else the geom. */
dGeomID peg_shapes_outer(const struct peg_generation *generation, dGeomID geom);
/* The geom's mesh may have changed: it is compared as a whole at the next step. */
void peg_shapes_doubt(peg_shapes *shapes, dGeomID geom);

/* How ODE's classes are treated: those of a leaf. */
int peg_class_has_contacts(int class);
int peg_class_is_known(int class); /* else opaque */
/* Whether the leaf has a side or radius of 0, and no contacts therefore. */
int peg_geom_is_empty(dGeomID leaf);

#endif

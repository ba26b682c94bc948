/* Copies of geoms that are larger by a distance, for ODE to collide. */
#ifndef PEG_LAUNCH_GEOM_COPY_H
#define PEG_LAUNCH_GEOM_COPY_H

#include "plugin/launch/world/world_registry.h"

/* Which one of two geoms to copy: where a larger one is its shape with all distances from it,
 * first. A mesh (1) can only be moved; 0: not even that. */
int peg_copy_ease(dGeomID geom);

typedef struct peg_geom_copy {
    dGeomID geom; /* null: none could be made */
    int kept;     /* by the world's entry, for the next one of its class */
    dReal *planes, *points;
} peg_geom_copy;

/* A copy without a body of the geom's leaf, larger by `by`, where that lies but for the shift; one
 * at a time. Returns its geom, or null; to be closed in any case. */
dGeomID peg_geom_copy_open(peg_world_entry *entry, dGeomID geom, double by, const double shift[3],
                           peg_geom_copy *out);
void peg_geom_copy_close(peg_geom_copy *copy);

#endif

/* The shapes of convex geoms. ODE keeps their arrays to itself: see ode_glue/read/registry.h. */
#ifndef PEG_CONVEX_H
#define PEG_CONVEX_H

#include "peg/shape/polytope.h"
#include <ode/ode.h>

/* Takes the shape over, in place of the one the geom had. Error: MEMORY (nothing taken). */
pegStatus peg_convex_set(dGeomID geom, peg_polytope *shape);
/* Null if unknown. *version: as of peg_registry_find. The shape lives until the geom is set anew or
 * forgotten. */
const peg_polytope *peg_convex_find(dGeomID geom, unsigned long *version);
/* Whether ODE sees the geom where the shape is. Not so if the geom was destroyed and another one
 * came to lie at its address, or if its arrays were changed. */
int peg_convex_is_of(const peg_polytope *shape, dGeomID geom);
void peg_convex_forget(dGeomID geom);

#endif

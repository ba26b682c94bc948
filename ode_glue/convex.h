/* The shapes of convex geoms. ODE keeps their arrays to itself, so they are seen when they are set.
 *
 * A geom belongs to no peg world when it is made (it may not even have a body yet), so this
 * registry is one for the process, behind a lock: the one place with state of its own. */
#ifndef PEG_CONVEX_H
#define PEG_CONVEX_H

#include "peg/polytope.h"
#include <ode/ode.h>

/* Takes the shape over, in place of the one the geom had. Error: MEMORY (nothing taken). */
pegStatus peg_convex_set(dGeomID geom, peg_polytope *shape);
/* Null if unknown. *version: unique for every peg_convex_set of the process, > 0. The shape lives
 * until the geom is set anew or forgotten. */
const peg_polytope *peg_convex_find(dGeomID geom, unsigned long *version);
void peg_convex_forget(dGeomID geom);

#endif

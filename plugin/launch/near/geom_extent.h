/* How far geoms reach along a direction, and by which direction two of them are told apart. */
#ifndef PEG_LAUNCH_GEOM_EXTENT_H
#define PEG_LAUNCH_GEOM_EXTENT_H

#include <ode/ode.h>

/* A distance, m, that the geoms have at least along some direction from b to a; < 0: they may
 * overlap. The direction is tried first (0: none), and is then that of the distance. */
double peg_geom_apart(dGeomID a, dGeomID b, double reach, double direction[3]);

#endif

/* Geoms as ODE's spaces hold them, and what they stand for: a transform for the geom that it
 * encapsulates (or, if that is a transform again, for that one's). */
#ifndef PEG_GEOM_H
#define PEG_GEOM_H

#include <ode/ode.h>

/* The geom itself, or what a transform stands for: null for an empty one. */
dGeomID peg_geom_leaf(dGeomID geom);
/* The geom that ODE's contacts name for it. */
dGeomID peg_geom_named(dGeomID geom);
/* Pose of the leaf: in the world, or in the frame of the geom's body. Geoms that ODE does not place
 * (planes, some heightfields) have none: x = 0, R = 1. R row-major. */
void peg_geom_pose(dGeomID geom, double x[3], double R[9]);
void peg_geom_offset(dGeomID geom, double x[3], double R[9]);

#endif

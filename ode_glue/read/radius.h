/* Radii about geoms, which ODE does not know. */
#ifndef PEG_RADIUS_H
#define PEG_RADIUS_H

#include "peg/base/types.h"
#include <ode/ode.h>

/* Of a box, a convex geom, a mesh or a heightfield; 0 takes it back. Errors: NOT_FINITE, ARGUMENT
 * (negative), GEOM_CLASS (another class), SHAPE_SIZE, MEMORY. */
pegStatus peg_radius_set(dGeomID geom, double radius);
/* 0: none. It belongs to the geom with its class and the data of a mesh or heightfield: one of a
 * destroyed geom does not count for another class or with other data at its address. */
double peg_radius_of(dGeomID geom);
/* Of a geom that was destroyed, or is new at its address. */
void peg_radius_forget(dGeomID geom);

#endif

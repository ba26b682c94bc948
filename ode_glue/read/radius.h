/* Radii about geoms, which ODE does not know. */
#ifndef PEG_RADIUS_H
#define PEG_RADIUS_H

#include "peg/base/types.h"
#include <ode/ode.h>

/* Of a box or a convex geom; 0 takes it back. Errors: NOT_FINITE, ARGUMENT (negative), GEOM_CLASS
 * (another class), MEMORY. */
pegStatus peg_radius_set(dGeomID geom, double radius);
/* 0: none. One of a destroyed geom does not count for another class at its address. */
double peg_radius_of(dGeomID geom);

#endif

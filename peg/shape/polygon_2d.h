/* Mass of the polygons of planar scenes (peg/step/planar.h); how they are made: polytope.h. */
#ifndef PEG_POLYGON_2D_H
#define PEG_POLYGON_2D_H

#include "peg/shape/polytope.h"

/* Area, centre of mass and second moment about it (density 1) of a polygon. */
void peg_polygon_mass(const peg_polytope *p, double *area, double centre[2], double *inertia);

#endif

/* The ratio metric of two convex shapes, without the contact module. */
#ifndef LAB_RATIO_H
#define LAB_RATIO_H

#include "demos/oracle/shape.h"

/* rho [A 3] of polyhedra, particles and half-spaces in world coordinates, about inner points of
 * theirs: the largest s(n) / n.(xa - xb) over all face normals and cross products of edges, with
 * s(n) the separation of the supports. No direction has more than the best facet, so that it need
 * not be known which of them are facets. Infinity: some are not such shapes. Ends early where it
 * exceeds `enough`. */
double lab_ratio(const lab_shape *a, const double xa[3], const lab_shape *b, const double xb[3],
                 double enough);

#endif

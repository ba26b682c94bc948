/* Overlap of convex polyhedra, measured without the contact module: volume by clipping one
 * polyhedron with the faces of the other, depth by the separating-axis test over all face normals
 * and edge pairs. Shapes are in world coordinates. */
#ifndef LAB_OVERLAP_H
#define LAB_OVERLAP_H

#include "demos/shape.h"

/* Largest separation over all axes: negative = depth of the overlap, else a lower bound of the
 * distance. Ends early once it exceeds `enough`. Two half-spaces: infinity. */
double lab_separation(const lab_shape *a, const lab_shape *b, double enough);

/* Volume of the intersection, 0 if the shapes are separated or touch. Negative if the memory is
 * exhausted. Two half-spaces: 0. */
double lab_overlap_volume(const lab_shape *a, const lab_shape *b);

#endif

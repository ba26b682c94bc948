/* Overlap of shapes, measured without the contact module. Convex polyhedra: volume by clipping one
 * with the faces of the other, depth by the separating-axis test over all face normals and edge
 * pairs. All others: depth by demos/oracle/distance.h, volume estimated from it. Shapes are in
 * world coordinates. */
#ifndef LAB_OVERLAP_H
#define LAB_OVERLAP_H

#include "demos/oracle/distance.h"

/* Largest separation over all axes: negative = depth of the overlap, else a lower bound of the
 * distance. Ends early once it exceeds `enough`. Two half-spaces: infinity. The trees (of meshes)
 * may be null. */
double lab_separation(const lab_shape *a, const lab_shape *b, double enough);
double lab_separation_of(const lab_shape *a, const lab_tree *tree_a, const lab_shape *b,
                         const lab_tree *tree_b, double enough);

/* Volume of the intersection, 0 if the shapes are separated or touch. Negative if the memory is
 * exhausted. Two half-spaces: 0. Two convex polyhedra, or one and a half-space: exact. Otherwise
 * that of the cap which a plane as deep as the overlap cuts off a ball as large as the smaller
 * shape (radius of a sphere, capsule or cylinder, else of the ball about the shape): exact for a
 * sphere and a half-space. */
double lab_overlap_volume(const lab_shape *a, const lab_shape *b);

#endif

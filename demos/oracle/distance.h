/* Signed distance of any two shapes of the lab, found without the contact module.
 *
 * For convex shapes it is s = max over all directions n of min n . a - max n . b: the distance if
 * they are apart, otherwise minus the length of the least translation that parts them. A radius all
 * round is simply taken off. Polyhedra, segments and points: every face, edge and vertex is tried.
 * Cylinders: every direction in which s can have a local maximum, closed forms or one-dimensional
 * searches to the last digit; whatever a search misses makes s smaller, so that an overlap is never
 * overlooked. A mesh is its triangles, a shell without an inside: s is the least over them, its
 * depth hence a lower bound of the translation that frees the whole mesh.
 *
 * Accurate to about 1e-13 of the sizes and coordinates, but for two cylinders that meet rim on rim
 * with axes that are nearly parallel: a few of them to 1e-6 only. */
#ifndef LAB_DISTANCE_H
#define LAB_DISTANCE_H

#include "demos/oracle/shape.h"

/* A tree of boxes about the triangles of a mesh, without which each is looked at. */
typedef struct lab_tree lab_tree;
lab_tree *lab_tree_new(const lab_shape *mesh);            /* null: out of memory */
void lab_tree_fit(lab_tree *tree, const lab_shape *mesh); /* after the mesh has moved */
void lab_tree_free(lab_tree *tree);

/* s if it is below `enough`, otherwise some number between `enough` and s. The trees may be null.
 * Two half-spaces: infinity. */
double lab_distance(const lab_shape *a, const lab_tree *tree_a, const lab_shape *b,
                    const lab_tree *tree_b, double enough);

/* How often a closed mesh winds about a point: 0 outside, 1 inside; between on the surface. */
double lab_winding(const lab_shape *mesh, const double point[3]);

#endif

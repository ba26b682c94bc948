/* Normal cones of vertices and edges: the directions along which a feature can be in contact.
 * Contact along n forms only at a feature whose neighbours are no higher along n: a local minimum
 * of distance [M]. The neighbours of a triangle's feature are those of the mesh: inner edges of a
 * flat or concave surface form no contact. */
#ifndef PEG_NORMAL_CONE_H
#define PEG_NORMAL_CONE_H

#include "peg/shape/polytope.h"

/* Slope tolerance of a contact at a feature: neighbours may be higher by `slope` times their
 * distance, measured along `axis` if there is one (quasi-LMDs [M]: minima after a small relative
 * rotation, which matters along directions in which both parts extend). */
typedef struct peg_slope_tolerance {
    double slope;
    const double *axis; /* unit, or null: any direction */
    int from_out;       /* only from outside of the mesh */
} peg_slope_tolerance;

/* Whether contact along n (unit, out of the part) can form at vertex v of a part, or at its edge e
 * if n is normal to it. */
int peg_vertex_can_touch(const peg_view *view, int v, const double n[3],
                         const peg_slope_tolerance *tolerance);
int peg_edge_can_touch(const peg_view *view, int e, const double n[3],
                       const peg_slope_tolerance *tolerance);

/* The same for one of the two faces of a triangle. */
int peg_face_can_touch(const peg_view *view, int face, const peg_slope_tolerance *tolerance);

/* Whether no contact can form there, as the mesh is flat. */
int peg_is_flat_feature(const peg_view *view, int is_edge, int i);

/* Whether contact can form at the support feature along n; always, unless the part is a triangle of
 * a mesh. */
int peg_support_can_touch(const peg_view *view, const double n[3],
                          const peg_slope_tolerance *tolerance);

#endif

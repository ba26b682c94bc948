/* Where a part can be touched from a direction: the normal cones of its vertices and edges. A
 * feature is in contact along n only if what lies next to it is no higher along n: a local minimum
 * of distance [M]. For a triangle of a mesh "next to it" is the mesh, not the triangle: inner edges
 * of a flat or hollow surface touch nothing. */
#ifndef PEG_NORMAL_CONE_H
#define PEG_NORMAL_CONE_H

#include "peg/shape/polytope.h"

/* Slope tolerance of a contact at a feature: neighbours may be higher by `slope` times their
 * distance, counted along the axis only if there is one (quasi-LMDs [M]: minima after a small turn
 * of the parts against each other, which matters along what both extend). */
typedef struct peg_slope_tolerance {
    double slope;
    const double *axis; /* unit, or null: any direction */
    int from_out;       /* only from out of the mesh: what may touch it is outside */
} peg_slope_tolerance;

/* Whether vertex v of a part, or its edge e with n across it, can be touched by what comes along -n
 * (unit). */
int peg_vertex_can_touch(const peg_view *view, int v, const double n[3],
                         const peg_slope_tolerance *tolerance);
int peg_edge_can_touch(const peg_view *view, int e, const double n[3],
                       const peg_slope_tolerance *tolerance);

/* The same of one of the two faces of a triangle. */
int peg_face_can_touch(const peg_view *view, int face, const peg_slope_tolerance *tolerance);

/* Whether it cannot be touched from anywhere, as the mesh is flat there. */
int peg_is_flat_feature(const peg_view *view, int is_edge, int i);

/* Whether the feature of a triangle of a mesh that is highest along n can be touched; of other
 * parts it always can. */
int peg_support_can_touch(const peg_view *view, const double n[3],
                          const peg_slope_tolerance *tolerance);

#endif

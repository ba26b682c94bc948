/* Nearest features of dilated parts, their nearest points, and the direction between them. */
#ifndef PEG_CLOSEST_FEATURES_H
#define PEG_CLOSEST_FEATURES_H

#include "peg/collide/separation.h"

/* From one end of an edge to the other. */
static inline void peg_edge_vector(const peg_view *v, const peg_edge *e, double out[3])
{
    peg_sub(v->vertex[e->v[1]], v->vertex[e->v[0]], out);
}

/* The nearest points of a feature of A and one of B: two vertices, or a vertex and the line of an
 * edge, of which t is returned: 0 to 1 on the edge. The vertices of what has a rim are discs. */
double peg_nearest_points(const peg_view *A, const peg_view *B, peg_feature_kind kind, int i, int j,
                          double a[3], double b[3]);

/* Nearest points of two edges, nearly so if they are parallel. */
void peg_near_points_of_edges(const peg_view *A, const peg_view *B, int i, int j, double a[3],
                              double b[3]);

/* Whether t may lie between -room and 1 + room, without computing t; always unless the vertex is a
 * disc. */
int peg_may_be_between(const peg_view *A, const peg_view *B, peg_feature_kind kind, int i, int j,
                       double room);

/* The nearest features of those that only dilated parts have: kind, i and j of a facet. n: a unit
 * direction along which the parts are well separated; it culls features. */
peg_facet peg_nearest_features(const peg_view *A, const peg_view *B, const double n[3]);

/* The unit direction between such features, normal to the directions in which they extend. Returns
 * 1 if they intersect: then it is one on the side of facet->n (never NaN). */
int peg_round_normal(const peg_view *A, const peg_view *B, const peg_facet *facet, double n[3]);

/* The same, from their nearest points. */
int peg_normal_between(const peg_view *A, const peg_view *B, const peg_facet *facet,
                       const double a[3], const double b[3], double n[3]);

/* Distance of the nearest points at touch, m: the sum of the parts' radii at these features. */
double peg_radius_of_a(const peg_view *A, peg_feature_kind kind);
double peg_radius_of_b(const peg_view *B, peg_feature_kind kind);

/* Support point along -n of a part's vertex, or of its disc. */
void peg_lowest_point(const peg_view *view, int vertex, const double n[3], double out[3]);

/* Sine of the angle between n and the axis of a part with a rim. */
double peg_off_axis(const peg_view *view, const double n[3]);

#endif

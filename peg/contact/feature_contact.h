/* Contacts of two features, seen at q_0 and q_k. */
#ifndef PEG_FEATURE_CONTACT_H
#define PEG_FEATURE_CONTACT_H

#include "peg/contact/island.h"

/* One pair of facing features, seen at q_0 and q_k. */
typedef struct peg_feature_contact {
    peg_feature_kind kind;
    int i, j;
    double normal[3];              /* at q_k, into A */
    double mid_normal[3];          /* (n_0 + n_k) / 2 */
    double point_a[3], point_b[3]; /* at q_k */
    double mid_point[3];
    double gap0, gap;
} peg_feature_contact;

/* Vertices of one part against faces of another; d points from lower to upper. */
typedef struct peg_facing {
    const peg_placement *upper, *lower;
    peg_feature_kind kind;
    double d[3];
} peg_facing;
/* Depth of an overlap of features up to which they make a row, m. */
static inline double peg_deepest(const peg_pair *pair)
{
    return PEG_DEEPEST * pair->L + (pair->surface->soft ? fmax(0, -pair->s0) : 0);
}

/* VF: vertices of A. */
peg_facing peg_facing_of(const peg_pair *pair, const peg_pair_pose *at, peg_feature_kind kind);
/* The contact of a vertex of the upper part with a face of the lower one. Vertices from the shape's
 * nv on are points of its rims: see peg_rim_points. */
peg_feature_contact peg_vertex_face(const peg_facing *facing, int vertex, int face);
/* The contact of a point of an edge of the upper part, t along it, with a cap of the lower one. */
peg_feature_contact peg_edge_cap(const peg_facing *facing, int edge, double t, int cap);
/* Whether w lies farther than `room` (m, >= 0) beyond the edges of face f, seen along `along`
 * (unit). */
int peg_is_beside(const peg_view *view, int f, const double *w, const double *along, double room);
/* Number of points on the rims of a part that count as vertices where a rim lies flat. */
int peg_rim_points(const peg_polytope *shape);
/* The contact of two edges where their lines are nearest, s and t along them. Returns 0 if they are
 * parallel. */
int peg_edge_edge(const peg_pair *pair, const peg_pair_pose *at, int i, int j,
                  peg_feature_contact *contact, double *s, double *t);

/* Whether the same would face the chosen direction, and a mesh on either side could be touched by
 * it; to be asked first, as the contact takes twice as long. */
int peg_edges_may_touch(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at, int i,
                        int j);

/* The contact of features of a kind that only dilated pairs have. */
void peg_round_contact(const peg_pair *pair, const peg_pair_pose *at, peg_feature_kind kind, int i,
                       int j, peg_feature_contact *contact);
/* The same in two steps. Now: from the features' nearest points a and b, which it may move; since:
 * what has become of them from the start. */
void peg_round_contact_now(const peg_pair *pair, const peg_pair_pose *at, double a[3], double b[3],
                           peg_feature_contact *contact);
void peg_round_contact_since(const peg_pair_pose *at, peg_feature_contact *contact);

/* Whether a mesh on either side can be touched by the contact. */
int peg_may_touch(const peg_island *I, const peg_pair *pair, const peg_pair_pose *at,
                  const peg_feature_contact *contact);

#endif

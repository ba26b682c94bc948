/* Rows of contacts: what patch.c and nearest.c, which find the features that face each other, share
 * with contact_row.c, which writes their rows. */
#ifndef PEG_CONTACT_ROW_H
#define PEG_CONTACT_ROW_H

#include "peg/contact/island.h"

/* One pair of facing features, seen at q_0 and q_k. */
typedef struct peg_feature_contact {
    peg_row_kind kind;
    int i, j;
    double normal[3];              /* at q_k, into A */
    double mid_normal[3];          /* (n_0 + n_k) / 2 */
    double point_a[3], point_b[3]; /* at q_k */
    double mid_point[3];
    double gap0, gap;
} peg_feature_contact;

/* Appends the row of a contact with its friction rows, at the velocities u, unless a row says the
 * same already. */
void peg_contact_rows(peg_island *island, int pair, const double (*u)[6],
                      const peg_feature_contact *contact, peg_row_set *out);

/* The contact of a vertex of one piece with a face of the other; kind VF: of A with B. Vertices
 * from the shape's nv on are points of its rims: see peg_rim_points. */
peg_feature_contact peg_vertex_face(const peg_piece *upper, const peg_piece *lower,
                                    peg_row_kind kind, int vertex, int face);
/* Whether w lies farther than `room` (m, >= 0) beyond the edges of face f, seen along `along`
 * (unit). */
int peg_is_beside(const peg_view *view, int f, const double *w, const double *along, double room);
/* Number of points on the rims of a part that count as vertices where a rim lies flat. */
int peg_rim_points(const peg_polytope *shape);
/* The contact of two edges where their lines are nearest, s and t along them. Returns 0 if they are
 * parallel. */
int peg_edge_edge(const peg_island *island, const peg_pair *pair, int i, int j,
                  peg_feature_contact *contact, double *s, double *t);

/* --- nearest.c: dilated pairs --- */
void peg_nearest_rows(peg_island *island, int pair, const double (*u)[6], peg_row_set *out);
/* The contact of features of a kind that only dilated pairs have. */
void peg_round_contact(const peg_island *island, const peg_pair *pair, peg_row_kind kind, int i,
                       int j, peg_feature_contact *contact);

#endif

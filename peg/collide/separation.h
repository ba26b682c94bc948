/* Exact separation of two convex polytopes over the facets of their Minkowski difference.
 *
 * For a unit direction n (from B to A): s_n = min_{a in A} n.a - max_{b in B} n.b. The parts do not
 * overlap iff the largest s_n over the facets is >= 0. Facets are the applicable feature pairs of
 * [W section 4], without relaxation: a face of B (n its normal), a face of A (n its normal
 * negated), an edge pair whose arcs on the Gauss map cross (n along the cross product).
 *
 * The difference of dilated parts is round between these facets. While the polytopes inside are
 * apart, s_n has one maximum there, at the direction between their nearest features: it is the
 * facet of these (two vertices, or a vertex and an edge). */
#ifndef PEG_SEPARATION_H
#define PEG_SEPARATION_H

#include <stddef.h>

#include "peg/collide/features.h"
#include "peg/shape/polytope.h"

/* A facet of the Minkowski difference. i and j as the features' kind says, but that of a face
 * alone: VF: i is the face of B, FV: that of A. */
typedef struct peg_facet {
    peg_feature_kind kind;
    int i, j;
    peg_vec3 n; /* unit, from B to A */
    double s;   /* s_n at the pose it was taken, m */
} peg_facet;

/* A facet that was chosen, with what makes a new search superfluous: `others` bounds the s of all
 * facets whose direction lies away from it (disjunction.c), as long as the bodies have `turned` by
 * little since it was measured. Infinity: not known. */
typedef struct peg_choice {
    peg_facet facet;
    peg_vec3 direction; /* of the signed separation (model lp); 0: none */
    int wait;     /* steps until its island is next tried within a limit of work: solve_policy.c */
    int failures; /* such attempts that failed in a row */
    /* of a facet; undefined of a direction alone, whose kind is NONE */
    double others;     /* m */
    double turned;     /* rad */
    peg_vec3 at[2][3]; /* where A and B were left: see peg_pair_keep_choice */
} peg_choice;

/* Without what is undefined. */
static inline void peg_choice_copy(const peg_choice *from, peg_choice *to)
{
    int is_facet = from->facet.kind != PEG_FEATURES_NONE;
    memcpy(to, from, is_facet ? sizeof *to : offsetof(peg_choice, others));
}

/* None: n = 0. */
static inline void peg_choice_clear(peg_choice *choice)
{
    memset(choice, 0, offsetof(peg_choice, others));
    choice->facet.kind = PEG_FEATURES_NONE;
}

/* s_n for any unit direction; -infinity where a half-space is unbounded along n. */
double peg_separation_along(const peg_view *A, const peg_view *B, const double n[3]);

/* The same where the parts have turned since their views: of_a and of_b are n as each of them sees
 * it. Not of half-spaces. */
double peg_separation_seen(const peg_view *A, const peg_view *B, const double of_a[3],
                           const double of_b[3]);

/* The unit normals of a triangle's edges in its plane, outwards; 0 where it has no width. */
void peg_triangle_sides(const peg_vec3 corner[3], peg_vec3 side[3]);

/* The largest s_n of two triangles along one of these; -infinity of other parts. Of two triangles
 * in nearly one plane it is what keeps them apart: all facets of their difference look along the
 * normal of that plane. */
double peg_separation_beside(const peg_view *A, const peg_view *B);

typedef void peg_facet_visitor(void *context, const peg_facet *facet);

/* Calls visit (may be null) for every facet with s >= keep, in a fixed order, and returns the facet
 * with the largest s (the first of equal ones). Parallel edges make no facet. Two half-spaces have
 * none (kind NONE, s = -infinity). Every s reported is a true s_n (never more than the support
 * functions give). */
peg_facet peg_separation(const peg_view *A, const peg_view *B, double keep,
                         peg_facet_visitor *visit, void *context);

/* The same as peg_separation(A, B, INFINITY, NULL, NULL), where a facet is known to have start->s
 * (-infinity: none is): facets that cannot have as much are not looked at. They are told the faster
 * the nearer the parts are along start->n (0: not known). */
peg_facet peg_separation_from(const peg_view *A, const peg_view *B, const peg_facet *start);

/* The same, but for the facet: one of a face unless one of two edges separates farther than all of
 * them by more than edge_bias, m. s is the largest of any. Of sharp parts, with a bias, the search
 * ends at a facet whose own features are no farther apart than its s: none has more. */
peg_facet peg_separation_of_faces_first(const peg_view *A, const peg_view *B,
                                        const peg_facet *start, double edge_bias);

/* The same from a facet of a pose near by, or from its direction alone (kind NONE): that one where
 * it is now if it has `enough` there, m. */
peg_facet peg_facet_since(const peg_view *A, const peg_view *B, const peg_facet *before,
                          double enough, double edge_bias);

/* The vertex with the largest sign n . x; of parts with vertices. from: one to start at. */
int peg_support_vertex(const peg_view *view, const double n[3], double sign, int from);

/* The same as peg_separation_from; by libccd it starts from a nearby facet if the parts have many
 * vertices. toward: a direction that was good a moment ago, from B to A; null: not known. */
peg_facet peg_widest_facet(const peg_view *A, const peg_view *B, pegNarrowPhase narrow,
                           const double *toward);

/* Nearby features of two parts, by libccd: a facet of the Minkowski difference beside the origin,
 * seen in the direction `toward` (from B to A, any length), with its true s_n; in most cases it is
 * the widest. Kind NONE, s = -infinity: libccd supplies none (always of half-spaces, flat and
 * planar parts, and where toward is 0). */
peg_facet peg_nearby_facet(const peg_view *A, const peg_view *B, const double toward[3]);

/* The same two features at another pose: the normal (edges: sign chosen to agree with facet->n,
 * and facet->n itself if they have become parallel) and s_n along it. */
peg_facet peg_facet_at(const peg_view *A, const peg_view *B, const peg_facet *facet);

/* True if s_n > reach for some direction; libccd, or the facets alone, propose the direction, s_n
 * decides, so a wrong proposal can only make the answer false. n holds a first guess (may be zero)
 * and receives the direction that was tried last. */
int peg_is_far(const peg_view *A, const peg_view *B, double reach, pegNarrowPhase narrow,
               double n[3]);

#endif

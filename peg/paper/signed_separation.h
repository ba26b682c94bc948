/* Signed separation of two convex parts by a linear program, its subgradient and the contact
 * polygon.
 *
 * Cited: [J] Johnson, Ortiz, Leyendecker 2012. Of that paper only the introduction was at hand: it
 * states what the program has to do (equations 1-13) but not the program. The one below is ours and
 * has the properties that [J] claims: its sign is exact, it always has a solution, the poses appear
 * in the constraint matrix only, and its subgradient lies in the normal cone of the closest
 * admissible configuration. [J]'s g is positive for overlap: g_J = -g.
 *
 * A, B: vertices a_i, b_j; d: any direction "from B to A"; s(n) = min n.a_i - max n.b_j.
 *
 *     g(d) = max alpha - beta  s.t.  n.a_i >= alpha,  n.b_j <= beta,  n.d = 1             (S1)
 *          = min tau  s.t.  sum lambda_i a_i - sum mu_j b_j = tau d,
 *                           sum lambda = sum mu = 1,  lambda, mu >= 0                     (S2)
 *
 *  - (S1) is feasible for every d, with n = d / |d|^2. It is bounded iff the line R d meets A - B,
 *    which it does for d = x_A - x_B with inner points x: tau = 1 is then feasible in (S2).
 *  - With such a d, g > 0 iff the parts are disjoint and g < 0 iff their interiors meet: a
 *    separating n has n.d > 0, since it separates the inner points, and can be scaled to n.d = 1.
 *  - The optimal n is a facet normal of A - B: g(d) = max over the facets with n.d > 0 of
 *    s(n) / n.d. For unit d it is how far A must move along -d (g > 0) or d until they just touch.
 *  - The dual (S2) says that A and B, blown up about x_A and x_B by 1 / (1 - g), just touch: g is
 *    the ratio metric of Anitescu and Hart (ratio_metric.h). */
#ifndef PEG_SIGNED_SEPARATION_H
#define PEG_SIGNED_SEPARATION_H

#include "peg/base/arena.h"
#include "peg/lcp/simplex.h"
#include "peg/shape/polytope.h"

/* Rows of (S2): three of space, the sums of lambda and mu. */
enum { PEG_SSH_ROWS = 5 };

typedef struct peg_ssh {
    double g;      /* in multiples of d; infinite: moving along d never brings them together */
    peg_vec3 n;    /* n.d = 1 */
    double s;      /* s(n / |n|), m: a lower bound of the distance */
    peg_vec3 a, b; /* witness points: a - b = g d */
    /* lambda and mu: of vertex[k] of A, or of B where it is -1 - vertex[k] */
    int vertex[PEG_SSH_ROWS], count;
    double weight[PEG_SSH_ROWS];
    int basis[PEG_SSH_ROWS]; /* on entry that to start from; basis[0] < 0: none */
    int programs, pivots;    /* solved so far: added up */
} peg_ssh;

/* A point inside of a part: the centroid of its vertices. Of a half-space: the foot of the other
 * part's inner point, one size of that part deep. */
void peg_inner_point(const peg_view *part, const peg_view *other, peg_vec3 x);

/* One program. Radii of dilated parts count in s only. Cylinders and two half-spaces are not
 * supported: INFEASIBLE. UNBOUNDED: g is infinite. */
peg_lp_status peg_ssh_solve(peg_arena *arena, const peg_view *A, const peg_view *B,
                            const double d[3], peg_ssh *out);

/* The unit direction with the largest s that repeated programs lead to, d_{k+1} = n_k / |n_k|, from
 * each of the starts; s rises from each to the next. Of overlapping parts that is a (locally)
 * closest admissible configuration: A moved by -s along n. Of disjoint ones s is a lower bound of
 * the distance, and one start is enough. The starts are unit vectors. */
peg_lp_status peg_ssh_separation(peg_arena *arena, const peg_view *A, const peg_view *B,
                                 const double (*starts)[3], int count, peg_ssh *out);

/* All starts that make the depth exact in most cases: x_A - x_B, the axes, and the normals of the
 * faces; room for 7 + the faces of both. Returns how many. */
int peg_ssh_starts(const peg_view *A, const peg_view *B, peg_vec3 *starts);

/* The distance of disjoint parts by cutting planes (Kelley 1960): (S1) with n.u <= 1 for more and
 * more unit vectors u, until lower <= distance <= upper are within `tolerance` or `most` programs
 * are solved. Returns the number of programs. */
int peg_ssh_distance(peg_arena *arena, const peg_view *A, const peg_view *B, double tolerance,
                     int most, double *lower, double *upper, peg_vec3 n);

/* The subgradient of least norm: witness points from the lambda and mu with the least sum of
 * squares among all optimal ones, which makes them symmetric where the scene is. 0: out of memory.
 */
int peg_ssh_subgradient(peg_arena *arena, const peg_view *A, const peg_view *B, const double d[3],
                        const peg_ssh *ssh, peg_vec3 a, peg_vec3 b);

/* Where two parts could touch along a unit direction n: the corners of the polygon that the
 * features of A and B, all vertices within `band` of the outermost, have in common in projection
 * along n; the heights are those of the surfaces there. Its corners span the subdifferential. */
typedef struct peg_polygon_corner {
    peg_vec3 a, b; /* a - b = gap n */
    double gap;    /* m */
} peg_polygon_corner;

/* Returns the number of corners, *out in the arena; 0: the features do not face each other; -1: out
 * of memory. */
int peg_contact_polygon(peg_arena *arena, const peg_view *A, const peg_view *B, const double n[3],
                        double band, peg_polygon_corner **out);

#endif

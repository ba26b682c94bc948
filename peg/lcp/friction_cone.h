/* Projection onto friction cones whose friction rows are bounded each by itself: in the coordinates
 * of scaled.h the impulses u of a contact lie in
 *
 *     u_0 >= 0,   |u_f| <= limit_f + mu_f u_0   for its friction rows f = 1 .. n - 1.
 *
 * The cone is convex; with s_0 + sum mu_f |s_f| in place of s_0 (De Saxce) complementarity with it
 * is Coulomb's law. */
#ifndef PEG_FRICTION_CONE_H
#define PEG_FRICTION_CONE_H

#include "peg/base/math.h"

/* Rows of a contact at most: two faces of 16 friction axes each. */
enum { PEG_CONE_ROWS = 33 };

/* How an impulse depends on what is projected: not, linearly, or with that of its normal row, at
 * the upper or lower bound. */
enum { PEG_ROW_FIXED = 0, PEG_ROW_LINEAR, PEG_ROW_UP, PEG_ROW_DOWN };

/* p: the point of the cone nearest to z where the square of a difference in row i counts weight_i.
 * n numbers each, of the normal row first, whose mu and limit are not looked at. state: see above.
 */
void peg_cone_project(int n, const double *mu, const double *limit, const double *weight,
                      const double *z, double *p, unsigned char *state);

/* +-mu of a friction row that follows its normal row, else 0: u_f changes so with u_0. */
static inline double peg_cone_follows(double mu, unsigned char state)
{
    return state == PEG_ROW_UP ? mu : state == PEG_ROW_DOWN ? -mu : 0;
}

#endif

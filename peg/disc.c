/* Nearest points of discs. The distance from a disc is a convex function, so that on a line it has
 * one minimum, where the derivative changes its sign. */
#include "peg/disc.h"

#include <float.h>

void peg_disc_nearest(const peg_disc *disc, const double p[3], double out[3])
{
    double r[3];
    peg_sub(p, disc->centre, r);
    peg_add_scaled(r, -peg_dot(r, disc->axis), disc->axis, r);
    double l = peg_norm(r);
    peg_add_scaled(disc->centre, l > disc->radius ? disc->radius / l : 1, r, out);
}

/* Derivative of the distance from a disc along d, at p; 0 in the disc. Unlike that of the square it
 * is not flat near the disc. */
static double slope(const peg_disc *disc, const double *p, const double *d)
{
    double foot[3], r[3];
    peg_disc_nearest(disc, p, foot);
    peg_sub(p, foot, r);
    double l = peg_norm(r);
    return l > 0 ? peg_dot(r, d) / l : 0;
}

/* Steps of the search for a root: false position that halves the weight of an end that stays
 * (Illinois), which ends at the rounding of t well before this. */
enum { MOST_STEPS = 100 };

double peg_disc_line(const peg_disc *disc, const double x[3], const double y[3], double on_disc[3],
                     double on_line[3])
{
    double d[3], r[3], t = 0;
    peg_sub(y, x, d);
    peg_sub(disc->centre, x, r);
    double dd = peg_dot(d, d), length = sqrt(dd);
    if (dd > 0) {
        /* the minimum lies where the line is nearest to the centre, give or take the radius */
        double middle = peg_dot(r, d) / dd, half = disc->radius / length;
        double lo = middle - half, hi = middle + half, p[3];
        peg_add_scaled(x, lo, d, p);
        double at_lo = slope(disc, p, d);
        peg_add_scaled(x, hi, d, p);
        double at_hi = slope(disc, p, d);
        t = at_lo >= 0 ? lo : at_hi <= 0 ? hi : middle;
        int side = 0;
        for (int k = 0; k < MOST_STEPS && at_lo < 0 && at_hi > 0; k++) {
            t = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
            if (!(t > lo && t < hi)) break;
            peg_add_scaled(x, t, d, p);
            double at = slope(disc, p, d);
            if (fabs(at) <= DBL_EPSILON * length) break;
            if (at < 0) {
                lo = t, at_lo = at;
                if (side < 0) at_hi *= .5;
                side = -1;
            } else {
                hi = t, at_hi = at;
                if (side > 0) at_lo *= .5;
                side = 1;
            }
        }
    }
    peg_add_scaled(x, t, d, on_line);
    peg_disc_nearest(disc, on_line, on_disc);
    return t;
}

/* --- two rims --- */

typedef struct rims {
    const peg_disc *a, *b;
    double u[3], v[3]; /* directions across the axis of a */
} rims;

static void on_rim(const rims *r, double angle, double out[3])
{
    peg_add_scaled(r->a->centre, r->a->radius * cos(angle), r->u, out);
    peg_add_scaled(out, r->a->radius * sin(angle), r->v, out);
}

/* Squared distance of a point of the first rim from the second disc. */
static double distance2(const rims *r, double angle)
{
    double p[3], foot[3], d[3];
    on_rim(r, angle, p);
    peg_disc_nearest(r->b, p, foot);
    peg_sub(p, foot, d);
    return peg_dot(d, d);
}

/* Its derivative. */
static double climb(const rims *r, double angle)
{
    double p[3], tangent[3];
    on_rim(r, angle, p);
    for (int k = 0; k < 3; k++) tangent[k] = cos(angle) * r->v[k] - sin(angle) * r->u[k];
    return slope(r->b, p, tangent);
}

/* Places where the search looks first: the distance of a rim from a disc has two minima at most. */
enum { PLACES = 16 };

void peg_disc_disc(const peg_disc *a, const peg_disc *b, double on_a[3], double on_b[3])
{
    rims r = {.a = a, .b = b};
    int k = fabs(a->axis[0]) < .6 ? 0 : 1, best = 0;
    double turn = 2 * acos(-1) / PLACES, least = INFINITY;
    double along[3] = {k == 0, k == 1, 0};
    peg_cross(a->axis, along, r.u);
    peg_normalise(r.u);
    peg_cross(a->axis, r.u, r.v);
    for (int i = 0; i < PLACES; i++) {
        double d = distance2(&r, i * turn);
        if (d < least) least = d, best = i;
    }
    double lo = (best - 1) * turn, hi = (best + 1) * turn;
    for (int i = 0; i < MOST_STEPS; i++) {
        double middle = .5 * (lo + hi);
        if (!(middle > lo && middle < hi)) break;
        if (climb(&r, middle) < 0)
            lo = middle;
        else
            hi = middle;
    }
    on_rim(&r, .5 * (lo + hi), on_a);
    peg_disc_nearest(b, on_a, on_b);
}

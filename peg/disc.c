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

/* Sine of the angle to a line up to which it is nearest to a disc all along: rounding. */
static const double LEVEL = 1e-9;

/* Steps of a search, which ends at the rounding of what is sought well before this. */
enum { MOST_STEPS = 100 };

/* A line about its point nearest to the disc's centre: along it, at t, the height over the disc is
 * z0 + t dz and the square of the distance r from the axis r0 + t (2 r1 + t r2), r1 = -z0 dz. */
typedef struct line {
    double z0, dz, r0, r1, r2, dd;
} line;

/* A Newton step from t towards the root of nearest_to_rim. */
static double step_to_rim(const line *l, double radius, double t)
{
    double along = l->r1 + t * l->r2, r = sqrt(l->r0 + t * (l->r1 + along));
    double bend = l->dd - radius * (l->r2 * l->r0 - l->r1 * l->r1) / (r * r * r);
    return bend > 0 ? (t * l->dd - radius * along / r) / bend : -INFINITY;
}

/* Where a line with r1 > 0 is nearest to the rim: half the derivative of the squared distance is
 * t dd - radius (r1 + t r2) / r. It is convex, so that Newton's steps from beyond its root never
 * pass it, and one from before it leads beyond it; (r1 + t r2) / r rises from r1 / sqrt(r0) to
 * sqrt(r2). */
static double nearest_to_rim(const line *l, double radius)
{
    double most = radius * sqrt(l->r2) / l->dd, least = radius * l->r1 / (sqrt(l->r0) * l->dd);
    double t = peg_min(most, least - step_to_rim(l, radius, least)), step = t;
    for (int k = 0; k < MOST_STEPS && step > DBL_EPSILON * t; k++) {
        step = step_to_rim(l, radius, t);
        t -= step;
    }
    return t;
}

/* Where the distance of a line from a disc is least; of one that is level, where it is nearest to
 * the centre. */
static double least_along(line *l, double radius)
{
    if (l->dz * l->dz <= DBL_EPSILON * DBL_EPSILON * l->dd) return 0;
    double crossing = -l->z0 / l->dz;
    if (l->r0 + crossing * (2 * l->r1 + crossing * l->r2) <= radius * radius) return crossing;
    double sign = l->r1 < 0 ? -1 : 1;
    l->r1 *= sign;
    return sign * nearest_to_rim(l, radius);
}

double peg_disc_line(const peg_disc *disc, const double x[3], const double y[3], double on_disc[3],
                     double on_line[3])
{
    double d[3], r[3], across[3], t = 0;
    peg_sub(y, x, d);
    peg_sub(x, disc->centre, r);
    line l = {.dd = peg_dot(d, d)};
    if (l.dd > 0) {
        double middle = -peg_dot(r, d) / l.dd;
        peg_add_scaled(r, middle, d, r);
        l.z0 = peg_dot(r, disc->axis), l.dz = peg_dot(d, disc->axis);
        peg_add_scaled(r, -l.z0, disc->axis, r);
        peg_add_scaled(d, -l.dz, disc->axis, across);
        l.r0 = peg_dot(r, r), l.r1 = -l.z0 * l.dz, l.r2 = peg_dot(across, across);
        t = middle + least_along(&l, disc->radius);
    }
    peg_add_scaled(x, t, d, on_line);
    peg_disc_nearest(disc, on_line, on_disc);
    return t;
}

/* Whether a disc is nearer beyond x, seen from y, than at x: more than rounding tells. */
static int is_beyond(const peg_disc *disc, const double *x, const double *y)
{
    double foot[3], r[3], d[3];
    peg_disc_nearest(disc, x, foot);
    peg_sub(foot, x, r);
    peg_sub(y, x, d);
    double along = peg_dot(r, d);
    return along < 0 && along * along > LEVEL * LEVEL * peg_dot(r, r) * peg_dot(d, d);
}

int peg_disc_is_between(const peg_disc *disc, const double x[3], const double y[3])
{
    return !is_beyond(disc, x, y) && !is_beyond(disc, y, x);
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
static double climb_of_rim(const rims *r, double angle)
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
        if (climb_of_rim(&r, middle) < 0)
            lo = middle;
        else
            hi = middle;
    }
    on_rim(&r, .5 * (lo + hi), on_a);
    peg_disc_nearest(b, on_a, on_b);
}

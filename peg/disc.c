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

/* Along a line its squared distance from a disc is z^2 + max(r - radius, 0)^2, with z = z0 + t dz
 * and r^2 = r0 + t (2 r1 + t r2). */
typedef struct profile {
    double z0, dz, r0, r1, r2, radius;
} profile;

typedef struct climb {
    double square; /* of the distance */
    double slope;  /* half of its derivative, which never falls */
    double bend;   /* the derivative of that */
} climb;

static climb climb_at(const profile *f, double t)
{
    double z = f->z0 + t * f->dz, r1 = f->r1 + t * f->r2;
    double rr = peg_max(f->r0 + t * (f->r1 + r1), 0), r = sqrt(rr);
    climb c = {z * z, z * f->dz, f->dz * f->dz};
    if (r <= f->radius) return c;
    double share = f->radius / r, beyond = r - f->radius;
    c.square += beyond * beyond;
    c.slope += r1 * (1 - share);
    c.bend += f->r2 * (1 - share) + r1 * r1 * share / rr;
    return c;
}

/* Where the distance is least between lo and hi: Newton's steps, halves of what is left where they
 * lead out of it. A slope of the distance that is rounding is none. */
static double least_between(const profile *f, double lo, double hi)
{
    double t = .5 * (lo + hi), last = hi - lo, room = DBL_EPSILON * last;
    double flat = DBL_EPSILON * DBL_EPSILON * (f->dz * f->dz + f->r2);
    if (climb_at(f, lo).slope >= 0) return lo;
    if (climb_at(f, hi).slope <= 0) return hi;
    for (int k = 0; k < MOST_STEPS && last > room; k++) {
        climb c = climb_at(f, t);
        if (c.slope * c.slope <= flat * c.square) break;
        if (c.slope < 0)
            lo = t;
        else
            hi = t;
        double step = c.slope / c.bend, next = t - step;
        if (!(next > lo && next < hi) || fabs(step) > .5 * last) next = .5 * (lo + hi);
        last = fabs(next - t);
        t = next;
    }
    return t;
}

double peg_disc_line(const peg_disc *disc, const double x[3], const double y[3], double on_disc[3],
                     double on_line[3])
{
    double d[3], r[3], across[3], t = 0;
    profile f = {.radius = disc->radius};
    peg_sub(y, x, d);
    peg_sub(x, disc->centre, r);
    double dd = peg_dot(d, d);
    if (dd > 0) {
        /* the minimum lies where the line is nearest to the centre, give or take the radius */
        double middle = -peg_dot(r, d) / dd, half = disc->radius / sqrt(dd);
        peg_add_scaled(r, middle, d, r);
        f.z0 = peg_dot(r, disc->axis), f.dz = peg_dot(d, disc->axis);
        peg_add_scaled(r, -f.z0, disc->axis, r);
        peg_add_scaled(d, -f.dz, disc->axis, across);
        f.r0 = peg_dot(r, r), f.r1 = peg_dot(r, across), f.r2 = peg_dot(across, across);
        t = middle + least_between(&f, -half, half);
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

/* Nearest points of discs. The distance from a disc is convex, so that on a line it has one
 * minimum, where its derivative changes sign. */
#include "peg/collide/disc.h"

#include <float.h>

void peg_disc_nearest(const peg_disc *disc, const double p[3], double out[3])
{
    double r[3];
    peg_sub(p, disc->centre, r);
    peg_add_scaled(r, -peg_dot(r, disc->axis), disc->axis, r);
    double l = peg_norm(r);
    peg_add_scaled(disc->centre, l > disc->radius ? disc->radius / l : 1, r, out);
}

/* Sine of the angle between line and disc up to which they count as parallel: rounding. */
static const double LEVEL = 1e-9;

/* Largest number of iterations of a search; it ends at rounding well before. */
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

/* Parameter of the least distance of a line from a disc; of a parallel line, that nearest to the
 * centre. */
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

/* Whether the distance of a disc decreases beyond x, seen from y, by more than rounding. */
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
    double u[3], v[3]; /* unit directions normal to the axis of a */
} rims;

static void on_rim(const rims *r, double cosine, double sine, double out[3])
{
    peg_add_scaled(r->a->centre, r->a->radius * cosine, r->u, out);
    peg_add_scaled(out, r->a->radius * sine, r->v, out);
}

/* Squared distance of a point of the first rim from the second disc. */
static double distance2(const rims *r, double cosine, double sine)
{
    double p[3], foot[3], d[3];
    on_rim(r, cosine, sine, p);
    peg_disc_nearest(r->b, p, foot);
    peg_sub(p, foot, d);
    return peg_dot(d, d);
}

/* Half of it, and its derivatives with respect to the angle. */
typedef struct climb {
    double value, slope, bend;
} climb;

/* At p, with q and p' = t of the radius' length towards the point and along the rim, and d from the
 * foot on b to p: d . t, and t . t - d . q - t . foot'. Where the foot lies on b's rim, r from its
 * axis, it moves with the part of t across b's axis and across the radius there, times radius / r.
 */
static climb climb_of_rim(const rims *r, double angle)
{
    double p[3], q[3], t[3], foot[3], d[3], across[3], c = cos(angle), s = sin(angle);
    on_rim(r, c, s, p);
    for (int k = 0; k < 3; k++) t[k] = r->a->radius * (c * r->v[k] - s * r->u[k]);
    peg_sub(p, r->a->centre, q);
    peg_disc_nearest(r->b, p, foot);
    peg_sub(p, foot, d);
    peg_sub(p, r->b->centre, across);
    peg_add_scaled(across, -peg_dot(across, r->b->axis), r->b->axis, across);
    double from_axis = peg_norm(across), up = peg_dot(t, r->b->axis);
    double flat = peg_dot(t, t) - up * up; /* squared, of t across b's axis */
    climb out = {.5 * peg_dot(d, d), peg_dot(d, t), up * up - peg_dot(d, q)};
    if (from_axis > r->b->radius) {
        double outward = peg_dot(t, across) / from_axis;
        out.bend += flat - r->b->radius / from_axis * (flat - outward * outward);
    }
    return out;
}

/* Rounding of angles of a few turns at most, rad. */
static const double ANGLE = 4 * DBL_EPSILON;

/* The angle of least distance between two angles: Newton's method with bisection where it leaves
 * the interval or is slow. Inside of the disc the distance is 0, and the angle is the one at which
 * that begins. */
static double least_between(const rims *r, double lo, double hi)
{
    double at = .5 * (lo + hi), last = hi - lo;
    for (int k = 0; k < MOST_STEPS; k++) {
        climb c = climb_of_rim(r, at);
        double step = c.slope / c.bend;
        if (c.slope == 0 ? c.value > 0 : fabs(step) <= ANGLE) break;
        if (c.slope < 0)
            lo = at;
        else
            hi = at;
        double next = at - step;
        if (!(next > lo && next < hi) || fabs(step) > .5 * last) next = .5 * (lo + hi);
        last = fabs(next - at);
        at = next;
        if (last <= ANGLE) break;
    }
    return at;
}

/* Angles at which the search begins: the distance of a rim from a disc has at most two minima. */
enum { PLACES = 16 };

void peg_disc_disc(const peg_disc *a, const peg_disc *b, double on_a[3], double on_b[3])
{
    rims r = {.a = a, .b = b};
    int best = 0;
    double turn = 2 * PEG_PI / PLACES, least = INFINITY;
    peg_orthogonal(a->axis, r.u);
    peg_cross(a->axis, r.u, r.v);
    double turn_c = cos(turn), turn_s = sin(turn), c = 1, s = 0;
    for (int i = 0; i < PLACES; i++) {
        double d = distance2(&r, c, s), back = c;
        if (d < least) least = d, best = i;
        c = c * turn_c - s * turn_s;
        s = s * turn_c + back * turn_s;
    }
    double angle = least_between(&r, (best - 1) * turn, (best + 1) * turn);
    on_rim(&r, cos(angle), sin(angle), on_a);
    peg_disc_nearest(b, on_a, on_b);
}

/* Signed distance of cylinders: the largest separation over all directions n.
 *
 * Along n a cylinder reaches half |n . a| + R |n - (n . a) a| to both sides of its centre. On the
 * sphere of directions the separation is smooth but for n = +-a (a cap), the circle n . a = 0 (the
 * side) and the arcs on which an edge of the other shape is met, with its faces at their ends. On
 * these it has ridges. Where only one circle's curvature is at work it has no local maximum besides
 * them if the shapes overlap; if they are apart there is the direction from the rim to a vertex.
 * With two cylinders two rims may be what is deepest; that maximum is smooth. */
#include "demos/oracle/distance_core.h"

#include <math.h>

#include "peg/base/math.h"

enum { AROUND = 48, ACROSS = 24, NEWTON = 60, PROJECTIONS = 100 };

/* ---- along the circle of directions orthogonal to an edge or axis ---------------------------- */

typedef struct circle {
    const lab_core *a, *b;
    double e1[3], e2[3];
} circle;

static void direction(const circle *c, double angle, double n[3])
{
    for (int k = 0; k < 3; k++) n[k] = cos(angle) * c->e1[k] + sin(angle) * c->e2[k];
}

static double minus_along(const void *context, double angle)
{
    const circle *c = context;
    double n[3];
    direction(c, angle, n);
    return -lab_core_along(c->a, c->b, n);
}

/* Largest separation of `a` and `b` over the directions orthogonal to u in which that of `a` and
 * `part`, a part of b, has a local maximum. */
static double around(const lab_core *a, const lab_core *b, const lab_core *part, const double u[3])
{
    circle c = {.a = a, .b = part};
    double unit[3], value[AROUND], step = 2 * acos(-1) / AROUND, best = -INFINITY;
    peg_copy3(u, unit);
    if (peg_normalise(unit) == 0) return best;
    lab_orthogonal(unit, c.e1, c.e2);
    for (int i = 0; i < AROUND; i++) value[i] = minus_along(&c, i * step);
    for (int i = 0; i < AROUND; i++) {
        double at, n[3];
        if (value[i] > value[(i + 1) % AROUND] || value[i] > value[(i + AROUND - 1) % AROUND])
            continue;
        lab_least(minus_along, &c, (i - 1) * step, (i + 1) * step, &at);
        direction(&c, at, n);
        best = peg_max(best, lab_core_along(a, b, n));
    }
    return best;
}

/* ---- a cylinder and a polytope --------------------------------------------------------------- */

/* From the axis through a vertex, and from the rim to it. Both are made of the exact radial
 * direction, so that they are good to the last digit also where the distance is not. */
static double vertex_directions(const lab_core *c, const lab_core *b, const double v[3])
{
    double d[3], out[3], n[3], e2[3];
    peg_sub(v, c->centre, d);
    double height = peg_dot(d, c->axis);
    peg_add_scaled(d, -height, c->axis, out);
    double r = peg_norm(out);
    if (r == 0) lab_orthogonal(c->axis, out, e2);
    peg_normalise(out);
    peg_add_scaled(out, -peg_dot(out, c->axis), c->axis, out);
    peg_normalise(out);
    double best = lab_core_either(c, b, out);
    double beyond = fabs(height) - c->half, beside = r - c->radius;
    if (!(beyond > 0 && beside > 0)) return best;
    for (int k = 0; k < 3; k++)
        n[k] = beside * out[k] + (height > 0 ? beyond : -beyond) * c->axis[k];
    peg_normalise(n);
    return peg_max(best, lab_core_either(c, b, n));
}

/* Closed forms first: often they part the shapes already. */
static double distance_polytope(const lab_core *c, const lab_core *b, double enough)
{
    double best = lab_core_either(c, b, c->axis), n[3], u[3];
    for (int f = 0; f < b->nf; f++) best = peg_max(best, lab_core_along(c, b, b->normal[f]));
    for (int i = 0; i < b->nv; i++) best = peg_max(best, vertex_directions(c, b, b->vertex[i]));
    for (lab_edge e = {0}; lab_core_edge(b, &e);) {
        peg_sub(e.to, e.from, u);
        if (lab_common_normal(c->axis, u, n)) best = peg_max(best, lab_core_either(c, b, n));
    }
    for (lab_edge e = {0}; best <= enough && lab_core_edge(b, &e);) {
        double ends[2][3];
        peg_copy3(e.from, ends[0]);
        peg_copy3(e.to, ends[1]);
        peg_sub(e.to, e.from, u);
        lab_core edge = lab_core_segment((const double(*)[3])ends);
        best = peg_max(best, around(c, b, &edge, u));
    }
    return best;
}

/* ---- two cylinders: rim on rim --------------------------------------------------------------- */

/* Takes one cylinder's share off the gradient, and adds its curvature to H (2 x 2, in the basis e).
 * 0 where it has a ridge. */
static int share(const lab_core *c, const double n[3], const double (*e)[3], double g[3], double *H)
{
    double out[3], t[3], along = peg_dot(n, c->axis);
    peg_add_scaled(n, -along, c->axis, out);
    double across = peg_normalise(out);
    if (across == 0 || (along == 0 && c->half > 0)) return 0;
    peg_add_scaled(g, along > 0 ? -c->half : c->half, c->axis, g);
    peg_add_scaled(g, -c->radius, out, g);
    peg_cross(c->axis, out, t);
    double t0 = peg_dot(t, e[0]), t1 = peg_dot(t, e[1]), bend = c->radius / across;
    H[0] += bend * t0 * t0, H[1] += bend * t0 * t1, H[2] += bend * t1 * t1;
    return 1;
}

/* d = |H|^-1 g: uphill also where H, minus the second derivative, has a negative eigenvalue. */
static void newton_step(const double H[3], double g0, double g1, double *d0, double *d1)
{
    double turn = .5 * atan2(2 * H[1], H[0] - H[2]), c = cos(turn), s = sin(turn);
    double first = c * c * H[0] + 2 * c * s * H[1] + s * s * H[2], second = H[0] + H[2] - first;
    double along = (c * g0 + s * g1) / fabs(first), across = (c * g1 - s * g0) / fabs(second);
    *d0 = c * along - s * across, *d1 = s * along + c * across;
}

/* Newton's method on the sphere. The separation f is homogeneous, so that its second derivative
 * along the sphere is that in space minus f. */
static double climb(const lab_core *a, const lab_core *b, double n[3])
{
    double f = lab_core_along(a, b, n);
    for (int i = 0; i < NEWTON; i++) {
        double e[2][3], g[3], H[3] = {f, 0, f};
        lab_orthogonal(n, e[0], e[1]);
        peg_sub(a->centre, b->centre, g);
        if (!share(a, n, (const double(*)[3])e, g, H)) return f;
        if (!share(b, n, (const double(*)[3])e, g, H)) return f;
        double g0 = peg_dot(g, e[0]), g1 = peg_dot(g, e[1]), d0, d1;
        newton_step(H, g0, g1, &d0, &d1);
        double most = hypot(d0, d1), shorter = most > .2 ? .2 / most : 1, better = f;
        if (!(most > 1e-16)) return f;
        for (int k = 0; k < 30 && better <= f; k++, shorter /= 2) {
            double m[3];
            peg_add_scaled(n, shorter * d0, e[0], m);
            peg_add_scaled(m, shorter * d1, e[1], m);
            peg_normalise(m);
            better = lab_core_along(a, b, m);
            if (better > f) peg_copy3(m, n);
        }
        if (better <= f) return f;
        f = better;
    }
    return f;
}

/* Climbs from every local maximum on a grid of latitudes about a's axis, for the two discs of which
 * the rims are; returns the largest separation of the cylinders along what is found. */
static double rims(const lab_core *a, const lab_core *b, const lab_core *of_a, const lab_core *of_b)
{
    double value[ACROSS][AROUND], best = -INFINITY, pi = acos(-1);
    double n[ACROSS][AROUND][3];
    circle c;
    lab_orthogonal(a->axis, c.e1, c.e2);
    for (int i = 0; i < ACROSS; i++)
        for (int j = 0; j < AROUND; j++) {
            double polar = (i + .5) * pi / ACROSS, out[3];
            direction(&c, 2 * pi * (j + .3) / AROUND, out);
            for (int k = 0; k < 3; k++) n[i][j][k] = cos(polar) * a->axis[k] + sin(polar) * out[k];
            value[i][j] = lab_core_along(of_a, of_b, n[i][j]);
        }
    for (int i = 0; i < ACROSS; i++)
        for (int j = 0; j < AROUND; j++) {
            int is_top = 1;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++) {
                    int row = i + di, column = (j + dj + AROUND) % AROUND;
                    if (row >= 0 && row < ACROSS && value[row][column] > value[i][j]) is_top = 0;
                }
            if (!is_top) continue;
            climb(of_a, of_b, n[i][j]);
            best = peg_max(best, lab_core_along(a, b, n[i][j]));
        }
    return best;
}

/* The end of a cylinder, without thickness. The separation of two such discs has no ridges but at
 * their axes, so that nothing stops the climb on its way. */
static lab_core end_of(const lab_core *c, double side)
{
    lab_core disc = *c;
    peg_add_scaled(c->centre, side * c->half, c->axis, disc.centre);
    disc.half = 0;
    return disc;
}

static double all_rims(const lab_core *a, const lab_core *b)
{
    double best = -INFINITY;
    for (int i = -1; i <= 1; i += 2)
        for (int j = -1; j <= 1; j += 2) {
            lab_core of_a = end_of(a, i), of_b = end_of(b, j);
            best = peg_max(best, rims(a, b, &of_a, &of_b));
        }
    return best;
}

static void nearest_point(const lab_core *c, const double p[3], double out[3])
{
    double d[3], across[3];
    peg_sub(p, c->centre, d);
    double h = peg_dot(d, c->axis);
    peg_add_scaled(d, -h, c->axis, across);
    double r = peg_norm(across), clamped = h > c->half ? c->half : h < -c->half ? -c->half : h;
    peg_add_scaled(c->centre, clamped, c->axis, out);
    peg_add_scaled(out, r > c->radius ? c->radius / r : 1, across, out);
}

/* Cylinders that are apart: the nearest points, by projecting to and fro, show the way. */
static double between(const lab_core *a, const lab_core *b)
{
    double p[3], q[3], n[3], best;
    peg_copy3(a->centre, p);
    for (int i = 0; i < PROJECTIONS; i++) {
        nearest_point(b, p, q);
        nearest_point(a, q, p);
    }
    peg_sub(p, q, n);
    if (peg_normalise(n) == 0) return -INFINITY;
    best = lab_core_along(a, b, n);
    climb(a, b, n);
    return peg_max(best, lab_core_along(a, b, n));
}

static double distance_two(const lab_core *a, const lab_core *b, double enough)
{
    double n[3], best = peg_max(lab_core_either(a, b, a->axis), lab_core_either(a, b, b->axis));
    if (lab_common_normal(a->axis, b->axis, n)) best = peg_max(best, lab_core_either(a, b, n));
    if (best <= enough) best = peg_max(best, around(a, b, b, a->axis));
    if (best <= enough) best = peg_max(best, around(a, b, b, b->axis));
    if (best <= enough) best = peg_max(best, between(a, b));
    if (best <= enough) best = peg_max(best, all_rims(a, b));
    return best <= enough ? peg_max(best, all_rims(b, a)) : best;
}

double lab_distance_cylinder(const lab_core *cylinder, const lab_core *b, double enough)
{
    if (!b->is_cylinder) return distance_polytope(cylinder, b, enough);
    /* what either search finds is a direction that holds: the better one counts */
    double s = distance_two(cylinder, b, enough);
    return s >= enough ? s : fmax(s, distance_two(b, cylinder, enough));
}

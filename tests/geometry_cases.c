#include "tests/geometry_cases.h"

#include <stdlib.h>

double cases_uniform(cases_random *r, double lo, double hi)
{
    /* xorshift64* */
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return lo + (hi - lo) * (double)(r->state * 2685821657736338717ull >> 11) * 0x1p-53;
}

double cases_magnitude(cases_random *r, double lo, double hi)
{
    return pow(10, cases_uniform(r, lo, hi));
}

int cases_below(cases_random *r, int n)
{
    return (int)cases_uniform(r, 0, n);
}

void cases_direction(cases_random *r, double n[3])
{
    do {
        for (int k = 0; k < 3; k++) n[k] = cases_uniform(r, -1, 1);
    } while (peg_norm(n) > 1 || peg_norm(n) < .1);
    peg_normalise(n);
}

/* Columns: n and two random ones that complete it. */
static void frame(cases_random *r, const double n[3], double F[9])
{
    peg_vec3 a, b;
    do {
        cases_direction(r, a);
        peg_cross(n, a, b);
    } while (peg_norm(b) < .1);
    peg_normalise(b);
    peg_cross(b, n, a);
    for (int k = 0; k < 3; k++) F[3 * k] = n[k], F[3 * k + 1] = a[k], F[3 * k + 2] = b[k];
}

void cases_rotation_between(cases_random *r, const double from[3], const double to[3], double R[9])
{
    double F[9], T[9], transposed[9];
    frame(r, from, F);
    frame(r, to, T);
    for (int i = 0; i < 9; i++) transposed[i] = F[i % 3 * 3 + i / 3];
    peg_mat_mul(T, transposed, R);
}

void cases_rotation(cases_random *r, double R[9])
{
    peg_vec3 a, b;
    cases_direction(r, a);
    cases_direction(r, b);
    cases_rotation_between(r, a, b, R);
}

int cases_shape(cases_random *r, double p[14][3])
{
    int n = 0, kind = cases_below(r, 3);
    if (kind == 0) {
        for (n = 0; n < 8; n++)
            for (int k = 0; k < 3; k++) p[n][k] = n >> k & 1 ? 1 : -1;
    } else if (kind == 1) {
        for (int sides = 3 + cases_below(r, 4), i = 0; i < 2 * sides; i++, n++) {
            p[n][0] = cos(6.283185307179586 * (i / 2) / sides);
            p[n][1] = sin(6.283185307179586 * (i / 2) / sides);
            p[n][2] = i % 2 ? 1 : -1;
        }
    } else {
        for (int count = 4 + cases_below(r, 7); n < count; n++) cases_direction(r, p[n]);
    }
    double squeeze[3], size = cases_magnitude(r, -1.5, 1.5), R[9];
    for (int k = 0; k < 3; k++) squeeze[k] = cases_below(r, 3) ? 1 : cases_magnitude(r, -3, 0);
    cases_rotation(r, R);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) p[i][k] *= size * squeeze[k];
        peg_rotate(R, p[i], p[i]);
    }
    return n;
}

peg_view cases_view(const peg_polytope *p)
{
    return (peg_view){.shape = p,
                      .vertex = calloc((size_t)p->nv + 1, sizeof(peg_vec3)),
                      .normal = calloc((size_t)p->nf, sizeof(peg_vec3)),
                      .offset = calloc((size_t)p->nf, sizeof(double))};
}

void cases_view_free(peg_view *view)
{
    free(view->vertex);
    free(view->normal);
    free(view->offset);
}

double cases_point_segment_distance(const double *p, const double *a, const double *b)
{
    double d[3], e[3];
    peg_sub(b, a, d), peg_sub(p, a, e);
    double dd = peg_dot(d, d);
    peg_add_scaled(e, dd > 0 ? -fmin(1, fmax(0, peg_dot(d, e) / dd)) : 0, d, e);
    return peg_norm(e);
}

double cases_segment_distance(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], w[3], r[3];
    double ends[4] = {cases_point_segment_distance(a, c, d), cases_point_segment_distance(b, c, d),
                      cases_point_segment_distance(c, a, b), cases_point_segment_distance(d, a, b)};
    double least = fmin(fmin(ends[0], ends[1]), fmin(ends[2], ends[3]));
    peg_sub(b, a, u), peg_sub(d, c, w), peg_sub(a, c, r);
    double uu = peg_dot(u, u), ww = peg_dot(w, w), uw = peg_dot(u, w);
    double ur = peg_dot(u, r), wr = peg_dot(w, r), whole = uu * ww - uw * uw;
    if (!(whole > 1e-12 * uu * ww)) return least;
    double s = (uw * wr - ww * ur) / whole, t = (uu * wr - uw * ur) / whole;
    if (s < 0 || s > 1 || t < 0 || t > 1) return least;
    peg_add_scaled(r, s, u, r), peg_add_scaled(r, -t, w, r);
    return fmin(least, peg_norm(r));
}

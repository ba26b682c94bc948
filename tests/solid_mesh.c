#include "tests/solid_mesh.h"

#include <math.h>

#include "peg/base/math.h"

/* --- shapes --- */

static unsigned add_vertex(solid *s, double x, double y, double z)
{
    double at[3] = {x, y, z}, d[3];
    for (int i = 0; i < s->nv; i++) {
        peg_sub(s->vertex[i], at, d);
        if (peg_norm(d) < 1e-9) return (unsigned)i;
    }
    s->radius = fmax(s->radius, peg_norm(at));
    peg_copy3(at, s->vertex[s->nv]);
    return (unsigned)s->nv++;
}

static void add_square(solid *s, unsigned a, unsigned b, unsigned c, unsigned d)
{
    const unsigned corner[2][3] = {{a, b, c}, {a, c, d}};
    for (int i = 0; i < 2; i++) {
        const unsigned *t = corner[i];
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue; /* at a pole */
        for (int k = 0; k < 3; k++) s->triangle[s->nt][k] = t[k];
        s->nt++;
    }
}

void solid_block(solid *s, double a, double b, double c, int n)
{
    static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    double half[3] = {a / 2, b / 2, c / 2};
    s->nv = s->nt = 0, s->radius = 0;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2, u = (axis + 1) % 3, w = (axis + 2) % 3;
        for (int i = 0; i < n * n; i++) {
            unsigned v[4];
            for (int k = 0; k < 4; k++) {
                double x[3];
                x[axis] = side % 2 ? -half[axis] : half[axis];
                x[u] = half[u] * (2. * (i / n + step[k][0]) / n - 1);
                x[w] = half[w] * (2. * (i % n + step[k][1]) / n - 1);
                v[k] = add_vertex(s, x[0], x[1], x[2]);
            }
            if (side % 2)
                add_square(s, v[3], v[2], v[1], v[0]);
            else
                add_square(s, v[0], v[1], v[2], v[3]);
        }
    }
}

void solid_torus(solid *s, double radius, double thick, int round, int across)
{
    unsigned v[SOLID_MOST];
    s->nv = s->nt = 0, s->radius = 0;
    for (int i = 0; i < round * across; i++) {
        double a = 2 * PEG_PI * (i / across) / round, b = 2 * PEG_PI * (i % across) / across;
        double off = radius + thick * cos(b);
        v[i] = add_vertex(s, off * cos(a), off * sin(a), thick * sin(b));
    }
    for (int i = 0; i < round * across; i++) {
        int next = (i / across + 1) % round * across, up = (i + 1) % across;
        int beside = i / across * across + up;
        add_square(s, v[i], v[next + i % across], v[next + up], v[beside]);
    }
}

void solid_ball(solid *s, double radius, int round, int across)
{
    s->nv = s->nt = 0, s->radius = 0;
    for (int i = 0; i < round; i++)
        for (int j = 0; j < across; j++) {
            unsigned v[4];
            for (int k = 0; k < 4; k++) {
                double a = 2 * PEG_PI * ((i + (k == 1 || k == 2)) % round) / round;
                double b = PEG_PI * (j + (k >= 2)) / across, off = radius * sin(b);
                v[k] = add_vertex(s, off * cos(a), off * sin(a), radius * cos(b));
            }
            add_square(s, v[3], v[2], v[1], v[0]);
        }
}

void solid_sheet(solid *s, double width, double height, int n)
{
    s->nv = s->nt = 0, s->radius = width;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double x = width * (i / (double)n - .5), y = width * (j / (double)n - .5);
            add_vertex(s, x, y, height * cos(9 * x) * cos(7 * y));
        }
    for (unsigned i = 0; i < (unsigned)(n * n); i++) {
        unsigned v = i / n * (n + 1) + i % n;
        add_square(s, v, v + n + 1, v + n + 2, v + 1);
    }
}

/* --- depth --- */

void solid_place(solid *s, const dReal *x, const dReal *R)
{
    for (int i = 0; i < s->nv; i++)
        for (int k = 0; k < 3; k++) {
            const double *v = s->vertex[i];
            s->at[i][k] = x[k] + R[4 * k] * v[0] + R[4 * k + 1] * v[1] + R[4 * k + 2] * v[2];
        }
}

/* By the solid angle of all triangles. */
int solid_contains(const solid *s, const double *point)
{
    double sum = 0;
    for (int i = 0; i < s->nt; i++) {
        double to[3][3], l[3], across[3];
        for (int k = 0; k < 3; k++) {
            peg_sub(s->at[s->triangle[i][k]], point, to[k]);
            l[k] = peg_norm(to[k]);
        }
        peg_cross(to[1], to[2], across);
        sum += atan2(peg_dot(to[0], across), l[0] * l[1] * l[2] + peg_dot(to[0], to[1]) * l[2] +
                                                 peg_dot(to[1], to[2]) * l[0] +
                                                 peg_dot(to[2], to[0]) * l[1]);
    }
    return fabs(sum) > PEG_PI; /* twice that is half of the whole */
}

static double to_segment(const double *point, const double *a, const double *b)
{
    double d[3], from[3];
    peg_sub(b, a, d);
    peg_sub(point, a, from);
    peg_add_scaled(from, -fmin(fmax(peg_dot(from, d) / peg_dot(d, d), 0), 1), d, from);
    return peg_norm(from);
}

static double to_triangle(const double *point, const double *const v[3])
{
    double d[2][3], n[3], from[3], least = INFINITY;
    int over = 1;
    peg_sub(v[1], v[0], d[0]);
    peg_sub(v[2], v[0], d[1]);
    peg_cross(d[0], d[1], n);
    peg_normalise(n);
    for (int k = 0; k < 3; k++) {
        double out[3];
        least = fmin(least, to_segment(point, v[k], v[(k + 1) % 3]));
        peg_sub(v[(k + 1) % 3], v[k], d[0]);
        peg_cross(d[0], n, out);
        peg_sub(point, v[k], from);
        over &= peg_dot(out, from) <= 0;
    }
    return over ? fabs(peg_dot(n, from)) : least;
}

static double depth_at(const solid *s, const double *point)
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        int below = 0, above = 0;
        for (int i = 0; i < s->nv; i++)
            below += s->at[i][k]<point[k], above += s->at[i][k]> point[k];
        if (!below || !above) return 0;
    }
    if (!solid_contains(s, point)) return 0;
    for (int i = 0; i < s->nt; i++) {
        const unsigned *t = s->triangle[i];
        least = fmin(least, to_triangle(point, (const double *const[3]){s->at[t[0]], s->at[t[1]],
                                                                        s->at[t[2]]}));
    }
    return least;
}

/* Where a segment passes through a triangle, as a share of it; or -1. */
static double passes_at(const double *p, const double *q, const double *const v[3])
{
    double a[3], b[3], n[3], d[3], x[3];
    peg_sub(v[1], v[0], a);
    peg_sub(v[2], v[0], b);
    peg_cross(a, b, n);
    peg_sub(q, p, d);
    peg_sub(v[0], p, x);
    double share = peg_dot(n, x) / peg_dot(n, d);
    if (!(share > 0 && share < 1)) return -1;
    peg_add_scaled(p, share, d, x);
    for (int k = 0; k < 3; k++) {
        double out[3];
        peg_sub(v[(k + 1) % 3], v[k], a);
        peg_cross(a, n, out);
        peg_sub(x, v[k], b);
        if (peg_dot(out, b) > 0) return -1;
    }
    return share;
}

/* What an edge has inside lies between its ends and where it passes through the surface. */
static double depth_of_edge(const solid *s, const double *p, const double *q)
{
    enum { MOST = 32, BETWEEN = 6 };
    double share[MOST] = {0, 1}, deepest = 0;
    int count = 2;
    for (int i = 0; i < s->nt && count < MOST; i++) {
        const unsigned *t = s->triangle[i];
        share[count] =
            passes_at(p, q, (const double *const[3]){s->at[t[0]], s->at[t[1]], s->at[t[2]]});
        count += share[count] >= 0;
    }
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && share[j] < share[j - 1]; j--) {
            double swap = share[j];
            share[j] = share[j - 1], share[j - 1] = swap;
        }
    for (int i = 0; i + 1 < count; i++)
        for (int k = 0; k <= BETWEEN; k++) {
            double x[3], at = share[i] + (share[i + 1] - share[i]) * k / BETWEEN;
            for (int c = 0; c < 3; c++) x[c] = p[c] + at * (q[c] - p[c]);
            deepest = fmax(deepest, depth_at(s, x));
        }
    return deepest;
}

static int boxes_meet(const solid *s, const double *p, const double *q)
{
    for (int k = 0; k < 3; k++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < s->nv; i++)
            least = fmin(least, s->at[i][k]), most = fmax(most, s->at[i][k]);
        if (fmin(p[k], q[k]) > most || fmax(p[k], q[k]) < least) return 0;
    }
    return 1;
}

static double depth_in(const solid *a, const solid *b)
{
    double deepest = 0;
    for (int i = 0; i < a->nt; i++)
        for (int k = 0; k < 3; k++) {
            unsigned v = a->triangle[i][k], w = a->triangle[i][(k + 1) % 3];
            if (v > w || !boxes_meet(b, a->at[v], a->at[w])) continue;
            deepest = fmax(deepest, depth_of_edge(b, a->at[v], a->at[w]));
        }
    return deepest;
}

double solid_depth(const solid *a, const solid *b)
{
    return fmax(depth_in(a, b), depth_in(b, a));
}

static int passes(const solid *a, const solid *b)
{
    for (int i = 0; i < a->nt; i++)
        for (int k = 0; k < 3; k++) {
            const double *p = a->at[a->triangle[i][k]], *q = a->at[a->triangle[i][(k + 1) % 3]];
            if (!boxes_meet(b, p, q)) continue;
            for (int j = 0; j < b->nt; j++) {
                const unsigned *t = b->triangle[j];
                const double *const v[3] = {b->at[t[0]], b->at[t[1]], b->at[t[2]]};
                if (passes_at(p, q, v) >= 0) return 1;
            }
        }
    return 0;
}

int solid_crosses(const solid *a, const solid *b)
{
    return passes(a, b) || passes(b, a);
}

#include "tests/geometry_oracle.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void minus(const double *a, const double *b, double *c)
{
    for (int k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static int on_plane(const oracle_shape *s, int f, const double *p, double flat)
{
    return fabs(dot(s->n[f], p) - s->d[f]) <= flat;
}

/* Adds the plane of three points if all points are behind it and it is new. */
static int try_plane(const double (*p)[3], int count, int i, int j, int k, double flat,
                     oracle_shape *out)
{
    double a[3], b[3], n[3], side[2] = {0, 0};
    minus(p[j], p[i], a);
    minus(p[k], p[i], b);
    cross(a, b, n);
    double length = sqrt(dot(n, n));
    if (length <= 1e-9 * sqrt(dot(a, a) * dot(b, b))) return 1;
    for (int c = 0; c < 3; c++) n[c] /= length;
    for (int m = 0; m < count; m++) {
        double r[3];
        minus(p[m], p[i], r);
        side[0] = fmin(side[0], dot(n, r));
        side[1] = fmax(side[1], dot(n, r));
    }
    double sign = side[1] <= flat ? 1 : side[0] >= -flat ? -1 : 0;
    if (sign == 0) return 1;
    for (int f = 0; f < out->nf; f++)
        if (on_plane(out, f, p[i], flat) && on_plane(out, f, p[j], flat) &&
            on_plane(out, f, p[k], flat) && sign * dot(n, out->n[f]) > 0)
            return 1;
    if (out->nf == ORACLE_PLANES) return 0;
    for (int c = 0; c < 3; c++) out->n[out->nf][c] = sign * n[c];
    out->d[out->nf] = dot(out->n[out->nf], p[i]);
    out->nf++;
    return 1;
}

static int shared_planes(const oracle_shape *s, const double *p, const double *q, double flat)
{
    int shared = 0;
    for (int f = 0; f < s->nf; f++) shared += on_plane(s, f, p, flat) && on_plane(s, f, q, flat);
    return shared;
}

int oracle_hull(const double (*p)[3], int count, double flat, oracle_shape *out)
{
    out->nv = out->nf = out->ne = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++)
                if (!try_plane(p, count, i, j, k, flat, out)) return 0;
    for (int i = 0; i < count; i++) {
        int known = shared_planes(out, p[i], p[i], flat) < 3;
        for (int v = 0; v < out->nv && !known; v++) {
            double r[3];
            minus(out->v[v], p[i], r);
            known = sqrt(dot(r, r)) <= flat;
        }
        if (known) continue;
        if (out->nv == ORACLE_VERTICES) return 0;
        memcpy(out->v[out->nv++], p[i], 3 * sizeof(double));
    }
    for (int i = 0; i < out->nv; i++)
        for (int j = 0; j < i; j++) {
            if (shared_planes(out, out->v[i], out->v[j], flat) < 2) continue;
            if (out->ne == ORACLE_EDGES) return 0;
            out->e[out->ne][0] = i;
            out->e[out->ne++][1] = j;
        }
    return 1;
}

void oracle_move(const oracle_shape *s, const double x[3], const double R[9], oracle_shape *out)
{
    *out = *s;
    for (int i = 0; i < s->nv; i++)
        for (int k = 0; k < 3; k++) out->v[i][k] = dot(R + 3 * k, s->v[i]) + x[k];
    for (int f = 0; f < s->nf; f++) {
        for (int k = 0; k < 3; k++) out->n[f][k] = dot(R + 3 * k, s->n[f]);
        out->d[f] = s->d[f] + dot(out->n[f], x);
    }
}

static void extent(const oracle_shape *s, const double *n, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (int i = 0; i < s->nv; i++) {
        double p = dot(n, s->v[i]);
        if (p < *lo) *lo = p;
        if (p > *hi) *hi = p;
    }
}

double oracle_along(const oracle_shape *a, const oracle_shape *b, const double n[3])
{
    double alo, ahi, blo, bhi;
    extent(a, n, &alo, &ahi);
    extent(b, n, &blo, &bhi);
    return alo - bhi;
}

static double along_both(const oracle_shape *a, const oracle_shape *b, const double n[3])
{
    double alo, ahi, blo, bhi;
    extent(a, n, &alo, &ahi);
    extent(b, n, &blo, &bhi);
    return fmax(alo - bhi, blo - ahi);
}

double oracle_separation(const oracle_shape *a, const oracle_shape *b)
{
    double best = -INFINITY;
    for (int f = 0; f < a->nf; f++) best = fmax(best, along_both(a, b, a->n[f]));
    for (int f = 0; f < b->nf; f++) best = fmax(best, along_both(a, b, b->n[f]));
    for (int i = 0; i < a->ne; i++)
        for (int j = 0; j < b->ne; j++) {
            double u[3], w[3], n[3];
            minus(a->v[a->e[i][0]], a->v[a->e[i][1]], u);
            minus(b->v[b->e[j][0]], b->v[b->e[j][1]], w);
            cross(u, w, n);
            double length = sqrt(dot(n, n));
            if (length <= 1e-12 * sqrt(dot(u, u) * dot(w, w))) continue;
            for (int k = 0; k < 3; k++) n[k] /= length;
            best = fmax(best, along_both(a, b, n));
        }
    return best;
}

/* Distance of p to face f, if its foot lies inside of the shape's other planes. */
static double to_face(const oracle_shape *s, int f, const double *p, double flat)
{
    double height = dot(s->n[f], p) - s->d[f], foot[3];
    if (height < 0) return INFINITY;
    for (int k = 0; k < 3; k++) foot[k] = p[k] - height * s->n[f][k];
    for (int g = 0; g < s->nf; g++)
        if (g != f && dot(s->n[g], foot) > s->d[g] + flat) return INFINITY;
    return height;
}

static double clamp(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double gap_at(const double *p, const double *u, double s, const double *q, const double *w,
                     double t)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] + s * u[k] - q[k] - t * w[k];
        square += d * d;
    }
    return sqrt(square);
}

/* Two segments: the inner stationary point if there is one, and each end against the other. */
static double of_segments(const double *p0, const double *p1, const double *q0, const double *q1)
{
    double u[3], w[3], r[3], best = INFINITY;
    minus(p1, p0, u);
    minus(q1, q0, w);
    minus(q0, p0, r);
    double uu = dot(u, u), ww = dot(w, w), uw = dot(u, w), ur = dot(u, r), wr = dot(w, r);
    double det = uu * ww - uw * uw;
    if (det > 1e-14 * uu * ww) {
        double s = (ur * ww - uw * wr) / det, t = (uw * ur - uu * wr) / det;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = gap_at(p0, u, s, q0, w, t);
    }
    for (int end = 0; end < 2; end++) {
        best = fmin(best, gap_at(p0, u, end, q0, w, clamp((end * uw - wr) / ww)));
        best = fmin(best, gap_at(p0, u, clamp((ur + end * uw) / uu), q0, w, end));
    }
    return best;
}

double oracle_distance(const oracle_shape *a, const oracle_shape *b)
{
    double best = INFINITY;
    for (int i = 0; i < a->ne; i++)
        for (int j = 0; j < b->ne; j++)
            best = fmin(best, of_segments(a->v[a->e[i][0]], a->v[a->e[i][1]], b->v[b->e[j][0]],
                                          b->v[b->e[j][1]]));
    for (int i = 0; i < a->nv; i++)
        for (int f = 0; f < b->nf; f++) best = fmin(best, to_face(b, f, a->v[i], 0));
    for (int i = 0; i < b->nv; i++)
        for (int f = 0; f < a->nf; f++) best = fmin(best, to_face(a, f, b->v[i], 0));
    return best;
}

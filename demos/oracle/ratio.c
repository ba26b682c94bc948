#include "demos/oracle/ratio.h"

#include <math.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double separation(const lab_shape *a, const lab_shape *b, const double *n)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a->nv; i++) low = fmin(low, dot(n, a->vertex[i]));
    for (int i = 0; i < b->nv; i++) high = fmax(high, dot(n, b->vertex[i]));
    return low - high;
}

typedef struct search {
    const lab_shape *a, *b;
    double d[3], best, enough;
} search;

static void consider(search *q, const double *n)
{
    double slope = dot(n, q->d), size = sqrt(dot(n, n));
    if (!(fabs(slope) > 1e-12 * size * sqrt(dot(q->d, q->d)))) return;
    double sign = slope > 0 ? 1 : -1, m[3] = {sign * n[0], sign * n[1], sign * n[2]};
    q->best = fmax(q->best, separation(q->a, q->b, m) / fabs(slope));
}

static double of_half_space(const lab_shape *half, const lab_shape *other, const double *d,
                            double sign)
{
    double low = INFINITY, slope = sign * dot(half->normal[0], d);
    for (int i = 0; i < other->nv; i++)
        low = fmin(low, dot(half->normal[0], other->vertex[i]) - half->offset[0]);
    return slope > 0 ? low / slope : INFINITY;
}

/* Edge k of face f. */
static void edge(const lab_shape *s, int f, int k, double out[3])
{
    int first = s->start[f], n = s->start[f + 1] - first;
    const double *p = s->vertex[s->index[first + k]], *q = s->vertex[s->index[first + (k + 1) % n]];
    for (int i = 0; i < 3; i++) out[i] = q[i] - p[i];
}

/* Every edge comes twice, from its two faces: once is enough. */
static int is_first(const lab_shape *s, int f, int k)
{
    int first = s->start[f], n = s->start[f + 1] - first;
    return s->index[first + k] < s->index[first + (k + 1) % n];
}

static void cross_edges(search *q, const double *u)
{
    for (int f = 0; f < q->b->nf && q->best <= q->enough; f++)
        for (int k = 0; k < q->b->start[f + 1] - q->b->start[f]; k++) {
            double w[3], n[3];
            if (!is_first(q->b, f, k)) continue;
            edge(q->b, f, k, w);
            n[0] = u[1] * w[2] - u[2] * w[1];
            n[1] = u[2] * w[0] - u[0] * w[2];
            n[2] = u[0] * w[1] - u[1] * w[0];
            /* parallel ones have no normal */
            if (dot(n, n) > 1e-20 * dot(u, u) * dot(w, w)) consider(q, n);
        }
}

double lab_ratio(const lab_shape *a, const double xa[3], const lab_shape *b, const double xb[3],
                 double enough)
{
    search q = {.a = a, .b = b, .best = -INFINITY, .enough = enough};
    for (int k = 0; k < 3; k++) q.d[k] = xa[k] - xb[k];
    if (a->kind != LAB_SHAPE_CONVEX || b->kind != LAB_SHAPE_CONVEX || a->round > 0 || b->round > 0)
        return INFINITY;
    if (b->nv == 0) return a->nv ? of_half_space(b, a, q.d, 1) : INFINITY;
    if (a->nv == 0) return of_half_space(a, b, q.d, -1);
    for (int f = 0; f < a->nf; f++) consider(&q, a->normal[f]);
    for (int f = 0; f < b->nf; f++) consider(&q, b->normal[f]);
    for (int f = 0; f < a->nf && q.best <= enough; f++)
        for (int k = 0; k < a->start[f + 1] - a->start[f]; k++) {
            double u[3];
            if (!is_first(a, f, k)) continue;
            edge(a, f, k, u);
            cross_edges(&q, u);
        }
    return q.best;
}

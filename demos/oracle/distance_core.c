/* What the distances share: convex cores and their edges, extents along a direction, directions,
 * the search for a minimum. */
#include "demos/oracle/distance_core.h"

#include <math.h>

#include "peg/base/math.h"

/* Of a golden section to the last digit: .618^78 = 5e-17 */
#define SECTIONS 78

static const int point_loop[2] = {0, 1}, segment_loop[2] = {0, 2}, corners[2] = {0, 1};

lab_core lab_core_segment(const double ends[2][3])
{
    return (lab_core){.nv = 2, .loops = 1, .vertex = ends, .start = segment_loop, .index = corners};
}

lab_core lab_core_of(const lab_shape *s)
{
    const double(*vertex)[3] = (const double(*)[3])s->vertex;
    if (s->kind == LAB_SHAPE_CYLINDER) {
        lab_core c = {.nv = 2, .vertex = vertex, .is_cylinder = 1, .radius = s->round};
        for (int k = 0; k < 3; k++) c.centre[k] = (vertex[0][k] + vertex[1][k]) / 2;
        peg_sub(vertex[1], vertex[0], c.axis);
        c.half = peg_normalise(c.axis) / 2;
        return c;
    }
    if (s->nf > 0)
        return (lab_core){.nv = s->nv,
                          .nf = s->nf,
                          .loops = s->nf,
                          .vertex = vertex,
                          .start = s->start,
                          .index = s->index,
                          .normal = (const double(*)[3])s->normal,
                          .round = s->round};
    return (lab_core){.nv = s->nv,
                      .loops = 1,
                      .vertex = vertex,
                      .start = s->nv == 1 ? point_loop : segment_loop,
                      .index = corners,
                      .round = s->round};
}

int lab_core_edge(const lab_core *core, lab_edge *e)
{
    for (; e->loop < core->loops; e->loop++, e->corner = 0) {
        int first = core->start[e->loop], n = core->start[e->loop + 1] - first;
        while (e->corner < n) {
            int i = core->index[first + e->corner], j = core->index[first + (e->corner + 1) % n];
            e->corner++;
            if (i > j || (i == j && n > 1)) continue; /* the other face has it */
            e->from = core->vertex[i], e->to = core->vertex[j];
            return 1;
        }
    }
    return 0;
}

void lab_points_extent(const double (*vertex)[3], int n, const double dir[3], double *low,
                       double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double d = peg_dot(dir, vertex[i]);
        *low = peg_min(*low, d), *high = peg_max(*high, d);
    }
}

void lab_core_extent(const lab_core *c, const double n[3], double *low, double *high)
{
    if (!c->is_cylinder) {
        lab_points_extent(c->vertex, c->nv, n, low, high);
        *low -= c->round, *high += c->round;
        return;
    }
    double across[3], middle = peg_dot(n, c->centre), along = peg_dot(n, c->axis);
    peg_add_scaled(n, -along, c->axis, across);
    double reach = c->half * fabs(along) + c->radius * peg_norm(across);
    *low = middle - reach, *high = middle + reach;
}

double lab_core_along(const lab_core *a, const lab_core *b, const double n[3])
{
    double al, ah, bl, bh;
    lab_core_extent(a, n, &al, &ah);
    lab_core_extent(b, n, &bl, &bh);
    return al - bh;
}

double lab_core_either(const lab_core *a, const lab_core *b, const double n[3])
{
    double al, ah, bl, bh;
    lab_core_extent(a, n, &al, &ah);
    lab_core_extent(b, n, &bl, &bh);
    return peg_max(al - bh, bl - ah);
}

int lab_common_normal(const double u[3], const double v[3], double n[3])
{
    double a[3], b[3];
    peg_copy3(u, a);
    peg_copy3(v, b);
    if (peg_normalise(a) == 0 || peg_normalise(b) == 0) return 0;
    peg_cross(a, b, n);
    if (peg_normalise(n) == 0) return 0;
    peg_add_scaled(n, -peg_dot(n, a), a, n);
    peg_normalise(n);
    peg_add_scaled(n, -peg_dot(n, b), b, n);
    return peg_normalise(n) > 0;
}

void lab_orthogonal(const double u[3], double e1[3], double e2[3])
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(u[k]) < fabs(u[least])) least = k;
    double axis[3] = {least == 0, least == 1, least == 2};
    peg_cross(u, axis, e1);
    peg_normalise(e1);
    peg_cross(u, e1, e2);
    peg_normalise(e2);
}

double lab_least(lab_function *f, const void *context, double low, double high, double *x)
{
    const double golden = (sqrt(5) - 1) / 2;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double fa = f(context, a), fb = f(context, b);
    for (int i = 0; i < SECTIONS; i++) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            fa = f(context, a = high - golden * (high - low));
        } else {
            low = a, a = b, fa = fb;
            fb = f(context, b = low + golden * (high - low));
        }
    }
    *x = fa < fb ? a : b;
    return peg_min(fa, fb);
}

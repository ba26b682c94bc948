/* Polygons and particles: the flat polytopes of planar scenes. */
#include "peg/shape/polygon_2d.h"

#include <stdlib.h>

#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"
#include "peg/shape/polytope.h"

/* A corner less than this above the line of its neighbours, or closer than this to one of them, is
 * dropped; of the polygon's size. */
static const double FLAT = 1e-9;

typedef double point[2];

static int by_x(const void *left, const void *right)
{
    const double *a = left, *b = right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Whether b is a corner to the left-turning way a, b, c. */
static int turns_left(const double *a, const double *b, const double *c, double tolerance)
{
    double ux = b[0] - a[0], uy = b[1] - a[1], vx = c[0] - a[0], vy = c[1] - a[1];
    return hypot(ux, uy) > tolerance && ux * vy - uy * vx > tolerance * hypot(vx, vy);
}

/* Hull by monotone chains of points sorted by x; returns the number of its corners. */
static int hull_of(const point *p, int n, double tolerance, point *out)
{
    int m = 0;
    for (int chain = 0; chain < 2; chain++) {
        int first = m;
        for (int k = 0; k < n; k++) {
            const double *next = p[chain ? n - 1 - k : k];
            while (m >= first + 2 && !turns_left(out[m - 2], out[m - 1], next, tolerance)) m--;
            if (m == first + 1 &&
                hypot(next[0] - out[first][0], next[1] - out[first][1]) <= tolerance)
                continue;
            out[m][0] = next[0], out[m][1] = next[1];
            m++;
        }
        m--; /* the end of one chain is the start of the other */
    }
    return m;
}

static void set_side(peg_polytope *p, int f)
{
    int next = (f + 1) % p->nv;
    p->face_start[f] = 2 * f;
    p->face_vertex[2 * f] = f, p->face_vertex[2 * f + 1] = next;
    p->normal[f][0] = p->vertex[next][1] - p->vertex[f][1];
    p->normal[f][1] = p->vertex[f][0] - p->vertex[next][0];
    peg_normalise(p->normal[f]);
    peg_polytope_close_face(p, f);
}

static pegStatus polygon_of(const point *corner, int n, peg_polytope **out)
{
    peg_polytope *p = peg_polytope_new(n, n, 0, 2 * n);
    if (!p) return PEG_ERROR_MEMORY;
    for (int v = 0; v < n; v++) {
        p->vertex[v][0] = corner[v][0], p->vertex[v][1] = corner[v][1];
        peg_add_scaled(p->centre, 1. / n, p->vertex[v], p->centre);
    }
    p->kind = PEG_SHAPE_POLYGON;
    p->width = INFINITY;
    for (int f = 0; f < n; f++) set_side(p, f);
    p->face_start[n] = 2 * n;
    for (int v = 0; v < n; v++) {
        peg_vec3 d;
        peg_sub(p->vertex[v], p->centre, d);
        p->radius = fmax(p->radius, peg_norm(d));
    }
    p->size = p->radius;
    peg_polytope_set_extent(p);
    double centre[2], inertia;
    peg_polygon_mass(p, &p->volume, centre, &inertia);
    *out = p;
    return PEG_OK;
}

pegStatus peg_polygon_create(const double (*points)[2], int n, peg_polytope **out)
{
    *out = NULL;
    if (n < 3) return PEG_ERROR_SHAPE_EMPTY;
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            if (!isfinite(points[i][k])) return PEG_ERROR_NOT_FINITE;
            lo[k] = fmin(lo[k], points[i][k]);
            hi[k] = fmax(hi[k], points[i][k]);
        }
    double size = fmax(hi[0] - lo[0], hi[1] - lo[1]);
    pegStatus status = peg_size_check(size);
    if (status != PEG_OK) return status;

    peg_arena arena = {0};
    point *sorted = PEG_NEW(&arena, point, n), *hull = PEG_NEW(&arena, point, 2 * (size_t)n);
    status = PEG_ERROR_MEMORY;
    if (sorted && hull) {
        memcpy(sorted, points, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, by_x);
        int corners = hull_of((const point *)sorted, n, FLAT * size, hull);
        status =
            corners < 3 ? PEG_ERROR_SHAPE_EMPTY : polygon_of((const point *)hull, corners, out);
    }
    peg_arena_free(&arena);
    return status;
}

pegStatus peg_polytope_point(peg_polytope **out)
{
    *out = peg_polytope_new(1, 0, 0, 0);
    if (!*out) return PEG_ERROR_MEMORY;
    (*out)->kind = PEG_SHAPE_POINT;
    return PEG_OK;
}

/* Triangles from the centroid of the vertices, as in mass_properties.c. */
void peg_polygon_mass(const peg_polytope *p, double *area, double centre[2], double *inertia)
{
    double first[2] = {0}, second = 0;
    *area = 0;
    for (int v = 0; v < p->nv; v++) {
        peg_vec3 a, b;
        peg_sub(p->vertex[v], p->centre, a);
        peg_sub(p->vertex[(v + 1) % p->nv], p->centre, b);
        double twice = a[0] * b[1] - a[1] * b[0];
        *area += twice / 2;
        for (int k = 0; k < 2; k++) first[k] += twice / 6 * (a[k] + b[k]);
        second += twice / 12 * (peg_dot(a, a) + peg_dot(a, b) + peg_dot(b, b));
    }
    for (int k = 0; k < 2; k++) {
        double d = *area > 0 ? first[k] / *area : 0;
        second -= *area * d * d;
        centre[k] = p->centre[k] + d;
    }
    *inertia = second;
}

/* Surfaces of polygons: measures, half-edges, welding. */
#include "peg/shape/polygon_mesh.h"

#include <float.h>

#include "peg/base/arena.h"
#include "peg/base/sweep_and_prune.h"

/* Tolerances, relative to the size of the shape unless said otherwise. */
static const double COPLANAR = 1e-7;  /* distance of vertices from the plane of their face */
static const double SMALLEST = 1e-60; /* m; the fourth power, of areas squared, and the */
static const double LARGEST = 1e60;   /* m; fifth, of the inertia, stay in range */

double peg_points_size(const peg_vec3 *vertex, int n)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < n; i++) {
            lo = fmin(lo, vertex[i][k]);
            hi = fmax(hi, vertex[i][k]);
        }
        size = fmax(size, hi - lo);
    }
    return size;
}

double peg_points_rounding(const peg_vec3 *vertex, int n)
{
    double far = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(vertex[i][k]));
    return 8 * DBL_EPSILON * far;
}

double peg_points_tolerance(const peg_vec3 *vertex, int n)
{
    return COPLANAR * peg_points_size(vertex, n) + peg_points_rounding(vertex, n);
}

pegStatus peg_size_check(double size)
{
    if (!isfinite(size)) return PEG_ERROR_NOT_FINITE;
    if (!(size > 0)) return PEG_ERROR_SHAPE_EMPTY;
    return size > SMALLEST && size < LARGEST ? PEG_OK : PEG_ERROR_SHAPE_SIZE;
}

int peg_polygon_mesh_next(const peg_polygon_mesh *m, int h)
{
    return h + 1 < m->start[m->face[h] + 1] ? h + 1 : m->start[m->face[h]];
}

int peg_polygon_mesh_link(peg_polygon_mesh *m, peg_arena *arena)
{
    int corners = m->start[m->nf];
    m->face = PEG_NEW(arena, int, corners);
    m->twin = PEG_NEW(arena, int, corners);
    int *first = PEG_NEW(arena, int, m->nv + 1), *from = PEG_NEW(arena, int, corners);
    if (!m->face || !m->twin || !first || !from) return 0;

    for (int f = 0; f < m->nf; f++)
        for (int h = m->start[f]; h < m->start[f + 1]; h++) m->face[h] = f;

    /* Half-edges sorted by their origin: from[first[v] .. first[v+1]). */
    memset(first, 0, sizeof(int) * (size_t)(m->nv + 1));
    for (int h = 0; h < corners; h++) first[m->corner[h]]++;
    for (int v = 0, sum = 0; v <= m->nv; v++) {
        sum += v < m->nv ? first[v] : 0;
        first[v] = sum;
    }
    for (int h = corners - 1; h >= 0; h--) from[--first[m->corner[h]]] = h;

    for (int h = 0; h < corners; h++) {
        int tail = m->corner[h], head = m->corner[peg_polygon_mesh_next(m, h)], found = 0;
        for (int k = first[head]; k < first[head + 1]; k++)
            if (m->corner[peg_polygon_mesh_next(m, from[k])] == tail) {
                m->twin[h] = from[k];
                found++;
            }
        if (found != 1 || tail == head) return 0;
    }
    return 1;
}

/* Points to be welded: same[i] is the point that i is the same as, itself if none. */
typedef struct welding {
    const peg_vec3 *point;
    double distance;
    int *same;
} welding;

static void weld_pair(void *context, int i, int j)
{
    welding *w = context;
    peg_vec3 d;
    peg_sub(w->point[i], w->point[j], d);
    if (w->same[i] == i && w->same[j] == j && peg_norm(d) <= w->distance) w->same[j] = i;
}

int *peg_points_weld(const peg_vec3 *point, int n, double distance, peg_arena *arena)
{
    welding w = {point, distance, PEG_NEW(arena, int, n)};
    peg_arena_mark mark = peg_arena_here(arena);
    peg_aabb *box = PEG_NEW(arena, peg_aabb, n);
    unsigned char *fixed = PEG_NEW(arena, unsigned char, n);
    if (!w.same || !box || !fixed) return NULL;
    for (int i = 0; i < n; i++) {
        w.same[i] = i;
        fixed[i] = 0;
        for (int k = 0; k < 3; k++) {
            box[i].lo[k] = point[i][k] - .5 * distance;
            box[i].hi[k] = point[i][k] + .5 * distance;
        }
    }
    if (!peg_sweep_pairs(arena, NULL, box, fixed, n, weld_pair, &w)) return NULL;
    for (int i = 0; i < n; i++)
        while (w.same[i] != w.same[w.same[i]]) w.same[i] = w.same[w.same[i]];
    peg_arena_back(arena, mark);
    return w.same;
}

int peg_polygon_mesh_weld(peg_polygon_mesh *m, double distance, peg_arena *arena)
{
    const int *same = peg_points_weld(m->vertex, m->nv, distance, arena);
    if (!same) return 0;
    /* Rewrites the polygons in place: a corner that repeats its neighbour goes, and a polygon of
     * fewer than three corners with it. */
    int faces = 0, used = 0;
    for (int f = 0, begin = m->start[0]; f < m->nf; f++) {
        int end = m->start[f + 1], kept = used;
        for (int h = begin; h < end; h++) {
            int v = same[m->corner[h]];
            if (kept == used || m->corner[kept - 1] != v) m->corner[kept++] = v;
        }
        while (kept > used && m->corner[kept - 1] == m->corner[used]) kept--;
        begin = end;
        if (kept - used < 3) continue;
        m->start[faces++] = used;
        used = kept;
    }
    m->start[faces] = used;
    m->nf = faces;
    return 1;
}

void peg_polygon_mesh_area(const peg_polygon_mesh *m, int f, peg_vec3 out)
{
    const int *c = m->corner + m->start[f];
    int n = m->start[f + 1] - m->start[f];
    memset(out, 0, sizeof(peg_vec3));
    for (int k = 1; k + 1 < n; k++) {
        peg_vec3 a, b, ab;
        peg_sub(m->vertex[c[k]], m->vertex[c[0]], a);
        peg_sub(m->vertex[c[k + 1]], m->vertex[c[0]], b);
        peg_cross(a, b, ab);
        peg_add_scaled(out, 1, ab, out);
    }
}

double peg_polygon_mesh_volume(const peg_polygon_mesh *m)
{
    double six = 0;
    for (int f = 0; f < m->nf; f++) {
        peg_vec3 area, d;
        peg_polygon_mesh_area(m, f, area);
        peg_sub(m->vertex[m->corner[m->start[f]]], m->vertex[m->corner[0]], d);
        six += peg_dot(area, d);
    }
    return six / 6;
}

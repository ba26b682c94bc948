/* From a closed surface of polygons to a convex polytope: coplanar polygons become one face,
 * vertices inside of a face or an edge go, and what is left is checked. */
#include "peg/base/arena.h"
#include "peg/shape/polygon_mesh.h"
#include "peg/shape/polytope.h"

/* Tolerances, relative to the size of the shape unless said otherwise. */
static const double THINNEST = 1e-9;      /* a shape of less width has no volume */
static const double FLAT_OF_WIDTH = 1e-5; /* of the width: coplanarity must not eat a thin shape */
static const double SAME_SIDE = 0.5;      /* least cosine between normals of one face (60 degrees:
                                             only keeps walls of thin shapes apart) */
static const double SLIVER_REACH = 3;     /* of the tolerance: a sliver joins a plane even if its
                                             edge is already at the limit */
static const double DENT = 10;            /* of the tolerance: how far a corner of a face may lie
                                             inside of the line between its neighbours */
enum { FIT_ROUNDS = 3 };                  /* planes fitted to a face while it is flooded */
enum { ATTEMPTS = 5 };                    /* tolerances tried, each 1e-2 of the one before */

/* Working data of one shape. */
typedef struct merger {
    const peg_polygon_mesh *mesh;
    peg_vec3 *area; /* twice the area vector of each polygon */
    double *height; /* twice the area over the longest edge: small for a sliver */
    int *group;     /* face that a polygon belongs to */
    int *queue;     /* polygons, scratch */
    int ngroups;
} merger;

static int merger_init(merger *g, const peg_polygon_mesh *m, peg_arena *arena)
{
    *g = (merger){.mesh = m,
                  .area = PEG_NEW(arena, peg_vec3, m->nf),
                  .height = PEG_NEW(arena, double, m->nf),
                  .group = PEG_NEW(arena, int, m->nf),
                  .queue = PEG_NEW(arena, int, m->nf)};
    if (!g->area || !g->height || !g->group || !g->queue) return 0;
    for (int f = 0; f < m->nf; f++) {
        peg_polygon_mesh_area(m, f, g->area[f]);
        double longest = 0;
        int last = m->start[f + 1] - 1;
        for (int h = m->start[f]; h < m->start[f + 1]; last = h++) {
            peg_vec3 d;
            peg_sub(m->vertex[m->corner[h]], m->vertex[m->corner[last]], d);
            longest = fmax(longest, peg_norm(d));
        }
        g->height[f] = peg_norm(g->area[f]) / longest;
    }
    return 1;
}

/* Extent of the surface's vertices along n. */
static double extent_along(const peg_polygon_mesh *m, const peg_vec3 n)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int h = 0; h < m->start[m->nf]; h++) {
        double s = peg_dot(n, m->vertex[m->corner[h]]);
        lo = fmin(lo, s);
        hi = fmax(hi, s);
    }
    return hi - lo;
}

/* Least width over the normals of the polygons. */
static double least_width(const merger *g)
{
    double width = INFINITY;
    for (int f = 0; f < g->mesh->nf; f++) {
        peg_vec3 n;
        peg_copy3(g->area[f], n);
        if (peg_normalise(n) > 0) width = fmin(width, extent_along(g->mesh, n));
    }
    return width;
}

static int lies_in_plane(const merger *g, int f, const peg_vec3 n, const double *origin,
                         double tolerance)
{
    const peg_polygon_mesh *m = g->mesh;
    int sliver = g->height[f] <= tolerance;
    if (!sliver && peg_dot(g->area[f], n) < SAME_SIDE * peg_norm(g->area[f])) return 0;
    double reach = sliver ? SLIVER_REACH * tolerance : tolerance;
    for (int h = m->start[f]; h < m->start[f + 1]; h++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->corner[h]], origin, d);
        if (fabs(peg_dot(n, d)) > reach) return 0;
    }
    return 1;
}

/* Gives the seed's group all polygons that hang together with it and lie in the plane; they are in
 * the queue then. Returns their number. */
static int flood(merger *g, int seed, const peg_vec3 n, const peg_vec3 origin, double tolerance)
{
    const peg_polygon_mesh *m = g->mesh;
    int head = 0, tail = 0;
    g->queue[tail++] = seed;
    g->group[seed] = g->ngroups;
    while (head < tail) {
        int f = g->queue[head++];
        for (int h = m->start[f]; h < m->start[f + 1]; h++) {
            int other = m->face[m->twin[h]];
            if (g->group[other] >= 0 || !lies_in_plane(g, other, n, origin, tolerance)) continue;
            g->group[other] = g->ngroups;
            g->queue[tail++] = other;
        }
    }
    return tail;
}

/* Plane through the first `count` polygons of the queue. */
static void fit_plane(const merger *g, int count, peg_vec3 n, peg_vec3 origin)
{
    const peg_polygon_mesh *m = g->mesh;
    const double *first = m->vertex[m->corner[m->start[g->queue[0]]]];
    peg_vec3 sum = {0};
    int corners = 0;
    memset(n, 0, sizeof(peg_vec3));
    for (int k = 0; k < count; k++) {
        int f = g->queue[k];
        peg_add_scaled(n, 1, g->area[f], n);
        for (int h = m->start[f]; h < m->start[f + 1]; h++, corners++) {
            peg_vec3 d;
            peg_sub(m->vertex[m->corner[h]], first, d);
            peg_add_scaled(sum, 1, d, sum);
        }
    }
    peg_normalise(n);
    peg_add_scaled(first, 1. / corners, sum, origin);
}

/* Floods each face from its largest polygon over neighbours that lie in one plane: the polygon's
 * own, then the one fitted to what was found. */
static void group_coplanar(merger *g, double tolerance)
{
    const peg_polygon_mesh *m = g->mesh;
    for (int f = 0; f < m->nf; f++) g->group[f] = -1;
    for (g->ngroups = 0;; g->ngroups++) {
        int count = 1;
        double largest = -1;
        for (int f = 0; f < m->nf; f++) {
            double area = g->group[f] < 0 ? peg_dot(g->area[f], g->area[f]) : -1;
            if (area > largest) g->queue[0] = f, largest = area;
        }
        if (largest < 0) return;
        for (int round = 0; round < FIT_ROUNDS; round++) {
            peg_vec3 n, origin;
            fit_plane(g, count, n, origin);
            for (int k = 0; k < count; k++) g->group[g->queue[k]] = -1;
            int found = flood(g, g->queue[0], n, origin, tolerance);
            if (found == count) break;
            count = found;
        }
    }
}

static int is_boundary(const merger *g, int h)
{
    return g->group[g->mesh->face[h]] != g->group[g->mesh->face[g->mesh->twin[h]]];
}

/* Outlines of the groups without the vertices that have fewer than three faces. SHAPE_OPEN if a
 * group is not bounded by one simple polygon of at least three corners. */
static pegStatus reduce(const merger *g, peg_polygon_mesh *out, peg_arena *arena)
{
    const peg_polygon_mesh *m = g->mesh;
    int corners = m->start[m->nf];
    int *faces_at = PEG_NEW(arena, int, m->nv), *begin = PEG_NEW(arena, int, g->ngroups);
    int *outline = PEG_NEW(arena, int, g->ngroups), *seen = PEG_NEW(arena, int, m->nv);
    *out = (peg_polygon_mesh){.nv = m->nv,
                              .nf = g->ngroups,
                              .vertex = m->vertex,
                              .start = PEG_NEW(arena, int, g->ngroups + 1),
                              .corner = PEG_NEW(arena, int, corners)};
    if (!faces_at || !begin || !outline || !seen || !out->start || !out->corner)
        return PEG_ERROR_MEMORY;

    for (int v = 0; v < m->nv; v++) faces_at[v] = 0, seen[v] = -1;
    for (int k = 0; k < g->ngroups; k++) begin[k] = -1, outline[k] = 0;
    for (int h = 0; h < corners; h++)
        if (is_boundary(g, h)) {
            int k = g->group[m->face[h]];
            faces_at[m->corner[h]]++;
            outline[k]++;
            if (begin[k] < 0) begin[k] = h;
        }

    int used = 0;
    for (int k = 0; k < g->ngroups; k++) {
        out->start[k] = used;
        int h = begin[k];
        if (h < 0) return PEG_ERROR_SHAPE_OPEN;
        do {
            int v = m->corner[h];
            if (seen[v] == k) return PEG_ERROR_SHAPE_OPEN;
            seen[v] = k;
            if (faces_at[v] >= 3) out->corner[used++] = v;
            outline[k]--;
            /* the half-edge of the same group's outline that follows h */
            h = peg_polygon_mesh_next(g->mesh, h);
            while (!is_boundary(g, h)) h = peg_polygon_mesh_next(g->mesh, g->mesh->twin[h]);
        } while (h != begin[k]);
        if (outline[k] != 0 || used - out->start[k] < 3) return PEG_ERROR_SHAPE_OPEN;
    }
    out->start[g->ngroups] = used;
    return PEG_OK;
}

/* Whether face f, of normal n, is a convex polygon and no corner of the surface that came in lies
 * more than the tolerance outside of it. */
static int face_is_convex(const peg_polygon_mesh *m, int f, const peg_vec3 n,
                          const peg_polygon_mesh *full, double tolerance)
{
    const int *c = m->corner + m->start[f];
    int count = m->start[f + 1] - m->start[f];
    double own = -INFINITY, all = -INFINITY;
    for (int k = 0; k < count; k++) {
        const double *at = m->vertex[c[(k + 1) % count]];
        peg_vec3 a, b, line, cross;
        peg_sub(at, m->vertex[c[k]], a);
        peg_sub(m->vertex[c[(k + 2) % count]], at, b);
        peg_add_scaled(a, 1, b, line);
        peg_cross(a, b, cross);
        if (peg_dot(cross, n) < -DENT * tolerance * peg_norm(line)) return 0;
        own = fmax(own, peg_dot(n, at));
    }
    for (int h = 0; h < full->start[full->nf]; h++)
        all = fmax(all, peg_dot(n, full->vertex[full->corner[h]]));
    return all <= own + tolerance;
}

/* The polytope of a linked, reduced surface; checks Euler's formula and convexity. */
static pegStatus build(const peg_polygon_mesh *m, const peg_polygon_mesh *full, double tolerance,
                       peg_arena *arena, peg_polytope **out)
{
    int corners = m->start[m->nf], nv = 0;
    int *number = PEG_NEW(arena, int, m->nv);
    if (!number) return PEG_ERROR_MEMORY;
    for (int v = 0; v < m->nv; v++) number[v] = -1;
    for (int h = 0; h < corners; h++) number[m->corner[h]] = 0;
    for (int v = 0; v < m->nv; v++)
        if (number[v] == 0) number[v] = nv++;
    if (nv - corners / 2 + m->nf != 2) return PEG_ERROR_SHAPE_OPEN;

    peg_polytope *p = peg_polytope_new(nv, m->nf, corners / 2, corners);
    if (!p) return PEG_ERROR_MEMORY;
    for (int v = 0; v < m->nv; v++)
        if (number[v] >= 0) peg_copy3(m->vertex[v], p->vertex[number[v]]);
    memcpy(p->face_start, m->start, sizeof(int) * (size_t)(m->nf + 1));
    for (int h = 0; h < corners; h++) p->face_vertex[h] = number[m->corner[h]];
    for (int f = 0; f < m->nf; f++) {
        peg_polygon_mesh_area(m, f, p->normal[f]);
        if (peg_normalise(p->normal[f]) > 0 && face_is_convex(m, f, p->normal[f], full, tolerance))
            continue;
        peg_polytope_free(p);
        return PEG_ERROR_SHAPE_CONCAVE;
    }
    peg_polytope_finish(p, m);
    *out = p;
    return PEG_OK;
}

static pegStatus attempt(merger *g, double flat, double tolerance, peg_arena *arena,
                         peg_polytope **out)
{
    peg_polygon_mesh reduced;
    group_coplanar(g, flat);
    pegStatus status = reduce(g, &reduced, arena);
    if (status != PEG_OK) return status;
    if (!peg_polygon_mesh_link(&reduced, arena))
        return arena->failed ? PEG_ERROR_MEMORY : PEG_ERROR_SHAPE_OPEN;
    return build(&reduced, g->mesh, tolerance, arena, out);
}

pegStatus peg_polygon_mesh_to_polytope(peg_polygon_mesh *m, peg_arena *arena, peg_polytope **out)
{
    *out = NULL;
    merger g;
    double thinnest =
        THINNEST * peg_points_size(m->vertex, m->nv) + peg_points_rounding(m->vertex, m->nv);
    if (!merger_init(&g, m, arena)) return PEG_ERROR_MEMORY;

    double width = least_width(&g);
    if (!(width > thinnest) || !isfinite(width)) return PEG_ERROR_SHAPE_EMPTY;
    if (!peg_polygon_mesh_link(m, arena))
        return arena->failed ? PEG_ERROR_MEMORY : PEG_ERROR_SHAPE_OPEN;
    double volume = peg_polygon_mesh_volume(m);
    if (!(volume > 0)) return volume < 0 ? PEG_ERROR_SHAPE_REVERSED : PEG_ERROR_SHAPE_CONCAVE;

    /* A face that is not a disk (possible when the surface is curved just at the tolerance) calls
     * for a smaller one; the first verdict is the one that counts. */
    pegStatus first = PEG_OK;
    double tolerance = peg_points_tolerance(m->vertex, m->nv);
    double flat = fmin(tolerance, FLAT_OF_WIDTH * width);
    for (int k = 0; k < ATTEMPTS; k++, flat = k + 1 < ATTEMPTS ? 1e-2 * flat : 0) {
        peg_arena_mark mark = peg_arena_here(arena);
        pegStatus status = attempt(&g, flat, tolerance, arena, out);
        peg_arena_back(arena, mark);
        if (status == PEG_OK || status == PEG_ERROR_MEMORY) return status;
        if (k == 0) first = status;
    }
    return first;
}

/* Simplicial complexes from lists of triangles. */
#include "peg/shape/triangle_mesh.h"

#include <stdlib.h>

#include "peg/base/arena.h"
#include "peg/shape/aabb_tree.h"
#include "peg/shape/mesh_orientation.h"
#include "peg/shape/polygon_mesh.h"

/* Triangles thinner than this, of the mesh's size, have no area. */
static const double THIN = 1e-9;

/* Sine of the angle up to which neighbours lie in one plane: coordinates may have been
 * single-precision numbers. */
static const double FLAT = 1e-7;

/* The same where what differs is far less than the gap that contacts keep, PEG_FLOOR margins. */
static const double EVEN = 1e-10;

/* --- vertices and triangles --- */

static int copy_vertices(peg_triangle_mesh *c, const double (*vertex)[3], int nv, double weld,
                         int **number)
{
    int *same = NULL, n = 0;
    c->vertex = PEG_NEW(&c->arena, peg_vec3, nv);
    *number = PEG_NEW(&c->arena, int, nv);
    if (!c->vertex || !*number) return 0;
    if (weld > 0) {
        same = peg_points_weld((const peg_vec3 *)vertex, nv, weld, &c->arena);
        if (!same) return 0;
    }
    for (int v = 0; v < nv; v++) {
        int first = same ? same[v] : v;
        (*number)[v] = first == v ? n : (*number)[first];
        if (first == v) peg_copy3(vertex[v], c->vertex[n++]);
    }
    c->nv = n;
    return 1;
}

/* Twice the area, and the least altitude. */
static double altitude(const peg_triangle_mesh *c, const int *t, peg_vec3 area)
{
    peg_vec3 a, b, d;
    peg_sub(c->vertex[t[1]], c->vertex[t[0]], a);
    peg_sub(c->vertex[t[2]], c->vertex[t[0]], b);
    peg_sub(c->vertex[t[2]], c->vertex[t[1]], d);
    peg_cross(a, b, area);
    double longest = peg_max(peg_norm(a), peg_max(peg_norm(b), peg_norm(d)));
    return longest > 0 ? peg_norm(area) / longest : 0;
}

typedef struct corners {
    int v[3], triangle; /* the vertices in rising order */
} corners;

static int by_corners(const void *left, const void *right)
{
    const corners *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->v[k] != b->v[k]) return a->v[k] < b->v[k] ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static void rise(int *a, int *b)
{
    int least = *a < *b ? *a : *b, most = *a < *b ? *b : *a;
    *a = least, *b = most;
}

/* Drops triangles that are there already, either way round. */
static int drop_repeated(peg_triangle_mesh *c)
{
    corners *of = PEG_NEW(&c->arena, corners, c->nt);
    unsigned char *repeated = PEG_NEW(&c->arena, unsigned char, c->nt);
    if (!of || !repeated) return 0;
    for (int t = 0; t < c->nt; t++) {
        memcpy(of[t].v, c->triangle[t], sizeof of[t].v);
        rise(&of[t].v[0], &of[t].v[1]);
        rise(&of[t].v[1], &of[t].v[2]);
        rise(&of[t].v[0], &of[t].v[1]);
        of[t].triangle = t;
    }
    if (c->nt) qsort(of, (size_t)c->nt, sizeof *of, by_corners);
    for (int i = 0; i < c->nt; i++)
        repeated[of[i].triangle] = i > 0 && memcmp(of[i].v, of[i - 1].v, sizeof of[i].v) == 0;
    int kept = 0;
    for (int t = 0; t < c->nt; t++) {
        if (repeated[t]) continue;
        memmove(c->triangle[kept], c->triangle[t], sizeof *c->triangle);
        c->source[kept++] = c->source[t];
    }
    c->nt = kept;
    return 1;
}

static int copy_triangles(peg_triangle_mesh *c, const int (*triangle)[3], int nt, const int *number)
{
    double thin = THIN * peg_points_size((const peg_vec3 *)c->vertex, c->nv);
    c->triangle = PEG_NEW(&c->arena, int[3], nt);
    c->side = PEG_NEW(&c->arena, int[3], nt);
    c->source = PEG_NEW(&c->arena, int, nt);
    if (c->arena.failed) return 0;
    for (int t = 0; t < nt; t++) {
        int *to = c->triangle[c->nt];
        peg_vec3 area;
        for (int k = 0; k < 3; k++) to[k] = number[triangle[t][k]];
        if (altitude(c, to, area) <= thin) continue;
        c->source[c->nt++] = t;
    }
    return drop_repeated(c);
}

/* --- edges and neighbours --- */

typedef struct half_edge {
    int low, high, triangle, corner; /* from this corner to the next one */
} half_edge;

static int by_vertices(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static half_edge *sorted_edges(peg_triangle_mesh *c)
{
    half_edge *half = PEG_NEW(&c->arena, half_edge, 3 * (size_t)c->nt);
    for (int t = 0; t < c->nt && half; t++)
        for (int k = 0; k < 3; k++) {
            int a = c->triangle[t][k], b = c->triangle[t][(k + 1) % 3];
            half[3 * t + k] = (half_edge){a < b ? a : b, a < b ? b : a, t, k};
        }
    if (half) qsort(half, 3 * (size_t)c->nt, sizeof *half, by_vertices);
    return half;
}

static int link_edges(peg_triangle_mesh *c)
{
    size_t sides = 3 * (size_t)c->nt;
    const half_edge *half = sorted_edges(c);
    c->edge = PEG_NEW(&c->arena, int[2], sides);
    c->across = PEG_NEW(&c->arena, int, sides);
    c->beside = PEG_NEW(&c->arena, int, sides);
    c->across_start = PEG_NEW(&c->arena, int, sides + 1);
    if (c->arena.failed) return 0;
    for (size_t i = 0; i < sides; i++) {
        const half_edge *h = &half[i];
        if (i == 0 || h->low != h[-1].low || h->high != h[-1].high) {
            c->across_start[c->ne] = (int)i;
            c->edge[c->ne][0] = h->low, c->edge[c->ne][1] = h->high;
            c->ne++;
        }
        c->side[h->triangle][h->corner] = c->ne - 1;
        c->across[i] = c->triangle[h->triangle][(h->corner + 2) % 3];
        c->beside[i] = h->triangle;
    }
    c->across_start[c->ne] = (int)sides;
    return 1;
}

/* From counts to where lists start. */
static void sum_up(int *start, int n)
{
    for (int v = 0, sum = 0; v <= n; v++) {
        int count = start[v];
        start[v] = sum;
        sum += count;
    }
}

/* Back to there from where they end. */
static void move_up(int *start, int n)
{
    for (int v = n; v > 0; v--) start[v] = start[v - 1];
    start[0] = 0;
}

/* Lists by counting; on the way next_start[v] is where the next neighbour of v goes. */
static int link_vertices(peg_triangle_mesh *c)
{
    c->next_start = PEG_NEW(&c->arena, int, c->nv + 1);
    c->next = PEG_NEW(&c->arena, int, 2 * (size_t)c->ne);
    if (c->arena.failed) return 0;
    memset(c->next_start, 0, (size_t)(c->nv + 1) * sizeof *c->next_start);
    for (int e = 0; e < c->ne; e++)
        for (int k = 0; k < 2; k++) c->next_start[c->edge[e][k]]++;
    sum_up(c->next_start, c->nv);
    for (int e = 0; e < c->ne; e++)
        for (int k = 0; k < 2; k++) c->next[c->next_start[c->edge[e][k]]++] = c->edge[e][1 - k];
    move_up(c->next_start, c->nv);
    return 1;
}

/* The same for the triangles at a vertex. */
static int link_fans(peg_triangle_mesh *c)
{
    c->fan_start = PEG_NEW(&c->arena, int, c->nv + 1);
    c->fan = PEG_NEW(&c->arena, int, 3 * (size_t)c->nt);
    if (c->arena.failed) return 0;
    memset(c->fan_start, 0, (size_t)(c->nv + 1) * sizeof *c->fan_start);
    for (int t = 0; t < c->nt; t++)
        for (int k = 0; k < 3; k++) c->fan_start[c->triangle[t][k]]++;
    sum_up(c->fan_start, c->nv);
    for (int t = 0; t < c->nt; t++)
        for (int k = 0; k < 3; k++) c->fan[c->fan_start[c->triangle[t][k]]++] = t;
    move_up(c->fan_start, c->nv);
    return 1;
}

/* Direction from an edge to the vertex opposite to it, across the edge, of unit length. */
static void inward(const peg_triangle_mesh *c, int e, int opposite, peg_vec3 out)
{
    peg_vec3 along;
    const double *origin = c->vertex[c->edge[e][0]];
    peg_sub(c->vertex[c->edge[e][1]], origin, along);
    peg_normalise(along);
    peg_sub(c->vertex[opposite], origin, out);
    peg_add_scaled(out, -peg_dot(out, along), along, out);
    peg_normalise(out);
}

/* Whether the triangles of an edge lie in one plane, to a sine, on both sides of it. */
static int is_flat(const peg_triangle_mesh *c, int e, double sine)
{
    peg_vec3 first, other, apart;
    int start = c->across_start[e], end = c->across_start[e + 1], both = 0;
    inward(c, e, c->across[start], first);
    for (int i = start + 1; i < end; i++) {
        inward(c, e, c->across[i], other);
        int beyond = peg_dot(first, other) < 0;
        peg_add_scaled(other, beyond ? 1 : -1, first, apart);
        if (peg_dot(apart, apart) > sine * sine) return 0;
        both |= beyond;
    }
    return both;
}

static int find_flat(const peg_triangle_mesh *c, double sine, unsigned char *edge,
                     unsigned char *vertex)
{
    if (!edge || !vertex) return 0;
    memset(vertex, 1, (size_t)c->nv);
    for (int e = 0; e < c->ne; e++) {
        edge[e] = (unsigned char)is_flat(c, e, sine);
        if (!edge[e]) vertex[c->edge[e][0]] = vertex[c->edge[e][1]] = 0;
    }
    return 1;
}

static int describe(peg_triangle_mesh *c)
{
    c->edge_is_flat = PEG_NEW(&c->arena, unsigned char, c->ne);
    c->vertex_is_flat = PEG_NEW(&c->arena, unsigned char, c->nv);
    c->edge_is_even = PEG_NEW(&c->arena, unsigned char, c->ne);
    c->vertex_is_even = PEG_NEW(&c->arena, unsigned char, c->nv);
    c->normal = PEG_NEW(&c->arena, peg_vec3, c->nt);
    c->own = PEG_NEW(&c->arena, unsigned char, c->nt);
    if (c->arena.failed || !find_flat(c, FLAT, c->edge_is_flat, c->vertex_is_flat) ||
        !find_flat(c, EVEN, c->edge_is_even, c->vertex_is_even))
        return 0;
    for (int t = 0; t < c->nt; t++) {
        altitude(c, c->triangle[t], c->normal[t]);
        peg_normalise(c->normal[t]);
        c->own[t] = 0;
        for (int k = 0; k < 3; k++) {
            int e = c->side[t][k], v = c->triangle[t][k];
            int edge = c->beside[c->across_start[e]] == t && !c->edge_is_even[e];
            int corner = c->fan[c->fan_start[v]] == t && !c->vertex_is_even[v];
            c->own[t] |= (unsigned char)(edge << k | corner << (3 + k));
        }
    }
    peg_aabb_tree_make_cones(c);
    return 1;
}

/* --- triangles as polytopes --- */

typedef struct triangle_shape {
    peg_polytope shape;
    peg_vec3 vertex[3], normal[2];
    double offset[2];
} triangle_shape;

static triangle_shape *new_triangle(peg_arena *arena)
{
    static int start[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
    static int next_start[4] = {0, 2, 4, 6}, next[6] = {1, 2, 2, 0, 0, 1};
    static peg_edge edge[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    triangle_shape *t = PEG_NEW(arena, triangle_shape, 1);
    if (!t) return NULL;
    t->shape = (peg_polytope){.kind = PEG_SHAPE_TRIANGLE,
                              .nv = 3,
                              .nf = 2,
                              .ne = 3,
                              .vertex = t->vertex,
                              .normal = t->normal,
                              .offset = t->offset,
                              .face_start = start,
                              .face_vertex = corner,
                              .next_start = next_start,
                              .next = next,
                              .edge = edge};
    return t;
}

const peg_polytope *peg_triangle_polytope(peg_arena *arena, const peg_triangle_mesh *mesh,
                                          int index, double round)
{
    triangle_shape *t = new_triangle(arena);
    double longest = 0, farthest = 0;
    peg_vec3 d, side[3];
    if (!t) return NULL;
    peg_polytope *p = &t->shape;
    for (int k = 0; k < 3; k++) {
        peg_copy3(mesh->vertex[mesh->triangle[index][k]], t->vertex[k]);
        peg_add_scaled(p->centre, 1. / 3, t->vertex[k], p->centre);
    }
    for (int k = 0; k < 3; k++) {
        peg_sub(t->vertex[(k + 1) % 3], t->vertex[k], side[k]);
        longest = peg_max(longest, peg_dot(side[k], side[k]));
        peg_sub(t->vertex[k], p->centre, d);
        farthest = peg_max(farthest, peg_dot(d, d));
    }
    peg_cross(side[0], side[1], d);
    p->width = peg_norm(d) / sqrt(longest);
    p->radius = sqrt(farthest) + round;
    p->round = p->inner = round;
    peg_polytope_set_extent(p);
    for (int k = 0; k < 3; k++) {
        t->normal[0][k] = mesh->normal[index][k];
        t->normal[1][k] = -t->normal[0][k];
    }
    t->offset[0] = peg_dot(t->normal[0], t->vertex[0]);
    t->offset[1] = -t->offset[0];
    p->size = mesh->radius + round;
    p->mesh = mesh;
    p->triangle = index;
    return p;
}

/* --- the whole --- */

static pegStatus check_input(const double (*vertex)[3], int nv, const int (*triangle)[3], int nt,
                             double weld)
{
    if (!vertex || !triangle || nv < 0 || nt < 0 || !(weld >= 0)) return PEG_ERROR_ARGUMENT;
    for (int v = 0; v < nv; v++)
        if (!isfinite(vertex[v][0] + vertex[v][1] + vertex[v][2])) return PEG_ERROR_NOT_FINITE;
    for (int t = 0; t < nt; t++)
        for (int k = 0; k < 3; k++)
            if (triangle[t][k] < 0 || triangle[t][k] >= nv) return PEG_ERROR_ARGUMENT;
    return nt > 0 ? peg_size_check(peg_points_size(vertex, nv)) : PEG_ERROR_SHAPE_EMPTY;
}

pegStatus peg_triangle_mesh_create(const double (*vertex)[3], int nv, const int (*triangle)[3],
                                   int nt, double weld, peg_triangle_mesh **out)
{
    int *number;
    if (!out) return PEG_ERROR_ARGUMENT;
    *out = NULL;
    pegStatus status = check_input(vertex, nv, triangle, nt, weld);
    if (status != PEG_OK) return status;
    peg_triangle_mesh *c = peg_alloc_zero(1, sizeof *c);
    if (!c) return PEG_ERROR_MEMORY;
    status = PEG_ERROR_MEMORY;
    if (copy_vertices(c, vertex, nv, weld, &number) && copy_triangles(c, triangle, nt, number)) {
        if (c->nt == 0)
            status = PEG_ERROR_SHAPE_EMPTY;
        else if (peg_aabb_tree_build(c) && link_edges(c) && link_vertices(c) && link_fans(c) &&
                 describe(c) && peg_mesh_orientation_find(c))
            status = PEG_OK;
    }
    if (status == PEG_OK)
        *out = c;
    else
        peg_triangle_mesh_free(c);
    return status;
}

void peg_triangle_mesh_free(peg_triangle_mesh *c)
{
    if (!c) return;
    peg_arena_free(&c->arena);
    peg_free(c);
}

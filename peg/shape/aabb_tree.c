/* A tree of boxes about the triangles of a mesh. */
#include "peg/shape/aabb_tree.h"

#include <stdlib.h>

#include "peg/shape/triangle_mesh.h"

/* Triangles in a leaf of the tree, at most. */
enum { LEAF = 4 };

/* --- building --- */

typedef struct leaf {
    peg_vec3 centre;
    int triangle;
} leaf;

static int by_axis(const leaf *a, const leaf *b, int k)
{
    if (a->centre[k] != b->centre[k]) return a->centre[k] < b->centre[k] ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static int by_x(const void *a, const void *b)
{
    return by_axis(a, b, 0);
}

static int by_y(const void *a, const void *b)
{
    return by_axis(a, b, 1);
}

static int by_z(const void *a, const void *b)
{
    return by_axis(a, b, 2);
}

static void box_about(const peg_triangle_mesh *c, const leaf *l, int count, peg_aabb *box)
{
    for (int k = 0; k < 3; k++) box->lo[k] = INFINITY, box->hi[k] = -INFINITY;
    for (int i = 0; i < count; i++)
        for (int corner = 0; corner < 3; corner++) {
            const double *x = c->vertex[c->triangle[l[i].triangle][corner]];
            for (int k = 0; k < 3; k++) {
                box->lo[k] = peg_min(box->lo[k], x[k]);
                box->hi[k] = peg_max(box->hi[k], x[k]);
            }
        }
}

/* The nodes of the triangles l[0 .. count), the first at `at`; returns the index behind the last
 * one. Halves of equal counts along the longest side. */
static int split(peg_triangle_mesh *c, leaf *l, int count, int at)
{
    static int (*const by[3])(const void *, const void *) = {by_x, by_y, by_z};
    peg_aabb_node *node = &c->node[at];
    box_about(c, l, count, &node->box);
    if (count <= LEAF) {
        node->count = count;
        return at + 1;
    }
    int axis = 0, half = count / 2, first = node->first;
    for (int k = 1; k < 3; k++)
        if (node->box.hi[k] - node->box.lo[k] > node->box.hi[axis] - node->box.lo[axis]) axis = k;
    qsort(l, (size_t)count, sizeof *l, by[axis]);
    c->node[at + 1].first = first;
    int next = split(c, l, half, at + 1);
    c->node[next].first = first + half;
    node->first = next;
    node->count = 0;
    return split(c, l + half, count - half, next);
}

/* Triangles in the order of the leaves, vertices in that of the triangles. */
static int sort_by_place(peg_triangle_mesh *c, const leaf *l)
{
    int(*triangle)[3] = c->triangle, *source = c->source, n = 0;
    peg_vec3 *vertex = c->vertex;
    int *number = PEG_NEW(&c->arena, int, c->nv);
    c->triangle = PEG_NEW(&c->arena, int[3], c->nt);
    c->source = PEG_NEW(&c->arena, int, c->nt);
    c->vertex = PEG_NEW(&c->arena, peg_vec3, c->nv);
    if (c->arena.failed) return 0;
    for (int v = 0; v < c->nv; v++) number[v] = -1;
    for (int t = 0; t < c->nt; t++) {
        const int *from = triangle[l[t].triangle];
        c->source[t] = source[l[t].triangle];
        for (int k = 0; k < 3; k++) {
            int *to = &number[from[k]];
            if (*to < 0) peg_copy3(vertex[from[k]], c->vertex[ *to = n++]);
            c->triangle[t][k] = *to;
        }
    }
    c->nv = n;
    return 1;
}

int peg_aabb_tree_build(peg_triangle_mesh *c)
{
    leaf *l = PEG_NEW(&c->arena, leaf, c->nt);
    c->node = PEG_NEW(&c->arena, peg_aabb_node, 2 * (size_t)c->nt);
    if (c->arena.failed) return 0;
    for (int t = 0; t < c->nt; t++) {
        memset(l[t].centre, 0, sizeof l[t].centre);
        l[t].triangle = t;
        for (int k = 0; k < 3; k++)
            peg_add_scaled(l[t].centre, 1. / 3, c->vertex[c->triangle[t][k]], l[t].centre);
    }
    memset(c->node, 0, 2 * (size_t)c->nt * sizeof *c->node);
    split(c, l, c->nt, 0);
    for (int k = 0; k < 3; k++) c->centre[k] = .5 * (c->node[0].box.lo[k] + c->node[0].box.hi[k]);
    for (int t = 0; t < c->nt; t++)
        for (int k = 0; k < 3; k++) {
            peg_vec3 d;
            peg_sub(c->vertex[c->triangle[t][k]], c->centre, d);
            c->radius = peg_max(c->radius, peg_norm(d));
        }
    return sort_by_place(c, l);
}

/* --- cones --- */

static const double RIGHT = PEG_PI / 2;

static double line_angle(const double a[3], const double b[3])
{
    return acos(peg_min(fabs(peg_dot(a, b)), 1));
}

/* Widens a cone by a direction, either way. */
static void widen(peg_aabb_node *node, const double n[3])
{
    node->angle = peg_max(node->angle, line_angle(node->axis, n));
}

/* Adds a direction to a sum, the way that agrees with it. */
static void add_line(double sum[3], const double n[3])
{
    peg_add_scaled(sum, peg_dot(sum, n) < 0 ? -1 : 1, n, sum);
}

/* The direction in the plane of a triangle out of its side, of unit length. */
static void outward(const peg_triangle_mesh *c, int e, int opposite, double out[3])
{
    peg_vec3 along;
    const double *origin = c->vertex[c->edge[e][0]];
    peg_sub(c->vertex[c->edge[e][1]], origin, along);
    peg_sub(origin, c->vertex[opposite], out);
    peg_add_scaled(out, -peg_dot(out, along) / peg_dot(along, along), along, out);
    peg_normalise(out);
}

/* Whether an edge has two triangles that lie on both sides of it, seen along the axis: then it can
 * be touched along directions between their normals only. */
static int is_regular(const peg_triangle_mesh *c, int e, const double axis[3])
{
    int start = c->across_start[e];
    double out[2][3], up[2][3];
    peg_vec3 along;
    if (c->across_start[e + 1] - start != 2) return 0;
    peg_sub(c->vertex[c->edge[e][1]], c->vertex[c->edge[e][0]], along);
    for (int i = 0; i < 2; i++) {
        outward(c, e, c->across[start + i], out[i]);
        peg_cross(out[i], along, up[i]);
    }
    return peg_dot(up[0], axis) * peg_dot(up[1], axis) < 0;
}

/* All edges at the corners of a triangle, so that the mesh about each corner is a graph over a
 * plane: what supports it there is no steeper than its steepest triangle. */
static void widen_by_corners(const peg_triangle_mesh *c, int t, peg_aabb_node *node)
{
    for (int k = 0; k < 3; k++) {
        int v = c->triangle[t][k];
        for (int i = c->fan_start[v]; i < c->fan_start[v + 1]; i++) {
            int u = c->fan[i];
            widen(node, c->normal[u]);
            for (int j = 0; j < 3; j++) {
                int e = c->side[u][j];
                if ((c->edge[e][0] == v || c->edge[e][1] == v) && !is_regular(c, e, node->axis))
                    node->angle = RIGHT;
            }
        }
    }
}

static void make_cone(peg_triangle_mesh *c, int at)
{
    peg_aabb_node *node = &c->node[at];
    double sum[3] = {0};
    if (!node->count) {
        make_cone(c, at + 1);
        make_cone(c, node->first);
    }
    for (int i = node->first; i < node->first + node->count; i++) add_line(sum, c->normal[i]);
    const peg_aabb_node *child[2] = {&c->node[at + 1], &c->node[node->first]};
    for (int i = 0; i < 2 && !node->count; i++) add_line(sum, child[i]->axis);
    if (!(peg_normalise(sum) > 0)) sum[0] = 1, node->angle = RIGHT;
    peg_copy3(sum, node->axis);
    for (int i = node->first; i < node->first + node->count; i++) widen_by_corners(c, i, node);
    for (int i = 0; i < 2 && !node->count; i++)
        node->angle =
            peg_max(node->angle, child[i]->angle + line_angle(node->axis, child[i]->axis));
}

void peg_aabb_tree_make_cones(peg_triangle_mesh *c)
{
    make_cone(c, 0);
}

int peg_is_out_of_cone(const peg_aabb_node *node, const double n[3], double by)
{
    double most = node->angle + by;
    if (!(most < RIGHT)) return 0;
    double along = peg_dot(node->axis, n), least = cos(most);
    return along * along < least * least * peg_dot(n, n);
}

/* --- searching --- */

static const peg_aabb everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, INFINITY, INFINITY}};

peg_region peg_region_of_box(const peg_aabb *box, pegMeshSearch by)
{
    return (peg_region){.box = by == PEG_MESH_SEARCH_ALL ? everywhere : *box};
}

/* Planes of a region whose distances from a box are kept; those of more are found twice. */
enum { MOST_PLANES = 32 };

/* A box as the planes of a region see it. */
typedef struct seen_box {
    double middle[3], half[3];
    double over[MOST_PLANES], out[MOST_PLANES]; /* its middle over a plane, and its extent, m */
} seen_box;

static inline void see_middle(const peg_aabb *box, seen_box *b)
{
    for (int k = 0; k < 3; k++) {
        b->middle[k] = .5 * (box->lo[k] + box->hi[k]);
        b->half[k] = .5 * (box->hi[k] - box->lo[k]);
    }
}

static inline void see_plane(const peg_region *r, int f, const seen_box *b, double *over,
                             double *out)
{
    const double *n = r->normal[f];
    *over = peg_dot(n, b->middle) - r->offset[f];
    *out = fabs(n[0]) * b->half[0] + fabs(n[1]) * b->half[1] + fabs(n[2]) * b->half[2];
}

/* Whether all of a box lies farther beyond a plane than the region reaches. */
static int is_beyond(const peg_region *r, seen_box *b)
{
    for (int f = 0; f < r->planes; f++) {
        double over, out;
        see_plane(r, f, b, &over, &out);
        if (over - out > r->by) return 1;
        if (f < MOST_PLANES) b->over[f] = over, b->out[f] = out;
    }
    return 0;
}

/* Whether a box is farther than `near` from a segment, along the direction from its middle to the
 * nearest point there. */
static int is_far_from_segment(const peg_aabb *box, const peg_region *r)
{
    double middle[3], along[3], d[3], most = 0;
    for (int k = 0; k < 3; k++) middle[k] = .5 * (box->lo[k] + box->hi[k]);
    peg_sub(r->to, r->from, along);
    peg_sub(middle, r->from, d);
    double length = peg_dot(along, along);
    double t = length > 0 ? peg_min(peg_max(peg_dot(along, d) / length, 0), 1) : 0;
    peg_add_scaled(d, -t, along, d);
    /* ends of the segment lie no higher along d than its nearest point */
    for (int k = 0; k < 3; k++) most += fabs(d[k]) * .5 * (box->hi[k] - box->lo[k]);
    double least = peg_dot(d, d) - most;
    return least > 0 && least * least > r->near * r->near * peg_dot(d, d);
}

/* Whether nothing in a node can be touched along the way to the segment. The way from a place to
 * the nearest point of something convex changes by no more than the place does. */
static int looks_away(const peg_aabb_node *node, const peg_region *r)
{
    double middle[3], half[3], along[3], d[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = .5 * (node->box.lo[k] + node->box.hi[k]);
        half[k] = .5 * (node->box.hi[k] - node->box.lo[k]);
    }
    peg_sub(r->to, r->from, along);
    peg_sub(middle, r->from, d);
    double length = peg_dot(along, along);
    double t = length > 0 ? peg_min(peg_max(peg_dot(along, d) / length, 0), 1) : 0;
    peg_add_scaled(d, -t, along, d);
    double off = peg_norm(half) + r->way, apart = peg_norm(d);
    return off < apart && peg_is_out_of_cone(node, d, r->slope + asin(off / apart));
}

/* Whether nothing in a node can be touched along normals of the planes it lies at. */
static int looks_past(const peg_aabb_node *node, const peg_region *r, const seen_box *b)
{
    double sum[3] = {0}, least = 1;
    int is_over = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int f = 0; f < r->planes; f++) {
            const double *n = r->normal[f];
            double over, out;
            if (f < MOST_PLANES)
                over = b->over[f], out = b->out[f];
            else
                see_plane(r, f, b, &over, &out);
            is_over |= over - out > r->touch;
            if (over + out < -r->depth) continue;
            if (pass == 0) peg_add_scaled(sum, 1, n, sum);
            least = peg_min(least, peg_dot(sum, n));
        }
        if (!is_over || !(peg_normalise(sum) > 0)) return 0;
        if (pass == 0) least = 1;
    }
    return peg_is_out_of_cone(node, sum, r->slope + acos(peg_max(least, -1)));
}

static int is_met(const peg_aabb_node *node, const peg_region *r)
{
    const peg_aabb *box = &node->box;
    seen_box seen;
    if (!peg_aabb_overlap(box, &r->box)) return 0;
    if (r->planes > 0) {
        see_middle(box, &seen);
        if (is_beyond(r, &seen)) return 0;
        if (r->depth > 0 && node->angle + r->slope < RIGHT && looks_past(node, r, &seen)) return 0;
    }
    if (!r->from) return 1;
    return !is_far_from_segment(box, r) && !(r->slope > 0 && looks_away(node, r));
}

static peg_aabb box_of(const peg_triangle_mesh *c, int triangle)
{
    const int *t = c->triangle[triangle];
    const double *u = c->vertex[t[0]], *v = c->vertex[t[1]], *w = c->vertex[t[2]];
    peg_aabb box;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = peg_min(u[k], peg_min(v[k], w[k]));
        box.hi[k] = peg_max(u[k], peg_max(v[k], w[k]));
    }
    return box;
}

/* Whether the box about a triangle meets a region, but for its planes. */
static int is_triangle_met(const peg_triangle_mesh *c, int triangle, const peg_region *r)
{
    peg_aabb box = box_of(c, triangle);
    return peg_aabb_overlap(&box, &r->box) && !(r->from && is_far_from_segment(&box, r));
}

static long search_from(const peg_triangle_mesh *c, int at, const peg_region *r,
                        peg_triangle_visitor *visit, void *context)
{
    const peg_aabb_node *node = &c->node[at];
    if (!is_met(node, r)) return 1;
    for (int i = node->first; i < node->first + node->count; i++)
        if (is_triangle_met(c, i, r)) visit(context, i);
    if (node->count) return 1;
    return 1 + search_from(c, at + 1, r, visit, context) +
           search_from(c, node->first, r, visit, context);
}

long peg_aabb_tree_search(const peg_triangle_mesh *c, const peg_region *region,
                          peg_triangle_visitor *visit, void *context)
{
    return search_from(c, 0, region, visit, context);
}

long peg_aabb_tree_search_node(const peg_triangle_mesh *c, int node, const peg_region *region,
                               peg_triangle_visitor *visit, void *context)
{
    return search_from(c, node, region, visit, context);
}

long peg_aabb_tree_overlap(const peg_triangle_mesh *c, const peg_aabb *box,
                           peg_triangle_visitor *visit, void *context)
{
    return search_from(c, 0, &(peg_region){.box = *box}, visit, context);
}

long peg_aabb_tree_below(const peg_triangle_mesh *c, const double normal[3], double offset,
                         peg_triangle_visitor *visit, void *context)
{
    peg_vec3 n;
    peg_copy3(normal, n);
    peg_region region = {
        .box = everywhere, .planes = 1, .normal = (const peg_vec3 *)&n, .offset = &offset};
    return search_from(c, 0, &region, visit, context);
}

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
    c->node[0].first = 0;
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

/* --- searching --- */

/* Whether all of a box lies farther than `by` beyond a plane. */
static int is_beyond(const peg_aabb *box, const double *n, double offset)
{
    double least = 0;
    for (int k = 0; k < 3; k++) least += peg_min(n[k] * box->lo[k], n[k] * box->hi[k]);
    return least > offset;
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

static int is_met(const peg_aabb *box, const peg_region *r)
{
    if (!peg_aabb_overlap(box, &r->box)) return 0;
    for (int f = 0; f < r->planes; f++)
        if (is_beyond(box, r->normal[f], r->offset[f] + r->by)) return 0;
    return !r->from || !is_far_from_segment(box, r);
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

static void search_from(const peg_triangle_mesh *c, int at, const peg_region *r,
                        peg_triangle_visitor *visit, void *context)
{
    const peg_aabb_node *node = &c->node[at];
    if (!is_met(&node->box, r)) return;
    for (int i = node->first; i < node->first + node->count; i++)
        if (is_triangle_met(c, i, r)) visit(context, i);
    if (node->count) return;
    search_from(c, at + 1, r, visit, context);
    search_from(c, node->first, r, visit, context);
}

void peg_aabb_tree_search(const peg_triangle_mesh *c, const peg_region *region,
                          peg_triangle_visitor *visit, void *context)
{
    search_from(c, 0, region, visit, context);
}

void peg_aabb_tree_overlap(const peg_triangle_mesh *c, const peg_aabb *box,
                           peg_triangle_visitor *visit, void *context)
{
    search_from(c, 0, &(peg_region){.box = *box}, visit, context);
}

static const peg_aabb everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, INFINITY, INFINITY}};

void peg_aabb_tree_below(const peg_triangle_mesh *c, const double normal[3], double offset,
                         peg_triangle_visitor *visit, void *context)
{
    peg_vec3 n;
    peg_copy3(normal, n);
    peg_region region = {
        .box = everywhere, .planes = 1, .normal = (const peg_vec3 *)&n, .offset = &offset};
    search_from(c, 0, &region, visit, context);
}

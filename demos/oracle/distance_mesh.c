/* Signed distance of meshes: the least over their triangles, found with trees of boxes. */
#include "demos/oracle/distance_core.h"

#include <math.h>
#include <stdlib.h>

#include "peg/base/math.h"

typedef struct node {
    double low[3], high[3];
    int first, count; /* leaf: triangles order[first ..]; otherwise count = 0, the children are the
                         next node and node `first` */
} node;

struct lab_tree {
    node *node;
    int *order, nodes;
};

enum { LEAF = 4 };

static const double *corner_of(const lab_shape *m, int triangle, int k)
{
    return m->vertex[m->index[m->start[triangle] + k]];
}

static void triangle_box(const lab_shape *m, int t, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        double a = corner_of(m, t, 0)[k], b = corner_of(m, t, 1)[k], c = corner_of(m, t, 2)[k];
        low[k] = peg_min(a, peg_min(b, c)) - m->round;
        high[k] = peg_max(a, peg_max(b, c)) + m->round;
    }
}

/* Boxes from the leaves up; children follow their parents. */
void lab_tree_fit(lab_tree *t, const lab_shape *m)
{
    for (int i = t->nodes - 1; i >= 0; i--) {
        node *n = &t->node[i];
        double low[3], high[3];
        for (int k = 0; k < 3; k++) n->low[k] = INFINITY, n->high[k] = -INFINITY;
        for (int c = 0; c < (n->count ? n->count : 2); c++) {
            const node *child = c ? &t->node[n->first] : n + 1;
            const double *l = n->count ? low : child->low, *h = n->count ? high : child->high;
            if (n->count) triangle_box(m, t->order[n->first + c], low, high);
            for (int k = 0; k < 3; k++) {
                n->low[k] = peg_min(n->low[k], l[k]);
                n->high[k] = peg_max(n->high[k], h[k]);
            }
        }
    }
}

static double middle(const lab_shape *m, int t, int k)
{
    return corner_of(m, t, 0)[k] + corner_of(m, t, 1)[k] + corner_of(m, t, 2)[k];
}

/* Puts the triangles with the lower half of the middles first (Hoare's selection). */
static void halve(const lab_shape *m, int *order, int n, int k)
{
    int low = 0, high = n - 1, half = n / 2;
    while (low < high) {
        double pivot = middle(m, order[(low + high) / 2], k);
        int i = low, j = high;
        while (i <= j) {
            while (middle(m, order[i], k) < pivot) i++;
            while (middle(m, order[j], k) > pivot) j--;
            if (i > j) break;
            int swap = order[i];
            order[i++] = order[j], order[j--] = swap;
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            return;
    }
}

static void split(lab_tree *t, const lab_shape *m, int first, int count)
{
    int own = t->nodes++, wide = 0;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (count <= LEAF) {
        t->node[own].first = first, t->node[own].count = count;
        return;
    }
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            double at = middle(m, t->order[i], k);
            low[k] = peg_min(low[k], at), high[k] = peg_max(high[k], at);
        }
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[wide] - low[wide]) wide = k;
    halve(m, t->order + first, count, wide);
    split(t, m, first, count / 2);
    t->node[own].first = t->nodes;
    split(t, m, first + count / 2, count - count / 2);
}

lab_tree *lab_tree_new(const lab_shape *m)
{
    lab_tree *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->node = calloc(2 * (size_t)m->nf + 1, sizeof *t->node);
    t->order = calloc((size_t)m->nf + 1, sizeof *t->order);
    if (!t->node || !t->order) {
        lab_tree_free(t);
        return NULL;
    }
    for (int i = 0; i < m->nf; i++) t->order[i] = i;
    if (m->nf > 0) split(t, m, 0, m->nf);
    lab_tree_fit(t, m);
    return t;
}

void lab_tree_free(lab_tree *t)
{
    if (!t) return;
    free(t->node);
    free(t->order);
    free(t);
}

/* What a mesh is compared with: something convex, or another mesh. */
typedef struct search {
    const lab_shape *mesh, *other;
    const lab_tree *tree, *other_tree;
    const lab_core *core;
    double low[3], high[3]; /* the box of the other */
    double least;
} search;

static void search_mesh(search *s);

static void search_triangle(search *s, int t)
{
    static const int start[3] = {0, 3, 6}, index[6] = {0, 1, 2, 0, 2, 1};
    double v[3][3], n[2][3], gap = 0, low[3], high[3];
    triangle_box(s->mesh, t, low, high);
    for (int k = 0; k < 3; k++) {
        gap = peg_max(gap, peg_max(low[k] - s->high[k], s->low[k] - high[k]));
        peg_copy3(corner_of(s->mesh, t, k), v[k]);
    }
    if (gap > 0 && gap >= s->least) return;
    double a[3], b[3];
    peg_sub(v[1], v[0], a);
    peg_sub(v[2], v[0], b);
    int flat = !lab_common_normal(a, b, n[0]);
    for (int k = 0; k < 3; k++) n[1][k] = -n[0][k];
    lab_core core = {.nv = 3,
                     .nf = flat ? 0 : 2,
                     .loops = 2,
                     .vertex = (const double(*)[3])v,
                     .start = start,
                     .index = index,
                     .normal = (const double(*)[3])n,
                     .round = s->mesh->round};
    if (s->core) {
        s->least = peg_min(s->least, lab_core_distance(&core, s->core, s->least));
        return;
    }
    search inner = {.mesh = s->other, .tree = s->other_tree, .core = &core, .least = s->least};
    peg_copy3(low, inner.low);
    peg_copy3(high, inner.high);
    search_mesh(&inner);
    s->least = inner.least;
}

static void search_node(search *s, int i)
{
    const node *n = &s->tree->node[i];
    double gap = 0;
    for (int k = 0; k < 3; k++)
        gap = peg_max(gap, peg_max(n->low[k] - s->high[k], s->low[k] - n->high[k]));
    if (gap > 0 && gap >= s->least) return;
    for (int k = 0; k < n->count; k++) search_triangle(s, s->tree->order[n->first + k]);
    if (n->count) return;
    search_node(s, i + 1);
    search_node(s, n->first);
}

static void search_mesh(search *s)
{
    if (s->mesh->nf == 0) return;
    if (s->tree)
        search_node(s, 0);
    else
        for (int t = 0; t < s->mesh->nf; t++) search_triangle(s, t);
}

double lab_distance_mesh(const lab_shape *mesh, const lab_tree *tree, const lab_shape *b,
                         const lab_tree *tree_b, double enough)
{
    lab_core core;
    search s = {.mesh = mesh, .tree = tree, .other = b, .other_tree = tree_b, .least = enough};
    lab_shape_bounds(b, s.low, s.high);
    if (b->kind != LAB_SHAPE_MESH) {
        core = lab_core_of(b);
        s.core = &core;
    }
    search_mesh(&s);
    return s.least;
}

double lab_winding(const lab_shape *m, const double point[3])
{
    double sum = 0;
    for (int t = 0; t < m->nf; t++) { /* solid angle (Van Oosterom, Strackee) */
        double d[3][3], l[3], c[3];
        for (int k = 0; k < 3; k++) {
            peg_sub(corner_of(m, t, k), point, d[k]);
            l[k] = peg_norm(d[k]);
        }
        peg_cross(d[1], d[2], c);
        double y = peg_dot(d[0], c), x = l[0] * l[1] * l[2] + peg_dot(d[0], d[1]) * l[2] +
                                         peg_dot(d[1], d[2]) * l[0] + peg_dot(d[2], d[0]) * l[1];
        sum += 2 * atan2(y, x);
    }
    return sum / (4 * acos(-1));
}

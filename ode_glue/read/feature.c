#include "ode_glue/read/feature.h"

/* From the triangles of a window to those of the field, which repeats itself. */
static int in_the_field(const peg_shape *s, const peg_triangle_mesh *triangle_mesh, int triangle)
{
    const peg_window *w = s->windows.of;
    while (w->triangle_mesh != triangle_mesh) w++;
    int line = w->to[0] - w->from[0], cell = triangle / 2;
    int nx = s->endless->columns - 1, nz = s->endless->rows - 1;
    int x = (w->from[0] + cell % line) % nx, z = (w->from[1] + cell / line) % nz;
    if (x < 0) x += nx;
    if (z < 0) z += nz;
    return 2 * (z * nx + x) + triangle % 2;
}

/* A vertex or an edge of a mesh, and where it is first met. */
typedef struct search {
    const peg_triangle_mesh *triangle_mesh;
    peg_feature_type feature;
    int number, triangle, corner;
} search;

static void visit(void *context, int t)
{
    search *s = context;
    const peg_triangle_mesh *c = s->triangle_mesh;
    const int *of = s->feature == PEG_VERTEX ? c->triangle[t] : c->side[t];
    for (int k = 0; k < 3; k++) {
        if (of[k] != s->number) continue;
        if (s->triangle >= 0 && c->source[s->triangle] <= c->source[t]) continue;
        s->triangle = t;
        s->corner = k;
    }
}

static search find(const peg_triangle_mesh *c, peg_feature_type feature, int number)
{
    search s = {c, feature, number, -1, 0};
    const double *x = c->vertex[feature == PEG_VERTEX ? number : c->edge[number][0]];
    peg_aabb point;
    peg_copy3(x, point.lo);
    peg_copy3(x, point.hi);
    peg_aabb_tree_overlap(c, &point, visit, &s);
    return s;
}

int peg_feature_number(const peg_part *part, peg_feature_type feature, int number)
{
    const peg_triangle_mesh *c = part->triangle_mesh;
    const peg_shape *s = part->user;
    int corner = 0, triangle = number; /* the core tells a face by the number ODE has for it */
    if (!c) return number;
    if (feature != PEG_FACE) {
        search found = find(c, feature, number);
        corner = found.corner;
        triangle = c->source[found.triangle];
    }
    if (s->endless) triangle = in_the_field(s, c, triangle);
    return feature == PEG_FACE ? triangle : 3 * triangle + corner;
}

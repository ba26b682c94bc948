/* Triangles of a mesh near another: those near to the box about all of it, each then against the
 * boxes of its tree. */
#include "peg/crossing.h"

typedef struct search {
    const peg_crossing *crossing;
    peg_triangle_visitor *visit;
    void *context;
} search;

/* The box about a triangle in the other mesh's frame, with what is near to it there. */
static peg_aabb box_there(const peg_crossing *c, int triangle)
{
    peg_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double arm = 0;
    for (int i = 0; i < 3; i++) {
        double y[3], d[3];
        peg_rotate(c->R, c->mesh->vertex[c->mesh->triangle[triangle][i]], y);
        peg_add_scaled(y, 1, c->at, y);
        peg_sub(y, c->pivot, d);
        arm = peg_max(arm, peg_dot(d, d));
        for (int k = 0; k < 3; k++) {
            box.lo[k] = peg_min(box.lo[k], y[k]);
            box.hi[k] = peg_max(box.hi[k], y[k]);
        }
    }
    double by = c->by + (c->spin > 0 ? c->spin * sqrt(arm) : 0);
    for (int k = 0; k < 3; k++) box.lo[k] -= by, box.hi[k] += by;
    return box;
}

static void look_there(void *context, int triangle)
{
    const search *s = context;
    peg_aabb box = box_there(s->crossing, triangle);
    if (peg_complex_is_near(s->crossing->other, &box)) s->visit(s->context, triangle);
}

/* How near counts for what comes from within twice the arm, as all does unless that is more than
 * the arm: then there is no bound. */
static double near_all(const peg_crossing *c)
{
    double by = c->by + 2 * c->spin * c->arm;
    return by < c->arm ? by : INFINITY;
}

void peg_crossing_search(const peg_crossing *c, const peg_aabb *box, peg_triangle_visitor *visit,
                         void *context)
{
    search s = {c, visit, context};
    const peg_aabb *whole = &c->other->node[0].box;
    peg_vec3 normal[6];
    double offset[6];
    peg_region region = {.box = *box, .by = near_all(c)};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            normal[k][i] = c->R[3 * k + i];
            normal[3 + k][i] = -c->R[3 * k + i];
        }
        offset[k] = whole->hi[k] - c->at[k];
        offset[3 + k] = c->at[k] - whole->lo[k];
    }
    region.normal = (const peg_vec3 *)normal, region.offset = offset;
    region.planes = isfinite(region.by) ? 6 : 0;
    peg_complex_search(c->mesh, &region, look_there, &s);
}

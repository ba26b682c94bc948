/* Triangles of two meshes near each other: those of the first that are near to the box about all of
 * the second, each then against the boxes of its tree. */
#include "peg/collide/mesh_mesh.h"

#include "peg/shape/aabb_tree.h"

typedef struct search {
    const peg_mesh_pair *crossing;
    peg_mesh_pair_visitor *visit;
    void *context;
    peg_near_triangle crosser;
} search;

static double farther(double most, const double *from, const double *to)
{
    double d[3];
    peg_sub(to, from, d);
    return peg_max(most, peg_dot(d, d));
}

static void set_crosser(const peg_mesh_pair *c, int triangle, peg_near_triangle *out)
{
    double arm[2] = {0};
    out->triangle = triangle;
    for (int i = 0; i < 3; i++) {
        const double *x = c->mesh[0]->vertex[c->mesh[0]->triangle[triangle][i]];
        peg_rotate(c->R, x, out->corner[i]);
        peg_add_scaled(out->corner[i], 1, c->at, out->corner[i]);
        arm[0] = farther(arm[0], c->pivot[0], x);
        arm[1] = farther(arm[1], c->pivot[1], out->corner[i]);
    }
    out->by = c->by;
    for (int i = 0; i < 2; i++)
        if (c->spin[i] > 0) out->by += c->spin[i] * sqrt(arm[i]);
}

static void meet(void *context, int triangle)
{
    search *s = context;
    s->visit(s->context, &s->crosser, triangle);
}

static void look_there(void *context, int triangle)
{
    search *s = context;
    const peg_vec3 *corner = (const peg_vec3 *)s->crosser.corner;
    peg_aabb box;
    set_crosser(s->crossing, triangle, &s->crosser);
    for (int k = 0; k < 3; k++) {
        double by = s->crosser.by;
        box.lo[k] = peg_min(peg_min(corner[0][k], corner[1][k]), corner[2][k]) - by;
        box.hi[k] = peg_max(peg_max(corner[0][k], corner[1][k]), corner[2][k]) + by;
    }
    peg_aabb_tree_overlap(s->crossing->mesh[1], &box, meet, s);
}

/* What is near to the box about all of the second mesh; normal, offset: room for its planes. */
static peg_region near_whole(const peg_mesh_pair *c, double by, peg_vec3 *normal, double *offset)
{
    const peg_aabb *whole = &c->mesh[1]->node[0].box;
    peg_region r = {.planes = 6, .normal = (const peg_vec3 *)normal, .offset = offset, .by = by};
    double middle[3], half[3];
    for (int k = 0; k < 3; k++) {
        middle[k] = .5 * (whole->lo[k] + whole->hi[k]) - c->at[k];
        half[k] = .5 * (whole->hi[k] - whole->lo[k]);
        for (int i = 0; i < 3; i++) {
            normal[k][i] = c->R[3 * k + i];
            normal[3 + k][i] = -c->R[3 * k + i];
        }
        offset[k] = middle[k] + half[k];
        offset[3 + k] = half[k] - middle[k];
    }
    for (int k = 0; k < 3; k++) {
        r.box.lo[k] = r.box.hi[k] = 0;
        for (int i = 0; i < 3; i++) {
            double at = c->R[3 * i + k] * middle[i], out = fabs(c->R[3 * i + k]) * (half[i] + by);
            r.box.lo[k] += at - out, r.box.hi[k] += at + out;
        }
    }
    return r;
}

void peg_mesh_pair_search(const peg_mesh_pair *c, const peg_aabb *box, peg_mesh_pair_visitor *visit,
                          void *context)
{
    search s = {.crossing = c, .visit = visit, .context = context};
    /* how near counts for what comes from within twice the arm, as all does unless that is more
     * than the arm: then there is no bound */
    double offset[6], by = c->by + 2 * c->spin[1] * c->arm[1];
    if (c->spin[0] > 0) by += c->spin[0] * c->arm[0];
    if (!(by < c->arm[1])) by = INFINITY;
    peg_vec3 normal[6];
    peg_region region = {.box = *box};
    if (isfinite(by)) region = near_whole(c, by, normal, offset);
    peg_aabb_tree_search(c->mesh[0], &region, look_there, &s);
}

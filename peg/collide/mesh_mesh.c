/* Triangles of two meshes near each other: those of the first that are near to the box about all of
 * the second, each then against the boxes of its tree. */
#include "peg/collide/mesh_mesh.h"

#include "peg/shape/aabb_tree.h"

typedef struct search {
    const peg_mesh_pair *crossing;
    peg_mesh_pair_visitor *visit;
    void *context;
    peg_near_triangle crosser;
    pegMeshSearch by;
    long nodes;
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

/* The box about a triangle. */
static peg_region about(const peg_near_triangle *t)
{
    const peg_vec3 *corner = (const peg_vec3 *)t->corner;
    peg_region r = {.by = t->by};
    for (int k = 0; k < 3; k++) {
        r.box.lo[k] = peg_min(peg_min(corner[0][k], corner[1][k]), corner[2][k]) - t->by;
        r.box.hi[k] = peg_max(peg_max(corner[0][k], corner[1][k]), corner[2][k]) + t->by;
    }
    return r;
}

static void look_there(void *context, int triangle)
{
    search *s = context;
    set_crosser(s->crossing, triangle, &s->crosser);
    peg_region r = about(&s->crosser);
    r = peg_region_of_box(&r.box, s->by);
    s->nodes += peg_aabb_tree_search(s->crossing->mesh[1], &r, meet, s);
}

/* The same in some nodes of the second tree, of what is near to its plane and its sides. */
static void look_at_triangle(search *s, int triangle, const int *node, int nodes)
{
    peg_vec3 normal[5];
    double offset[5];
    const peg_vec3 *corner = (const peg_vec3 *)s->crosser.corner;
    set_crosser(s->crossing, triangle, &s->crosser);
    peg_region r = about(&s->crosser);
    r.planes = 5, r.normal = (const peg_vec3 *)normal, r.offset = offset;
    peg_rotate(s->crossing->R, s->crossing->mesh[0]->normal[triangle], normal[0]);
    for (int k = 0; k < 3; k++) {
        peg_vec3 along;
        normal[1][k] = -normal[0][k];
        peg_sub(corner[(k + 1) % 3], corner[k], along);
        peg_cross(along, normal[0], normal[2 + k]);
        peg_normalise(normal[2 + k]);
        offset[2 + k] = peg_dot(normal[2 + k], corner[k]);
    }
    offset[0] = peg_dot(normal[0], corner[0]);
    offset[1] = -offset[0];
    for (int i = 0; i < nodes; i++)
        s->nodes += peg_aabb_tree_search_node(s->crossing->mesh[1], node[i], &r, meet, s);
}

/* --- both trees --- */

/* Nodes of the second tree that are near to one of the first; where there is no room for their
 * children they stay as they are. */
enum { MOST_NODES = 64 };

/* A node of the first tree in the frame of the second. */
typedef struct near_node {
    double centre[3], half[3]; /* in its own frame */
    double at[3], axis[3];     /* in that of the second: its centre, and that of its cone */
    double size, by, angle;
} near_node;

static void place_node(const search *s, int at, near_node *out)
{
    const peg_mesh_pair *c = s->crossing;
    const peg_aabb_node *node = &c->mesh[0]->node[at];
    for (int k = 0; k < 3; k++) {
        out->centre[k] = .5 * (node->box.lo[k] + node->box.hi[k]);
        out->half[k] = .5 * (node->box.hi[k] - node->box.lo[k]);
    }
    peg_rotate(c->R, out->centre, out->at);
    peg_add_scaled(out->at, 1, c->at, out->at);
    peg_rotate(c->R, node->axis, out->axis);
    out->angle = node->angle;
    out->size = peg_norm(out->half);
    out->by = c->by;
    const double *from[2] = {out->centre, out->at};
    for (int i = 0; i < 2; i++) {
        double arm[3];
        peg_sub(from[i], c->pivot[i], arm);
        if (c->spin[i] > 0) out->by += c->spin[i] * (peg_norm(arm) + out->size);
    }
}

/* How far the boxes about two nodes are apart at least, along the axes of either. */
static double between_boxes(const search *s, const near_node *a, const peg_aabb_node *node)
{
    const double *R = s->crossing->R;
    double apart[3], back[3], other[3], most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        apart[k] = a->at[k] - .5 * (node->box.lo[k] + node->box.hi[k]);
        other[k] = .5 * (node->box.hi[k] - node->box.lo[k]);
    }
    peg_rotate_back(R, apart, back);
    for (int k = 0; k < 3; k++) {
        double of_a = 0, of_b = 0;
        for (int i = 0; i < 3; i++) {
            of_a += fabs(R[3 * k + i]) * a->half[i];
            of_b += fabs(R[3 * i + k]) * other[i];
        }
        most = peg_max(most, fabs(apart[k]) - of_a - other[k]);
        most = peg_max(most, fabs(back[k]) - of_b - a->half[k]);
    }
    return most;
}

/* Whether some of two nodes may be near and look at each other. What has met counts as it looks. */
static int may_meet(search *s, const near_node *a, const peg_aabb_node *node)
{
    double apart = between_boxes(s, a, node);
    s->nodes++;
    if (apart > a->by) return 0;
    return !(apart > 0) || !peg_is_out_of_cone(node, a->axis, a->angle + s->crossing->slope);
}

static double size_of(const peg_aabb_node *node)
{
    double d[3];
    peg_sub(node->box.hi, node->box.lo, d);
    return .5 * peg_norm(d);
}

/* A node of the second tree is divided while it is larger than that of the first by this factor: by
 * 1, 2 and 4 `peg-lab run mesh-100k --set a=5 --steps 40` visits 1.54, 1.39 and 1.51 million. */
static const double LARGER = 2;

/* Adds what may be met of a node of the second tree, as such nodes; `left` nodes will need room,
 * too. */
static int take_near(search *s, const near_node *a, int at, int left, int *node, int count)
{
    const peg_aabb_node *of = &s->crossing->mesh[1]->node[at];
    if (!may_meet(s, a, of)) return count;
    if (of->count || size_of(of) <= LARGER * a->size || count + left + 2 > MOST_NODES) {
        node[count] = at;
        return count + 1;
    }
    count = take_near(s, a, at + 1, left + 1, node, count);
    return take_near(s, a, of->first, left, node, count);
}

/* Nodes of the first tree are held against those of the second at every other level: from one to
 * the next few drop out. */
static void look_from(search *s, int at, int tested, const int *node, int nodes)
{
    const peg_aabb_node *of = &s->crossing->mesh[0]->node[at];
    int near[MOST_NODES], count = 0, tests = of->count || !tested;
    near_node a;
    if (tests) {
        place_node(s, at, &a);
        for (int i = 0; i < nodes; i++)
            count = take_near(s, &a, node[i], nodes - i - 1, near, count);
        node = near, nodes = count;
    }
    if (nodes == 0) return;
    for (int i = of->first; i < of->first + of->count; i++) look_at_triangle(s, i, node, nodes);
    if (of->count) return;
    look_from(s, at + 1, tests, node, nodes);
    look_from(s, of->first, tests, node, nodes);
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

long peg_mesh_pair_search(const peg_mesh_pair *c, const peg_aabb *box, pegMeshSearch by,
                          peg_mesh_pair_visitor *visit, void *context)
{
    search s = {.crossing = c, .visit = visit, .context = context, .by = by};
    /* how near counts for what comes from within twice the arm, as all does unless that is more
     * than the arm: then there is no bound */
    double offset[6], far = c->by + 2 * c->spin[1] * c->arm[1];
    if (c->spin[0] > 0) far += c->spin[0] * c->arm[0];
    if (!(far < c->arm[1])) far = INFINITY;
    peg_vec3 normal[6];
    peg_region region = {.box = *box};
    if (isfinite(far)) region = near_whole(c, far, normal, offset);
    if (by == PEG_MESH_SEARCH_BOUNDS && isfinite(far)) {
        look_from(&s, 0, 0, (const int[]){0}, 1);
        return s.nodes;
    }
    if (by != PEG_MESH_SEARCH_BOUNDS) region = peg_region_of_box(&region.box, by);
    s.nodes += peg_aabb_tree_search(c->mesh[0], &region, look_there, &s);
    return s.nodes;
}

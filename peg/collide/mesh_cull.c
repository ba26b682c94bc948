/* Which features of a mesh a convex part can touch first.
 *
 * Let x on the part and y on the mesh be nearest points, and n the direction from y to x. If y lies
 * on an edge or a vertex next to which the mesh goes on in a direction d with n . d > 0, then what
 * lies there is nearer still: the least distance is never found at y. Wherever no pose that the
 * part may get to has a nearest point on a feature, the pairs of the feature's neighbours do for
 * it, and a triangle without any feature left has no pair at all.
 *
 * Poses are covered by bounds: no point of the part gets farther than `way` from where it is taken
 * to be. A part that is all points near to a point or a segment cannot get that deep, so its
 * nearest points are those of the core. Other parts have no distance once they have met the mesh;
 * for them the argument holds while they grow from what is left of them when shrunk towards the
 * centre until they are clear of the mesh: by as much as they move, along every normal, so that
 * their features lie up to `deep` from where they are. There n is a combination of the normals of
 * the faces about x, turned round. */
#include "peg/collide/mesh_cull.h"

#include "peg/base/tolerance.h"

/* --- the part in the frame of the mesh --- */

static void into_frame(const double x[3], const double R[9], const double *world, double *out)
{
    peg_sub(world, x, out);
    peg_rotate_back(R, out, out);
}

/* Depth, in sizes, from which on parts may intersect. */
static const double MET = 1e-6;

/* A dilated part against a mesh is the inner part against the mesh with that radius. */
static void dilate(const peg_polytope *shape, double round, peg_polytope *out)
{
    *out = *shape;
    if (!(round > 0)) return;
    if (out->kind == PEG_SHAPE_POLYTOPE) out->kind = PEG_SHAPE_ROUNDED;
    out->round += round, out->inner += round, out->radius += round, out->size += round;
}

int peg_mesh_cull_begin(peg_arena *arena, const peg_placed_mesh *placed, const peg_view *view,
                        const double shift[3], double way, double turn, double slope,
                        peg_mesh_cull *out)
{
    const double *x = placed->at, *R = placed->R;
    const peg_polytope *P = &out->shape;
    *out = (peg_mesh_cull){.mesh = placed->mesh, .way = way, .turn = turn, .slope = slope};
    dilate(view->shape, placed->round, &out->shape);
    double from[3], moved = peg_norm(shift) + way + MET * P->size;
    out->reach = way + peg_mesh_cull_room(P->size, placed->mesh);
    out->part.shape = P;
    out->part.vertex = PEG_NEW(arena, peg_vec3, P->nv);
    out->part.normal = PEG_NEW(arena, peg_vec3, P->nf);
    out->part.offset = PEG_NEW(arena, double, P->nf);
    out->over = PEG_NEW(arena, peg_vec3, P->nf);
    if (!out->part.vertex || !out->part.normal || !out->part.offset || !out->over) return 0;
    out->all = !(2 * moved < P->inner);
    out->from_start = peg_norm(shift) + out->reach;
    if (out->all) out->reach = out->from_start;
    peg_add_scaled(x, out->all ? 0 : -1, shift, from);
    for (int v = 0; v < P->nv; v++) into_frame(from, R, view->vertex[v], out->part.vertex[v]);
    for (int f = 0; f < P->nf; f++) {
        peg_rotate_back(R, view->normal[f], out->part.normal[f]);
        out->part.offset[f] = view->offset[f] - peg_dot(view->normal[f], from);
    }
    into_frame(from, R, view->centre, out->part.centre);
    out->deep = peg_is_round(P) ? way : way + moved * P->give;
    if (!peg_is_segment(P)) return 1;
    peg_sub(out->part.vertex[1], out->part.vertex[0], out->axis);
    out->length = peg_normalise(out->axis);
    return 1;
}

void peg_mesh_cull_region(const peg_mesh_cull *c, peg_region *r)
{
    const peg_view *part = &c->part;
    const peg_polytope *P = part->shape;
    *r = (peg_region){.planes = P->nf,
                      .normal = (const peg_vec3 *)part->normal,
                      .offset = part->offset,
                      .by = c->reach + P->round,
                      .near = c->reach + peg_across(P)};
    for (int k = 0; k < 3; k++) {
        double by = c->reach + P->round + P->rim * sqrt(peg_max(1 - c->axis[k] * c->axis[k], 0));
        r->box.lo[k] = INFINITY, r->box.hi[k] = -INFINITY;
        for (int v = 0; v < P->nv; v++) {
            r->box.lo[k] = peg_min(r->box.lo[k], part->vertex[v][k] - by);
            r->box.hi[k] = peg_max(r->box.hi[k], part->vertex[v][k] + by);
        }
    }
    if (!peg_is_dilated(P) || peg_is_rounded(P)) {
        if (c->all) return;
        r->depth = c->reach + c->deep + P->round;
        r->touch = MET * P->size + P->round;
        r->slope = c->turn + c->slope;
        return;
    }
    r->from = part->vertex[0];
    r->to = part->vertex[P->nv - 1];
    if (!peg_is_round(P) || c->all) return;
    r->way = c->way;
    r->slope = c->slope;
}

/* --- faces --- */

/* Whether the projection of a point along n is in the triangle, or less than `by` beyond its sides.
 */
static int is_over(const double *const corner[3], const double *n, const double *point, double by)
{
    for (int k = 0; k < 3; k++) {
        peg_vec3 along, out, d;
        peg_sub(corner[(k + 1) % 3], corner[k], along);
        peg_cross(along, n, out);
        peg_sub(point, corner[k], d);
        double beyond = peg_dot(out, d);
        if (beyond > 0 && beyond * beyond > by * by * peg_dot(along, along)) return 0;
    }
    return 1;
}

/* Rim of a cap near a triangle's plane: its lowest point, or all of it where it is nearly in the
 * plane, so that any point may be the lowest after a small rotation. */
static int rim_is_over(const peg_mesh_cull *c, const double *const corner[3], const double *n,
                       double side, int v)
{
    double rim = c->part.shape->rim, by = c->deep, low[3], d[3], farthest = 0;
    const double *centre = c->part.vertex[v];
    double cosine = side * peg_dot(n, c->axis), round = c->part.shape->round;
    for (int k = 0; k < 3; k++) low[k] = side * n[k] - cosine * c->axis[k];
    double sine = peg_normalise(low), height = side * (peg_dot(n, centre) - peg_dot(n, corner[0]));
    if (height - rim * sine > c->reach + round) return 0;
    if (sine > c->slope && 2 * c->way < .5 * rim * sine) {
        peg_add_scaled(centre, -rim, low, d);
        /* points up to 2 way higher may become the lowest */
        return is_over(corner, n, d, by + 2 * sqrt(rim * c->way / sine));
    }
    for (int k = 0; k < 3; k++) {
        peg_sub(corner[k], centre, d);
        farthest = peg_max(farthest, peg_dot(d, d));
    }
    return farthest >= (rim - by) * fabs(rim - by) && is_over(corner, n, centre, rim + by);
}

/* Whether the core of a dilated part intersects the triangle. */
static int is_pierced(const peg_mesh_cull *c, const double *const corner[3], const double *n)
{
    const double *x = c->part.vertex[0];
    double d[3], at[3];
    peg_sub(corner[0], x, d);
    double height = peg_dot(n, d), rise = c->length * peg_dot(n, c->axis);
    if (!(height * (rise - height) > 0)) return 0;
    peg_add_scaled(x, height / rise * c->length, c->axis, at);
    return is_over(corner, n, at, c->deep);
}

/* Whether a vertex or a rim of the part may touch the face of a triangle, from one side unless the
 * part is dilated. */
static int face_counts(const peg_mesh_cull *c, const double *const corner[3], const double *n,
                       double side)
{
    const peg_polytope *P = c->part.shape;
    double off = peg_dot(n, corner[0]);
    for (int v = 0; v < P->nv; v++) {
        const double *x = c->part.vertex[v];
        if (peg_has_rim(P)) {
            if (rim_is_over(c, corner, n, side, v)) return 1;
            continue;
        }
        double height = peg_dot(n, x) - off;
        if ((peg_is_round(P) ? fabs(height) : side * height) > c->reach + P->round) continue;
        if (is_over(corner, n, x, c->deep)) return 1;
    }
    return peg_is_round(P) && is_pierced(c, corner, n);
}

/* --- edges and vertices --- */

/* Largest number of a part's faces examined for one spot. */
enum { MOST_FACES = 32 };

/* Spot: a vertex (a = b) or an edge of the mesh, with the region of the part that may be nearest to
 * it. */
typedef struct spot {
    const double *a, *b;
    int i, j;          /* corners of the triangle examined */
    double core[2][3]; /* of a dilated part: two points of its core and the segment between */
    int faces, face[MOST_FACES];
    int on_side;      /* of a cylinder: its side may be nearest */
    double out[2][3]; /* from its axis to the ends of the stretch in reach */
} spot;

static int is_vertex(const spot *s)
{
    return s->a == s->b;
}

/* Vector from the axis of a segment to a point, normal to the axis. */
static void from_axis(const peg_mesh_cull *c, const double *y, double out[3])
{
    peg_sub(y, c->part.vertex[0], out);
    if (c->length > 0) peg_add_scaled(out, -peg_dot(out, c->axis), c->axis, out);
}

static void take_core(const peg_mesh_cull *c, double from, double to, spot *s)
{
    const double *x = c->part.vertex[0];
    peg_add_scaled(x, peg_max(from, 0), c->axis, s->core[0]);
    peg_add_scaled(x, peg_min(to, c->length), c->axis, s->core[1]);
}

/* Segment of the core no farther from a vertex than the nearest point plus twice `way`; 0 if the
 * vertex is out of reach. */
static int core_near_vertex(const peg_mesh_cull *c, spot *s)
{
    double d[3], out[3];
    peg_sub(s->a, c->part.vertex[0], d);
    from_axis(c, s->a, out);
    double along = c->length > 0 ? peg_dot(d, c->axis) : 0, off = peg_dot(out, out);
    double past = peg_max(0, peg_max(-along, along - c->length));
    double least = sqrt(off + past * past), most = least + 2 * c->way;
    double spread = sqrt(peg_max(most * most - off, 0));
    if (least > c->part.shape->round + c->reach) return 0;
    take_core(c, along - spread, along + spread, s);
    return 1;
}

/* The same for the line of an edge; 0 also if the edge's own nearest points are its ends. */
static int core_near_edge(const peg_mesh_cull *c, spot *s)
{
    const double *x = c->part.vertex[0];
    double e[3], w[3], across[3];
    peg_sub(s->b, s->a, e);
    peg_sub(x, s->a, w);
    double ee = peg_dot(e, e), at = peg_dot(w, e) / ee, climb = peg_dot(c->axis, e) / ee;
    peg_add_scaled(w, -at, e, w);
    peg_add_scaled(c->axis, -climb, e, across);
    double ww = peg_dot(w, w), aa = peg_dot(across, across), wa = peg_dot(w, across);
    double from = 0, to = 0, least = sqrt(ww);
    if (c->length > 0) {
        double t = aa > 0 ? peg_min(peg_max(-wa / aa, 0), c->length) : 0;
        least = sqrt(peg_max(ww + t * (2 * wa + t * aa), 0));
        double most = least + 2 * c->way, room = wa * wa - aa * (ww - most * most);
        double spread = sqrt(peg_max(room, 0));
        from = aa * c->length < spread ? 0 : (-wa - spread) / aa;
        to = aa * c->length < spread ? c->length : (-wa + spread) / aa;
        from = peg_max(from, 0), to = peg_min(to, c->length);
    }
    if (least > c->part.shape->round + c->reach) return 0;
    double first = at + from * climb, last = at + to * climb, slack = c->way / sqrt(ee);
    if ((first < -slack && last < -slack) || (first > 1 + slack && last > 1 + slack)) return 0;
    take_core(c, from, to, s);
    return 1;
}

/* Parameter interval of a spot, from a to b, within reach of every face plane of the part; 0 if it
 * is empty. */
static int stretch_near(const peg_mesh_cull *c, const spot *s, double stretch[2])
{
    stretch[0] = 0, stretch[1] = 1;
    for (int f = 0; f < c->part.shape->nf; f++) {
        double a = c->over[f][s->i] - c->reach, b = c->over[f][s->j] - c->reach;
        if (a > 0 && b > 0) return 0;
        if (a > 0) stretch[0] = peg_max(stretch[0], a / (a - b));
        if (b > 0) stretch[1] = peg_min(stretch[1], a / (a - b));
    }
    return stretch[0] <= stretch[1] + PEG_TOUCH;
}

/* Least and greatest distance from the axis of a cylinder along a stretch from the first point. */
static void off_axis(const double from[3], const double to[3], double *least, double *most)
{
    double e[3], at[3];
    peg_sub(to, from, e);
    double ee = peg_dot(e, e), t = ee > 0 ? peg_min(peg_max(-peg_dot(from, e) / ee, 0), 1) : 0;
    peg_add_scaled(from, t, e, at);
    *least = peg_norm(at);
    *most = peg_max(peg_norm(from), peg_norm(to));
}

static double between(double a, double b, double t)
{
    return a + t * (b - a);
}

/* Faces of the part, and the side of a cylinder, to which a spot may be nearest; 0 if it is out of
 * reach. */
static int faces_near(const peg_mesh_cull *c, spot *s)
{
    const peg_polytope *P = c->part.shape;
    double deepest = -c->reach - c->deep, stretch[2], least, most;
    s->faces = 0;
    s->on_side = 0;
    if (!stretch_near(c, s, stretch)) return 0;
    for (int f = 0; f < P->nf; f++) {
        double a = c->over[f][s->i], b = c->over[f][s->j];
        if (peg_max(between(a, b, stretch[0]), between(a, b, stretch[1])) < deepest) continue;
        if (s->faces < MOST_FACES) s->face[s->faces] = f;
        s->faces++;
    }
    if (!peg_has_rim(P)) return 1;
    double out[2][3];
    from_axis(c, s->a, out[0]);
    from_axis(c, s->b, out[1]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) s->out[i][k] = between(out[0][k], out[1][k], stretch[i]);
    off_axis(s->out[0], s->out[1], &least, &most);
    s->on_side = most >= P->rim + P->round + deepest;
    return least <= P->rim + P->round + c->reach;
}

/* Whether the mesh is nearer along d for every pose within the bounds. */
static int is_nearer_along(const peg_mesh_cull *c, const spot *s, const double *d)
{
    const peg_polytope *P = c->part.shape;
    double length = peg_norm(d);
    if (peg_is_round(P)) {
        double least = c->way * length;
        if (c->length > 0) least += c->slope * (P->round + c->reach) * fabs(peg_dot(c->axis, d));
        for (int k = 0; k < 2; k++) {
            peg_vec3 q;
            peg_sub(s->core[k], s->a, q);
            if (!(peg_dot(q, d) > least)) return 0;
        }
        return 1;
    }
    double tolerance = c->turn + PEG_TOUCH;
    for (int i = 0; i < s->faces; i++)
        if (!(-peg_dot(c->part.normal[s->face[i]], d) > tolerance * length)) return 0;
    for (int k = 0; k < 2 && s->on_side; k++) {
        double least = tolerance * peg_norm(s->out[k]) + 2 * c->deep;
        if (!(-peg_dot(s->out[k], d) > least * length)) return 0;
    }
    return 1;
}

static int is_in_reach(const peg_mesh_cull *c, spot *s)
{
    if (!peg_is_round(c->part.shape)) return faces_near(c, s);
    return is_vertex(s) ? core_near_vertex(c, s) : core_near_edge(c, s);
}

/* Whether the normals at a spot are unrestricted: rounded edges have all normals between those of
 * their faces. */
static int is_vague(const peg_mesh_cull *c, const spot *s)
{
    if (peg_is_round(c->part.shape)) return 0;
    if (c->part.shape->round > 0) return 1;
    return s->faces > MOST_FACES || (s->faces == 0 && !s->on_side);
}

/* Of the triangles that share an edge or a vertex, the one whose normal is closest to n or -n: its
 * pair represents contact there along n. */
static int most_along(const peg_triangle_mesh *m, const int *triangle, int count, const double n[3])
{
    int best = triangle[0];
    double most = -INFINITY;
    for (int k = 0; k < count; k++) {
        double along = fabs(peg_dot(m->normal[triangle[k]], n));
        if (along > most) most = along, best = triangle[k];
    }
    return best;
}

/* Of the triangles that share a spot, those whose normals are close to directions of possible
 * contact. */
static void visit_sharers(const peg_mesh_cull *c, const spot *s, const int *triangle, int count,
                          peg_need_visitor *visit, void *context)
{
    const peg_triangle_mesh *m = c->mesh;
    if (peg_is_round(c->part.shape)) {
        visit(context, triangle[0], 0);
        return;
    }
    if (is_vague(c, s)) {
        for (int k = 0; k < count; k++) visit(context, triangle[k], 0);
        return;
    }
    int last = -1;
    for (int i = 0; i < s->faces; i++) {
        int best = most_along(m, triangle, count, c->part.normal[s->face[i]]);
        if (best != last) visit(context, best, 0);
        last = best;
    }
    for (int k = 0; k < 2 && s->on_side; k++)
        visit(context, most_along(m, triangle, count, s->out[k]), 0);
}

/* Of corner k of a triangle. */
static void try_vertex(const peg_mesh_cull *c, int t, int k, peg_need_visitor *visit, void *context)
{
    const peg_triangle_mesh *m = c->mesh;
    int v = m->triangle[t][k];
    spot s;
    s.a = s.b = m->vertex[v];
    s.i = s.j = k;
    if (!is_in_reach(c, &s)) return;
    for (int n = m->next_start[v]; n < m->next_start[v + 1] && !is_vague(c, &s); n++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->next[n]], s.a, d);
        if (is_nearer_along(c, &s, d)) return;
    }
    int start = m->fan_start[v];
    visit_sharers(c, &s, m->fan + start, m->fan_start[v + 1] - start, visit, context);
}

/* Of side k of a triangle. */
static void try_edge(const peg_mesh_cull *c, int t, int k, peg_need_visitor *visit, void *context)
{
    const peg_triangle_mesh *m = c->mesh;
    int e = m->side[t][k], start = m->across_start[e], end = m->across_start[e + 1];
    spot s;
    s.i = k, s.j = (k + 1) % 3;
    s.a = m->vertex[m->triangle[t][s.i]], s.b = m->vertex[m->triangle[t][s.j]];
    peg_vec3 along;
    if (!is_in_reach(c, &s)) return;
    peg_sub(s.b, s.a, along);
    double ee = peg_dot(along, along);
    for (int n = start; n < end && !is_vague(c, &s); n++) {
        peg_vec3 d;
        peg_sub(m->vertex[m->across[n]], s.a, d);
        peg_add_scaled(d, -peg_dot(d, along) / ee, along, d);
        if (is_nearer_along(c, &s, d)) return;
    }
    visit_sharers(c, &s, m->beside + start, end - start, visit, context);
}

/* --- triangles --- */

/* Extent of the part along the normal of a triangle, from its plane, m. */
static void heights(const peg_mesh_cull *c, const double *n, double off, double *low, double *high)
{
    const peg_polytope *P = c->part.shape;
    double by = P->round, cross[3];
    *low = INFINITY, *high = -INFINITY;
    for (int v = 0; v < P->nv; v++) {
        double h = peg_dot(n, c->part.vertex[v]) - off;
        *low = peg_min(*low, h), *high = peg_max(*high, h);
    }
    if (peg_has_rim(P)) {
        peg_cross(c->axis, n, cross);
        by += P->rim * peg_norm(cross);
    }
    *low -= by, *high += by;
}

/* Largest height of a whole triangle above a face plane of the part, m; evaluation ends once it is
 * out of reach. */
static double above_faces(const peg_mesh_cull *c, const double *const corner[3])
{
    double best = -INFINITY;
    for (int f = 0; f < c->part.shape->nf && best <= c->reach; f++) {
        const double *n = c->part.normal[f];
        double *over = c->over[f];
        double out = c->part.offset[f] + c->part.shape->round;
        for (int k = 0; k < 3; k++) over[k] = peg_dot(n, corner[k]) - out;
        best = peg_max(best, peg_min(peg_min(over[0], over[1]), over[2]));
    }
    return best;
}

/* Distance of the triangle from the axis of a cylinder, m. */
static double beside_rim(const peg_mesh_cull *c, const double *const corner[3])
{
    double out[3][3], beside[3];
    for (int k = 0; k < 3; k++) from_axis(c, corner[k], out[k]);
    for (int k = 0; k < 3; k++) beside[k] = out[0][k] + out[1][k] + out[2][k];
    peg_normalise(beside);
    double h =
        peg_min(peg_min(peg_dot(beside, out[0]), peg_dot(beside, out[1])), peg_dot(beside, out[2]));
    return h - c->part.shape->rim - c->part.shape->round;
}

/* The point of a triangle that is nearest to p. */
static void nearest_of_triangle(const double *const corner[3], const double *n, const double *p,
                                double out[3])
{
    double least = INFINITY, d[3];
    peg_sub(p, corner[0], d);
    peg_add_scaled(p, -peg_dot(n, d), n, out);
    if (is_over(corner, n, p, 0)) return;
    for (int k = 0; k < 3; k++) {
        double e[3], at[3];
        peg_sub(corner[(k + 1) % 3], corner[k], e);
        peg_sub(p, corner[k], d);
        double t = peg_min(peg_max(peg_dot(d, e) / peg_dot(e, e), 0), 1);
        peg_add_scaled(corner[k], t, e, at);
        peg_sub(p, at, d);
        if (peg_dot(d, d) >= least) continue;
        least = peg_dot(d, d);
        peg_copy3(at, out);
    }
}

/* How far apart counts: triangles of two meshes that touch may have to be looked at, where sides in
 * one plane are part of an overlap. */
static double apart_from(const peg_mesh_cull *c)
{
    return (c->shell ? MET : -MET) * c->part.shape->size;
}

/* Whether the direction from the triangle to the part's centre separates them. */
static int is_beside(const peg_mesh_cull *c, const double *const corner[3], const double *n)
{
    double at[3], u[3], low, high;
    nearest_of_triangle(corner, n, c->part.centre, at);
    peg_sub(c->part.centre, at, u);
    if (!(peg_normalise(u) > 0)) return 0;
    heights(c, u, peg_dot(u, at), &low, &high);
    return low >= apart_from(c);
}

/* Whether a triangle without intersection can be culled: a direction separates it from the part. */
static int is_apart(const peg_mesh_cull *c, const double *const corner[3], const double *n,
                    double low, double high, double above)
{
    double touch = apart_from(c);
    return peg_is_round(c->part.shape) || low >= touch || -high >= touch || above >= touch ||
           is_beside(c, corner, n);
}

void peg_mesh_cull_needs(const peg_mesh_cull *c, int t, peg_need_visitor *visit, void *context)
{
    const peg_triangle_mesh *m = c->mesh;
    const peg_polytope *P = c->part.shape;
    const double *n = m->normal[t];
    const int *v = m->triangle[t];
    const double *const corner[3] = {m->vertex[v[0]], m->vertex[v[1]], m->vertex[v[2]]};
    double low, high, above = above_faces(c, corner);
    if (above > c->reach) return;
    heights(c, n, peg_dot(n, corner[0]), &low, &high);
    if (low > c->reach || high < -c->reach) return;
    if (peg_has_rim(P)) above = peg_max(above, beside_rim(c, corner));
    if (above > c->reach) return;
    peg_triangle_need shell =
        c->shell ? peg_cull_triangle_needs(c, t, MET * P->size) : PEG_TRIANGLE_NEAR;
    if (c->all || shell == PEG_TRIANGLE_NEEDED) {
        visit(context, t, 0);
        return;
    }
    if (shell == PEG_TRIANGLE_APART) return;
    int touched =
        !c->shell && (((low >= -c->deep || peg_is_round(P)) && face_counts(c, corner, n, 1)) ||
                      (high <= c->deep && face_counts(c, corner, n, -1)));
    if (touched) visit(context, t, 0);
    for (int k = 0; k < 3 && !c->shell; k++) {
        if (m->own[t] >> k & 1) try_edge(c, t, k, visit, context);
        if (m->own[t] >> (3 + k) & 1) try_vertex(c, t, k, visit, context);
    }
    if (!touched && !is_apart(c, corner, n, low, high, above)) visit(context, t, 1);
}

/* Pairs of meshes: which of their triangles may touch nearby parts, in the predicted motion of the
 * bodies and in the solved one. */
#include "peg/step/broad_phase_mesh.h"

#include "peg/base/arena.h"
#include "peg/collide/mesh_cull.h"
#include "peg/collide/mesh_mesh.h"
#include "peg/collide/separation.h"
#include "peg/shape/aabb_tree.h"
#include "peg/step/candidate.h"
#include "peg/step/mesh_overlaps.h"
#include "peg/step/parts.h"
#include "peg/step/deferred_triangles.h"

/* --- predicted motion --- */

/* A body that contact stops moves by something between nothing and what it would do without, and
 * turns no faster than it does or would; this leaves it room for some more of either: without any
 * pour-mixed of 40 at h .1 limits 7 bodies in 6 s. */
#define SPARE 1.3

/* How much of turning by `spin` (rad) along w is not about a part's own axis. */
static double across_axis(const peg_stage *s, int part, const double *w, double spin)
{
    const peg_view *view = &s->placed[part].view;
    double axis[3], across[3];
    if (s->part[part].triangle_mesh || spin == 0 || view->shape->nv > 2) return spin;
    if (view->shape->nv == 1) return 0;
    peg_sub(view->vertex[1], view->vertex[0], axis);
    peg_cross(axis, w, across);
    return spin * peg_norm(across) / (peg_norm(axis) * peg_norm(w));
}

/* How far from the body's centre the part's own is, m. */
static double off_centre(const peg_stage *s, int part)
{
    const peg_polytope *shape = s->part[part].shape;
    return s->placed[part].arm - (shape->radius - shape->round);
}

/* The most of what is there and a motion with v comes to; returns whether that is more. */
static int widen(const peg_stage *s, int part, const double *v, double share, peg_prediction *c)
{
    double h = s->scene->h, off[3], spin = share * h * peg_norm(v + 3);
    for (int k = 0; k < 3; k++) off[k] = h * v[k] - c->shift[k];
    double beside = share * peg_norm(off), turn = across_axis(s, part, v + 3, spin);
    int more = beside > c->beside || turn > c->turn || (spin > c->spin && off_centre(s, part) > 0);
    c->beside = peg_max(c->beside, beside);
    c->spin = peg_max(c->spin, spin);
    c->turn = peg_max(c->turn, turn);
    return more;
}

/* A body that moves by less than this share of what contact has kept it from is held there, and is
 * thought to go on moving as little: by twice as much, or by a smaller share. */
#define HELD   0.2
#define LITTLE 0.1

/* Of a body that is held: how fast its points may get without being found to do more; else 0. */
static double slowness(const peg_stage *s, int part)
{
    const peg_placed *p = &s->placed[part];
    const double *v = s->scene->body[p->body].v, *unconstrained = s->v_no_contact[p->body];
    double change[6];
    for (int k = 0; k < 6; k++) change[k] = unconstrained[k] - v[k];
    double kept = peg_norm(change) + p->arm * peg_norm(change + 3);
    return peg_norm(v) + p->arm * peg_norm(v + 3) <= HELD * kept ? LITTLE * kept : 0;
}

/* The motion of a part before it is solved, or what was found beyond that. */
static void predict(const peg_stage *s, int part, peg_prediction *c)
{
    const peg_placed *p = &s->placed[part];
    const peg_body *body = p->body < 0 ? NULL : &s->scene->body[p->body];
    double turning[6] = {0}, slow = p->moves ? slowness(s, part) : 0;
    *c = (peg_prediction){.spin = 0};
    if (!body || body->kind == PEG_STATIC) return;
    const double *unconstrained = p->moves ? s->v_no_contact[p->body] : body->v;
    if (slow > 0) {
        c->beside = s->scene->h * slow;
        if (p->arm > 0) c->spin = c->turn = c->beside / p->arm;
        widen(s, part, body->v, 2, c);
    } else {
        for (int k = 0; k < 3; k++) c->shift[k] = .5 * s->scene->h * unconstrained[k];
        widen(s, part, unconstrained, SPARE, c);
        for (int k = 0; k < 3; k++)
            turning[k] = .5 * unconstrained[k], turning[k + 3] = body->v[k + 3];
        widen(s, part, turning, SPARE, c);
    }
    const peg_prediction *found = &s->found[part];
    c->beside = peg_max(c->beside, found->beside);
    c->spin = peg_max(c->spin, found->spin);
    c->turn = peg_max(c->turn, found->turn);
}

/* How far a prediction takes the points of a part. */
static double way_of_prediction(const peg_stage *s, int part, const peg_prediction *c)
{
    const peg_polytope *shape = s->part[part].shape;
    if (c->spin == 0) return c->beside;
    return c->beside + c->spin * off_centre(s, part) + c->turn * (shape->radius - shape->round);
}

int peg_exceeds_prediction(peg_stage *s, int part)
{
    const peg_placed *p = &s->placed[part];
    peg_prediction c;
    if (s->searches == 1 || !p->moves) return 0;
    const double *v = s->result[p->body].v_pose;
    predict(s, part, &c);
    if (!widen(s, part, v, 1, &c)) return 0;
    /* from round to round it changes by little: with room for that there are few rounds */
    if (s->searches > 2) widen(s, part, v, SPARE, &c);
    s->found[part] = c;
    return 1;
}

/* --- meshes --- */

/* How far a part may get, or has been found to get, m. */
static double way_of_part(const peg_stage *s, int part)
{
    const peg_placed *p = &s->placed[part];
    if (!p->moves) return p->travel;
    return peg_max(p->travel, peg_travel(s, part, s->result[p->body].v_pose));
}

/* How near to a mesh, or its motion, a part of a size counts, m. */
static double reach_of_mesh(const peg_pair_search *f, int mesh, double size)
{
    return way_of_part(f->stage, mesh) + peg_reach_margin(f->stage) * size;
}

/* The box about what of another part, in a world box, may come near to a mesh, in its frame. */
static void box_in_mesh(const peg_pair_search *f, int mesh, const peg_aabb *world, double size,
                        peg_aabb *out)
{
    const peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    double centre[3], half[3], by = reach_of_mesh(f, mesh, size) + s->part[mesh].round;
    for (int k = 0; k < 3; k++) {
        centre[k] = .5 * (world->lo[k] + world->hi[k]) - m->x[k];
        half[k] = .5 * (world->hi[k] - world->lo[k]) + by;
        out->lo[k] = out->hi[k] = 0;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            out->lo[k] += m->R[3 * i + k] * centre[i] - fabs(m->R[3 * i + k]) * half[i];
            out->hi[k] += m->R[3 * i + k] * centre[i] + fabs(m->R[3 * i + k]) * half[i];
        }
}

typedef struct expansion {
    const peg_pair_search *f;
    int mesh, other;      /* parts; the other one may be a mesh, too, or a triangle of one */
    peg_motion motion[2]; /* that are expected of them */
    peg_mesh_cull
        cover; /* of the other part over the mesh, unless that is a mesh or a half-space */
} expansion;

static int are_in_order(const expansion *x, int part)
{
    const peg_part *of = x->f->stage->part;
    return of[part].id < of[x->other].id;
}

static peg_candidate *new_triangle_candidate(const expansion *x, int part)
{
    int ordered = are_in_order(x, part);
    return peg_new_candidate(x->f, ordered ? part : x->other, ordered ? x->other : part);
}

/* A pair that was known before the motion was. */
static void see_farther(const expansion *x, int part)
{
    int ordered = are_in_order(x, part);
    peg_candidate *c = peg_find_candidate(x->f->stage, x->f->known, ordered ? part : x->other,
                                          ordered ? x->other : part);
    if (c) c->reach = peg_max(c->reach, x->cover.from_start);
}

/* A pair that is needed counts as near in the first search; what comes up later is looked at when
 * the motion is known. */
static void add_triangle(void *context, int triangle, int deep)
{
    const expansion *x = context;
    peg_stage *s = x->f->stage;
    int part = peg_triangle_part(s, x->mesh, triangle);
    if (part < 0) return;
    if (s->placed[part].paired_with == x->other + 1) {
        see_farther(x, part);
        return;
    }
    const peg_view *T = &s->placed[part].view, *other = &s->placed[x->other].view;
    double n[3] = {0}, touch = PEG_TOUCH * other->shape->size;
    peg_vec3 end[2];
    if (deep && peg_separation(T, other, INFINITY, NULL, NULL).s >= -touch &&
        !peg_find_crossing(s, part, x->other, end))
        return;
    if (x->cover.all &&
        peg_is_far(T, other, x->cover.from_start, s->context->settings.narrow_phase, n))
        return;
    s->placed[part].paired_with = x->other + 1;
    int is_first = are_in_order(x, part);
    peg_candidate *c = new_triangle_candidate(x, part);
    if (!c) {
        see_farther(x, part);
        return;
    }
    peg_recall_pair(s, c);
    c->reach = x->cover.from_start;
    c->is_deferred = s->searches == 1 && !deep && !x->cover.all &&
                     peg_is_expected_apart(s, &x->motion[!is_first], &x->motion[is_first], c);
    c->near = s->searches == 1 && !c->is_deferred;
}

static void meet_triangle(void *context, int triangle)
{
    const expansion *x = context;
    peg_mesh_cull_needs(&x->cover, triangle, add_triangle, context);
}

static void meet_triangle_of_plane(void *context, int triangle)
{
    const expansion *x = context;
    int part = peg_triangle_part(x->f->stage, x->mesh, triangle);
    if (part < 0) return;
    peg_candidate *c = new_triangle_candidate(x, part);
    if (c) peg_find_nearness(x->f->stage, c);
}

/* A half-space against the triangles of a mesh that come near to it. */
static void meet_plane(const peg_pair_search *f, int mesh, int plane)
{
    const peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    const peg_view *view = &s->placed[plane].view;
    expansion x = {.f = f, .mesh = mesh, .other = plane};
    double n[3], by = reach_of_mesh(f, mesh, peg_size_of_part(s, mesh)) + s->part[mesh].round +
                      s->placed[plane].travel;
    peg_rotate_back(m->R, view->normal[0], n);
    double offset = view->offset[0] - peg_dot(view->normal[0], m->x);
    f->stage->stats.mesh_nodes += peg_aabb_tree_below(s->part[mesh].triangle_mesh, n, offset + by,
                                                      meet_triangle_of_plane, &x);
}

/* How far the points of a part get in the frame of a mesh that turns. */
static double way_in_mesh(const peg_stage *s, int mesh, int other, const peg_prediction *of_mesh)
{
    const peg_placed *m = &s->placed[mesh];
    const peg_view *view = &s->placed[other].view;
    double arm[3];
    if (!(of_mesh->spin > 0)) return of_mesh->beside;
    peg_sub(view->centre, s->scene->body[m->body].x, arm);
    return of_mesh->beside + of_mesh->spin * (peg_norm(arm) + view->shape->radius);
}

static void meet_mesh(const peg_pair_search *f, int mesh, int other)
{
    peg_stage *s = f->stage;
    const peg_placed *m = &s->placed[mesh];
    const peg_placed_mesh placed = {s->part[mesh].triangle_mesh, s->part[mesh].round, m->x, m->R};
    peg_arena *arena = &s->context->arena;
    peg_arena_mark mark = peg_arena_here(arena);
    expansion x = {.f = f,
                   .mesh = mesh,
                   .other = other,
                   .motion = {peg_expected_motion(s, mesh), peg_expected_motion(s, other)}};
    peg_prediction own, of_mesh;
    double shift[3];
    peg_region near;
    if (peg_is_half_space(s->part[other].shape)) {
        meet_plane(f, mesh, other);
        return;
    }
    predict(s, other, &own);
    predict(s, mesh, &of_mesh);
    peg_sub(own.shift, of_mesh.shift, shift);
    double way = way_of_prediction(s, other, &own) + way_in_mesh(s, mesh, other, &of_mesh);
    if (peg_mesh_cull_begin(arena, &placed, &s->placed[other].view, shift, way,
                            own.turn + of_mesh.spin, s->context->settings.relative_rotation,
                            &x.cover)) {
        peg_mesh_cull_region(&x.cover, &near);
        pegMeshSearch by = s->context->settings.mesh_search;
        if (by != PEG_MESH_SEARCH_BOUNDS) near = peg_region_of_box(&near.box, by);
        s->stats.mesh_nodes += peg_aabb_tree_search(placed.mesh, &near, meet_triangle, &x);
    } else {
        s->failed = 1;
    }
    peg_arena_back(arena, mark);
}

/* --- two meshes --- */

/* The triangles of mesh `other` against those of a mesh. */
typedef struct shells {
    expansion x;
    const peg_mesh_pair *crossing;
    double turn, shift, round; /* of both, m */
    int part;                  /* of the scene: the other one */
    int crosser;               /* the triangle that the cover is of, or -1 */
    peg_cull_triangle shell;
} shells;

/* A triangle that is needed becomes a part. */
static void add_crossing(void *context, int triangle, int deep)
{
    shells *m = context;
    expansion *x = &m->x;
    if (x->other < 0) x->other = peg_triangle_part(x->f->stage, m->part, m->crosser);
    if (x->other >= 0) add_triangle(x, triangle, deep);
}

static void meet_crosser(void *context, const peg_near_triangle *of, int triangle)
{
    shells *m = context;
    const peg_mesh_pair *c = m->crossing;
    if (m->crosser != of->triangle) {
        double room = peg_mesh_cull_room(c->mesh[0]->radius, c->mesh[1]);
        double near = of->by - m->round, way = near - room;
        m->crosser = of->triangle;
        m->x.other = -1;
        peg_mesh_cull_begin_triangle(c->mesh[1], c->mesh[0], of->triangle, c->R,
                                     (const peg_vec3 *)of->corner, m->round, way, m->turn,
                                     m->shift + near, &m->shell, &m->x.cover);
    }
    peg_mesh_cull_needs(&m->x.cover, triangle, add_crossing, m);
}

/* The frame of mesh a in that of b, half-way through the shift. */
static void set_crossing(const peg_stage *s, int a, int b, const double shift[3], peg_mesh_pair *c)
{
    const peg_placed *pa = &s->placed[a], *pb = &s->placed[b];
    double from[3];
    peg_sub(pb->x, shift, from);
    peg_mat_mul_back(pb->R, pa->R, c->R);
    peg_sub(pa->x, from, c->at);
    peg_rotate_back(pb->R, c->at, c->at);
    for (int side = 0; side < 2; side++) {
        const peg_placed *p = side ? pb : pa;
        c->arm[side] = p->arm;
        if (p->body < 0) continue;
        peg_sub(s->scene->body[p->body].x, side ? from : p->x, c->pivot[side]);
        peg_rotate_back(p->R, c->pivot[side], c->pivot[side]);
    }
}

double peg_predicted_way(const peg_stage *s, int a, int b)
{
    peg_prediction of_a, of_b;
    double shift[3];
    predict(s, a, &of_a);
    predict(s, b, &of_b);
    peg_sub(of_a.shift, of_b.shift, shift);
    double way = peg_norm(shift) + of_a.beside + of_b.beside;
    if (of_a.spin > 0) way += of_a.spin * s->placed[a].arm;
    if (of_b.spin > 0) way += of_b.spin * s->placed[b].arm;
    return way;
}

/* Triangles of mesh a against those of mesh b that are near to them in what both are thought to
 * do. */
static void meet_meshes(const peg_pair_search *f, int a, int b)
{
    const peg_stage *s = f->stage;
    peg_prediction of_a, of_b;
    double shift[3], round = s->part[a].round + s->part[b].round;
    peg_aabb local;
    predict(s, a, &of_a);
    predict(s, b, &of_b);
    peg_sub(of_a.shift, of_b.shift, shift);
    peg_mesh_pair c = {.mesh = {s->part[a].triangle_mesh, s->part[b].triangle_mesh},
                       .by = of_a.beside + of_b.beside + round,
                       .spin = {of_a.spin, of_b.spin},
                       .slope = of_a.spin + of_b.spin + s->context->settings.relative_rotation};
    c.by += peg_mesh_cull_room(c.mesh[0]->radius, c.mesh[1]);
    set_crossing(s, a, b, shift, &c);
    box_in_mesh(f, a, &f->box[b], peg_size_of_part(s, b), &local);
    shells m = {
        .x = {.f = f, .mesh = b, .motion = {peg_expected_motion(s, b), peg_expected_motion(s, a)}},
        .crossing = &c,
        .turn = of_a.spin + of_b.spin,
        .shift = peg_norm(shift),
        .round = round,
        .part = a,
        .crosser = -1};
    f->stage->stats.mesh_nodes +=
        peg_mesh_pair_search(&c, &local, s->context->settings.mesh_search, meet_crosser, &m);
}

void peg_find_triangle_pairs(const peg_pair_search *f, int a, int b)
{
    const peg_part *part = f->stage->part;
    if (!part[b].triangle_mesh) {
        meet_mesh(f, a, b);
    } else if (!part[a].triangle_mesh) {
        meet_mesh(f, b, a);
    } else {
        meet_meshes(f, a, b);
    }
}

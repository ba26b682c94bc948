/* The parts of a step in the world: those of the scene, and as parts of their own the triangles of
 * meshes that something may touch. */
#include "peg/step/parts.h"

#include "peg/collide/closest_features.h"
#include "peg/contact/kinematics.h"
#include "peg/contact/pose.h"
#include "peg/shape/polytope.h"
#include "peg/shape/triangle_mesh.h"
#include "peg/step/context.h"

/* Bodies may get faster by contact than they are or would be: their travel counts the motion this
 * often. */
#define REACH_MOTION 1.5

/* Low bits of the ids, which number the triangles of a part from 1 on: the parts of the step have
 * the order of those of the scene. */
#define TRIANGLE_BITS 32

/* --- how far parts get --- */

/* Of the points of a part, about its body's centre of mass. */
static double turning_speed(const peg_body *b, const peg_placed *p, const double v[6])
{
    double R[9];
    if (!(peg_norm(v + 3) > 0)) return 0;
    peg_quat_to_mat(b->q, R);
    return peg_turning_speed(b, R, p->arm, p->extent, v + 3);
}

/* v: the body's velocity after the step without contact. */
static double body_speed(const peg_body *b, const peg_placed *p, const double v[6])
{
    if (b->kind == PEG_STATIC) return 0;
    double linear = peg_norm(b->v), turning = turning_speed(b, p, b->v);
    if (b->kind == PEG_DYNAMIC) {
        linear = peg_max(linear, peg_norm(v));
        turning = peg_max(turning, turning_speed(b, p, v));
    }
    return linear + turning;
}

double peg_travel(const peg_stage *s, int part, const double v[6])
{
    const peg_placed *p = &s->placed[part];
    double turning = p->body < 0 ? 0 : turning_speed(&s->scene->body[p->body], p, v);
    return s->scene->h * (peg_norm(v) + turning);
}

void peg_found_velocity(const peg_stage *s, int part, double v[6])
{
    static const double rest[6] = {0};
    const peg_placed *p = &s->placed[part];
    int still = p->body < 0 || s->scene->body[p->body].kind == PEG_STATIC;
    memcpy(v,
           still      ? rest
           : p->moves ? s->result[p->body].v_pose
                      : s->scene->body[p->body].v,
           sizeof rest);
}

/* --- placing --- */

/* Pose of a part whose body is at (at, q), in the world. */
static void pose_with(const peg_part *part, const double at[3], const double q[4], double x[3],
                      double R[9])
{
    double turn[9];
    peg_quat_to_mat(q, turn);
    peg_rotate(turn, part->offset, x);
    peg_add_scaled(x, 1, at, x);
    peg_mat_mul(turn, part->rotation, R);
}

static void pose_of(const peg_stage *s, const peg_part *part, double x[3], double R[9])
{
    static const double origin[3] = {0}, upright[4] = {1, 0, 0, 0};
    const peg_body *body = part->body < 0 ? NULL : &s->scene->body[part->body];
    pose_with(part, body ? body->x : origin, body ? body->q : upright, x, R);
}

void peg_pose_on_way(const peg_stage *s, int i, double t, double x[3], double R[9])
{
    int body = s->placed[i].body;
    double v[6], at[3], q[4];
    if (body < 0 || s->scene->body[body].kind == PEG_STATIC) {
        pose_of(s, &s->part[i], x, R);
        return;
    }
    peg_found_velocity(s, i, v);
    for (int k = 0; k < 6; k++) v[k] *= t;
    peg_body_pose(&s->scene->body[body], v, s->scene->h, at, q);
    pose_with(&s->part[i], at, q, x, R);
}

int peg_place_on_way(peg_stage *s, int i, double t, peg_view *view)
{
    const peg_placed *placed = &s->placed[i];
    double x[3], R[9];
    *view = placed->view;
    if (placed->body < 0 || s->scene->body[placed->body].kind == PEG_STATIC) return 1;
    if (!peg_view_allocate(&s->context->arena, placed->view.shape, view)) return 0;
    peg_pose_on_way(s, i, t, x, R);
    peg_view_set(view, x, R);
    return 1;
}

/* What moves with the body: centre, radius and extent about it in the part's frame; a radius all
 * round does not. */
static void set_motion(const peg_stage *s, int i, const double *centre, double radius,
                       const double *extent)
{
    const peg_part *part = &s->part[i];
    peg_placed *placed = &s->placed[i];
    const peg_body *body = part->body < 0 ? NULL : &s->scene->body[part->body];
    double at[3];
    peg_rotate(part->rotation, centre, at);
    peg_add_scaled(at, 1, part->offset, at);
    placed->body = part->body;
    placed->moves = body && body->kind == PEG_DYNAMIC;
    placed->arm = peg_norm(at) + radius;
    placed->travel = 0;
    if (!body) return;
    for (int k = 0; k < 3; k++) {
        const double *R = part->rotation + 3 * k;
        placed->extent[k] =
            fabs(at[k]) + fabs(R[0]) * extent[0] + fabs(R[1]) * extent[1] + fabs(R[2]) * extent[2];
    }
    placed->travel =
        REACH_MOTION * s->scene->h * body_speed(body, placed, s->v_no_contact[part->body]);
}

static void set_mesh_motion(const peg_stage *s, int i, const peg_triangle_mesh *mesh)
{
    const peg_aabb *box = &mesh->node[0].box;
    double extent[3];
    for (int k = 0; k < 3; k++)
        extent[k] = peg_max(box->hi[k] - mesh->centre[k], mesh->centre[k] - box->lo[k]);
    set_motion(s, i, mesh->centre, mesh->radius, extent);
}

static int place(peg_stage *s, int i, const double x[3], const double R[9])
{
    const peg_polytope *shape = s->part[i].shape;
    peg_placed *placed = &s->placed[i];
    if (!peg_view_allocate(&s->context->kept, shape, &placed->view)) return 0;
    peg_view_set(&placed->view, x, R);
    placed->has_view = 1;
    set_motion(s, i, shape->centre, shape->radius - shape->round, shape->extent);
    return 1;
}

/* Once the part's motion is set. */
static void set_box(const peg_stage *s, int i, const double x[3], const double R[9])
{
    const peg_polytope *shape = s->part[i].shape;
    peg_placed_box *box = &s->box[i];
    memset(box, 0, sizeof *box);
    if (!peg_is_box(shape)) return;
    peg_copy3(x, box->box.x);
    memcpy(box->box.R, R, sizeof box->box.R);
    peg_copy3(shape->half, box->box.half);
    box->size = shape->size;
    box->travel = s->placed[i].travel;
}

/* Boxes among themselves are searched without their views: those of a pile are never read. */
static int is_placed_later(const peg_stage *s, int i)
{
    int body = s->part[i].body;
    return peg_is_box(s->part[i].shape) && body >= 0 && s->scene->body[body].kind != PEG_STATIC;
}

void peg_need_view(peg_stage *s, int i)
{
    peg_placed *placed = &s->placed[i];
    double x[3], R[9];
    if (placed->has_view) return;
    pose_of(s, &s->part[i], x, R);
    peg_view_set(&placed->view, x, R);
    placed->has_view = 1;
}

/* Parts of the scene, whose views have their room. */
static void place_scene(void *data, int begin, int end)
{
    peg_stage *s = data;
    for (int i = begin; i < end; i++) {
        const peg_triangle_mesh *mesh = s->part[i].triangle_mesh;
        const peg_polytope *shape = s->part[i].shape;
        peg_placed *placed = &s->placed[i];
        double x[3], R[9];
        pose_of(s, &s->part[i], x, R);
        placed->has_view = !is_placed_later(s, i);
        if (placed->has_view) peg_view_set(&placed->view, x, R);
        if (mesh) {
            peg_copy3(x, placed->x);
            memcpy(placed->R, R, sizeof R);
            set_mesh_motion(s, i, mesh);
        } else {
            set_motion(s, i, shape->centre, shape->radius - shape->round, shape->extent);
        }
        set_box(s, i, x, R);
    }
}

static int grow(peg_stage *s)
{
    peg_arena *arena = &s->context->kept;
    int last = s->context->parts, least = s->scene->np + 16;
    int capacity = 2 * s->part_capacity;
    if (!capacity) { /* as many as in the step before, and some */
        capacity = last + last / 4;
        if (capacity < least) capacity = least;
    }
    peg_part *part = PEG_NEW(arena, peg_part, capacity);
    peg_placed *placed = PEG_NEW(arena, peg_placed, capacity);
    int *whole = PEG_NEW(arena, int, capacity);
    if (!part || !placed || !whole) return 0;
    if (s->parts) {
        memcpy(part, s->part, (size_t)s->parts * sizeof *part);
        memcpy(placed, s->placed, (size_t)s->parts * sizeof *placed);
        memcpy(whole, s->scene_part, (size_t)s->parts * sizeof *whole);
    }
    s->part = part, s->placed = placed, s->scene_part = whole;
    s->part_capacity = capacity;
    return 1;
}

/* What stands for an opaque part, and for a mesh in pairs with external contacts: a particle.
 * Where it is does not matter. */
static const peg_polytope *particle(peg_stage *s)
{
    peg_polytope *p = PEG_NEW(&s->context->kept, peg_polytope, 1);
    if (!p) return NULL;
    *p = (peg_polytope){
        .kind = PEG_SHAPE_POINT, .nv = 1, .vertex = PEG_NEW(&s->context->kept, peg_vec3, 1)};
    if (!p->vertex) return NULL;
    memset(p->vertex, 0, sizeof(peg_vec3));
    return p;
}

int peg_place_parts(peg_stage *s)
{
    for (int i = 0; i < s->scene->np; i++) {
        if (i == s->part_capacity && !grow(s)) return 0;
        s->part[i] = s->scene->part[i];
        s->part[i].id <<= TRIANGLE_BITS;
        s->placed[i] = (peg_placed){.body = -1};
        s->scene_part[i] = i;
        s->parts = i + 1;
        if (s->part[i].triangle_mesh || s->part[i].opaque) s->part[i].shape = particle(s);
        if (!s->part[i].shape ||
            !peg_view_allocate(&s->context->kept, s->part[i].shape, &s->placed[i].view))
            return 0;
    }
    s->box = PEG_NEW(&s->context->kept, peg_placed_box, s->parts);
    if (!s->box) return 0;
    peg_pool_loop(peg_threads_for(s->context, s->parts), place_scene, s, s->parts);
    s->context->parts = s->parts;
    return 1;
}

/* --- triangles --- */

/* Where the part of triangle t is, or goes: the hash is that of the golden ratio. */
static int *slot_of(const peg_placed *mesh, int t)
{
    unsigned last = (unsigned)mesh->room - 1, at = (unsigned)t * 2654435769u & last;
    while (mesh->triangle[at][1] >= 0 && mesh->triangle[at][0] != t) at = (at + 1) & last;
    return mesh->triangle[at];
}

static int take_slot(const peg_placed *mesh, int t, int part)
{
    int *slot = slot_of(mesh, t);
    slot[0] = t;
    return slot[1] = part;
}

/* Room for one more. */
static int widen(peg_stage *s, peg_placed *mesh)
{
    peg_placed old = *mesh;
    if (2 * mesh->count < mesh->room) return 1;
    mesh->room = mesh->room ? 2 * mesh->room : 32;
    mesh->triangle = PEG_NEW(&s->context->kept, int[2], mesh->room);
    for (int i = 0; i < mesh->room && mesh->triangle; i++) mesh->triangle[i][1] = -1;
    for (int i = 0; i < old.room && mesh->triangle; i++)
        if (old.triangle[i][1] >= 0) take_slot(mesh, old.triangle[i][0], old.triangle[i][1]);
    return mesh->triangle != NULL;
}

static int new_triangle_part(peg_stage *s, int mesh, int t)
{
    int i = s->parts;
    s->failed |= !widen(s, &s->placed[mesh]) || (i == s->part_capacity && !grow(s));
    if (s->failed) return -1;
    peg_part *part = &s->part[i];
    *part = s->part[mesh];
    part->triangle_mesh = NULL;
    part->shape = peg_triangle_polytope(&s->context->kept, s->part[mesh].triangle_mesh, t,
                                        s->part[mesh].round);
    part->round = 0;
    part->id |= (uint64_t)(t + 1);
    s->placed[i] = (peg_placed){.body = -1};
    s->scene_part[i] = mesh;
    s->failed = !part->shape || !place(s, i, s->placed[mesh].x, s->placed[mesh].R);
    if (s->failed) return -1;
    s->context->parts = ++s->parts;
    s->placed[mesh].count++;
    return take_slot(&s->placed[mesh], t, i);
}

int peg_known_triangle(const peg_stage *s, int mesh, int t)
{
    const peg_placed *m = &s->placed[mesh];
    return m->triangle ? slot_of(m, t)[1] : -1;
}

int peg_triangle_part(peg_stage *s, int mesh, int t)
{
    int part = peg_known_triangle(s, mesh, t);
    return part >= 0 ? part : new_triangle_part(s, mesh, t);
}

/* --- boxes --- */

static void box_of_mesh(const peg_placed *placed, const peg_aabb *local, double round,
                        peg_aabb *box)
{
    for (int k = 0; k < 3; k++) {
        box->lo[k] = box->hi[k] = placed->x[k];
        for (int i = 0; i < 3; i++) {
            double a = placed->R[3 * k + i] * local->lo[i], b = placed->R[3 * k + i] * local->hi[i];
            box->lo[k] += peg_min(a, b);
            box->hi[k] += peg_max(a, b);
        }
        box->lo[k] -= round, box->hi[k] += round;
    }
}

static void box_of_box(const peg_box *box, peg_aabb *out)
{
    for (int k = 0; k < 3; k++) {
        double extent = 0;
        for (int j = 0; j < 3; j++) extent += fabs(box->R[3 * k + j]) * box->half[j];
        out->lo[k] = box->x[k] - extent, out->hi[k] = box->x[k] + extent;
    }
}

void peg_box_of_part(const peg_stage *s, int i, peg_aabb *box)
{
    const peg_part *part = &s->part[i];
    const peg_view *view = &s->placed[i].view;
    if (s->box[i].box.half[0] > 0) {
        box_of_box(&s->box[i].box, box);
        return;
    }
    if (part->triangle_mesh) {
        box_of_mesh(&s->placed[i], &part->triangle_mesh->node[0].box, part->round, box);
        return;
    }
    int unbounded = peg_is_half_space(part->shape);
    for (int k = 0; k < 3; k++) {
        box->lo[k] = unbounded ? -INFINITY : INFINITY;
        box->hi[k] = -box->lo[k];
    }
    if (part->opaque || unbounded) return;
    peg_box_of_points((const peg_vec3 *)view->vertex, part->shape->nv, NULL, box->lo, box->hi);
    for (int k = 0; k < 3; k++) {
        double across[3] = {k == 0, k == 1, k == 2}, by = part->shape->round;
        if (peg_has_rim(part->shape)) by += part->shape->rim * peg_off_axis(view, across);
        box->lo[k] -= by, box->hi[k] += by;
    }
}

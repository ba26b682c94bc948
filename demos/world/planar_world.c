/* Planar worlds: building, and stepping through the core. */
#include "demos/world/planar_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peg/shape/polygon_2d.h"
#include "peg/base/math.h"
#include "peg/peg.h"

struct lab_planar {
    lab_world *world;
    peg_context *context;
    peg_body *body;       /* room for all bodies; of the present dynamic and kinematic ones */
    peg_part *part;       /* room for all parts */
    int *index;           /* of the lab's bodies in `body`, or -1 */
    peg_polytope **shape; /* of all parts, body by body */
    int shapes;
    pegStats last, sum;
};

/* ---- building -------------------------------------------------------------------------------- */

void lab_planar_scene(lab_world *w)
{
    w->is_planar = 1;
    /* in the plane, not about (1, 2, 3) */
    lab_axis_angle(0, 0, 1, lab_key_number(w, "turn", 0, -360, 360), w->turn_q);
    peg_quat_to_mat(w->turn_q, w->turn);
    lab_gravity(w, 0, -9.81, 0);
    if (!lab_contact_is_exact(w->options.contact))
        lab_fail(w, "scene '%s' is planar, which ODE is not: choose --contact %s", w->scene->name,
                 lab_exact_contacts());
}

void lab_polygon(lab_body *b, const double (*points)[2], int n)
{
    double(*prism)[3] = b ? malloc(2 * ((size_t)n + 1) * sizeof *prism) : NULL;
    if (!b) return;
    if (!prism) {
        lab_fail(b->world, "out of memory");
        return;
    }
    for (int i = 0; i < 2 * n; i++) {
        prism[i][0] = points[i / 2][0], prism[i][1] = points[i / 2][1];
        prism[i][2] = (i % 2 - .5) / b->world->scale;
    }
    lab_hull(b, (const double(*)[3])prism, 2 * n, NULL, NULL);
    free(prism);
}

/* Corners of a prism's polygon, counter-clockwise; a point is one. */
static int corners(const lab_shape *s, double (*out)[2], int room)
{
    if (s->nv == 1) {
        out[0][0] = s->vertex[0][0], out[0][1] = s->vertex[0][1];
        return 1;
    }
    for (int f = 0; f < s->nf; f++) {
        int n = s->start[f + 1] - s->start[f];
        if (s->normal[f][2] < .5 || n > room) continue;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 2; k++) out[i][k] = s->vertex[s->index[s->start[f] + i]][k];
        return n;
    }
    return 0;
}

int lab_planar_polygon(const lab_shape *s, planar_polygon *out)
{
    return out->n = corners(s, out->point, POLYGON_POINTS);
}

static pegStatus make_shape(lab_planar *p, const lab_shape *s)
{
    planar_polygon polygon;
    int n = lab_planar_polygon(s, &polygon);
    pegStatus status =
        n == 1 ? peg_polytope_point(&p->shape[p->shapes])
               : peg_polygon_create((const double(*)[2])polygon.point, n, &p->shape[p->shapes]);
    if (status == PEG_OK) p->shapes++;
    return status;
}

static pegStatus make(lab_planar *p)
{
    const lab_world *w = p->world;
    pegSettings settings;
    lab_settings(w, &settings);
    pegStatus status = peg_context_create(&settings, &p->context);
    if (status != PEG_OK) return status;
    peg_context_set_capture(p->context, w->options.capture);
    for (int i = 0; i < w->bodies; i++)
        for (int k = 0; k < w->body[i]->parts && status == PEG_OK; k++)
            status = make_shape(p, w->body[i]->part[k].shape);
    return status;
}

lab_planar *lab_planar_create(lab_world *w)
{
    lab_planar *p = calloc(1, sizeof *p);
    size_t bodies = (size_t)w->bodies + 1, parts = 1;
    for (int i = 0; i < w->bodies; i++) parts += (size_t)w->body[i]->parts;
    if (p) {
        *p = (lab_planar){.world = w,
                          .body = calloc(bodies, sizeof *p->body),
                          .part = calloc(parts, sizeof *p->part),
                          .index = calloc(bodies, sizeof *p->index),
                          .shape = calloc(parts, sizeof(peg_polytope *))};
        p->sum.min_separation = INFINITY;
    }
    pegStatus status = PEG_ERROR_MEMORY;
    if (p && p->body && p->part && p->index && p->shape) status = make(p);
    if (status == PEG_OK) return p;
    lab_fail(w, "%s", peg_status_message(status));
    lab_planar_free(p);
    return NULL;
}

void lab_planar_free(lab_planar *p)
{
    if (!p) return;
    if (p->context) peg_context_destroy(p->context);
    for (int i = 0; i < p->shapes; i++) peg_polytope_free(p->shape[i]);
    free(p->body);
    free(p->part);
    free(p->index);
    free(p->shape);
    free(p);
}

/* ---- stepping -------------------------------------------------------------------------------- */

static peg_body core_body(const lab_body *b)
{
    const lab_world *w = b->world;
    const lab_state *s = &b->now;
    peg_body out = {.kind = b->kind == LAB_DYNAMIC ? PEG_DYNAMIC : PEG_KINEMATIC,
                    .mass = b->mass,
                    .max_angular_speed = INFINITY};
    peg_copy3(s->x, out.x);
    memcpy(out.q, s->q, sizeof out.q);
    peg_copy3(s->v, out.v);
    peg_copy3(s->omega, out.v + 3);
    memcpy(out.v_free, out.v, sizeof out.v);
    if (b->kind != LAB_DYNAMIC) return out;
    memcpy(out.inertia, b->inertia, sizeof out.inertia);
    peg_add_scaled(out.v_free, w->h, w->gravity, out.v_free);
    peg_add_scaled(out.v_free, w->h / b->mass, b->force, out.v_free);
    out.v_free[5] += w->h * b->torque[2] / b->inertia[8];
    return out;
}

static void add_parts(lab_planar *p, peg_scene *scene, lab_body *b, int index, int first)
{
    for (int k = 0; k < b->parts; k++) {
        peg_part *part = &p->part[scene->np++];
        *part = (peg_part){.shape = p->shape[first + k],
                           .body = index,
                           .id = (unsigned long)(first + k + 1),
                           .user = b};
        static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        memcpy(part->rotation, straight, sizeof straight);
        if (index >= 0) continue;
        peg_copy3(b->now.x, part->offset);
        peg_quat_to_mat(b->now.q, part->rotation);
    }
}

static int may_touch(void *context, const peg_part *a, const peg_part *b)
{
    (void)context;
    return lab_can_touch(a->user, b->user);
}

static void surface(void *context, const peg_part *a, const peg_part *b, peg_surface *out)
{
    (void)a, (void)b;
    const lab_world *w = context;
    out->mu = out->mu2 = w->mu;
    out->bounce = w->surface.bounce;
}

static void take(const lab_planar *p, lab_body *b, const peg_body *from)
{
    b->now.v[2] = b->now.omega[0] = b->now.omega[1] = 0;
    const double *v = from->kind == PEG_DYNAMIC ? from->v_pose : from->v;
    peg_body_pose(from, v, p->world->h, b->now.x, b->now.q);
    if (from->kind != PEG_DYNAMIC) return;
    peg_copy3(from->v_end, b->now.v);
    peg_copy3(from->v_end + 3, b->now.omega);
}

void lab_planar_step(lab_planar *p)
{
    lab_world *w = p->world;
    peg_scene scene = {.body = p->body,
                       .part = p->part,
                       .h = w->h,
                       .planar = 1,
                       .may_touch = may_touch,
                       .surface = surface,
                       .filter_context = w};
    for (int i = 0, first = 0; i < w->bodies; first += w->body[i++]->parts) {
        lab_body *b = w->body[i];
        p->index[i] = -1;
        if (!b->present) continue;
        if (b->kind != LAB_STATIC) p->body[p->index[i] = scene.nb++] = core_body(b);
        add_parts(p, &scene, b, p->index[i], first);
    }
    pegStatus status = peg_step(p->context, &scene, &p->last);
    if (status != PEG_OK) {
        w->unsolved = status == PEG_ERROR_SOLVER;
        lab_fail(w, "step %ld: %s", w->steps + 1, peg_status_message(status));
        return;
    }
    peg_stats_add(&p->sum, &p->last);
    for (int i = 0; i < w->bodies; i++)
        if (p->index[i] >= 0) take(p, w->body[i], &p->body[p->index[i]]);
}

int lab_planar_contact(const lab_planar *p, int i, lab_contact_point *out)
{
    const peg_contact *contact;
    if (i >= peg_contacts(p->context, &contact)) return 0;
    contact += i;
    *out = (lab_contact_point){.a = p->part[contact->part_a].user,
                               .b = p->part[contact->part_b].user,
                               .gap = contact->gap,
                               .impulse = contact->impulse,
                               .features = (pegFeatures)contact->kind};
    peg_copy3(contact->point, out->x);
    peg_copy3(contact->normal, out->normal);
    peg_copy3(contact->friction, out->friction);
    return 1;
}

void lab_planar_stats(const lab_planar *p, pegStats *last, pegStats *sum)
{
    if (last) *last = p->last;
    if (sum) *sum = p->sum;
}

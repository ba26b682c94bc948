/* Sealing: mass properties, the frame of the centre of mass, world coordinates. */
#include "demos/world/world.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"

static const double no_turn[4] = {1, 0, 0, 0};
static const double origin[3] = {0, 0, 0};

static void part_moments(const lab_body *b, const lab_part *p, lab_moments *m)
{
    if (b->shell > 0 && p->shape->kind == LAB_SHAPE_MESH && !p->shape->closed) {
        lab_shape_shell_moments(p->shape, b->shell, m);
        return;
    }
    if (!p->is_box) {
        lab_shape_moments(p->shape, m);
        return;
    }
    /* closed form, so that a box's inertia is free of roundoff */
    double R[9];
    peg_quat_to_mat(p->q, R);
    m->volume = p->sides[0] * p->sides[1] * p->sides[2];
    for (int i = 0; i < 3; i++) {
        m->first[i] = m->volume * p->x[i];
        for (int j = 0; j < 3; j++) {
            double sum = p->x[i] * p->x[j];
            for (int k = 0; k < 3; k++)
                sum += R[3 * i + k] * R[3 * j + k] * p->sides[k] * p->sides[k] / 12;
            m->second[3 * i + j] = m->volume * sum;
        }
    }
}

static void set_mass(lab_body *b, const lab_moments *sum)
{
    for (int k = 0; k < 3; k++) b->com[k] = sum->first[k] / sum->volume;
    if (b->world->is_planar) b->com[2] = 0; /* exactly */
    if (b->mass == 0) b->mass = b->density * sum->volume;
    double J[9], density = b->mass / sum->volume;
    for (int i = 0; i < 9; i++)
        J[i] = density * (sum->second[i] - b->com[i / 3] * sum->first[i % 3]);
    for (int i = 0; i < 9; i++) b->inertia[i] = (i % 4 ? 0 : J[0] + J[4] + J[8]) - J[i];
}

/* Mass, inertia about the centre of mass and its place in the frame the body was built in. */
static void seal_mass(lab_body *b)
{
    lab_moments sum = {0}, m;
    for (int i = 0; i < b->parts; i++) {
        part_moments(b, &b->part[i], &m);
        sum.volume += m.volume;
        peg_add_scaled(sum.first, 1, m.first, sum.first);
        for (int k = 0; k < 9; k++) sum.second[k] += m.second[k];
    }
    b->volume = sum.volume;
    if (b->kind != LAB_DYNAMIC && sum.volume == 0) return; /* a sheet */
    if (!b->mass_given) set_mass(b, &sum);
    if (!(b->mass > 0 && isfinite(b->mass) && b->inertia[0] > 0 && b->inertia[4] > 0 &&
          b->inertia[8] > 0))
        lab_fail(b->world, "body '%s': its mass or inertia is not a positive number", b->name);
}

static void seal_body(lab_body *b)
{
    lab_world *w = b->world;
    double x[3], q[4], R[9], back[3], none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (b->parts == 0 && !b->mass_given) lab_fail(w, "body '%s' has no shape", b->name);
    if (w->failed || b->is_plane) return;
    seal_mass(b);
    for (int k = 0; k < 3; k++) back[k] = -b->com[k];
    for (int i = 0; i < b->parts; i++) {
        lab_part *p = &b->part[i];
        lab_shape_move(p->shape, back, none, p->placed);
        lab_shape *swap = p->shape;
        p->shape = p->placed, p->placed = swap;
        if (p->is_box || p->height || p->shape->nf == 0) {
            peg_sub(p->x, b->com, p->x);
        } else { /* a convex geom's and a mesh's points are given about their own middle */
            double middle[3] = {0, 0, 0};
            lab_shape_radius(p->shape, middle);
            peg_copy3(b->parts > 1 ? middle : origin, p->x);
            memcpy(p->q, no_turn, sizeof p->q);
        }
    }
    lab_to_world(w, b->now.x, w->scale, x);
    peg_quat_mul(w->turn_q, b->now.q, q);
    lab_unit_quat(q, b->now.q);
    peg_quat_to_mat(b->now.q, R);
    peg_rotate(R, b->com, b->now.x);
    peg_add_scaled(b->now.x, 1, x, b->now.x);
    if (b->kind != LAB_DYNAMIC) b->mass = 0;
}

void lab_seal(lab_world *w)
{
    for (int i = 0; i < w->bodies && !w->failed; i++) seal_body(w->body[i]);
    double g[3];
    lab_to_world(w, w->gravity, w->scale, g);
    peg_copy3(g, w->gravity);
    w->sealed = 1;
}

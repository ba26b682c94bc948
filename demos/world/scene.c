/* The builder: what a scene declares of its world and its bodies. */
#include "demos/world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

static const double no_turn[4] = {1, 0, 0, 0};
static const double origin[3] = {0, 0, 0};

void lab_gravity(lab_world *w, double x, double y, double z)
{
    w->gravity[0] = x, w->gravity[1] = y, w->gravity[2] = z;
}

void lab_reach(lab_world *w, double reach)
{
    w->reach = reach;
    if (!(reach >= 0 && reach <= 10)) lab_fail(w, "reach must lie between 0 and 10");
}

void lab_auto_disable(lab_world *w)
{
    w->auto_disable = 1;
}

void lab_tune(lab_world *w, void (*tune)(dWorldID world, double scale))
{
    w->tune = tune;
}

void lab_bounds(lab_world *w, const double low[3], const double high[3])
{
    peg_copy3(low, w->low);
    peg_copy3(high, w->high);
    w->has_bounds = 1;
}

void lab_camera(lab_world *w, const double direction[3])
{
    peg_copy3(direction, w->camera);
    w->has_camera = 1;
}

void lab_view(lab_world *w, const double low[3], const double high[3])
{
    peg_copy3(low, w->view[0]);
    peg_copy3(high, w->view[1]);
    w->has_view = 1;
}

/* ---- bodies ------------------------------------------------------------------------ */

static int finite3(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

lab_body *lab_add(lab_world *w, const char *name, lab_kind kind, const double x[3],
                  const double q[4])
{
    if (w->failed) return NULL;
    if (w->bodies == w->body_room) {
        int room = 2 * w->body_room + 16;
        lab_body **more = realloc(w->body, (size_t)room * sizeof(lab_body *));
        if (more) w->body = more, w->body_room = room;
    }
    lab_body *b = w->bodies < w->body_room ? calloc(1, sizeof *b) : NULL;
    if (!b) {
        lab_fail(w, "out of memory");
        return NULL;
    }
    snprintf(b->name, sizeof b->name, "%.50s", name);
    for (int i = 2; lab_body_find(w, b->name); i++)
        snprintf(b->name, sizeof b->name, "%.50s-%d", name, i);
    b->number = w->bodies;
    w->body[w->bodies++] = b;
    w->has_kinematic |= kind == LAB_KINEMATIC;
    b->world = w, b->kind = kind, b->density = 1000, b->enter = -1;
    peg_copy3(x ? x : origin, b->now.x);
    lab_unit_quat(q ? q : no_turn, b->now.q);
    if (!finite3(b->now.x) || !finite3(b->now.q) || !isfinite(b->now.q[3]))
        lab_fail(w, "body '%s': its pose is not finite", name);
    return b;
}

void lab_density(lab_body *b, double density)
{
    if (b) b->density = density;
}

void lab_mass(lab_body *b, double mass)
{
    if (b) b->mass = mass * b->world->scale * b->world->scale * b->world->scale;
}

void lab_mass_properties(lab_body *b, double mass, const double inertia[9])
{
    if (!b) return;
    double s = b->world->scale;
    lab_mass(b, mass);
    for (int k = 0; k < 9; k++) b->inertia[k] = s * s * s * s * s * inertia[k];
    b->mass_given = 1;
}

void lab_velocity(lab_body *b, const double linear[3], const double angular[3])
{
    if (!b) return;
    lab_to_world(b->world, linear ? linear : origin, b->world->scale, b->now.v);
    lab_to_world(b->world, angular ? angular : origin, 1, b->now.omega);
    if (!b->id) return;
    dBodySetLinearVel(b->id, b->now.v[0], b->now.v[1], b->now.v[2]);
    dBodySetAngularVel(b->id, b->now.omega[0], b->now.omega[1], b->now.omega[2]);
}

void lab_gyroscopic(lab_body *b, int mode)
{
    if (b) b->no_gyro = !mode;
}

void lab_move(lab_body *b, const double x[3], const double q[4])
{
    double R[9], origin_at[3];
    if (!b || !b->world->sealed || b->is_plane) return;
    const lab_world *w = b->world;
    peg_quat_mul(w->turn_q, q ? q : no_turn, b->now.q);
    lab_unit_quat(b->now.q, b->now.q);
    peg_quat_to_mat(b->now.q, R);
    peg_rotate(R, b->com, b->now.x);
    lab_to_world(w, x, w->scale, origin_at);
    peg_add_scaled(b->now.x, 1, origin_at, b->now.x);
    lab_put(b);
}

/* Mass grows with the cube of the scale, accelerations with the scale. */
void lab_force(lab_body *b, const double force[3], const double torque[3])
{
    if (!b) return;
    double s = b->world->scale;
    lab_to_world(b->world, force ? force : origin, s * s * s * s, b->force);
    lab_to_world(b->world, torque ? torque : origin, s * s * s * s * s, b->torque);
}

void lab_enter(lab_body *b, double t, double rise)
{
    if (b) b->enter = t, b->rise = rise * b->world->scale;
}

void lab_run_until(lab_world *w, double time)
{
    const lab_options *o = &w->options;
    long steps = (long)nearbyint(time / w->h);
    if (o->time == 0 && o->steps == 0 && steps > w->planned) w->planned = steps;
}

void lab_shell(lab_body *b, double thickness)
{
    if (b) b->shell = thickness * b->world->scale;
}

void lab_lock(lab_body *b, const int fixed[6])
{
    if (b) memcpy(b->locked, fixed, sizeof b->locked);
}

void lab_group(lab_body *b, int group)
{
    if (!b) return;
    b->group = group;
    b->world->has_groups |= group > 0;
}

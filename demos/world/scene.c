/* The builder: takes a scene's declarations and makes bodies in world coordinates of them. */
#include "demos/world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peg/base/math.h"

static const double no_turn[4] = {1, 0, 0, 0};
static const double origin[3] = {0, 0, 0};

void lab_fail(lab_world *w, const char *format, ...)
{
    if (w->failed) return;
    w->failed = 1;
    va_list list;
    va_start(list, format);
    vsnprintf(w->error, sizeof w->error, format, list);
    va_end(list);
}

double lab_key(lab_world *w, const char *key, double fallback)
{
    int known = 0;
    for (int i = 0; i < w->keys; i++) known |= !strcmp(w->asked[i], key);
    if (!known && w->keys < 32) snprintf(w->asked[w->keys++], sizeof w->asked[0], "%s", key);
    double value = fallback;
    for (int i = 0; i < w->options.sets; i++)
        if (!strcmp(w->options.set[i].key, key)) value = w->options.set[i].value;
    return value;
}

double lab_step_size(const lab_world *w)
{
    return w->h;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
double lab_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double lab_random(lab_world *w)
{
    return lab_random_next(&w->random);
}

/* Uniform over all rotations, by rejection: a point of the 4-ball, so that no libm function (whose
 * last bit may differ between machines) is involved but sqrt. */
void lab_random_turn(uint64_t *state, double q[4])
{
    double square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2 * lab_random_next(state) - 1;
            square += q[k] * q[k];
        }
    } while (square > 1 || square < .01);
    for (int k = 0; k < 4; k++) q[k] /= sqrt(square);
}

void lab_random_rotation(lab_world *w, double q[4])
{
    lab_random_turn(&w->random, q);
}

void lab_axis_angle(double x, double y, double z, double degrees, double q[4])
{
    double axis[3] = {x, y, z}, half = degrees * (acos(-1) / 360);
    peg_normalise(axis);
    q[0] = cos(half);
    for (int k = 0; k < 3; k++) q[k + 1] = sin(half) * axis[k];
}

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

void lab_unit_quat(const double q[4], double out[4])
{
    double l = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) out[k] = l == 1 ? q[k] : q[k] / l;
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
    w->body[w->bodies++] = b;
    b->world = w, b->kind = kind, b->density = 1000, b->enter = -1;
    peg_copy3(x ? x : origin, b->now.x);
    lab_unit_quat(q ? q : no_turn, b->now.q);
    if (!finite3(b->now.x) || !finite3(b->now.q) || !isfinite(b->now.q[3]))
        lab_fail(w, "body '%s': its pose is not finite", name);
    return b;
}

lab_body *lab_add_box(lab_world *w, const char *name, lab_kind kind, double lx, double ly,
                      double lz, double x, double y, double z, const double q[4])
{
    lab_body *b = lab_add(w, name, kind, (double[3]){x, y, z}, q);
    lab_box(b, (double[3]){lx, ly, lz}, NULL, NULL);
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

/* Scene to world coordinates, for vectors that scale with the given power of the length. */
static void to_world(const lab_world *w, const double a[3], double factor, double out[3])
{
    double scaled[3] = {factor * a[0], factor * a[1], factor * a[2]};
    peg_rotate(w->turn, scaled, out);
}

void lab_velocity(lab_body *b, const double linear[3], const double angular[3])
{
    if (!b) return;
    to_world(b->world, linear ? linear : origin, b->world->scale, b->now.v);
    to_world(b->world, angular ? angular : origin, 1, b->now.omega);
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
    to_world(w, x, w->scale, origin_at);
    peg_add_scaled(b->now.x, 1, origin_at, b->now.x);
    lab_put(b);
}

/* Mass grows with the cube of the scale, accelerations with the scale. */
void lab_force(lab_body *b, const double force[3], const double torque[3])
{
    if (!b) return;
    double s = b->world->scale;
    to_world(b->world, force ? force : origin, s * s * s * s, b->force);
    to_world(b->world, torque ? torque : origin, s * s * s * s * s, b->torque);
}

void lab_enter(lab_body *b, double t, double rise)
{
    if (b) b->enter = t, b->rise = rise * b->world->scale;
}

void lab_group(lab_body *b, int group)
{
    if (!b) return;
    b->group = group;
    b->world->has_groups |= group > 0;
}

/* ---- sealing --------------------------------------------------------------------------------- */

static void part_moments(const lab_part *p, lab_moments *m)
{
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
        part_moments(&b->part[i], &m);
        sum.volume += m.volume;
        peg_add_scaled(sum.first, 1, m.first, sum.first);
        for (int k = 0; k < 9; k++) sum.second[k] += m.second[k];
    }
    b->volume = sum.volume;
    int is_sheet = b->kind == LAB_STATIC && sum.volume == 0;
    if (is_sheet) return;
    if (!b->mass_given) set_mass(b, &sum);
    if (!(b->mass > 0 && isfinite(b->mass) && b->inertia[0] > 0 && b->inertia[4] > 0 &&
          b->inertia[8] > 0))
        lab_fail(b->world, "body '%s': its mass or inertia is not a positive number", b->name);
}

static void seal_body(lab_body *b)
{
    lab_world *w = b->world;
    double x[3], q[4], R[9], back[3], none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (b->parts == 0) lab_fail(w, "body '%s' has no shape", b->name);
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
    to_world(w, b->now.x, w->scale, x);
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
    to_world(w, w->gravity, w->scale, g);
    peg_copy3(g, w->gravity);
    w->sealed = 1;
}

/* ---- what scenes and tests ask --------------------------------------------------------------- */

int lab_body_count(const lab_world *w)
{
    return w->bodies;
}

lab_body *lab_body_at(const lab_world *w, int i)
{
    return w->body[i];
}

lab_body *lab_body_find(const lab_world *w, const char *name)
{
    for (int i = 0; i < w->bodies; i++)
        if (!strcmp(w->body[i]->name, name)) return w->body[i];
    return NULL;
}

const char *lab_body_name(const lab_body *b)
{
    return b->name;
}

lab_kind lab_body_kind(const lab_body *b)
{
    return b->kind;
}

int lab_body_present(const lab_body *b)
{
    return b->present;
}

int lab_body_asleep(const lab_body *b)
{
    return b->id && !dBodyIsEnabled(b->id);
}

static void to_scene(const lab_world *w, const double a[3], double factor, double out[3])
{
    double scaled[3] = {a[0] / factor, a[1] / factor, a[2] / factor};
    peg_rotate_back(w->turn, scaled, out);
}

void lab_pose(const lab_body *b, double x[3], double q[4])
{
    const lab_world *w = b->world;
    if (x) to_scene(w, b->now.x, w->scale, x);
    if (!q) return;
    double back[4] = {w->turn_q[0], -w->turn_q[1], -w->turn_q[2], -w->turn_q[3]};
    peg_quat_mul(back, b->now.q, q);
}

void lab_motion(const lab_body *b, double v[3], double omega[3])
{
    if (v) to_scene(b->world, b->now.v, b->world->scale, v);
    if (omega) to_scene(b->world, b->now.omega, 1, omega);
}

void lab_point(const lab_body *b, const double local[3], double world[3])
{
    double q[4], R[9], x[3], r[3];
    lab_pose(b, x, q);
    peg_quat_to_mat(q, R);
    for (int k = 0; k < 3; k++) r[k] = local[k] - b->com[k] / b->world->scale;
    peg_rotate(R, r, world);
    peg_add_scaled(world, 1, x, world);
}

int lab_escaped(const lab_world *w)
{
    int count = 0;
    for (int i = 0; w->has_bounds && i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double x[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        lab_pose(b, x, NULL);
        int out = 0;
        for (int k = 0; k < 3; k++) out |= !(x[k] >= w->low[k] && x[k] <= w->high[k]);
        count += out;
    }
    return count;
}

double lab_mean_volume(const lab_world *w)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]->kind == LAB_DYNAMIC) sum += w->body[i]->volume, count++;
    return count ? sum / count : 0;
}

/* What scenes, measures and tests ask of a world: bodies, poses and velocities in scene
 * coordinates. */
#include "demos/world/world.h"

#include <string.h>

#include "peg/base/math.h"

double lab_step_size(const lab_world *w)
{
    return w->h;
}

int lab_body_count(const lab_world *w)
{
    return w->bodies;
}

lab_body *lab_body_at(const lab_world *w, int i)
{
    return w->body[i];
}

const char *lab_body_name(const lab_body *b)
{
    return b->name;
}

int *lab_body_tag(lab_body *b)
{
    return &b->tag;
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

double lab_time(const lab_world *w)
{
    return (double)w->steps * w->h;
}

long lab_steps(const lab_world *w)
{
    return w->steps;
}

long lab_steps_planned(const lab_world *w)
{
    return w->planned;
}

const lab_options *lab_world_options(const lab_world *w)
{
    return &w->options;
}

double lab_mu(const lab_world *w)
{
    return w->mu;
}

lab_body *lab_body_find(const lab_world *w, const char *name)
{
    for (int i = 0; i < w->bodies; i++)
        if (!strcmp(w->body[i]->name, name)) return w->body[i];
    return NULL;
}

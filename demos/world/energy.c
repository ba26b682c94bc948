/* The mechanical energy of a world, and what each step does to it. */
#include "demos/world/world.h"

#include <math.h>

#include "peg/base/math.h"

/* Kinetic energy with the inertia at the present orientation. */
static double kinetic(const lab_body *b, const lab_state *s)
{
    double R[9], local[3], momentum[3];
    peg_quat_to_mat(s->q, R);
    peg_rotate_back(R, s->omega, local);
    peg_rotate(b->inertia, local, momentum);
    return .5 * b->mass * peg_dot(s->v, s->v) + .5 * peg_dot(local, momentum);
}

double lab_body_energy(const lab_body *b)
{
    if (b->kind != LAB_DYNAMIC) return 0;
    return kinetic(b, &b->now) - b->mass * peg_dot(b->world->gravity, b->now.x) -
           peg_dot(b->force, b->now.x);
}

/* What the step did to the energy, body by body (differences of totals would drown it). Constant
 * forces have a potential like gravity's; their torques count as gains. */
void lab_account_energy(lab_world *w)
{
    double gain = 0, work = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double d[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        peg_sub(b->now.x, b->before.x, d);
        double fall = b->mass * peg_dot(w->gravity, d);
        gain += kinetic(b, &b->now) - kinetic(b, &b->before) - fall - peg_dot(b->force, d);
        work += fmax(0, fall);
    }
    lab_energy *e = &w->energy;
    e->work_gravity += work;
    e->gain_max = w->steps ? fmax(e->gain_max, gain) : gain;
    double relative = gain > 0 ? gain / e->work_gravity : 0;
    e->gain_max_relative = fmax(e->gain_max_relative, relative);
}

lab_energy lab_world_energy(const lab_world *w)
{
    lab_energy e = w->energy;
    e.now = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]->present) e.now += lab_body_energy(w->body[i]);
    return e;
}

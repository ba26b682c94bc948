/* The mechanical energy of a world, and what each step does to it. */
#include "demos/world/contact_points.h"
#include "demos/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- what kinematic bodies put in ------------------------------------------------------------ */

/* Work in a step of a wrench (force at x, torque) that the kinematic body puts on another, J. */
static double wrench_work(const lab_body *kinematic, const double x[3], const double force[3],
                          const double torque[3])
{
    double arm[3], v[3];
    peg_sub(x, kinematic->now.x, arm);
    peg_cross(kinematic->now.omega, arm, v);
    peg_add_scaled(v, 1, kinematic->now.v, v);
    double power = peg_dot(force, v) + (torque ? peg_dot(torque, kinematic->now.omega) : 0);
    return power * kinematic->world->h;
}

static double contacts(lab_world *w)
{
    const lab_contact_point *p;
    double work = 0;
    int n = w->has_kinematic ? lab_contact_points(w, &p) : 0;
    for (int i = 0; i < n; i++) {
        int on_b = p[i].a->kind == LAB_KINEMATIC;
        const lab_body *kinematic = on_b ? p[i].a : p[i].b;
        double force[3];
        if (kinematic->kind != LAB_KINEMATIC) continue;
        for (int k = 0; k < 3; k++) {
            force[k] = (p[i].impulse * p[i].normal[k] + p[i].friction[k]) / w->h;
            if (on_b) force[k] = -force[k];
        }
        work += wrench_work(kinematic, p[i].x, force, NULL);
    }
    return work;
}

/* On the dynamic body of a joint; side: which of the two it is. */
static double joint_work(const lab_body *kinematic, const lab_body *dynamic,
                         const dJointFeedback *f, int side)
{
    return wrench_work(kinematic, dynamic->now.x, side ? f->f2 : f->f1, side ? f->t2 : f->t1);
}

static double joints(const lab_world *w)
{
    double work = 0;
    for (int i = 0; i < w->joints; i++) {
        const lab_joint *j = w->joint[i];
        if (j->broken || !j->b) continue;
        if (j->a->kind == LAB_KINEMATIC) work += joint_work(j->a, j->b, &j->feedback, 1);
        if (j->b->kind == LAB_KINEMATIC) work += joint_work(j->b, j->a, &j->feedback, 0);
    }
    return work;
}

/* ---- the account ----------------------------------------------------------------------------- */

/* Body by body: differences of totals would drown it. Constant forces have a potential like
 * gravity's; constant torques work with the angle of the step. */
double lab_step_gain(const lab_world *w, double moved)
{
    double gain = -moved;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double d[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        peg_sub(b->now.x, b->before.x, d);
        gain += kinetic(b, &b->now) - kinetic(b, &b->before) - b->mass * peg_dot(w->gravity, d);
        gain -= peg_dot(b->force, d) + w->h * peg_dot(b->torque, b->now.omega);
    }
    return gain;
}

double lab_kinematic_work(lab_world *w)
{
    return contacts(w) + joints(w);
}

/* What the step did to the energy, without the work of kinematic bodies. */
void lab_account_energy(lab_world *w)
{
    double moved = lab_kinematic_work(w), gain = lab_step_gain(w, moved), work = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double d[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        peg_sub(b->now.x, b->before.x, d);
        work += fmax(0, b->mass * peg_dot(w->gravity, d));
    }
    lab_energy *e = &w->energy;
    e->step_gain = gain;
    e->work_gravity += work;
    e->work_kinematic += moved;
    e->put_in += work + fmax(0, moved);
    e->gain_max = w->steps > 1 ? fmax(e->gain_max, gain) : gain;
    double relative = gain > 0 ? gain / e->work_gravity : 0;
    e->gain_max_relative = fmax(e->gain_max_relative, relative);
}

/* ---- the same motion in shorter steps -------------------------------------------------------- */

/* Kinetic energy of what weight, applied force and the gyroscopic torque change a body's velocity
 * by in a step. */
static double flight_loss(const lab_body *b, const lab_state *start)
{
    double h = b->world->h, R[9], local[3], momentum[3], torque[3];
    lab_state d = *start;
    for (int k = 0; k < 3; k++) d.v[k] = h * (b->world->gravity[k] + b->force[k] / b->mass);
    peg_quat_to_mat(start->q, R);
    peg_rotate_back(R, start->omega, local);
    peg_rotate(b->inertia, local, momentum);
    peg_cross(momentum, local, torque);
    dMatrix3 factor = {0};
    for (int i = 0; i < 3; i++) memcpy(factor + 4 * i, b->inertia + 3 * i, 3 * sizeof *factor);
    if (b->no_gyro || !dFactorCholesky(factor, 3)) memset(torque, 0, sizeof torque);
    dSolveCholesky(factor, torque, 3);
    peg_rotate(R, torque, d.omega);
    for (int k = 0; k < 3; k++) d.omega[k] *= h;
    return kinetic(b, &d);
}

static int is_done(pegStatus status)
{
    return status == PEG_OK || status == PEG_STATE_INCOMPLETE;
}

lab_finer lab_look_finer(lab_world *w, int parts, int (*advance)(lab_world *))
{
    lab_finer f = {0};
    size_t size = 0;
    lab_state *start = malloc(((size_t)w->bodies + 1) * sizeof *start);
    double h = w->h;
    int known = is_done(pegWorldSaveState(w->peg, NULL, &size));
    void *state = malloc(size);
    if (!start || !state || !known || !is_done(pegWorldSaveState(w->peg, state, &size)))
        lab_fail(w, "the state could not be kept");
    for (int i = 0; i < w->bodies && !w->failed; i++) start[i] = w->body[i]->now;
    w->h = h / parts;
    for (int i = 0; i < 2 * parts && !w->failed; i++) {
        advance(w);
        *(i < parts ? &f.gain : &f.after) += lab_step_gain(w, lab_kinematic_work(w));
    }
    w->h = h;
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        f.flight += flight_loss(b, &start[i]);
        b->now = b->before = start[i];
    }
    if (!w->failed && !is_done(pegWorldRestoreState(w->peg, state, size)))
        lab_fail(w, "the state could not be restored");
    free(state);
    free(start);
    return f;
}

void lab_enter_energy(lab_body *b)
{
    lab_energy *e = &b->world->energy;
    e->initial += lab_body_energy(b);
    if (b->kind == LAB_DYNAMIC) e->kinetic += kinetic(b, &b->now);
}

lab_energy lab_world_energy(const lab_world *w)
{
    lab_energy e = w->energy;
    e.now = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]->present) e.now += lab_body_energy(w->body[i]);
    if (e.gain_max > 0) e.gain_max_of_total = e.gain_max / (e.kinetic + e.put_in);
    return e;
}

/* Stepping a world with its contact model. */
#include "demos/world/planar_world.h"
#include "demos/world/contact_points.h"
#include "demos/world/world.h"

#include <math.h>

#include "peg/base/math.h"

static void step_peg(lab_world *w)
{
    /* the pairs of its added space are found in the step; only answers to them are given before */
    if (w->has_groups || w->pair_surface) dSpaceCollide(w->space, w, &lab_near_callback);
    pegStatus status = (pegStatus)w->contact_error;
    if (status == PEG_OK) status = (w->quick_step ? pegWorldQuickStep : pegWorldStep)(w->peg, w->h);
    w->unsolved = status == PEG_ERROR_SOLVER;
    if (status != PEG_OK) lab_fail(w, "step %ld: %s", w->steps + 1, pegStatusMessage(status));
}

static void step_ode(lab_world *w)
{
    double start = lab_now();
    lab_contact_joints_clear(w);
    dSpaceCollide(w->space, w, &lab_near_callback);
    double found = lab_now();
    lab_keep_transforms(w);
    if (w->options.contact == LAB_ODE)
        dWorldStep(w->ode, w->h);
    else
        dWorldQuickStep(w->ode, w->h);
    dJointGroupEmpty(w->contacts);
    w->seconds_pairs += found - start;
    w->seconds_ode += lab_now() - found;
}

static int is_finite(const lab_body *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += b->now.x[k] + b->now.v[k] + b->now.omega[k] + b->now.q[k];
    return isfinite(sum + b->now.q[3]);
}

void lab_quick_step(lab_world *w)
{
    w->quick_step = 1;
}

static void apply_forces(const lab_body *b)
{
    dBodyAddForce(b->id, b->force[0], b->force[1], b->force[2]);
    dBodyAddTorque(b->id, b->torque[0], b->torque[1], b->torque[2]);
}

/* Reads where the bodies are before a step, and applies their forces. */
static void begin_step(lab_world *w)
{
    for (int i = 0; i < w->bodies; i++) {
        lab_body *b = w->body[i];
        if (!b->present || b->kind == LAB_STATIC) continue;
        lab_read(b);
        b->before = b->now;
        if (b->id) apply_forces(b);
    }
}

static void read_bodies(lab_world *w)
{
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        if (!b->present || b->kind == LAB_STATIC) continue;
        lab_read(b);
        lab_place(b, b->now.x, b->now.q);
        if (!is_finite(b))
            lab_fail(w, "step %ld: body '%s' is lost (not finite)", w->steps + 1, b->name);
    }
}

static int advance_exactly(lab_world *w)
{
    begin_step(w);
    step_peg(w);
    read_bodies(w);
    return w->failed;
}

void lab_ask_finer(lab_world *w, int parts)
{
    if (w->peg) w->finer_parts = parts;
}

lab_finer lab_last_finer(const lab_world *w)
{
    return w->finer;
}

int lab_step(lab_world *w)
{
    if (w->failed) return 1;
    lab_enter_bodies(w);
    if (w->scene->before_step) w->scene->before_step(w, (double)w->steps * w->h);
    if (w->finer_parts && !w->failed) w->finer = lab_look_finer(w, w->finer_parts, advance_exactly);
    begin_step(w);
    if (w->failed) return 1;
    double start = lab_now(), busy = lab_cpu_now();
    if (w->planar)
        lab_planar_step(w->planar);
    else if (w->peg)
        step_peg(w);
    else
        step_ode(w);
    w->ode_messages += lab_take_ode_messages();
    w->last_cpu = lab_cpu_now() - busy;
    w->cpu_seconds += w->last_cpu;
    w->last_seconds = lab_now() - start;
    w->seconds += w->last_seconds;
    read_bodies(w);
    if (w->failed) return 1;
    w->steps++;
    lab_account_energy(w);
    return 0;
}

int lab_match(lab_world *w, const lab_world *from)
{
    w->steps = (long)nearbyint((double)from->steps * from->h / w->h);
    for (int i = 0; i < w->bodies && !w->failed; i++) {
        lab_body *b = w->body[i];
        const lab_state *s = &from->body[i]->now;
        if (!from->body[i]->present || b->kind == LAB_STATIC) continue;
        b->now = b->before = *s;
        if (!b->present) lab_make_body(b);
        if (w->failed) break;
        lab_place(b, s->x, s->q);
        if (!b->id) continue;
        dBodySetPosition(b->id, s->x[0], s->x[1], s->x[2]);
        dBodySetQuaternion(b->id, s->q);
        dBodySetLinearVel(b->id, s->v[0], s->v[1], s->v[2]);
        dBodySetAngularVel(b->id, s->omega[0], s->omega[1], s->omega[2]);
    }
    return w->failed;
}

void lab_totals(const lab_world *w, pegStats *sum)
{
    *sum =
        (pegStats){.steps = w->steps, .time_pairs = w->seconds_pairs, .time_ode = w->seconds_ode};
    if (w->peg) pegWorldGetTotals(w->peg, sum);
    if (w->planar) lab_planar_stats(w->planar, NULL, sum);
}

void lab_last(const lab_world *w, pegStats *last)
{
    *last = (pegStats){.steps = w->steps > 0};
    if (w->peg) pegWorldGetStats(w->peg, last);
    if (w->planar) lab_planar_stats(w->planar, last, NULL);
}

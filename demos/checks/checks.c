#include "demos/checks/checks.h"
#include "demos/world/world.h"
#include "peg/base/math.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The criteria that hold for every scene. */
static const double OVERLAP_LIMIT = 1e-15; /* of the mean body volume */
static const double DEPTH_LIMIT = 1e-12; /* of the smallest body's size: rounding of the measure */
static const double GAIN_LIMIT = 1e-9;   /* of the energy that was put in */
static const double ROUNDING = 1e-13;    /* of the energy at hand: what a sum of it may be off */
static const double DRIFT_LIMIT = 1e-6;  /* of the body size (1 m in all resting scenes) */
static const double STAND_LIMIT = 1e-5;  /* of the body size, in ten seconds */
static const double CONE_LIMIT = 1e-9;   /* of mu times the largest impulse of the step */
static const double SPEED_LIMIT = 1e-8;  /* m/s, of what stands */
static const double GRAZE_LIMIT = 0.1;   /* inside a step, of the smallest thickness */
static const double SETTLED = 1;         /* s, from then on drift counts */
static const int POSES_INSIDE = 64;

/* ---- what holds for all -----------------------------------------------------------------------
 */

static void poses(const check_run *run, double (*pose)[7])
{
    for (int i = 0; i < lab_body_count(run->w); i++)
        lab_pose(lab_body_at(run->w, i), pose[i], pose[i] + 3);
}

/* A fit without clearance cannot be written down in a turned frame: rounding alone overlaps. */
static double overlap_limit(const check_run *run)
{
    const lab_options *options = lab_world_options(run->w);
    int exact_fit = 0, turned = 0;
    for (int i = 0; i < options->sets; i++) {
        exact_fit |= !strcmp(options->set[i].key, "clearance") && options->set[i].value == 0;
        turned |= !strcmp(options->set[i].key, "turn") && options->set[i].value != 0;
    }
    return exact_fit && turned ? 10 * OVERLAP_LIMIT : OVERLAP_LIMIT;
}

/* Depth that the poses of touching bodies have by rounding alone, m: each knows its faces to half
 * an ulp of its position and half of its vertices', and eps X is at most an ulp of coordinates up
 * to X. Where many bodies touch each other far from the origin the volume of these is no measure:
 * in a pyramid of 210 cubes on coordinates up to 10 m 3.6e-15 m deep overlaps add up to 7e-14
 * cubes. */
static double rounding(const check_run *run)
{
    double far = 0;
    for (int i = 0; i < run->w->bodies; i++) {
        const lab_body *b = run->w->body[i];
        for (int p = 0; p < b->parts && b->kind == LAB_DYNAMIC && b->present; p++)
            for (int k = 0; k < 3; k++)
                far = fmax(far, fmax(fabs(b->part[p].low[k]), fabs(b->part[p].high[k])));
    }
    return 2 * DBL_EPSILON * far / run->scale;
}

static void look_at_overlap(check_run *run)
{
    check_result *r = run->result;
    double volume, depth;
    lab_overlap(run->w, 1, &volume, &depth);
    run->overlaps[run->step - 1] = volume;
    r->overlap = fmax(r->overlap, volume);
    r->depth = fmax(r->depth, depth);
    if (run->spec->properties & CHECK_OVERLAPS) return;
    if (!(volume <= overlap_limit(run)) && !(depth <= rounding(run)))
        check_fail(run, "overlap of %.3g body volumes", volume);
    if (!(depth <= DEPTH_LIMIT * run->spec->size)) check_fail(run, "depth of %.3g m", depth);
}

static void look_inside(check_run *run)
{
    for (int i = 1; i < POSES_INSIDE; i++) {
        double volume, depth;
        lab_overlap(run->w, (double)i / POSES_INSIDE, &volume, &depth);
        run->result->inside = fmax(run->result->inside, depth);
        if (!(depth <= GRAZE_LIMIT * run->spec->size))
            check_fail(run, "depth of %.3g m at %d/%d of the step", depth, i, POSES_INSIDE);
    }
}

static double kinetic(const lab_body *b, const lab_state *state)
{
    double R[9], omega[3], momentum[3];
    peg_quat_to_mat(state->q, R);
    peg_rotate_back(R, state->omega, omega);
    peg_rotate(b->inertia, omega, momentum);
    return (b->mass * peg_dot(state->v, state->v) + peg_dot(omega, momentum)) / 2;
}

static double kinetic_energy(const lab_world *w)
{
    double sum = 0;
    for (int i = 0; i < w->bodies; i++)
        if (w->body[i]->kind == LAB_DYNAMIC) sum += kinetic(w->body[i], &w->body[i]->now);
    return sum;
}

/* The gain of the step body by body, without the work of the scene's own forces; what rounding of
 * the poses may make of it, and the weight of the bodies, N. */
static double energy_gain(const lab_world *w, double *noise, double *weight)
{
    double gain = 0, g = peg_norm(w->gravity);
    *noise = *weight = 0;
    for (int i = 0; i < w->bodies; i++) {
        const lab_body *b = w->body[i];
        double d[3];
        if (b->kind != LAB_DYNAMIC || !b->present) continue;
        double before = kinetic(b, &b->before), after = kinetic(b, &b->now);
        peg_sub(b->now.x, b->before.x, d);
        gain += after - before - b->mass * peg_dot(w->gravity, d) - peg_dot(b->force, d) -
                w->h * peg_dot(b->torque, b->now.omega);
        *weight += b->mass * g;
        *noise += ROUNDING * (before + after) + 1e-15 * b->mass * g * peg_norm(b->now.x);
    }
    return gain;
}

static void look_at_energy(check_run *run)
{
    if (run->spec->properties & CHECK_MACHINE) return;
    double noise, weight, gain = energy_gain(run->w, &noise, &weight);
    lab_energy energy = lab_world_energy(run->w);
    double input = energy.put_in + run->kinetic;
    gain -= fmax(0, energy.work_kinematic - run->work_kinematic);
    run->work_kinematic = energy.work_kinematic;
    /* where nothing falls, compare with a fall by ten body sizes: thin gaps may still be opening */
    if (run->spec->properties & (CHECK_TOUCHES | CHECK_STANDS))
        input += 10 * weight * run->spec->size * run->scale;
    if (gain <= noise) return;
    if ((run->spec->properties & CHECK_TOUCHES) && run->t < SETTLED + run->h / 2) return;
    run->result->gain = fmax(run->result->gain, gain / input);
    if (!(gain <= GAIN_LIMIT * input + noise))
        check_fail(run, "energy grew by %.3g J, %.3g of what was put in", gain, gain / input);
}

static void look_at_drift(check_run *run)
{
    if (!(run->spec->properties & CHECK_RESTS)) return;
    double opening = run->spec->chain * check_margin(sqrt(0.75) * run->spec->size);
    for (int i = 0; i < lab_body_count(run->w); i++) {
        double x[3], q[4], moved[2] = {0, 0};
        const double *from[2] = {run->start[i], run->settled[i]};
        lab_pose(lab_body_at(run->w, i), x, q);
        for (int k = 0; k < 2; k++) {
            double d = hypot(hypot(x[0] - from[k][0], x[1] - from[k][1]), x[2] - from[k][2]);
            moved[k] = fmax(d, check_angle(from[k] + 3, q));
        }
        if (run->spec->chain > 0 && !(moved[0] <= opening * 1.01))
            check_fail(run, "body %d moved by %.3g from its start, margins are %.3g", i, moved[0],
                       opening);
        if (run->t <= SETTLED + run->h / 2) continue;
        run->result->drift = fmax(run->result->drift, moved[1]);
        if (!(moved[1] <= DRIFT_LIMIT))
            check_fail(run, "body %d drifted by %.3g since t = 1 s", i, moved[1]);
    }
}

/* What stands has come to rest at t = 1 s, and stays. */
static void look_at_standing(check_run *run)
{
    if (!(run->spec->properties & CHECK_STANDS) || run->t <= SETTLED + run->h / 2) return;
    check_result *r = run->result;
    double size = run->spec->size, drift = 0, speed = 0;
    for (int i = 0; i < lab_body_count(run->w); i++) {
        double x[3], q[4], v[3], omega[3];
        const double *from = run->settled[i];
        const lab_body *body = lab_body_at(run->w, i);
        lab_pose(body, x, q);
        lab_motion(body, v, omega);
        double d[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
        drift = fmax(drift, fmax(peg_norm(d), size * check_angle(from + 3, q)));
        speed = fmax(speed, fmax(peg_norm(v), size * peg_norm(omega)));
    }
    r->drift = fmax(r->drift, drift);
    r->speed = fmax(r->speed, speed);
    if (!(drift <= STAND_LIMIT * size * fmax(1, (run->t - SETTLED) / 10)))
        check_fail(run, "drifted by %.3g m since t = 1 s", drift);
    if (!(speed <= SPEED_LIMIT)) check_fail(run, "still moves at %.3g m/s", speed);
}

/* What the module hands out: friction impulses within the circle of radius mu times the normal
 * impulse (the pyramid, which belts have, too, reaches sqrt(2) times as far), which push and never
 * pull. */
static void look_at_cones(check_run *run)
{
    double mu = lab_mu(run->w), most = 0, beyond = 0;
    int n = run->w->peg && mu > 0 ? pegWorldGetContactCount(run->w->peg) : 0;
    int has_axes = run->w->directions == 0 || run->w->pair_surface;
    double reach = has_axes ? sqrt(2) * mu : mu;
    for (int i = 0; i < n; i++) {
        pegContact c;
        if (pegWorldGetContact(run->w->peg, i, &c) != PEG_OK) continue;
        most = fmax(most, c.impulse);
        beyond = fmax(beyond, fmax(peg_norm(c.friction) - reach * c.impulse, -mu * c.impulse));
    }
    if (!(most > 0)) return;
    run->result->cone = fmax(run->result->cone, beyond / (mu * most));
    if (!(beyond <= CONE_LIMIT * mu * most))
        check_fail(run, "friction of %.3g times the largest there can be lies outside of its cone",
                   beyond / (mu * most));
}

static void look_at_counts(check_run *run)
{
    pegStats last;
    lab_last(run->w, &last);
    /* of exact contacts it says that velocities are rough, which large steps are in hard impacts */
    int exact = run->w->options.contact == LAB_PEG;
    if (last.unconverged > 0 && !exact) check_fail(run, "not converged");
    if (lab_escaped(run->w) > 0) check_fail(run, "%d bodies left the box", lab_escaped(run->w));
}

static const check_spec pour_specs[] = {
    {"pour-boxes", .size = 0.1, .end = check_pour},
    {"pour-convex", .size = 0.1, .end = check_pour},
    {"container", .size = 0.1, .end = check_pour},
    {"stirrer", .size = 0.1, .end = check_pour},
    {"conveyor", .properties = CHECK_MACHINE, .size = 0.1, .end = check_pour},
    {.scene = NULL},
};

const check_spec *check_find(const char *name)
{
    static const check_spec anything = {"", .size = 0.1};
    static const check_spec *const groups[] = {
        pour_specs,          check_specs_rest,     check_specs_fast,
        check_specs_extreme, check_specs_friction, check_specs_joints,
        check_specs_geoms,   check_specs_dilated,  check_specs_grip};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const check_spec *s = groups[g]; s->scene; s++)
            if (!strcmp(s->scene, name)) return s;
    return &anything;
}

/* ---- a run ------------------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int one_step(check_run *run)
{
    double start = lab_now();
    if (lab_step(run->w)) {
        check_fail(run, "%s", lab_error(run->w));
        return 1;
    }
    run->result->ms += 1e3 * (lab_now() - start);
    run->result->steps = ++run->step;
    run->t = lab_time(run->w);
    if (run->t <= SETTLED + run->h / 2) poses(run, run->settled);
    look_at_overlap(run);
    if (run->spec->properties & CHECK_INSIDE) look_inside(run);
    look_at_energy(run);
    look_at_drift(run);
    look_at_standing(run);
    look_at_cones(run);
    look_at_counts(run);
    if (run->spec->step) run->spec->step(run);
    return 0;
}

static int run_steps(check_run *run)
{
    long steps = lab_steps_planned(run->w);
    int bodies = lab_body_count(run->w), broken = 0;
    run->start = calloc((size_t)bodies + 1, sizeof *run->start);
    run->settled = calloc((size_t)bodies + 1, sizeof *run->settled);
    run->overlaps = calloc((size_t)steps + 1, sizeof *run->overlaps);
    if (!run->start || !run->settled || !run->overlaps) {
        check_fail(run, "out of memory");
        return 1;
    }
    poses(run, run->start);
    run->kinetic = kinetic_energy(run->w);
    if (run->spec->begin) run->spec->begin(run);
    while (!broken && run->step < steps) broken = one_step(run);
    if (run->step == 0) return broken;
    run->result->ms /= (double)run->step;
    qsort(run->overlaps, (size_t)run->step, sizeof *run->overlaps, ascending);
    run->result->overlap_median = run->overlaps[run->step / 2];
    run->result->escaped = lab_escaped(run->w);
    lab_totals(run->w, &run->result->total);
    if (!broken && run->spec->end) run->spec->end(run);
    return broken;
}

int check_scene(const lab_scene *scene, const lab_options *options, check_result *result)
{
    check_run run = {.spec = check_find(scene->name), .scene = scene, .result = result, .g = 9.81};
    char text[LAB_TEXT];
    int user;
    memset(result, 0, sizeof *result);
    run.w = lab_open(scene, options, text, &user);
    if (!run.w) {
        check_fail(&run, "%s", text);
        return 1;
    }
    lab_settings_text(run.w, result->settings, sizeof result->settings);
    run.scale = run.w->scale;
    run.h = options->h > 0 ? options->h : scene->h;
    int broken = run_steps(&run);
    free(run.start);
    free(run.settled);
    free(run.overlaps);
    if (run.other) lab_close(run.other);
    lab_close(run.w);
    return broken;
}

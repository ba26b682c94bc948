/* Checks of the machines: no overlap (as everywhere), joint errors beside stock ODE's at the same
 * step size, no energy from contact, and what each machine is for. */
#include "demos/checks/checks.h"

#include <math.h>
#include <stddef.h>

/* Joint errors are those of the joints' linearisation, which stock ODE shares; bodies that may not
 * overlap take other ways and stop within one step, so that single errors differ. */
static const double BESIDE_STOCK = 1.5;
/* m, rad: below, joints count as exact. */
static const double JOINT_EXACT = 1e-6;
/* Energy that joints may add while they correct their errors, of the energy at the start, where
 * stock ODE's do not add more. */
static const double CORRECTION = 1e-3;

enum { APART, APART_STOCK, LOWEST, RISE, RISE_STOCK, LOWEST_STOCK, OWN };

static double largest_error(const lab_world *w)
{
    double worst = 0;
    for (int i = 0; i < lab_joint_count(w); i++) {
        double apart, askew;
        lab_joint_error(lab_joint_at(w, i), &apart, &askew);
        worst = fmax(worst, fmax(apart, askew));
    }
    return worst;
}

static void look(check_run *run, const lab_world *w, int apart, int lowest, int rise)
{
    double energy = lab_world_energy(w).now;
    run->memory[apart] += largest_error(w);
    run->memory[rise] = fmax(run->memory[rise], energy - run->memory[lowest]);
    run->memory[lowest] = fmin(run->memory[lowest], energy);
}

/* The same with stock ODE. */
static void begin_machine(check_run *run)
{
    check_open_stock(run);
    run->memory[LOWEST] = run->memory[LOWEST_STOCK] = INFINITY;
}

static void step_machine(check_run *run)
{
    look(run, run->w, APART, LOWEST, RISE);
    if (!run->other || lab_step(run->other)) return;
    look(run, run->other, APART_STOCK, LOWEST_STOCK, RISE_STOCK);
}

static void end_machine(check_run *run)
{
    const double *m = run->memory;
    /* the largest error of the joints, as the mean of the steps: two motions that part are not
     * compared by their single worst moments */
    double steps = fmax(1, (double)run->step), apart = m[APART] / steps;
    double stock = m[APART_STOCK] / steps;
    check_figure(run, "joint error", apart);
    check_figure(run, "joint error, stock", stock);
    check_between(run, "joint error", apart, 0, BESIDE_STOCK * stock + JOINT_EXACT);
    check_between(run, "energy from contact", run->result->total.energy_gain_max, -INFINITY,
                  1e-9 * fabs(lab_world_energy(run->w).initial));
}

/* Motors are off. */
static void end_passive(check_run *run)
{
    const double *m = run->memory;
    double initial = fabs(lab_world_energy(run->w).initial);
    end_machine(run);
    check_between(run, "energy from joints", m[RISE], 0,
                  fmax(1.1 * m[RISE_STOCK], CORRECTION * initial));
}

static double height(const check_run *run, const char *name)
{
    double x[3];
    const lab_body *body = lab_body_find(run->w, name);
    if (!body) return NAN;
    lab_pose(body, x, NULL);
    return x[2];
}

static void end_chain(check_run *run)
{
    end_passive(run);
    check_between(run, "height of the first link", height(run, "link"), 0.05, 0.6);
    check_between(run, "height of the last link", height(run, "link-10"), 0.05, 1.2);
}

static void end_bridge(check_run *run)
{
    end_passive(run);
    check_between(run, "height of the load", height(run, "load"), 0.3, 1.2);
}

static void end_ragdoll(check_run *run)
{
    end_passive(run);
    check_between(run, "height of the trunk", height(run, "trunk"), 0.05, 1.6);
    check_between(run, "height of the head", height(run, "head"), 0.05, 1.9);
}

/* Where stock ODE with a small step drives to. */
static void end_buggy(check_run *run)
{
    lab_options options = *lab_world_options(run->w);
    char text[LAB_TEXT];
    double here[3], there[3], d[3];
    int user;
    end_machine(run);
    if (run->h > 0.0101) return; /* a wheel turns by more than a side in a step */
    options.contact = LAB_ODE;
    options.h = 0.0005;
    options.time = run->t;
    options.steps = 0;
    lab_world *w = lab_open(run->scene, &options, text, &user);
    for (long n = 0; w && n < lab_steps_planned(w); n++)
        if (lab_step(w)) break;
    if (w) {
        lab_pose(lab_body_find(run->w, "chassis"), here, NULL);
        lab_pose(lab_body_find(w, "chassis"), there, NULL);
        for (int k = 0; k < 3; k++) d[k] = here[k] - there[k];
        double off = hypot(d[0], d[1]) / fmax(hypot(there[0], there[1]), 0.1);
        check_figure(run, "track off", off);
        check_between(run, "track off", off, 0, 0.05);
        lab_close(w);
    }
}

/* Height of the load over the jaws' trolley, since both were gripped. */
static void step_crane(check_run *run)
{
    double *m = run->memory, lift = height(run, "load") - height(run, "trolley");
    step_machine(run);
    if (run->t <= 0.9) m[OWN] = lift;
    if (run->t > 0.9) check_near(run, "slip", lift - m[OWN], 0, 1e-5);
    check_largest(run, "slip", fabs(lift - m[OWN]) * (run->t > 0.9));
}

static void end_crane(check_run *run)
{
    double slip = run->result->figure[0].value;
    end_machine(run);
    check_figure(run, "slip", slip);
    if (run->t > 3) check_between(run, "height of the load", height(run, "load"), 0.65, 0.75);
}

static int cubes_above(const check_run *run, double low)
{
    int n = 0;
    for (int i = 0; i < 6; i++) {
        double x[3];
        lab_pose(lab_body_at(run->w, lab_body_count(run->w) - 1 - i), x, NULL);
        n += x[2] > low;
    }
    return n;
}

static void step_excavator(check_run *run)
{
    step_machine(run);
    if (fabs(run->t - 2.3) > run->h / 2) return;
    check_between(run, "cubes lifted", cubes_above(run, 0.5), 6, 6);
}

static void end_excavator(check_run *run)
{
    end_machine(run);
    if (run->t > 3.9) check_between(run, "cubes emptied", 6 - cubes_above(run, 0.5), 1, 6);
}

static void end_plane2d(check_run *run)
{
    end_passive(run);
    for (int i = 0; i < lab_body_count(run->w); i++) {
        double x[3];
        if (lab_body_kind(lab_body_at(run->w, i)) != LAB_DYNAMIC) continue;
        lab_pose(lab_body_at(run->w, i), x, NULL);
        check_between(run, "place in the trough", x[0], -0.8, 0.8);
        check_between(run, "height in the trough", x[1], 0, 3);
    }
}

const check_spec check_specs_joints[] = {
    {"chain", CHECK_MACHINE, 0.1, .begin = begin_machine, .step = step_machine, .end = end_chain},
    {"buggy", CHECK_MACHINE, 0.1, .key = "flat", .values = {0, 1, NAN}, .begin = begin_machine,
     .step = step_machine, .end = end_buggy},
    {"bridge", CHECK_MACHINE, 0.06, .begin = begin_machine, .step = step_machine,
     .end = end_bridge},
    {"ragdoll", CHECK_MACHINE, 0.07, .begin = begin_machine, .step = step_machine,
     .end = end_ragdoll},
    {"ragdolls", CHECK_MACHINE, 0.07, .begin = begin_machine, .step = step_machine,
     .end = end_passive},
    {"crane-grip", CHECK_MACHINE, 0.05, .begin = begin_machine, .step = step_crane,
     .end = end_crane},
    {"excavator-bucket", CHECK_MACHINE, 0.04, .begin = begin_machine, .step = step_excavator,
     .end = end_excavator},
    {"plane2d-pour", CHECK_MACHINE, 0.16, .begin = begin_machine, .step = step_machine,
     .end = end_plane2d},
    {.scene = NULL},
};

/* Checks of the grippers: what is held does not slip, and a stack stands where it was built. */
#include "demos/checks/checks.h"

#include <math.h>
#include <stddef.h>

static const double SLIP = 1e-6;                            /* m */
static const double PLACED = 1e-3, SIDE = .06, ALONG = .55; /* m */

/* Height of the load above the fingers. */
static double held_at(check_run *run)
{
    double load[3], left[3], right[3];
    lab_pose(check_body(run, "load", 0), load, NULL);
    lab_pose(check_body(run, "finger", 0), left, NULL);
    lab_pose(check_body(run, "finger", 1), right, NULL);
    return load[2] - .5 * (left[2] + right[2]);
}

static void step_gripper(check_run *run)
{
    double at = held_at(run);
    if (run->t <= 1 + run->h / 2) {
        run->memory[0] = at;
        return;
    }
    check_largest(run, "slip", fabs(at - run->memory[0]));
    if (!(fabs(at - run->memory[0]) <= SLIP))
        check_fail(run, "slips by %.3g m", at - run->memory[0]);
}

static void end_gripper(check_run *run)
{
    double x[3];
    lab_pose(check_body(run, "load", 0), x, NULL);
    if (run->t >= 2) check_between(run, "height of the load", x[2], .44, .46);
}

static void end_arm(check_run *run)
{
    if (run->t < 23) return;
    for (int i = 0; i < 5; i++) {
        double x[3], want[3] = {ALONG, 0, SIDE / 2 + SIDE * i}, off = 0;
        lab_pose(check_body(run, "box", i), x, NULL);
        for (int k = 0; k < 3; k++) off = fmax(off, fabs(x[k] - want[k]));
        check_largest(run, "off the stack", off);
        if (!(off <= PLACED))
            check_fail(run, "box %d is %.3g m off its place in the stack", i, off);
    }
}

const check_spec check_specs_grip[] = {
    {"gripper", CHECK_MACHINE, 0.1, .key = "object", .values = {0, 1, 2, NAN}, .step = step_gripper,
     .end = end_gripper},
    {"arm-6", CHECK_MACHINE, 0.06, .end = end_arm},
    {.scene = NULL},
};

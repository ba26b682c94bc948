/* Checks of the fast scenes. That nothing passes through anything is seen by the depth at 64 poses
 * inside every step (CHECK_INSIDE). */
#include "demos/checks/checks.h"

#include <math.h>
#include <stddef.h>

static void end_thin_plate(check_run *run)
{
    double x[3], v[3];
    lab_pose(check_body(run, "cube", 0), x, NULL);
    lab_motion(check_body(run, "cube", 0), v, NULL);
    check_figure(run, "distance from the plate", -x[0]);
    if (hypot(x[1], x[2]) < 2) check_between(run, "distance from the plate", -x[0], 0.1, 1);
}

/* Two free bodies: what one loses the other gains. */
static void closing(check_run *run, double sum[3], double *speed)
{
    double a[3], b[3];
    lab_motion(check_body(run, "left", 0), a, NULL);
    lab_motion(check_body(run, "right", 0), b, NULL);
    for (int k = 0; k < 3; k++) sum[k] = a[k] + b[k];
    *speed = a[0] - b[0];
}

static void begin_head_on(check_run *run)
{
    double sum[3];
    closing(run, sum, &run->memory[0]);
}

static void step_head_on(check_run *run)
{
    double sum[3];
    closing(run, sum, &run->memory[1]);
    for (int k = 0; k < 3; k++)
        check_near(run, "sum of the velocities", sum[k], 0, 1e-12 * run->memory[0]);
}

static void end_head_on(check_run *run)
{
    check_figure(run, "closing speed after / before", run->memory[1] / run->memory[0]);
    check_between(run, "closing speed after / before", run->memory[1] / run->memory[0], -1, 0.95);
}

/* Until the box comes near the floor its motion is stock ODE's. */
static void begin_spin(check_run *run)
{
    check_open_stock(run);
}

static void step_spin(check_run *run)
{
    double pose[2][7], motion[2][6], reach = 0.71 + run->g * run->t * run->h;
    if (!run->other || run->memory[0] > 0) return;
    lab_step(run->other);
    lab_world *w[2] = {run->w, run->other};
    for (int i = 0; i < 2; i++) {
        lab_body *box = lab_body_find(w[i], "box");
        lab_pose(box, pose[i], pose[i] + 3);
        lab_motion(box, motion[i], motion[i] + 3);
    }
    if (pose[1][2] < reach) {
        run->memory[0] = run->t;
        return;
    }
    double rate = 1 / run->h;
    for (int k = 0; k < 7; k++) check_near(run, "pose", pose[0][k], pose[1][k], 1e-12);
    for (int k = 0; k < 6; k++)
        check_near(run, "velocity", motion[0][k], motion[1][k], 1e-12 * rate);
}

static void end_spin(check_run *run)
{
    check_figure(run, "free until", run->memory[0]);
    check_between(run, "end of the free fall", run->memory[0], 0.2, 0.5);
}

const check_spec check_specs_fast[] = {
    {"thin-plate", .properties = CHECK_INSIDE, .size = 0.02, .key = "speed",
     .values = {10, 100, 300, 1000}, .end = end_thin_plate},
    {"head-on", .properties = CHECK_INSIDE, .size = 0.2, .key = "speed",
     .values = {10, 100, 300, 1000}, .begin = begin_head_on, .step = step_head_on,
     .end = end_head_on},
    {"blades", .properties = CHECK_INSIDE, .size = 0.02, .key = "spin", .values = {1, 2, 4, 6}},
    {"spin", .size = 0.6, .key = "spin", .values = {1, 2, 3, NAN}, .begin = begin_spin,
     .step = step_spin, .end = end_spin},
    {.scene = NULL},
};

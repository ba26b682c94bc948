/* Checks of the extreme scenes. */
#include "demos/checks/checks.h"

#include <math.h>
#include <stddef.h>

/* ---- ratios -----------------------------------------------------------------------------------
 */

static void end_needles(check_run *run)
{
    double lowest = INFINITY;
    for (int i = 1; i < lab_body_count(run->w); i++) {
        double x[3];
        check_position(lab_body_at(run->w, i), x);
        lowest = fmin(lowest, x[2]);
    }
    check_figure(run, "height of the lowest", lowest);
    check_between(run, "height of the lowest", lowest, 0.0005 - 1e-12, 0.6);
}

static void end_size_ratio(check_run *run)
{
    double x[3];
    check_position(check_body(run, "load", 0), x);
    check_figure(run, "height over the small cubes", x[2] - 0.501);
    check_between(run, "height over the small cubes", x[2] - 0.501, -1e-12,
                  2.02 * check_margin(sqrt(0.75) * 0.001));
}

/* Not a matter of 1e-6: a tilt of 1e-9 under the heavy cube moves the light one that it stands on
 * by centimetres. */
static void step_mass_ratio(check_run *run)
{
    double moved = 0;
    for (int i = 0; i < 3; i++) {
        double x[3];
        check_position(check_body(run, "cube", i), x);
        const double *from = run->start[i + 1];
        moved = fmax(moved, hypot(hypot(x[0] - from[0], x[1] - from[1]), x[2] - from[2]));
    }
    check_near(run, "move of a cube", moved, 0, 1e-3);
    check_largest(run, "largest move", moved);
}

/* ---- little room ------------------------------------------------------------------------------
 */

/* The walls close by 1 m/s from a gap of .1 on either side. Nothing can be done about the rest:
 * least violation is half of it on each side, and the block falls on. */
static void step_closing_walls(check_run *run)
{
    double x[3], volume, depth;
    pegStats last;
    check_position(check_body(run, "cube", 0), x);
    lab_overlap(run->w, 1, &volume, &depth);
    lab_last(run->w, &last);
    double least = fmax(0, 0.5 * run->t - 0.1), scale = run->scale;
    check_near(run, "height over free fall", x[2] + check_fallen(run), 0, 0.01);
    check_near(run, "move sideways", hypot(x[0], x[1]), 0, 0.01);
    check_near(run, "depth", depth, least, 1e-3);
    if (least > 0.01)
        check_near(run, "reported violation", last.max_penetration / scale, least, 1e-3);
}

static void end_closing_walls(check_run *run)
{
    check_figure(run, "depth", run->result->depth);
}

/* The hole is just as wide as the block or a little wider: nothing holds it back. */
static void step_peg_in_hole(check_run *run)
{
    double x[3], q[4];
    lab_body *peg = check_body(run, "peg", 0);
    lab_pose(peg, x, q);
    double off = x[2] - (1.5001 - check_fallen(run));
    check_near(run, "height over free fall", off, 0, 1e-3);
    check_near(run, "turn", check_turned(run, peg), 0, 1e-3);
    check_largest(run, "height over free fall", fabs(off));
}

/* ---- interlocked ------------------------------------------------------------------------------
 */

static void step_hook(check_run *run)
{
    double x[3];
    lab_body *hook = check_body(run, "hook", 0);
    check_position(hook, x);
    check_between(run, "height of the hook", x[2], -0.7, 0.3);
    check_between(run, "place of the hook", hypot(x[0], x[1]), 0, 0.7);
    run->memory[0] = fmax(run->memory[0], check_turned(run, hook));
}

static void end_hook(check_run *run)
{
    check_figure(run, "largest turn", run->memory[0]);
    check_between(run, "largest turn", run->memory[0], 0.2, 3.2);
}

/* Interlocked: the centres of neighbours stay nearer than two inner corners allow. */
static void step_links(check_run *run)
{
    double x[3], before[3] = {0, 0, 0};
    for (int i = 0; i < lab_body_count(run->w); i++) {
        check_position(lab_body_at(run->w, i), x);
        double d = hypot(hypot(x[0] - before[0], x[1] - before[1]), x[2] - before[2]);
        if (i) {
            check_between(run, "distance of neighbours", d, 0, 2 * hypot(0.21, 0.12));
            run->memory[0] = fmax(run->memory[0], d);
        }
        for (int k = 0; k < 3; k++) before[k] = x[k];
    }
    check_figure(run, "largest distance of neighbours", run->memory[0]);
}

/* ---- bad from the start -----------------------------------------------------------------------
 */

/* The overlap opens at no more than the capped speed (one bounding radius per second and pair) and
 * leaves no motion behind. */
static void step_overlap_start(check_run *run)
{
    double cap = sqrt(0.75), volume, depth, x[3], v[3];
    lab_overlap(run->w, 1, &volume, &depth);
    check_between(run, "depth", depth, 0, run->step == 1 ? 0.1 : run->memory[0] + 1e-12);
    run->memory[0] = depth;
    for (int i = 0; i < 2; i++) {
        lab_body *cube = check_body(run, "cube", i);
        check_position(cube, x);
        lab_motion(cube, v, NULL);
        double speed =
            (x[2] - (run->step == 1 ? run->start[i + 1][2] : run->memory[1 + i])) / run->h;
        check_between(run, "speed of the recovery", speed, -0.01, 1.01 * (i + 1) * cap);
        check_near(run, "speed left behind", hypot(hypot(v[0], v[1]), v[2]), 0, 0.01);
        run->memory[1 + i] = x[2];
        run->memory[3] = fmax(run->memory[3], hypot(hypot(v[0], v[1]), v[2]));
    }
    if (depth > 0) run->memory[4] = run->t;
}

static void end_overlap_start(check_run *run)
{
    check_figure(run, "recovered at", run->memory[4]);
    check_between(run, "end of the recovery", run->memory[4], 0.09, 0.5);
    if (run->result->total.recovered == 0) check_fail(run, "no recovery was counted");
}

const check_spec check_specs_extreme[] = {
    {"needles", .size = 0.001, .end = end_needles},
    {"size-ratio", .properties = CHECK_TOUCHES, .size = 0.001, .end = end_size_ratio},
    {"mass-ratio", .properties = CHECK_TOUCHES, .size = 1, .step = step_mass_ratio},
    {"closing-walls", .properties = CHECK_OVERLAPS, .size = 1, .step = step_closing_walls,
     .end = end_closing_walls},
    {"peg-in-hole", .size = 1, .key = "clearance", .values = {1e-3, 1e-6, 0, NAN},
     .step = step_peg_in_hole},
    {"hook", .size = 0.1, .step = step_hook, .end = end_hook},
    {"links", .size = 0.08, .step = step_links},
    {"overlap-start", .properties = CHECK_OVERLAPS | CHECK_TOUCHES | CHECK_RESTS, .size = 1,
     .step = step_overlap_start, .end = end_overlap_start},
    {.scene = NULL},
};

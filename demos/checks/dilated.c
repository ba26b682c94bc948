/* Checks of meshes with a radius: nothing overlaps, and each part does what it is made for. */
#include "demos/checks/checks.h"
#include "demos/world/world.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* m: play of the bolt along its axis, and what facets add to it; that of a ball between the races,
 * of .06 where it would come out; least way of the weight that is heavier. m/s: how far joints come
 * apart, per step size: their error grows by the square of what they turn in a step. */
static const double PLAY = 3.5e-3, OFF = .02, SLIDES = .3, JOINT = 1;

static double key(const check_run *run, const char *name, double fallback)
{
    const lab_options *options = lab_world_options(run->w);
    for (int i = 0; i < options->sets; i++)
        if (!strcmp(options->set[i].key, name)) return options->set[i].value;
    return fallback;
}

/* --- bolt and nut: goes down by a pitch a turn --- */

static void step_bolt(check_run *run)
{
    double x[3], q[4], turn = 2 * acos(-1), pitch = key(run, "pitch", .08);
    lab_pose(check_body(run, "bolt", 0), x, q);
    double angle = 2 * atan2(q[3], q[0]), last = run->memory[0];
    angle += turn * nearbyint((last - angle) / turn);
    run->memory[0] = angle;
    double down = run->start[1][2] - x[2], play = fabs(down + pitch * angle / turn);
    check_largest(run, "play", play);
    if (!(play <= PLAY)) check_fail(run, "%.3g m down after a turn of %.3g rad", down, angle);
}

static void end_bolt(check_run *run)
{
    if (run->t > .49) check_between(run, "turn of the bolt", -run->memory[0], 1.5, 7);
}

/* --- bearing: the balls stay between the races --- */

static void step_bearing(check_run *run)
{
    int balls = (int)key(run, "balls", 7);
    for (int i = 0; i < balls; i++) {
        double x[3];
        lab_pose(check_body(run, "ball", i), x, NULL);
        double off = hypot(hypot(x[0], x[1]) - .2, x[2]);
        check_largest(run, "off the race", off);
        if (!(off <= OFF)) check_fail(run, "ball %d is %.3g m off the race", i, off);
    }
}

static void end_bearing(check_run *run)
{
    double least = INFINITY;
    for (int i = 0; i < (int)key(run, "balls", 7); i++)
        least = fmin(least, check_turned(run, check_body(run, "ball", i)));
    if (run->t > .9 && run->w->mu > 0) check_between(run, "least turn of a ball", least, .2, 4);
}

/* --- peg: stays upright in its hole and goes down --- */

static void step_peg(check_run *run)
{
    double x[3], q[4];
    lab_pose(check_body(run, "peg", 0), x, q);
    double lean = 2 * asin(fmin(1, hypot(q[1], q[2])));
    check_largest(run, "lean", lean);
    /* the play over the length of the peg that is in the hole */
    double play = 2 * key(run, "clearance", 1e-5), deep = .02 - x[2];
    if (!(lean <= 1.5 * play / deep + 1e-9)) check_fail(run, "leans by %.3g rad", lean);
    if (!(hypot(x[0], x[1]) <= 3 * play)) check_fail(run, "beside the hole");
}

static void end_peg(check_run *run)
{
    double x[3];
    lab_pose(check_body(run, "peg", 0), x, NULL);
    if (run->t > .4) check_between(run, "way of the peg", run->start[1][2] - x[2], .005, .1);
}

/* --- cable and sheet: joints hold --- */

static void step_joints(check_run *run)
{
    double most = 0;
    for (int i = 0; i < lab_joint_count(run->w); i++) {
        double apart, askew;
        lab_joint_error(lab_joint_at(run->w, i), &apart, &askew);
        most = fmax(most, apart);
    }
    check_largest(run, "joint", most);
    if (!(most <= JOINT * run->h)) check_fail(run, "a joint is %.3g m apart", most);
}

/* Equal weights hang still; of 44 N and 181 N, links included, friction of .3 holds
 * e^(.3 pi) = 2.6 to 1 at most. */
static void end_cable(check_run *run)
{
    double x[2][3];
    for (int i = 0; i < 2; i++) lab_pose(check_body(run, "weight", i), x[i], NULL);
    double more = key(run, "second", 1), apart = x[0][2] - x[1][2];
    if (more == 1) check_near(run, "height of the weights", apart, 0, .01);
    if (more >= 15) check_between(run, "way of the heavier weight", apart, SLIDES, 100);
}

static void end_sheet(check_run *run)
{
    int on_ball = 0;
    for (int i = 0; i < lab_body_count(run->w); i++) {
        double x[3];
        lab_pose(lab_body_at(run->w, i), x, NULL);
        on_ball += x[2] > .25;
        if (!(x[2] > -.5)) check_fail(run, "a plate is below the floor");
    }
    if (run->t > 1.9) check_between(run, "plates on the ball", on_ball, 3, 25);
}

const check_spec check_specs_dilated[] = {
    {"bolt-nut", .size = .03, .step = step_bolt, .end = end_bolt},
    {"ball-bearing", CHECK_MACHINE, .size = .1, .step = step_bearing, .end = end_bearing},
    {"peg-hole", .size = .02, .step = step_peg, .end = end_peg},
    {"cable-drum", CHECK_MACHINE, .size = .04, .key = "second", .values = {1, 15, NAN},
     .step = step_joints, .end = end_cable},
    {"sheet-ball", CHECK_MACHINE, .size = .02, .step = step_joints, .end = end_sheet},
    {.scene = NULL},
};

/* Grippers that hold by friction: two fingers that lift and hold, and an arm of six axes that
 * stacks boxes. */
#include "demos/world/scene.h"

#include <math.h>

#define GRIP_MAX 1e6 /* N */

static const double Z[3] = {0, 0, 1}, DOWN[3] = {0, -1, 0};

static void floor_slab(lab_world *w)
{
    lab_add_box(w, "floor", LAB_STATIC, 40, 40, 1, 0, 0, -.5, NULL);
}

/* From 0 to 1 while t goes from 0 to 1, smoothly. */
static double ease(double t)
{
    t = fmax(0, fmin(1, t));
    return t * t * t * (10 - t * (15 - 6 * t));
}

/* ---- two fingers ----------------------------------------------------------------------------- */

/* A palm that is moved carries two fingers on sliders, which close with a limited force on a cube,
 * a cylinder or a sphere. It is lifted between t = 1 and 2 s. */
static const double LIFTED = .4; /* m */

static void build_gripper(lab_world *w)
{
    int object = lab_key_whole(w, "object", 0, 0, 2);
    lab_friction(w, 1);
    floor_slab(w);
    lab_body *load = lab_add(w, "load", LAB_DYNAMIC, (double[3]){0, 0, .05001}, NULL);
    if (object == 0) lab_box(load, (double[3]){.1, .1, .1}, NULL, NULL);
    if (object == 1) lab_cylinder(load, .05, .1, NULL, NULL);
    if (object == 2) lab_sphere(load, .05, NULL);
    lab_mass(load, lab_key_number(w, "mass", .5, LAB_MASS_MIN, LAB_MASS_MAX));
    lab_body *palm = lab_add_box(w, "palm", LAB_KINEMATIC, .3, .1, .02, 0, 0, .2, NULL);
    for (int side = -1; side <= 1; side += 2) {
        lab_body *finger = lab_add_block(w, "finger", (double[3]){.02, .1, .1},
                                         (double[3]){.09 * side, 0, .06}, .1);
        lab_joint *j = lab_join(w, LAB_SLIDER, finger, palm, NULL, (double[3]){side, 0, 0}, NULL);
        lab_joint_param(j, dParamFMax, lab_key_number(w, "grip", 30, 0, GRIP_MAX));
        lab_joint_param(j, dParamVel, -.1);
    }
    lab_view(w, (double[3]){-.3, -.2, 0}, (double[3]){.3, .2, .7});
}

static void move_palm(lab_world *w, double t)
{
    double h = lab_step_size(w), rise = LIFTED * (ease(t + h - 1) - ease(t - 1)) / h;
    lab_velocity(lab_body_find(w, "palm"), (double[3]){0, 0, rise}, NULL);
}

/* ---- arm ------------------------------------------------------------------------------------- */

/* Six hinges with motors: the base turns about z, shoulder and elbow lie along the two links, the
 * forearm turns about itself, the wrist holds the tool upright, and the tool turns. Two fingers:
 * one closes with great force up to its stop, the other against it with the grip's. */
enum { BASE, SHOULDER, ELBOW, FOREARM, WRIST, TOOL, AXES, FIXED_JAW = AXES, JAW };
static const double LINK = .5, HIP = .4, HAND = .15; /* m: links, height of the shoulder, tool */
static const double SIDE = .06, ALONG = .55;         /* m: of a box; from the base to boxes */
static const double HIGH = .42, ABOVE = 1e-4;        /* m: of travel; where boxes are let go */
static const double REST[3] = {0, .55, .42}; /* of the tool at first: turn, way out, height */
enum { STACKED = 5 };

/* Angles of shoulder and forearm over the horizontal, for the tool at (out, z). */
static void reach(double out, double z, double *upper, double *lower)
{
    double up = z + HAND - HIP, far = hypot(out, up);
    *upper = atan2(up, out) + acos(far / (2 * LINK));
    *lower = atan2(up - LINK * sin(*upper), out - LINK * cos(*upper));
}

static lab_body *link_between(lab_world *w, const char *name, const double a[3], const double b[3],
                              double thick, double mass)
{
    double q[4], d[3], at[3];
    for (int k = 0; k < 3; k++) d[k] = b[k] - a[k], at[k] = .5 * (a[k] + b[k]);
    lab_axis_angle(0, 1, 0, -atan2(d[2], d[0]) * 180 / acos(-1), q);
    lab_body *body =
        lab_add_box(w, name, LAB_DYNAMIC, hypot(d[0], d[2]), thick, thick, at[0], at[1], at[2], q);
    lab_mass(body, mass);
    return body;
}

static void add_motor(lab_world *w, lab_body *a, lab_body *b, const double at[3],
                      const double axis[3])
{
    lab_joint *j = lab_join(w, LAB_HINGE, a, b, at, axis, NULL);
    lab_joint_param(j, dParamFMax, 2000);
}

static void add_jaw(lab_world *w, lab_body *palm, double side, double force, double stop)
{
    double z = REST[2] + .02;
    lab_body *jaw = lab_add_block(w, side > 0 ? "fixed jaw" : "jaw", (double[3]){.03, .02, .08},
                                  (double[3]){REST[1], .05 * side, z}, .1);
    lab_joint *j = lab_join(w, LAB_SLIDER, jaw, palm, NULL, (double[3]){0, side, 0}, NULL);
    lab_joint_param(j, dParamFMax, force);
    lab_joint_param(j, dParamLoStop, stop);
    lab_joint_param(j, dParamHiStop, 0);
    /* what ODE adds to leave a stop: the speed that the motor asks for, in a step of .02 s */
    lab_joint_param(j, dParamFudgeFactor, .1 * .1 / .02 / force);
}

static double turn_of(int i)
{
    static const double degrees[STACKED] = {-80, -50, 40, 65, 90};
    return degrees[i] * acos(-1) / 180;
}

static void build_arm(lab_world *w)
{
    double upper, lower, at[3] = {0, 0, HIP}, elbow[3], half[3], wrist[3];
    lab_friction(w, .5);
    if (lab_key_flag(w, "quick", 0)) lab_quick_step(w);
    floor_slab(w);
    for (int i = 0; i < STACKED; i++)
        lab_add_block(
            w, "box", (double[3]){SIDE, SIDE, SIDE},
            (double[3]){ALONG * cos(turn_of(i)), ALONG * sin(turn_of(i)), SIDE / 2 + 1e-5}, .3);
    reach(REST[1], REST[2], &upper, &lower);
    for (int k = 0; k < 3; k++) {
        double up = k == 0 ? cos(upper) : k == 2 ? sin(upper) : 0;
        double low = k == 0 ? cos(lower) : k == 2 ? sin(lower) : 0;
        elbow[k] = at[k] + LINK * up;
        half[k] = elbow[k] + .5 * LINK * low;
        wrist[k] = elbow[k] + LINK * low;
    }
    const double along[3] = {cos(lower), 0, sin(lower)};
    lab_body *base = lab_add_block(w, "base", (double[3]){.2, .2, .3}, (double[3]){0, 0, .2}, 20);
    lab_body *arm = link_between(w, "upper arm", at, elbow, .08, 6);
    lab_body *forearm = link_between(w, "forearm", elbow, half, .06, 3);
    lab_body *hand = link_between(w, "hand", half, wrist, .05, 2);
    lab_body *tool = lab_add_block(w, "tool", (double[3]){.04, .04, .04}, wrist, .5);
    lab_body *palm = lab_add_block(w, "palm", (double[3]){.06, .2, .02},
                                   (double[3]){REST[1], 0, REST[2] + .1}, .5);
    add_motor(w, base, NULL, at, Z);
    add_motor(w, arm, base, at, DOWN);
    add_motor(w, forearm, arm, elbow, DOWN);
    add_motor(w, hand, forearm, half, along);
    add_motor(w, tool, hand, wrist, DOWN);
    add_motor(w, palm, tool, wrist, Z);
    add_jaw(w, palm, 1, 100, -.05 + .01 + SIDE / 2);
    add_jaw(w, palm, -1, lab_key_number(w, "grip", 25, 0, GRIP_MAX), -.05);
    lab_view(w, (double[3]){-.3, -.7, 0}, (double[3]){.8, .7, 1});
}

/* Where the tool is to be: turn, way out, height; returns whether the jaws are to be closed. */
static int plan_tool(double t, double to[3])
{
    static const double until[] = {.8, 1.3, 1.7, 2.2, 3, 3.6, 4, 4.5}; /* s, of each stage */
    enum { STAGES = sizeof until / sizeof *until };
    int i = (int)fmin(floor(t / until[STAGES - 1]), STACKED);
    double s = t - i * until[STAGES - 1], stack = SIDE / 2 + SIDE * i + ABOVE;
    int stage = 0;
    to[0] = 0, to[1] = ALONG, to[2] = HIGH;
    if (i == STACKED) return 0;
    while (s >= until[stage]) stage++;
    double begin = stage ? until[stage - 1] : 0, share = ease((s - begin) / (until[stage] - begin));
    double low = stage < 4 ? SIDE / 2 : stack, turn = turn_of(i);
    if (stage == 0) to[0] = share * turn;
    if (stage >= 1 && stage <= 3) to[0] = turn;
    if (stage == 4) to[0] = (1 - share) * turn;
    if (stage == 1 || stage == 5) to[2] = HIGH + share * (low - HIGH);
    if (stage == 2 || stage == 6) to[2] = low;
    if (stage == 3 || stage == 7) to[2] = low + share * (HIGH - low);
    return stage >= 2 && stage <= 5;
}

static void drive_arm(lab_world *w, double t)
{
    double to[3], upper, lower, upper_0, lower_0, h = lab_step_size(w), angle[AXES] = {0};
    int closed = plan_tool(t + h, to);
    reach(REST[1], REST[2], &upper_0, &lower_0);
    reach(to[1], to[2], &upper, &lower);
    angle[BASE] = to[0];
    angle[SHOULDER] = upper - upper_0;
    angle[ELBOW] = lower - lower_0 - angle[SHOULDER];
    angle[WRIST] = lower_0 - lower;
    angle[TOOL] = -to[0];
    for (int i = 0; i < AXES; i++) {
        lab_joint *j = lab_joint_at(w, i);
        lab_joint_param(j, dParamVel, (angle[i] - lab_joint_angle(j)) / h);
    }
    for (int i = FIXED_JAW; i <= JAW; i++)
        lab_joint_param(lab_joint_at(w, i), dParamVel, closed ? -.1 : .1);
}

const lab_scene lab_scenes_grip[] = {
    LAB_SCENE_OF(
        "gripper",
        "two fingers lift a cube, a cylinder or a sphere and hold it (object= mass= grip=)", 0.01,
        22, build_gripper, move_palm),
    LAB_DRIVEN_SCENE(arm, "arm-6", 24, "an arm of six axes stacks five boxes (grip= quick=)"),
    LAB_SCENES_END,
};

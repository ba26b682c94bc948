/* What ODE's demos crash, buggy, chain, feedback (the bridge), plane2d and piston show. Steps,
 * gravity, surfaces and joints are those of the demos; what their user does with keys happens at
 * fixed times. */
#include "demos/world/scene.h"

#include <math.h>
#include <string.h>

#include "peg/base/math.h"

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};
static const double DOWN[3] = {0, 0, -1};

static lab_body *box(lab_world *w, const char *name, double mass, const double sides[3], double x,
                     double y, double z)
{
    lab_body *b = lab_add_box(w, name, LAB_DYNAMIC, sides[0], sides[1], sides[2], x, y, z, NULL);
    lab_mass(b, mass);
    return b;
}

static lab_body *ball(lab_world *w, const char *name, double mass, double radius, double x,
                      double y, double z)
{
    lab_body *b = lab_add(w, name, LAB_DYNAMIC, (double[3]){x, y, z}, NULL);
    lab_sphere(b, radius, NULL);
    lab_mass(b, mass);
    return b;
}

/* ---- crash ------------------------------------------------------------------------------------
 */

#define CAR_LENGTH 3.5
#define CAR_WIDTH  2.5
#define CAR_HEIGHT 1.0
#define CAR_WHEEL  .5 /* radius */
#define WALL_X     -20.0

/* Round things grip, all others slide. */
static int crash_surface(lab_world *w, lab_body *a, lab_body *b, dSurfaceParameters *surface,
                         double fdir1[3])
{
    const char *name[2] = {lab_body_name(a), lab_body_name(b)};
    (void)w, (void)fdir1;
    for (int i = 0; i < 2; i++)
        if (!strncmp(name[i], "wheel", 5) || !strcmp(name[i], "cannonball")) surface->mu = 20;
    return 1;
}

/* A wheel's joint: a and the axis of its suspension. */
static void hang_wheel(lab_world *w, lab_body *car, double x, double y, const double axis[3])
{
    double z = 1 - .5 * CAR_HEIGHT;
    lab_body *wheel = ball(w, "wheel", 1, CAR_WHEEL, x, y, z);
    lab_joint *j = lab_join(w, LAB_HINGE2, car, wheel, (double[3]){x, y, z}, axis, Y);
    lab_joint_param(j, dParamSuspensionERP, .8);
    lab_joint_param(j, dParamSuspensionCFM, 1e-5);
    lab_joint_param(j, dParamFMax, dInfinity);
    lab_joint_param(j, dParamFMax2, 25);
}

/* Half of the car's mass hangs 5 m below the chassis, so that it does not roll over. */
static void add_car(lab_world *w)
{
    const double l = CAR_LENGTH, b = CAR_WIDTH, h = CAR_HEIGHT, down = 2.5, m = 1;
    const double inertia[9] = {m * ((b * b + h * h) / 12 + down * down),
                               0,
                               0,
                               0,
                               m * ((l * l + h * h) / 12 + down * down),
                               0,
                               0,
                               0,
                               m * (l * l + b * b) / 12};
    lab_body *car = lab_add(w, "car", LAB_DYNAMIC, (double[3]){0, 0, 1 - down}, NULL);
    lab_box(car, (double[3]){l, b, h}, (double[3]){0, 0, down}, NULL);
    lab_mass_properties(car, m, inertia);
    double x = .4 * l - .5 * CAR_WHEEL, y = .5 * b;
    hang_wheel(w, car, x, y, Z);
    hang_wheel(w, car, x, -y, Z);
    hang_wheel(w, car, -x, y, DOWN);
    hang_wheel(w, car, -x, -y, DOWN);
}

static void tune_crash(dWorldID world, double scale)
{
    dWorldSetCFM(world, 1e-5 * pow(scale, -3));
    dWorldSetERP(world, .8);
    dWorldSetQuickStepNumIterations(world, 20);
}

static void build_crash(lab_world *w)
{
    const double side[3] = {1, 1, 1};
    lab_gravity(w, 0, 0, -1.5);
    lab_contacts(w, 4);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactSlip1 | dContactSlip2 | dContactSoftERP |
                                                 dContactSoftCFM | dContactApprox1,
                                         .mu = .5,
                                         .soft_erp = .8,
                                         .soft_cfm = .01});
    lab_pair_surfaces(w, crash_surface);
    lab_tune(w, tune_crash);
    lab_view(w, (double[3]){-30, -8, 0}, (double[3]){-13, 8, 6});
    lab_plane(w, "ground", Z, 0);
    add_car(w);
    double pitch = 1 + lab_key_number(w, "gap", .001, 0, 1);
    for (double z = .5; z <= 10; z++)
        for (double y = .5 * (z - 12); y <= .5 * (12 - z); y++)
            box(w, "brick", 1, side, WALL_X, pitch * y, z);
    ball(w, "cannonball", 10, .5, -10, 5, .5);
}

/* The cannon, as the user aims it: its ball flies at 10 m/s. */
static void shoot(lab_world *w, double aside)
{
    double out = sin(1.2), up = cos(1.2);
    const double along[3] = {-out * cos(aside), -out * sin(aside), up};
    const double at[3] = {-10 + 3 * along[0], 5 + 3 * along[1], 1 + 3 * along[2]};
    const double v[3] = {10 * along[0], 10 * along[1], 10 * along[2]}, none[3] = {0, 0, 0};
    lab_body *shot = lab_body_find(w, "cannonball");
    lab_move(shot, at, NULL);
    lab_velocity(shot, v, none);
}

static int is_step_at(const lab_world *w, double t, double when)
{
    return fabs(t - when) < .5 * lab_step_size(w);
}

/* A shot at 1 s; from 5 s on the car drives at the wall, stops at 30 s, backs out at 40 s; a second
 * shot at 50 s. */
static void drive_crash(lab_world *w, double t)
{
    double speed = t < 5 ? 0 : t < 30 ? fmin(6, 3 * (t - 5)) : t < 40 ? 0 : t < 50 ? -3 : 0;
    for (int i = 0; i < lab_joint_count(w); i++) {
        lab_joint *j = lab_joint_at(w, i);
        lab_joint_param(j, dParamVel, -lab_joint_steering(j));
        lab_joint_param(j, dParamVel2, speed);
    }
    if (is_step_at(w, t, 1)) shoot(w, .3);
    if (is_step_at(w, t, 50)) shoot(w, .6);
}

/* ---- buggy ------------------------------------------------------------------------------------
 */

/* Three wheels; the first one is driven and steered. The parts meet the ground only. */
static void build_buggy(lab_world *w)
{
    const double l = .7, b = .5, h = .2, z = .5;
    const double at[3][2] = {{.5 * l, 0}, {-.5 * l, .5 * b}, {-.5 * l, -.5 * b}};
    double q[4];
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 10);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactSlip1 | dContactSlip2 | dContactSoftERP |
                                                 dContactSoftCFM | dContactApprox1,
                                         .mu = dInfinity,
                                         .slip1 = .1,
                                         .slip2 = .1,
                                         .soft_erp = .5,
                                         .soft_cfm = .3});
    lab_plane(w, "ground", Z, 0);
    lab_axis_angle(0, 1, 0, -.15 * 180 / acos(-1), q);
    lab_add_box(w, "ramp", LAB_STATIC, 2, 1.5, 1, 2, 0, -.34, q);
    lab_body *chassis = box(w, "chassis", 1, (double[3]){l, b, h}, 0, 0, z);
    for (int i = 0; i < 3; i++) {
        const double x[3] = {at[i][0], at[i][1], z - .5 * h};
        lab_body *wheel = ball(w, "wheel", .2, .18, x[0], x[1], x[2]);
        lab_joint *j = lab_join(w, LAB_HINGE2, chassis, wheel, x, Z, Y);
        lab_group(wheel, 1);
        lab_joint_param(j, dParamSuspensionERP, .4);
        lab_joint_param(j, dParamSuspensionCFM, .8);
        lab_joint_param(j, dParamLoStop, i ? 0 : -.75);
        lab_joint_param(j, dParamHiStop, i ? 0 : .75);
        lab_joint_param(j, dParamFMax, i ? 0 : .2);
        lab_joint_param(j, dParamFMax2, i ? 0 : .1);
        lab_joint_param(j, dParamFudgeFactor, .1);
    }
}

/* Over the ramp straight on; from 15 s on in a bend, from 40 s on it rolls out. */
static void drive_buggy(lab_world *w, double t)
{
    lab_joint *front = lab_joint_at(w, 0);
    double steer = t < 15 ? 0 : .5, speed = t < 2 ? 0 : t < 40 ? 6 : 0;
    double turn = fmax(-.1, fmin(.1, steer - lab_joint_steering(front)));
    lab_joint_param(front, dParamVel, 10 * turn);
    lab_joint_param(front, dParamVel2, -speed);
}

/* ---- chain ------------------------------------------------------------------------------------
 */

/* Cubes on ball joints, corner to corner; the last one is pulled up and let down. */
static void build_chain(lab_world *w)
{
    const double side = .2, sides[3] = {side, side, side};
    int n = lab_key_whole(w, "bodies", 10, 1, 1000);
    lab_gravity(w, 0, 0, -.5);
    lab_contacts(w, 1);
    lab_surface(w, &(dSurfaceParameters){.mu = dInfinity});
    lab_plane(w, "ground", Z, 0);
    lab_body *last = NULL;
    for (int i = 0; i < n; i++) {
        double k = side * i, half = k - .5 * side;
        lab_body *link = box(w, "link", 1, sides, k, k, k + .4);
        if (last) lab_join(w, LAB_BALL, last, link, (double[3]){half, half, half + .4}, NULL, NULL);
        last = link;
    }
}

static void pull_chain(lab_world *w, double t)
{
    lab_body *last = lab_body_at(w, lab_body_count(w) - 1);
    lab_force(last, (double[3]){0, 0, 1.5 * (sin(t) + 1)}, NULL);
}

/* ---- bridge -----------------------------------------------------------------------------------
 */

enum { SEGMENTS = 16, WEIGHTS = 10 };
#define FORCE_LIMIT 4000.0 /* N */

/* Hinged segments between two sliders. Weights fall on it; a hinge whose feedback exceeds the limit
 * for five steps breaks. */
static void build_bridge(lab_world *w)
{
    lab_gravity(w, 0, 0, -9.8);
    lab_contacts(w, 32);
    lab_surface(w,
                &(dSurfaceParameters){.mode = dContactSoftERP | dContactSoftCFM | dContactApprox1,
                                      .mu = 100,
                                      .soft_erp = .96,
                                      .soft_cfm = .02});
    lab_plane(w, "ground", Z, 0);
    lab_body *segment[SEGMENTS];
    for (int i = 0; i < SEGMENTS; i++) {
        segment[i] =
            box(w, "segment", 1 * .9 * 4 * .1, (double[3]){.9, 4, .1}, i - SEGMENTS / 2, 0, 5);
        if (i == 0) continue;
        const double at[3] = {i - .5 - SEGMENTS / 2, 0, 5};
        lab_joint *j = lab_join(w, LAB_HINGE, segment[i - 1], segment[i], at, Y, NULL);
        lab_joint_param(j, dParamFMax, 8000);
    }
    for (int end = 0; end < 2; end++) {
        lab_body *b = segment[end ? SEGMENTS - 1 : 0];
        lab_joint *j = lab_join(w, LAB_SLIDER, b, NULL, NULL, X, NULL);
        lab_joint_param(j, dParamFMax, 4000);
        lab_joint_param(j, dParamLoStop, end ? -.2 : 0);
        lab_joint_param(j, dParamHiStop, end ? 0 : .2);
    }
    for (int i = 0; i < WEIGHTS; i++)
        box(w, "weight", 2 * 2 * 2 * .6, (double[3]){2, 2, .6}, 0, 0, 8 + 2 * i);
}

/* Steps in a row that a hinge has been overloaded, kept with the joint. */
static void watch_bridge(lab_world *w, double t)
{
    (void)t;
    for (int i = 0; i < SEGMENTS - 1; i++) {
        lab_joint *hinge = lab_joint_at(w, i);
        if (lab_joint_is_broken(hinge)) continue;
        int *overloaded = lab_joint_counter(hinge);
        *overloaded = lab_joint_force(hinge) > FORCE_LIMIT ? *overloaded + 1 : 0;
        if (*overloaded > 4) lab_joint_break(hinge);
    }
}

/* ---- plane 2d ---------------------------------------------------------------------------------
 */

#define STAGE 8.0

/* Forty boxes on plane-2d joints between four walls, without friction; motors pull the first one
 * round. */
static void build_plane2d(lab_world *w)
{
    static const double wall[4][4] = {
        {1, 0, 0, 0}, {-1, 0, 0, -STAGE}, {0, 1, 0, 0}, {0, -1, 0, -STAGE}};
    int n = lab_key_whole(w, "bodies", 40, 1, 1000), row = (int)(1 + sqrt(n));
    lab_gravity(w, 0, 0, -1);
    lab_contacts(w, 1);
    for (int i = 0; i < 4; i++) lab_plane(w, "wall", wall[i], wall[i][3]);
    for (int i = 0; i < n; i++) {
        double side[3];
        for (int k = 0; k < 2; k++) side[k] = 5 * (.2 + .7 * lab_random(w)) / sqrt(n);
        side[2] = 1 + .1 * lab_random(w);
        lab_body *b = box(w, "box", .1 * side[0] * side[1], side, (.5 + i / row) / row * STAGE,
                          (.5 + i % row) / row * STAGE, 0);
        const double v[3] = {3 * (lab_random(w) - .5), 3 * (lab_random(w) - .5), 0};
        lab_velocity(b, v, NULL);
        lab_joint *j = lab_join(w, LAB_PLANE2D, b, NULL, NULL, NULL, NULL);
        for (int axis = 0; i == 0 && axis < 2; axis++)
            lab_joint_param(j, dParamGroup * axis + dParamFMax, 10);
    }
}

static void lead_plane2d(lab_world *w, double t)
{
    double x[3], angle = t;
    lab_joint *j = lab_joint_at(w, 0);
    lab_pose(lab_body_at(w, 4), x, NULL);
    lab_joint_param(j, dParamVel, .5 * STAGE * (1 + cos(angle)) - x[0]);
    lab_joint_param(j, dParamVel2, .5 * STAGE * (1 + sin(angle)) - x[1]);
}

/* ---- piston -----------------------------------------------------------------------------------
 */

/* A rod slides and turns in a block that is fixed to the world; a box hangs on its end, an obstacle
 * stands in its way. */
static void tune_piston(dWorldID world, double scale)
{
    (void)scale;
    dWorldSetERP(world, .8);
}

static void build_piston(lab_world *w)
{
    const double at[3] = {0, 0, 1.5}, radius = .2, length = 1.5;
    double along_x[4], tilt[4];
    lab_gravity(w, 0, 0, -.8);
    lab_contacts(w, 10);
    lab_surface(w, &(dSurfaceParameters){.mode = dContactSlip1 | dContactSlip2 | dContactSoftERP |
                                                 dContactSoftCFM | dContactApprox1,
                                         .mu = .1,
                                         .slip1 = .02,
                                         .slip2 = .02,
                                         .soft_erp = .1,
                                         .soft_cfm = .0001});
    lab_tune(w, tune_piston);
    lab_axis_angle(0, 1, 0, -90, along_x);
    lab_axis_angle(1, 1, 0, -45, tilt);
    lab_view(w, (double[3]){-.8, -1, 0}, (double[3]){2.4, .8, 2.2});
    lab_plane(w, "ground", Z, 0);
    lab_add_box(w, "obstacle", LAB_STATIC, 1, 1, 1, 1.95, -.2, .5, tilt);
    lab_body *block = box(w, "block", 10, (double[3]){.4, .4, .4}, at[0], at[1], at[2]);
    lab_body *rod = lab_add(w, "rod", LAB_DYNAMIC, at, NULL);
    lab_capsule(rod, radius, length, NULL, along_x);
    lab_box(rod, (double[3]){.3, .1, .2}, (double[3]){.5 * (length - .3), 0, -radius - .1}, NULL);
    lab_mass(rod, 10);
    lab_join(w, LAB_FIXED, block, NULL, NULL, NULL, NULL);
    lab_join(w, LAB_PISTON, rod, block, at, X, NULL);
}

/* The rod is pushed at the obstacle and pulled back every 16 s, and turned or pushed aside now and
 * then, by a user who watches it: no key presses harder than 4 N, or 40 N aside. */
static void push_piston(lab_world *w, double t)
{
    lab_body *rod = lab_body_find(w, "rod");
    double x[3], v[3], to = fmod(t, 16) < 8 ? 1.5 : 0, phase = fmod(t, 10);
    lab_pose(rod, x, NULL);
    lab_motion(rod, v, NULL);
    double pull = fmax(-4, fmin(4, 8 * (to - x[0]) - 16 * v[0]));
    double aside = phase >= 9 ? 40 : 0, turn = phase >= 4 && phase < 5 ? .1 : 0;
    lab_force(rod, (double[3]){pull, aside, 0}, (double[3]){t < 30 ? turn : -turn, 0, 0});
}

const lab_scene lab_scenes_demo_machines[] = {
    LAB_SCENE_OF("demo-crash", "ODE's demo: a cannon and a car break a wall (gap=)", .05, 60,
                 build_crash, drive_crash),
    LAB_SCENE_OF("demo-buggy", "ODE's demo: a buggy drives over a ramp, then in a bend", .05, 60,
                 build_buggy, drive_buggy),
    LAB_SCENE_OF("demo-chain", "ODE's demo: the end of a chain is lifted and let down (bodies=)",
                 .05, 60, build_chain, pull_chain),
    LAB_SCENE_OF("demo-bridge", "ODE's demo: weights fall on a bridge whose joints can break", .002,
                 60, build_bridge, watch_bridge),
    LAB_SCENE_OF("demo-plane2d", "ODE's demo: boxes in a plane, one is led round (bodies=)", .001,
                 60, build_plane2d, lead_plane2d),
    LAB_SCENE_OF("demo-piston", "ODE's demo: a rod slides and turns in a block", .01, 60,
                 build_piston, push_piston),
    LAB_SCENES_END,
};

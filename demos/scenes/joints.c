/* Machines: bodies that ODE's joints hold together, on exact contacts. What they must show is
 * checked in checks_joints.c. */
#include "demos/world/scene.h"

#include <math.h>

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};

static lab_body *fixed_box(lab_world *w, const char *name, const double sides[3], const double x[3])
{
    return lab_add_box(w, name, LAB_STATIC, sides[0], sides[1], sides[2], x[0], x[1], x[2], NULL);
}

static void floor_slab(lab_world *w)
{
    fixed_box(w, "floor", (double[3]){40, 40, 1}, (double[3]){0, 0, -0.5});
}

/* ---- chain ----------------------------------------------------------------------------------- */

/* Links that hang upright are let go over the edge of a box. */
static void build_chain(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 10, 1, 1000);
    lab_body *last = NULL;
    lab_friction(w, 0.5);
    floor_slab(w);
    fixed_box(w, "box", (double[3]){1, 2, 0.5}, (double[3]){0.55, 0, 0.25});
    for (int i = 0; i < n; i++) {
        double z = 0.85 + 0.3 * i, lean = 0.02 * i;
        lab_body *link =
            lab_add_block(w, "link", (double[3]){0.1, 0.1, 0.24}, (double[3]){lean, 0, z}, 2);
        if (last)
            lab_join(w, LAB_BALL, last, link, (double[3]){lean - 0.01, 0, z - 0.15}, NULL, NULL);
        last = link;
    }
    lab_view(w, (double[3]){-1.2, -1, 0}, (double[3]){1.6, 1, 3.5});
}

/* ---- buggy ----------------------------------------------------------------------------------- */

static const double WHEEL = 0.2; /* radius, m */

static lab_body *wheel(lab_world *w, double x, double y)
{
    enum { SIDES = 32 };
    double point[2 * SIDES][3];
    for (int i = 0; i < 2 * SIDES; i++) {
        double angle = 2 * acos(-1) * (i % SIDES) / SIDES;
        point[i][0] = WHEEL * cos(angle);
        point[i][1] = i < SIDES ? 0.06 : -0.06;
        point[i][2] = WHEEL * sin(angle);
    }
    lab_body *b = lab_add(w, "wheel", LAB_DYNAMIC, (double[3]){x, y, WHEEL}, NULL);
    lab_hull(b, (const double(*)[3])point, 2 * SIDES, NULL, NULL);
    lab_mass(b, 4);
    return b;
}

/* Spring k (N/m) and damper d (N s/m) as ODE's ERP and CFM of the step. */
static void suspend(lab_joint *j, double h, double k, double d)
{
    lab_joint_param(j, dParamSuspensionERP, h * k / (h * k + d));
    lab_joint_param(j, dParamSuspensionCFM, 1 / (h * k + d));
}

static void ramps(lab_world *w)
{
    double up[4];
    lab_axis_angle(0, 1, 0, -8, up);
    lab_add_box(w, "ramp", LAB_STATIC, 2, 0.8, 0.2, 3, 0.45, 0.04, up);
    fixed_box(w, "sill", (double[3]){0.4, 2, 0.05}, (double[3]){6, 0, 0.025});
    fixed_box(w, "kerb", (double[3]){1, 0.8, 0.08}, (double[3]){8, -0.5, 0.04});
}

/* A heightfield that is flat at the start, then waves along and across. */
static void hills(lab_world *w)
{
    enum { ALONG = 57, ACROSS = 17 };
    static const double size[2] = {28, 8};
    static double height[ALONG * ACROSS];
    for (int j = 0; j < ACROSS; j++)
        for (int i = 0; i < ALONG; i++) {
            double x = size[0] * i / (ALONG - 1) - size[0] / 2, y = size[1] * j / (ACROSS - 1);
            double out = fmin(1, fmax(0, x - 1));
            height[i + j * ALONG] = .12 * out * (sin(1.6 * x) + .5 * sin(1.1 * y + .7 * x));
        }
    lab_heightfield(lab_add(w, "hills", LAB_STATIC, NULL, NULL), size,
                    (const int[2]){ALONG, ACROSS}, height, NULL, NULL);
    lab_view(w, (double[3]){-1, -1.5, -0.2}, (double[3]){7.5, 1.5, 0.8});
    lab_camera(w, (double[3]){-0.45, -1, 0.5});
}

/* Four wheels on hinge-2 joints with springs; the rear ones drive, the front ones are steered by
 * `steer` degrees. */
static void build_buggy(lab_world *w)
{
    double h = lab_step_size(w), torque = lab_key_number(w, "torque", 15, 0, 1e6);
    double steer = lab_key_number(w, "steer", 0, -90, 90) * acos(-1) / 180;
    lab_friction(w, 0.8);
    int field = lab_key_flag(w, "field", 0), flat = lab_key_flag(w, "flat", 0);
    if (field)
        hills(w);
    else if (flat)
        lab_plane(w, "floor", Z, 0);
    else
        floor_slab(w), ramps(w);
    lab_body *chassis =
        lab_add_block(w, "chassis", (double[3]){1.1, 0.4, 0.12}, (double[3]){0, 0, 0.32}, 40);
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? 0.4 : -0.4, y = i % 2 ? 0.32 : -0.32;
        lab_body *b = wheel(w, x, y);
        lab_joint *j = lab_join(w, LAB_HINGE2, chassis, b, (double[3]){x, y, WHEEL}, Z, Y);
        double stop = i < 2 ? steer : 0;
        lab_joint_param(j, dParamLoStop, stop);
        lab_joint_param(j, dParamHiStop, stop);
        suspend(j, h, 6000, 500);
        if (i < 2 || torque == 0) continue;
        lab_joint_param(j, dParamVel2,
                        -lab_key_number(w, "speed", 15, -LAB_SPEED_MAX, LAB_SPEED_MAX));
        lab_joint_param(j, dParamFMax2, torque);
    }
}

/* ---- bridge ---------------------------------------------------------------------------------- */

static void build_bridge(lab_world *w)
{
    int n = lab_key_whole(w, "planks", 12, 1, 1000);
    double step = 0.4, x0 = -0.5 * step * n, sag = 0.5;
    lab_friction(w, 0.6);
    fixed_box(w, "bank", (double[3]){2, 3, 2}, (double[3]){x0 - 1.06, 0, 0});
    fixed_box(w, "bank", (double[3]){2, 3, 2}, (double[3]){-x0 + 1.06, 0, 0});
    lab_body *last = NULL;
    for (int i = 0; i <= n; i++) {
        double x = x0 + step * i, u = 2.0 * i / n - 1, next = 2.0 * (i + 1) / n - 1;
        double z = 0.96 - sag * (1 - u * u), rise = sag * (next * next - u * u), q[4];
        lab_body *plank = NULL;
        if (i < n) {
            lab_axis_angle(0, 1, 0, -atan2(rise, step) * 180 / acos(-1), q);
            plank = lab_add_box(w, "plank", LAB_DYNAMIC, hypot(rise, step) - 0.03, 1.5, 0.06,
                                x + step / 2, 0, z + rise / 2, q);
            lab_mass(plank, 15);
        }
        const double at[3] = {x, 0, z};
        lab_join(w, LAB_HINGE, plank ? plank : last, plank ? last : NULL, at, Y, NULL);
        last = plank;
    }
    double mass = lab_key_number(w, "mass", 100, 0, LAB_MASS_MAX);
    if (mass > 0)
        lab_add_block(w, "load", (double[3]){0.8, 0.8, 0.8}, (double[3]){0.1, 0.05, 1.2}, mass);
}

/* ---- ragdoll --------------------------------------------------------------------------------- */

static void limits(lab_joint *j, int group, double low, double high)
{
    double degree = acos(-1) / 180;
    lab_joint_param(j, dParamGroup * group + dParamLoStop, low * degree);
    lab_joint_param(j, dParamGroup * group + dParamHiStop, high * degree);
}

/* at: where the doll is, x, y and height of its feet over those of the ragdoll's. */
static void limb(lab_world *w, const double at[3], lab_body *trunk, int leg, double side)
{
    double y = at[1] + (leg ? 0.1 * side : 0.23 * side), top = at[2] + (leg ? 2.02 : 2.58);
    double thick = leg ? 0.12 : 0.09, length = leg ? 0.4 : 0.3, gap = 0.02;
    double upper_z = top - gap - length / 2, mid = top - 2 * gap - length;
    lab_body *upper = lab_add_block(w, leg ? "thigh" : "arm", (double[3]){thick, thick, length},
                                    (double[3]){at[0], y, upper_z}, leg ? 7 : 2.5);
    lab_body *lower =
        lab_add_block(w, leg ? "shin" : "forearm", (double[3]){0.8 * thick, 0.8 * thick, length},
                      (double[3]){at[0], y, mid - gap - length / 2}, leg ? 4 : 1.5);
    lab_joint *hip = lab_join(w, LAB_UNIVERSAL, trunk, upper, (double[3]){at[0], y, top}, Y, X);
    limits(hip, 0, -80, 80);
    limits(hip, 1, -50, 50);
    lab_joint *knee = lab_join(w, LAB_HINGE, upper, lower, (double[3]){at[0], y, mid}, Y, NULL);
    limits(knee, 0, leg ? -2 : -110, leg ? 110 : 2);
}

enum { DOLL = 10 }; /* its bodies */

static void doll(lab_world *w, const double at[3], const double v[3])
{
    double x = at[0], y = at[1], z = at[2];
    lab_body *trunk =
        lab_add_block(w, "trunk", (double[3]){0.16, 0.32, 0.56}, (double[3]){x, y, z + 2.34}, 25);
    lab_body *head =
        lab_add_block(w, "head", (double[3]){0.16, 0.16, 0.2}, (double[3]){x, y, z + 2.76}, 4);
    lab_join(w, LAB_BALL, trunk, head, (double[3]){x, y, z + 2.64}, NULL, NULL);
    for (int side = -1; side <= 1; side += 2) {
        limb(w, at, trunk, 1, side);
        limb(w, at, trunk, 0, side);
    }
    for (int i = 0; i < DOLL; i++)
        lab_velocity(lab_body_at(w, lab_body_count(w) - DOLL + i), v, NULL);
}

static void build_ragdoll(lab_world *w)
{
    lab_friction(w, 0.5);
    floor_slab(w);
    for (int i = 0; i < 6; i++)
        fixed_box(w, "stair", (double[3]){0.3, 3, 0.18 * (6 - i)},
                  (double[3]){0.1 + 0.3 * i, 0, 0.09 * (6 - i)});
    doll(w, (double[3]){0, 0, 0}, (double[3]){1.2, 0.1, 0});
}

/* Above each other, each pushed another way. */
static void build_ragdolls(lab_world *w)
{
    int n = lab_key_whole(w, "dolls", 8, 1, 100);
    lab_friction(w, 0.5);
    floor_slab(w);
    for (int i = 0; i < n; i++) {
        double angle = 2.4 * i;
        doll(w, (double[3]){0.15 * cos(angle), 0.15 * sin(angle), 1.8 * i - 0.9},
             (double[3]){0.8 * cos(angle), 0.8 * sin(angle), 0});
    }
    lab_view(w, (double[3]){-1, -1, 0}, (double[3]){1, 1, 2});
}

/* ---- crane ----------------------------------------------------------------------------------- */

/* A trolley on a vertical slider carries two jaws on horizontal ones. They close on an octagonal
 * prism at once, lift it from t = 1 s on, and hold it. */
enum { LIFT, LEFT, RIGHT };

static void build_crane(lab_world *w)
{
    double point[16][3], x = 0.15 / cos(acos(-1) / 8);
    lab_friction(w, 0.5);
    floor_slab(w);
    for (int i = 0; i < 16; i++) {
        double angle = acos(-1) * (0.125 + 0.25 * (i % 8));
        point[i][0] = x * cos(angle);
        point[i][1] = x * sin(angle);
        point[i][2] = i < 8 ? 0.1 : -0.1;
    }
    lab_body *load = lab_add(w, "load", LAB_DYNAMIC, (double[3]){0, 0, 0.1}, NULL);
    lab_hull(load, (const double(*)[3])point, 16, NULL, NULL);
    lab_mass(load, lab_key_number(w, "mass", 4, LAB_MASS_MIN, LAB_MASS_MAX));
    lab_body *trolley =
        lab_add_block(w, "trolley", (double[3]){0.8, 0.2, 0.1}, (double[3]){0, 0, 0.6}, 10);
    lab_joint *lift = lab_join(w, LAB_SLIDER, trolley, NULL, NULL, Z, NULL);
    lab_joint_param(lift, dParamFMax, 1000);
    lab_joint_param(lift, dParamVel, 0);
    for (int side = -1; side <= 1; side += 2) {
        lab_body *jaw = lab_add_block(w, "jaw", (double[3]){0.05, 0.2, 0.4},
                                      (double[3]){side * 0.25, 0, 0.32}, 2);
        lab_joint *j = lab_join(w, LAB_SLIDER, jaw, trolley, NULL, X, NULL);
        lab_joint_param(j, dParamVel, -0.2 * side);
        lab_joint_param(j, dParamFMax, lab_key_number(w, "grip", 80, 0, 1e6));
    }
    lab_view(w, (double[3]){-0.5, -0.3, 0}, (double[3]){0.5, 0.3, 1.4});
}

static void drive_crane(lab_world *w, double t)
{
    double up = fmin(t - 1, 2.8 - t) / 0.3; /* speeds up and slows down in .3 s */
    lab_joint_param(lab_joint_at(w, LIFT), dParamVel, 0.4 * fmax(0, fmin(1, up)));
}

/* ---- excavator ------------------------------------------------------------------------------- */

/* A boom on a hinge, moved by a ram (a piston between two hinges: a closed loop), carries a bucket
 * on a motor. Cubes fall into it, it is lifted, then emptied. */
enum { WRIST = 1, RAM = 4 };

static lab_body *bucket(lab_world *w, double x, double z)
{
    lab_body *b = lab_add(w, "bucket", LAB_DYNAMIC, (double[3]){x, 0, z}, NULL);
    lab_box(b, (double[3]){0.6, 0.8, 0.04}, (double[3]){0, 0, -0.2}, NULL);
    lab_box(b, (double[3]){0.04, 0.8, 0.36}, (double[3]){-0.28, 0, 0}, NULL);
    lab_box(b, (double[3]){0.56, 0.04, 0.36}, (double[3]){0.02, 0.38, 0}, NULL);
    lab_box(b, (double[3]){0.56, 0.04, 0.36}, (double[3]){0.02, -0.38, 0}, NULL);
    lab_mass(b, 30);
    return b;
}

/* A bar along the ram, `at` from its foot. */
static lab_body *ram_part(lab_world *w, const char *name, double thick, double at)
{
    double q[4];
    lab_axis_angle(0, 1, 0, 36.86989764584402, q); /* z to (.6, 0, .8) */
    lab_body *b = lab_add_box(w, name, LAB_DYNAMIC, thick, thick, 0.3, -1.55 + 0.6 * at, -0.3,
                              0.2 + 0.8 * at, q);
    lab_mass(b, 5);
    return b;
}

static void build_excavator(lab_world *w)
{
    lab_friction(w, 0.5);
    floor_slab(w);
    lab_body *boom =
        lab_add_block(w, "boom", (double[3]){1.6, 0.12, 0.12}, (double[3]){-1, 0, 0.9}, 40);
    lab_body *scoop = bucket(w, 0.4, 0.3), *barrel = ram_part(w, "barrel", 0.08, 0.15);
    lab_body *rod = ram_part(w, "rod", 0.05, 0.7);
    lab_join(w, LAB_HINGE, boom, NULL, (double[3]){-1.8, 0, 0.9}, Y, NULL);
    lab_joint *wrist = lab_join(w, LAB_HINGE, scoop, boom, (double[3]){-0.15, 0, 0.9}, Y, NULL);
    lab_join(w, LAB_HINGE, barrel, NULL, (double[3]){-1.55, -0.3, 0.2}, Y, NULL);
    lab_join(w, LAB_HINGE, rod, boom, (double[3]){-1.025, -0.3, 0.9}, Y, NULL);
    lab_joint *ram = lab_join(w, LAB_PISTON, barrel, rod, (double[3]){-1.25, -0.3, 0.6},
                              (double[3]){0.6, 0, 0.8}, NULL);
    lab_joint_param(wrist, dParamFMax, 2000);
    lab_joint_param(ram, dParamFMax, 10000);
    for (int i = 0; i < 6; i++)
        lab_add_box(w, "cube", LAB_DYNAMIC, 0.16, 0.16, 0.16, 0.3 + 0.22 * (i % 2),
                    0.2 * (i / 2) - 0.2, 0.5 + 0.1 * (i % 3), NULL);
}

static void drive_excavator(lab_world *w, double t)
{
    double h = lab_step_size(w), lift = 0, turn = 0;
    if (t >= 0.6 - h / 2 && t < 2.1 - h / 2) lift = -0.15, turn = 0.19;
    if (t >= 2.4 - h / 2 && t < 3.4 - h / 2) turn = 1.2;
    lab_joint_param(lab_joint_at(w, RAM), dParamVel, lift);
    lab_joint_param(lab_joint_at(w, WRIST), dParamVel, turn);
}

/* ---- plane 2d -------------------------------------------------------------------------------- */

/* Boxes and hexagonal prisms, kept in the plane z = 0, fall into a trough. */
static void build_plane2d(lab_world *w)
{
    int n = lab_key_whole(w, "bodies", 14, 1, 1000);
    lab_friction(w, 0.4);
    lab_gravity(w, 0, -9.81, 0);
    fixed_box(w, "floor", (double[3]){4, 1, 2}, (double[3]){0, -0.5, 0});
    fixed_box(w, "wall", (double[3]){1, 6, 2}, (double[3]){-1.3, 3.001, 0});
    fixed_box(w, "wall", (double[3]){1, 6, 2}, (double[3]){1.3, 3.001, 0});
    for (int i = 0; i < n; i++) {
        double q[4], x = 0.3 * (i % 3 - 1) + 0.02 * lab_random(w), y = 0.4 + 0.4 * (i / 3);
        lab_axis_angle(0, 0, 1, 360 * lab_random(w), q);
        lab_body *b = lab_add(w, "piece", LAB_DYNAMIC, (double[3]){x, y, 0}, q);
        double point[12][3];
        for (int k = 0; k < 12; k++) {
            double angle = acos(-1) * (k % 6) / 3;
            point[k][0] = 0.13 * cos(angle);
            point[k][1] = 0.13 * sin(angle);
            point[k][2] = k < 6 ? 0.1 : -0.1;
        }
        if (i % 2)
            lab_hull(b, (const double(*)[3])point, 12, NULL, NULL);
        else
            lab_box(b, (double[3]){0.24, 0.16, 0.2}, NULL, NULL);
        lab_join(w, LAB_PLANE2D, b, NULL, NULL, NULL, NULL);
    }
}

const lab_scene lab_scenes_joints[] = {
    LAB_SCENE(chain, "chain", 3, "links on ball joints fall over the edge of a box (bodies=)"),
    LAB_SCENE(buggy, "buggy", 3,
              "a car on springs drives over ramps and sills (field= flat= torque= speed= steer=)"),
    LAB_SCENE(bridge, "bridge", 3,
              "a heavy box falls on a bridge of hinged planks (planks= mass=)"),
    LAB_SCENE(ragdoll, "ragdoll", 3, "a doll with limits at its joints falls down a stair"),
    LAB_SCENE(ragdolls, "ragdolls", 6, "dolls fall on each other in a heap (dolls=)"),
    LAB_DRIVEN_SCENE(crane, "crane-grip", 3.5,
                     "two jaws on motors grip a prism and lift it (mass= grip=)"),
    LAB_DRIVEN_SCENE(excavator, "excavator-bucket", 4,
                     "a ram lifts a boom with a bucket full of cubes and empties it"),
    LAB_SCENE(plane2d, "plane2d-pour", 3,
              "pieces on plane-2d joints fall into a trough (bodies= seed)"),
    LAB_SCENES_END,
};

/* Surface parameters against stock ODE or closed forms. */
#include "tests/runner.h"
#include "tests/contact_scene.h"
#include "ode_glue/read/surface.h"
#include "peg/base/arena.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81, PI = 3.14159265358979323846;

/* --- the core's surface out of ODE's --- */

static const dSurfaceParameters all_set = {
    .mode = dContactMu2 | dContactFDir1 | dContactBounce | dContactSoftERP | dContactSoftCFM |
            dContactMotion1 | dContactMotion2 | dContactMotionN | dContactSlip1 | dContactSlip2 |
            dContactRolling | dContactApprox1,
    .mu = 0.5,
    .mu2 = 0.25,
    .rho = 0.1,
    .rho2 = 0.2,
    .rhoN = 0.3,
    .bounce = 0.4,
    .bounce_vel = 0.01,
    .soft_erp = 0.6,
    .soft_cfm = 1e-3,
    .motion1 = 1,
    .motion2 = 2,
    .motionN = 3,
    .slip1 = 0.01,
    .slip2 = 0.02};
static const double fdir1[3] = {0, 1, 0};

static peg_surface convert(dSurfaceParameters s, int mode, int reversed)
{
    peg_surface out;
    s.mode = mode;
    peg_surface_convert(&s, fdir1, 0.2, 1e-10, reversed, &out);
    return out;
}

START_TEST(every_parameter_is_read)
{
    peg_surface s = convert(all_set, all_set.mode, 0);
    ck_assert(s.mu == 0.5 && s.mu2 == 0.25 && s.pyramid && !s.force_limit);
    ck_assert(s.axis[0] == 0 && s.axis[1] == 1 && s.axis[2] == 0);
    ck_assert(s.slip == 0.01 && s.slip2 == 0.02);
    ck_assert(s.rho == 0.1 && s.rho2 == 0.2 && s.rhoN == 0.3);
    ck_assert(s.bounce == 0.4 && s.bounce_speed == 0.01);
    ck_assert(s.soft && s.erp == 0.6 && s.cfm == 1e-3);
    ck_assert(s.motion[0] == 1 && s.motion[1] == 2 && s.motion[2] == 3);
    /* Seen from the other body n, n x fdir1 and the relative velocity change their signs. */
    s = convert(all_set, all_set.mode, 1);
    ck_assert(s.motion[0] == -1 && s.motion[1] == 2 && s.motion[2] == 3);
}
END_TEST

START_TEST(what_the_mode_leaves_out_is_not_read)
{
    dSurfaceParameters bare = {.mu = 0.5, .mu2 = NAN, .rho = NAN, .rho2 = NAN, .rhoN = NAN};
    bare.bounce = bare.bounce_vel = bare.soft_erp = bare.soft_cfm = NAN;
    bare.motion1 = bare.motion2 = bare.motionN = bare.slip1 = bare.slip2 = NAN;
    peg_surface s = convert(bare, 0, 0), expected = {.mu = 0.5, .mu2 = 0.5, .force_limit = 1};
    ck_assert(!memcmp(&s, &expected, sizeof s));
    ck_assert_int_eq(peg_surface_check(&bare), PEG_OK);
    for (int bit = 1; bit <= dContactRolling; bit *= 2) {
        bare.mode = bit;
        ck_assert_int_eq(peg_surface_check(&bare) == PEG_OK, bit == dContactFDir1);
    }
    bare.mode = 0, bare.mu = dInfinity;
    ck_assert_int_eq(peg_surface_check(&bare), PEG_OK);
    bare.mu = NAN;
    ck_assert_int_eq(peg_surface_check(&bare), PEG_ERROR_NOT_FINITE);
}
END_TEST

START_TEST(modes_choose_the_kind_of_limit)
{
    peg_surface s = convert(all_set, dContactApprox1, 0);
    ck_assert(!s.pyramid && !s.force_limit && s.mu == 0.5 && s.mu2 == 0.5 && !s.soft);
    ck_assert(s.rho == 0 && s.bounce == 0 && s.axis[1] == 0);
    s = convert(all_set, dContactApprox1_1 | dContactApprox1_2 | dContactRolling, 0);
    ck_assert(!s.force_limit && s.rho2 == 0.1 && s.rhoN == 0.1);
    s = convert(all_set, dContactApprox1 | dContactFDir1, 0);
    ck_assert(s.pyramid && s.axis[1] == 1);
    s = convert(all_set, dContactApprox1 | dContactMu2, 0);
    ck_assert(s.pyramid && s.mu2 == 0.25);
    s = convert(all_set, dContactSlip1, 0);
    ck_assert(s.pyramid && s.force_limit);
    s = convert(all_set, dContactSoftERP, 0);
    ck_assert(s.soft && s.erp == 0.6 && s.cfm == 1e-10);
    s = convert(all_set, dContactSoftCFM, 0);
    ck_assert(s.soft && s.erp == 0.2 && s.cfm == 1e-3);
    dSurfaceParameters odd = {.mu = -1, .bounce = 2, .bounce_vel = -1};
    s = convert(odd, dContactBounce, 0);
    ck_assert(s.mu == 0 && s.mu2 == 0 && s.bounce == 0 && !s.force_limit);
    odd.bounce_vel = 0;
    s = convert(odd, dContactBounce, 0);
    ck_assert(s.bounce == 1);
}
END_TEST

/* Cube of side 1. */
static const dReal planes[] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                               0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
static const dReal points[] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5,
                               -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  0.5, 0.5, 0.5,  -0.5, 0.5, 0.5};
static const unsigned polygons[] = {4, 1, 2, 6, 5, 4, 0, 4, 7, 3, 4, 2, 3, 7, 6,
                                    4, 0, 1, 5, 4, 4, 4, 5, 6, 7, 4, 0, 3, 2, 1};
#define CUBE planes, 6, points, 8, polygons

/* --- surfaces --- */

static const dSurfaceParameters rough = {.mode = dContactApprox1, .mu = 0.5};

START_TEST(block_holds_or_slides_on_an_incline)
{
    contact_scene s = contact_scene_new(0);
    s.contact.surface = rough;
    s.contact.surface.mu = _i ? 0.3 : 0.5;
    contact_scene_tilt(&s, 20);
    contact_scene_ground(&s);
    dBodyID body = contact_scene_box(&s, 1, 1, 0.5, 0, 0, 0.2501);
    contact_scene_run(&s, 0.01, 1);
    double x = dBodyGetPosition(body)[0], v = dBodyGetLinearVel(body)[0];
    double a = _i ? G * (sin(PI / 9) - 0.3 * cos(PI / 9)) : 0;
    contact_scene_run(&s, 0.01, 1);
    double moved = dBodyGetPosition(body)[0] - x;
    if (_i) /* semi-implicit: v grows by h a before every step */
        ck_assert_double_eq_tol(moved, v + a * (0.5 + 0.005), 1e-5);
    else
        ck_assert_double_lt(fabs(moved), 1e-9);
    ck_assert_double_eq_tol(s.sum.f1[0], -2 * G * (_i ? 0.3 * cos(PI / 9) : sin(PI / 9)), 1e-4);
    ck_assert_double_eq_tol(s.sum.f1[2], 2 * G * cos(PI / 9), 1e-4);
    double friction = 0;
    for (int i = 0; i < pegWorldGetContactCount(s.peg); i++) {
        pegContact c;
        ck_assert_int_eq(pegWorldGetContact(s.peg, i, &c), PEG_OK);
        int up = dGeomGetBody(c.g1) == body;
        friction += (up ? 1 : -1) * c.friction[0] / 0.01;
        ck_assert_double_lt(fabs(c.friction[2]), 1e-9);
        ck_assert_int_eq(c.features, up ? PEG_VERTEX_FACE : PEG_FACE_VERTEX);
        int vertex = up ? c.feature1 : c.feature2, face = up ? c.feature2 : c.feature1;
        ck_assert(vertex >= 0 && vertex < 8 && face >= 0 && face < 6);
    }
    ck_assert_double_eq_tol(friction, s.sum.f1[0], 1e-9);
    contact_scene_free(&s);
}
END_TEST

/* The state of a box after a while, with stock ODE (1) and here (0). Where ODE is right both agree
 * to what its softness (CFM 1e-10) leaves. */
typedef struct push {
    dSurfaceParameters surface;
    double fdir1[3], v[3], force[3], time;
} push;

static void run_push(const push *p, int stock, int swap, double x[3], double v[3])
{
    contact_scene s = contact_scene_new(stock);
    s.contact.surface = p->surface;
    memcpy(s.contact.fdir1, p->fdir1, sizeof p->fdir1);
    s.swap = swap;
    contact_scene_ground(&s);
    dBodyID body = contact_scene_box(&s, 1, 1, 0.2, 0, 0, 0.1);
    contact_scene_run(&s, 0.01,
                      0.5); /* comes to rest on the ground, or to the speed of the conveyor */
    dBodySetPosition(body, 0, 0, dBodyGetPosition(body)[2]);
    if (p->v[0] != 0 || p->v[1] != 0) dBodySetLinearVel(body, p->v[0], p->v[1], 0);
    for (long n = lround(p->time / 0.01); n > 0; n--) {
        dBodyAddForce(body, p->force[0], p->force[1], p->force[2]);
        contact_scene_step(&s, 0.01);
    }
    memcpy(x, dBodyGetPosition(body), 3 * sizeof *x);
    memcpy(v, dBodyGetLinearVel(body), 3 * sizeof *v);
    contact_scene_free(&s);
}

static const push pushes[] = {
    /* coefficient, limit in N for each of four points */
    {.surface = {.mode = dContactApprox1, .mu = 0.5}, .v = {3, 0, 0}, .time = 0.5},
    {.surface = {.mu = 0.5}, .v = {3, 0, 0}, .time = 1},
    /* conveyor along the first and the second axis */
    {.surface = {.mode = dContactApprox1 | dContactMotion1 | dContactFDir1,
                 .mu = 0.5,
                 .motion1 = 0.7},
     .fdir1 = {0, 1, 0},
     .time = 1},
    {.surface = {.mode = dContactApprox1 | dContactMotion2 | dContactFDir1,
                 .mu = 0.5,
                 .motion2 = 0.3},
     .fdir1 = {1, 0, 0},
     .time = 1},
    /* slip, alike and different along the axes */
    {.surface =
         {.mode = dContactSlip1 | dContactSlip2, .mu = dInfinity, .slip1 = 0.01, .slip2 = 0.01},
     .force = {8, 4, 0},
     .time = 1},
    {.surface = {.mode = dContactApprox1 | dContactSlip1 | dContactSlip2 | dContactFDir1,
                 .mu = 5,
                 .slip1 = 0.01,
                 .slip2 = 0.03},
     .fdir1 = {0, 1, 0},
     .force = {8, 4, 0},
     .time = 1},
    /* a skate, and two coefficients */
    {.surface = {.mode = dContactMu2 | dContactFDir1, .mu = dInfinity, .mu2 = 0},
     .fdir1 = {1, 0, 0},
     .force = {3, 4, 0},
     .time = 1},
    {.surface = {.mode = dContactMu2 | dContactFDir1 | dContactApprox1, .mu = 0.5, .mu2 = 0.2},
     .fdir1 = {0, 1, 0},
     .v = {2, 3, 0},
     .time = 0.5},
};
enum { PUSHES = sizeof pushes / sizeof *pushes };

START_TEST(sliding_equals_ode)
{
    const push *p = &pushes[_i / 2];
    int swap = _i % 2;
    double x[2][3], v[2][3];
    for (int stock = 0; stock < 2; stock++) run_push(p, stock, swap, x[stock], v[stock]);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(v[0][k], v[1][k], 1e-9);
        if (k < 2) ck_assert_double_eq_tol(x[0][k], x[1][k], 1e-9);
    }
}
END_TEST

/* A plate that moves, with a moving surface: the box is the first body, or (_i & 1) the second. The
 * plate is a box or, in this module's own world alone, a convex (_i & 2). */
START_TEST(moving_plate_carries_a_box)
{
    double v[2];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        dGeomID geom = NULL;
        s.contact.surface = (dSurfaceParameters){
            .mode = dContactApprox1 | dContactMotion1 | dContactFDir1, .mu = 0.5, .motion1 = 0.3};
        s.contact.fdir1[0] = 1;
        dBodyID plate = contact_scene_box(&s, 1, 1, 1, 0, 0, -0.5), box;
        dBodySetKinematic(plate);
        dBodySetLinearVel(plate, 0.2, 0, 0);
        if (!stock && _i & 2) {
            dGeomDestroy(dBodyGetFirstGeom(plate));
            dGeomSetBody(geom = pegCreateConvex(s.space, CUBE, NULL), plate);
        }
        box = contact_scene_box(&s, 0.2, 0.2, 0.1, 0, 0, 0.05);
        s.first = _i & 1 ? plate : box;
        contact_scene_run(&s, 0.01, 1);
        v[stock] = dBodyGetLinearVel(box)[0];
        if (geom) pegUnregisterConvex(geom);
        contact_scene_free(&s);
    }
    ck_assert_double_eq_tol(v[0], _i & 1 ? -0.1 : 0.5, 1e-6);
    ck_assert_double_eq_tol(v[0], v[1], 1e-4);
}
END_TEST

START_TEST(surfaces_part_with_motionN)
{
    double v[2];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        contact_scene_ground(&s);
        dBodyID body = contact_scene_box(&s, 1, 1, 0.2, 0, 0, 0.1 - 1e-9);
        contact_scene_run(&s, 0.01, 0.05);
        s.contact.surface = (dSurfaceParameters){.mode = dContactMotionN, .motionN = 0.3};
        contact_scene_step(&s, 0.01);
        v[stock] = dBodyGetLinearVel(body)[2];
        contact_scene_free(&s);
    }
    ck_assert_double_eq_tol(v[0], 0.3, 1e-3);
    ck_assert_double_eq_tol(v[0], v[1], 1e-2);
}
END_TEST

/* Dropped from 1 m with bounce .5: .25 m; the next ones never rise higher. */
START_TEST(bounces_to_a_quarter_of_the_height)
{
    double h = _i ? 0.01 : 0.002, low = 0.1, top = 0, last = 1;
    contact_scene s = contact_scene_new(0);
    s.contact.surface =
        (dSurfaceParameters){.mode = dContactBounce, .bounce = 0.5, .bounce_vel = 0.01};
    contact_scene_ground(&s);
    dBodyID body = contact_scene_box(&s, 0.2, 0.2, 0.2, 0, 0, 1.1);
    int bounces = 0, rising = 0;
    double first = 0;
    for (double t = 0; t < 3; t += h) {
        contact_scene_step(&s, h);
        double z = dBodyGetPosition(body)[2] - low;
        if (dBodyGetLinearVel(body)[2] > 0) {
            rising = 1;
            top = z;
        } else if (rising) {
            rising = 0;
            if (bounces++ == 0) first = top;
            ck_assert_double_le(top, last * (1 + 1e-9)); /* at rest it stays at the margin */
            last = top;
        }
        ck_assert_double_ge(z, 0);
    }
    ck_assert_int_ge(bounces, 3);
    ck_assert_double_eq_tol(first, 0.25, 0.25 * (_i ? 0.1 : 0.02));
    contact_scene_free(&s);
}
END_TEST

START_TEST(slow_hits_do_not_bounce)
{
    contact_scene s = contact_scene_new(0);
    s.contact.surface =
        (dSurfaceParameters){.mode = dContactBounce, .bounce = 0.9, .bounce_vel = 1};
    contact_scene_ground(&s);
    dBodyID body = contact_scene_box(&s, 0.2, 0.2, 0.2, 0, 0, 0.13); /* 0.77 m/s at the ground */
    for (int i = 0; i < 100; i++) {
        contact_scene_step(&s, 0.01);
        ck_assert_double_le(dBodyGetLinearVel(body)[2], 1e-3);
    }
    contact_scene_free(&s);
}
END_TEST

/* A spring and damper: at rest every point is h cfm f / erp deep. */
START_TEST(soft_contact_sinks_as_in_ode)
{
    double z[2], h = 0.01, cfm = 1e-3, erp = 0.4;
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        s.contact.surface = (dSurfaceParameters){
            .mode = dContactSoftERP | dContactSoftCFM, .soft_erp = erp, .soft_cfm = cfm};
        pegSettings settings;
        pegWorldGetSettings(s.peg, &settings);
        settings.soft_contacts = PEG_SOFT_KEEP;
        pegWorldSetSettings(s.peg, &settings);
        contact_scene_ground(&s);
        dBodyID body = contact_scene_box(&s, 1, 1, 0.2, 0, 0, 0.1);
        contact_scene_run(&s, h, 3);
        z[stock] = dBodyGetPosition(body)[2];
        ck_assert_double_lt(fabs(dBodyGetLinearVel(body)[2]), 1e-6);
        contact_scene_free(&s);
    }
    double depth = h * cfm * 2 * G / 4 / erp;
    ck_assert_double_eq_tol(0.1 - z[0], depth, 1e-6 * depth);
    ck_assert_double_eq_tol(z[0], z[1], 1e-6 * depth);
}
END_TEST

/* --- rolling friction of a prism --- */

enum { SIDES = 32 };
static dReal prism_points[6 * SIDES], prism_planes[4 * (SIDES + 2)];
static unsigned prism_polygons[5 * SIDES + 2 * (SIDES + 1)];

/* Axis along y, radius of the corners 1/2, length 1, the middle of a side below. */
static void make_prism(void)
{
    unsigned *polygon = prism_polygons;
    for (unsigned i = 0; i < SIDES; i++) {
        double corner = (2 * i + 1) * PI / SIDES, side = (2 * i + 2) * PI / SIDES;
        unsigned j = (i + 1) % SIDES;
        for (unsigned k = 0; k < 2; k++) {
            dReal *p = prism_points + 3 * (2 * i + k);
            p[0] = 0.5 * sin(corner), p[1] = k - 0.5, p[2] = -0.5 * cos(corner);
        }
        dReal *plane = prism_planes + 4 * i;
        plane[0] = sin(side), plane[1] = 0, plane[2] = -cos(side);
        plane[3] = 0.5 * cos(PI / SIDES);
        *polygon++ = 4;
        *polygon++ = 2 * i, *polygon++ = 2 * i + 1, *polygon++ = 2 * j + 1, *polygon++ = 2 * j;
    }
    for (unsigned k = 0; k < 2; k++) {
        dReal *plane = prism_planes + 4 * (SIDES + k);
        plane[1] = k ? 1 : -1, plane[3] = 0.5;
        *polygon++ = SIDES;
        for (unsigned i = 0; i < SIDES; i++) *polygon++ = 2 * (k ? SIDES - 1 - i : i) + k;
    }
}

/* On a slope of angle a it tips over the lower edge of the side it lies on unless
 * rho cos a >= r sin(a - pi / 32). */
START_TEST(rolling_friction_holds_a_prism)
{
    double angle = 12 * PI / 180, needed = 0.5 * sin(angle - PI / SIDES) / cos(angle);
    pegStatus status;
    contact_scene s = contact_scene_new(0);
    s.contact.surface = (dSurfaceParameters){
        .mode = dContactApprox1 | dContactRolling, .mu = 1, .rho = (_i ? 1.02 : 0.98) * needed};
    contact_scene_tilt(&s, 12);
    contact_scene_ground(&s);
    make_prism();
    dGeomID geom = pegCreateConvex(s.space, prism_planes, SIDES + 2, prism_points, 2 * SIDES,
                                   prism_polygons, &status);
    ck_assert_int_eq(status, PEG_OK);
    dBodyID body = dBodyCreate(s.world);
    dMass mass;
    dMassSetCylinderTotal(&mass, 2, 2, 0.5, 1);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, 0, 0, 0.5 * cos(PI / SIDES) + 1e-5);
    contact_scene_run(&s, 0.01, 1);
    double x = dBodyGetPosition(body)[0];
    contact_scene_run(&s, 0.01, 2);
    double moved = dBodyGetPosition(body)[0] - x;
    if (_i)
        ck_assert_double_lt(fabs(moved), 1e-9);
    else
        ck_assert_double_gt(moved, 0.1);
    pegUnregisterConvex(geom);
    contact_scene_free(&s);
}
END_TEST

/* A ball that rolls slows by rho g / (r (1 + 2/5)), along any direction. */
START_TEST(rolling_friction_slows_a_ball)
{
    const double radius = .1, rho = .01, time = .5, angle = .3 * _i;
    for (int k = 0; k < 2; k++) {
        double h = k ? .05 : .01;
        contact_scene s = contact_scene_new(0);
        s.contact.surface = (dSurfaceParameters){
            .mode = dContactApprox1 | dContactRolling, .mu = .5, .rho = rho, .rho2 = rho};
        contact_scene_ground(&s);
        dMass mass;
        dBodyID ball = dBodyCreate(s.world);
        dMassSetSphereTotal(&mass, 1, radius);
        dBodySetMass(ball, &mass);
        dGeomSetBody(dCreateSphere(s.space, radius), ball);
        dBodySetPosition(ball, 0, 0, radius);
        dBodySetLinearVel(ball, cos(angle), sin(angle), 0);
        dBodySetAngularVel(ball, -sin(angle) / radius, cos(angle) / radius, 0);
        contact_scene_run(&s, h, time);
        const dReal *v = dBodyGetLinearVel(ball);
        ck_assert_double_eq_tol(hypot(v[0], v[1]), 1 - rho * G * time / (1.4 * radius), 1e-6);
        ck_assert_double_le(fabs(v[0] * sin(angle) - v[1] * cos(angle)), 1e-6);
        contact_scene_free(&s);
    }
}
END_TEST

/* A ball between two rails that slope by 0.2 rad rolls about the line of its contacts, which is no
 * diameter, and over the ends of the rails, where its contacts stay and their normals turn. Where
 * friction has no limit, its rows and those of the normals leave it that one motion. */
START_TEST(a_ball_rolls_off_two_rails)
{
    static const double begin[] = {.5, .9, .95, .99, .999}, speed[] = {0, .2, -.3};
    static const double step[] = {.01, .02, .05};
    const double slope = .2, radius = .1, apart = .12, end = 1;
    double x = begin[_i % 5], v = speed[_i / 5 % 3], h = step[_i / 15];
    double height = sqrt(radius * radius - .25 * apart * apart);
    double a = G * sin(slope) / (1 + .4 * radius * radius / (height * height));
    contact_scene s = contact_scene_new(0);
    s.contact.surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = dInfinity};
    dWorldSetGravity(s.world, G * sin(slope), 0, -G * cos(slope));
    for (int side = -1; side <= 1; side += 2)
        dGeomSetPosition(dCreateBox(s.space, 4, 1, .2), end - 2, side * .5 * (apart + 1), -.1);
    dMass mass;
    dBodyID ball = dBodyCreate(s.world);
    dMassSetSphereTotal(&mass, 1, radius);
    dBodySetMass(ball, &mass);
    dGeomSetBody(dCreateSphere(s.space, radius), ball);
    dBodySetPosition(ball, x, 0, height + 1e-6);
    dBodySetLinearVel(ball, v, 0, 0);
    dBodySetAngularVel(ball, 0, v / height, 0);
    double time = (sqrt(v * v + 2 * a * (end - x)) - v) / a;
    double rolled = h * fmax(0, floor(time / h) - 1);
    contact_scene_run(&s, h, rolled);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], v + a * rolled, 1e-3);
    contact_scene_run(&s, h, .7);
    ck_assert_double_gt(dBodyGetPosition(ball)[0], end + radius);
    contact_scene_free(&s);
}
END_TEST

enum { FEET = 4, MOST_TABLES = 40 };

/* A table whose feet are boxes, tilted by an angle about a horizontal axis in this direction: its
 * lowest corner is at the height z. */
static dBodyID add_table(contact_scene *s, double x, double z, double angle, double direction)
{
    const double foot = .02;
    double low = 0;
    dMass mass;
    dMatrix3 R;
    dBodyID table = dBodyCreate(s->world);
    dMassSetBoxTotal(&mass, 2, .3, .2, .2);
    dBodySetMass(table, &mass);
    dRFromAxisAndAngle(R, cos(direction), sin(direction), 0, angle);
    for (int i = 0; i < FEET; i++) {
        double at[3] = {i & 1 ? .15 : -.15, i & 2 ? .1 : -.1, -.1};
        dGeomID geom = dCreateBox(s->space, foot, foot, foot);
        dGeomSetBody(geom, table);
        dGeomSetOffsetPosition(geom, at[0], at[1], at[2]);
        for (int k = 0; k < 8; k++) {
            double corner = 0;
            for (int d = 0; d < 3; d++)
                corner += R[8 + d] * (at[d] + (k >> d & 1 ? .5 : -.5) * foot);
            low = fmin(low, corner);
        }
    }
    dBodySetRotation(table, R);
    dBodySetPosition(table, x, 0, z - low + 2e-6);
    return table;
}

/* Tables on one of their feet, by themselves and turning, or many on one plank, where friction has
 * no limit: feet that land are to slide down to the ground, not to hold the table in the air. */
START_TEST(tables_land_on_all_feet)
{
    static const struct {
        int n;
        double spin;
    } set[] = {{1, .1}, {1, .4}, {1, 2}, {3, 0}, {6, 0}, {MOST_TABLES, 0}};
    static const double tilt[] = {1e-3, 1e-2, 5e-2}, length[] = {.01, .02, .05};
    int n = set[_i % 6].n;
    double angle = tilt[_i / 6 % 3], h = length[_i / 18];
    dBodyID table[MOST_TABLES];
    contact_scene s = contact_scene_new(0);
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = dInfinity};
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    contact_scene_ground(&s);
    const dReal up[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, *under = up;
    if (n > 1) under = dBodyGetRotation(contact_scene_box(&s, .5 * n, .6, .1, 0, 0, .05 + 2e-6));
    for (int k = 0; k < n; k++) {
        table[k] = add_table(&s, .5 * k - .25 * (n - 1), n > 1 ? .1 : 0, angle, .7 * k);
        dBodySetAngularVel(table[k], 0, 0, set[_i % 6].spin);
    }
    for (long step = lround(3 / h); step > 0; step--)
        ck_assert_int_eq(pegWorldStep(s.peg, h), PEG_OK);
    for (int k = 0; k < n; k++) {
        double square = 0, left;
        for (int d = 2; d < 11; d += 4) square += pow(dBodyGetRotation(table[k])[d] - under[d], 2);
        left = sqrt(square);
        ck_assert_msg(left <= 5e-4, "table %d of %d: %g rad", k, n, left);
    }
    contact_scene_free(&s);
}
END_TEST

/* A ball that falls into a corner of three planes, or between two boxes, lies on all of them,
 * whatever its friction is: forces of any size, ODE's default, and without limit, too. What it
 * meets in the step does not hold it where it is. */
START_TEST(a_ball_settles_on_all_sides)
{
    static const double force[] = {20, 50, 1000, INFINITY}, length[] = {.01, .02, .05};
    static const double above[] = {.002, .01, .05};
    const double radius = .1, apart = .12;
    int is_corner = _i % 2, is_force = _i / 2 % 2;
    double mu = force[_i / 4 % 4], h = length[_i / 16 % 3], z = above[_i / 48];
    contact_scene s = contact_scene_new(0);
    dSurfaceParameters surface = {.mode = is_force ? 0 : dContactApprox1, .mu = mu};
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &surface), PEG_OK);
    for (int k = 0; k < 3 && is_corner; k++) {
        double angle = 2 * PI / 3 * k, side = sqrt(.5);
        dCreatePlane(s.space, side * cos(angle), side * sin(angle), side, 0);
    }
    for (int side = -1; side <= 1 && !is_corner; side += 2)
        dGeomSetPosition(dCreateBox(s.space, 4, 1, .2), 0, side * .5 * (apart + 1), -.1);
    double down = is_corner ? radius * sqrt(2) : sqrt(radius * radius - .25 * apart * apart);
    dMass mass;
    dBodyID ball = dBodyCreate(s.world);
    dMassSetSphereTotal(&mass, 2, radius);
    dBodySetMass(ball, &mass);
    dGeomSetBody(dCreateSphere(s.space, radius), ball);
    dBodySetPosition(ball, 0, 0, down + z);
    for (long step = lround(2 / h); step > 0; step--)
        ck_assert_int_eq(pegWorldStep(s.peg, h), PEG_OK);
    ck_assert_double_le(fabs(dBodyGetPosition(ball)[2] - down), 1e-4);
    contact_scene_free(&s);
}
END_TEST

/* A box on one of its edges falls flat, also where friction has no limit: its other corners are to
 * land, not to stick above the ground. */
START_TEST(a_tilted_box_falls_flat)
{
    static const double tilt[] = {3e-3, 1e-2, 2e-2, 5e-2, .3}, step[] = {.002, .01, .02, .05};
    double a = tilt[_i / 4], h = step[_i % 4];
    contact_scene s = contact_scene_new(0);
    s.contact.surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = dInfinity};
    contact_scene_ground(&s);
    dBodyID box = contact_scene_box(&s, .05, .15, .03, 0, 0, .015 * cos(a) + .025 * sin(a) + 1e-6);
    dQuaternion q;
    dQFromAxisAndAngle(q, 0, 1, 0, a);
    dBodySetQuaternion(box, q);
    contact_scene_run(&s, h, 3);
    ck_assert_double_ge(dBodyGetRotation(box)[10], 1 - 1e-9);
    ck_assert_double_le(fabs(dBodyGetPosition(box)[2] - .015), 1e-5);
    contact_scene_free(&s);
}
END_TEST

/* A spinning box slows by 4 rhoN / I. */
START_TEST(spinning_friction_equals_ode)
{
    double w[2];
    for (int stock = 0; stock < 2; stock++) {
        contact_scene s = contact_scene_new(stock);
        s.contact.surface = (dSurfaceParameters){
            .mode = dContactRolling | dContactAxisDep, .rho = 0, .rho2 = 0, .rhoN = 0.05};
        contact_scene_ground(&s);
        dBodyID body = contact_scene_box(&s, 1, 1, 0.2, 0, 0, 0.1);
        contact_scene_run(&s, 0.01, 0.5);
        dBodySetAngularVel(body, 0, 0, 2);
        contact_scene_run(&s, 0.01, 0.5);
        w[stock] = dBodyGetAngularVel(body)[2];
        contact_scene_free(&s);
    }
    ck_assert_double_eq_tol(w[0], 2 - 0.5 * 4 * 0.05 / (2.0 * 2 / 12), 1e-4);
    ck_assert_double_eq_tol(w[0], w[1], 1e-3);
}
END_TEST

START_TEST(default_surface_serves_pairs_without_one)
{
    contact_scene s = contact_scene_new(0);
    dSurfaceParameters bad = {.mu = NAN};
    ck_assert_int_eq(pegWorldSetDefaultSurface(NULL, &rough), PEG_ERROR_ARGUMENT);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &rough), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &bad), PEG_ERROR_NOT_FINITE);
    contact_scene_tilt(&s, 20);
    dGeomID ground = contact_scene_ground(&s);
    dGeomID loose = dCreateBox(NULL, 1, 1, 0.5);
    dBodyID a = contact_scene_box(&s, 1, 1, 0.5, 0, 0, 0.2501),
            b = contact_scene_box(&s, 1, 1, 0.5, 0, 3, 0.2501);
    dGeomSetBody(loose, contact_scene_box(&s, 1, 1, 0.5, 0, -3, 0.2501));
    dGeomDestroy(dBodyGetFirstGeom(dGeomGetBody(loose)) == loose
                     ? dBodyGetNextGeom(loose)
                     : dBodyGetFirstGeom(dGeomGetBody(loose)));
    static const dSurfaceParameters smooth = {0};
    for (int i = 0; i < 50; i++) {
        dSpaceCollide(s.space, s.peg, &pegNearCallback);
        ck_assert_int_eq(pegWorldAddPair(s.peg, dBodyGetFirstGeom(b), ground, &smooth), PEG_OK);
        ck_assert_int_eq(pegWorldAddPair(s.peg, ground, dBodyGetFirstGeom(b), NULL), PEG_OK);
        ck_assert_int_eq(pegWorldAddPair(s.peg, loose, (dGeomID)s.space, NULL), PEG_OK);
        ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    }
    ck_assert_double_lt(fabs(dBodyGetPosition(a)[0]), 1e-3);
    ck_assert_double_gt(dBodyGetPosition(b)[0], 0.3);
    /* known to the step only while ODE's boxes overlap, so it creeps */
    ck_assert_double_lt(fabs(dGeomGetPosition(loose)[0]), 0.05);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, NULL), PEG_OK);
    for (int i = 0; i < 50; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_double_gt(dBodyGetPosition(a)[0], 0.3);
    dGeomDestroy(loose);
    contact_scene_free(&s);
}
END_TEST

typedef struct messages {
    int n;
    char text[8][320];
} messages;

static void keep_message(void *data, pegStatus status, const char *text)
{
    messages *m = data;
    ck_assert_int_lt(m->n, 8);
    ck_assert_int_eq(status, PEG_OK);
    strncpy(m->text[m->n++], text, sizeof m->text[0] - 1);
}

START_TEST(what_has_no_meaning_is_told_once)
{
    static const char *const told[] = {
        "without dContactFDir1", "set dContactApprox1", "set apart",
        "bounce is above 1",     "surface layer",       "correcting velocity"};
    contact_scene s = contact_scene_new(0);
    messages m = {0};
    pegWorldSetMessageCallback(s.peg, &m, keep_message);
    ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &rough), PEG_OK);
    dGeomID ground = contact_scene_ground(&s);
    dGeomID box = dBodyGetFirstGeom(contact_scene_box(&s, 1, 1, 1, 0, 0, 0.501));
    dSurfaceParameters odd[] = {
        {.mode = dContactMu2, .mu = 1, .mu2 = 2},
        {.mode = dContactApprox1_1 | dContactRolling, .mu = 1, .rho = 1},
        {.mode = dContactBounce, .bounce = 2},
    };
    for (int i = 0; i < 6; i++) pegWorldAddPair(s.peg, box, ground, &odd[i / 2]);
    ck_assert_int_eq(m.n, 4);
    pegWorldAddPair(s.peg, box, ground, &rough);
    ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_eq(m.n, 4);
    dWorldSetContactSurfaceLayer(s.world, 0.001);
    dWorldSetContactMaxCorrectingVel(s.world, 10);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(pegWorldStep(s.peg, 0.01), PEG_OK);
    ck_assert_int_eq(m.n, 6);
    for (int i = 0; i < 6; i++) ck_assert_ptr_nonnull(strstr(m.text[i], told[i]));
    contact_scene_free(&s);
}
END_TEST

START_TEST(bad_contacts_are_refused)
{
    contact_scene s = contact_scene_new(0);
    dGeomID ground = contact_scene_ground(&s);
    dGeomID box = dBodyGetFirstGeom(contact_scene_box(&s, 1, 1, 1, 0, 0, 0.5));
    dSurfaceParameters bad = {.mode = dContactSlip1, .slip1 = INFINITY};
    ck_assert_int_eq(pegWorldAddPair(s.peg, box, ground, &bad), PEG_ERROR_NOT_FINITE);
    bad = (dSurfaceParameters){.mode = dContactMotionN, .motionN = -1e60};
    ck_assert_int_eq(pegWorldAddPair(s.peg, box, ground, &bad), PEG_ERROR_NOT_FINITE);
    const dSurfaceParameters out_of_range[] = {
        {.mu = -1e-9},
        {.mode = dContactMu2, .mu = 1, .mu2 = -1},
        {.mode = dContactRolling, .rho = -1},
        {.mode = dContactRolling | dContactAxisDep, .rho2 = -1},
        {.mode = dContactSlip1, .slip1 = -1},
        {.mode = dContactSlip2, .slip2 = -1},
        {.mode = dContactBounce, .bounce = -1},
        {.mode = dContactSoftERP, .soft_erp = -1e-9},
        {.mode = dContactSoftERP, .soft_erp = 1.01},
        {.mode = dContactSoftCFM, .soft_cfm = -1e-9},
    };
    for (size_t i = 0; i < sizeof out_of_range / sizeof *out_of_range; i++) {
        ck_assert_int_eq(pegWorldAddPair(s.peg, box, ground, &out_of_range[i]), PEG_ERROR_SURFACE);
        ck_assert_int_eq(pegWorldSetDefaultSurface(s.peg, &out_of_range[i]), PEG_ERROR_SURFACE);
    }
    ck_assert_int_eq(pegWorldAddPairContact(s.peg, NULL, NULL), PEG_ERROR_ARGUMENT);
    dContact contact = {.surface = rough, .geom = {.g1 = box}};
    ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, NULL), PEG_ERROR_ARGUMENT);
    contact.geom.g2 = (dGeomID)s.space;
    ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, NULL), PEG_ERROR_ARGUMENT);
    contact.geom.g2 = ground;
    contact.surface.mode |= dContactFDir1;
    contact.fdir1[1] = NAN;
    ck_assert_int_eq(pegWorldAddPairContact(s.peg, &contact, NULL), PEG_ERROR_NOT_FINITE);
    contact_scene_free(&s);
}
END_TEST

static Suite *surface_suite(void)
{
    Suite *suite = suite_create("surface");
    TCase *read = tcase_create("read"), *surface = tcase_create("surface");
    tcase_set_timeout(surface, 60);
    tcase_add_test(read, every_parameter_is_read);
    tcase_add_test(read, what_the_mode_leaves_out_is_not_read);
    tcase_add_test(read, modes_choose_the_kind_of_limit);
    tcase_add_test(read, what_has_no_meaning_is_told_once);
    tcase_add_test(read, bad_contacts_are_refused);
    tcase_add_loop_test(surface, block_holds_or_slides_on_an_incline, 0, 2);
    tcase_add_loop_test(surface, sliding_equals_ode, 0, 2 * PUSHES);
    tcase_add_loop_test(surface, moving_plate_carries_a_box, 0, 4);
    tcase_add_test(surface, surfaces_part_with_motionN);
    tcase_add_loop_test(surface, bounces_to_a_quarter_of_the_height, 0, 2);
    tcase_add_test(surface, slow_hits_do_not_bounce);
    tcase_add_test(surface, soft_contact_sinks_as_in_ode);
    tcase_add_loop_test(surface, rolling_friction_holds_a_prism, 0, 2);
    tcase_add_loop_test(surface, rolling_friction_slows_a_ball, 0, 6);
    tcase_add_loop_test(surface, a_ball_rolls_off_two_rails, 0, 45);
    tcase_add_loop_test(surface, a_ball_settles_on_all_sides, 0, 144);
    tcase_add_loop_test(surface, tables_land_on_all_feet, 0, 54);
    tcase_add_loop_test(surface, a_tilted_box_falls_flat, 0, 20);
    tcase_add_test(surface, spinning_friction_equals_ode);
    tcase_add_test(surface, default_surface_serves_pairs_without_one);
    suite_add_tcase(suite, read);
    suite_add_tcase(suite, surface);
    suite_add_tcase(suite, contact_duty_tests());
    return suite;
}

Suite *test_suite(void)
{
    dInitODE();
    test_at_end(dCloseODE);
    return surface_suite();
}

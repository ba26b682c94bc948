/* Friction that has a limit of its own, in newtons (ODE's mu without dContactApprox1), or none at
 * all (dInfinity): it acts where bodies bear on each other, and nowhere else. */
#include "tests/runner.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static const double G = 9.81, H = .01, SIDE = .4;

static dWorldID world;
static dSpaceID space;
static dBodyID body;
static pegWorldID peg;

static void set_up(void)
{
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    peg = pegWorldCreate(world, NULL);
    ck_assert_ptr_nonnull(peg);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
}

static void tear_down(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

static void set_mu(double mu)
{
    dSurfaceParameters surface = {.mu = mu};
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
}

/* A wall whose face is the plane x = 0, and a body of 8 kg whose nearest point is `gap` before it.
 */
static void build(dGeomID geom, double gap)
{
    dMass mass;
    dGeomSetPosition(dCreateBox(space, 1, 10, 200), -.5, 0, 0);
    body = dBodyCreate(world);
    if (dGeomGetClass(geom) == dBoxClass)
        dMassSetBoxTotal(&mass, 8, SIDE, SIDE, SIDE);
    else
        dMassSetSphereTotal(&mass, 8, SIDE / 2);
    dBodySetMass(body, &mass);
    dGeomSetBody(geom, body);
    dBodySetPosition(body, SIDE / 2 + gap, 0, 0);
}

static void step(int count)
{
    for (int i = 0; i < count; i++) ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
}

static const double limits[] = {.5, 1000, INFINITY};

/* Beside a wall that it does not touch a body falls freely. */
START_TEST(nothing_holds_at_a_distance)
{
    static const double gaps[] = {1e-5, 1e-3, .03};
    enum { STEPS = 50 };
    set_mu(limits[_i % 3]);
    build(dCreateBox(space, SIDE, SIDE, SIDE), gaps[_i / 3]);
    dWorldSetGravity(world, 0, 0, -G);
    step(STEPS);
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    ck_assert_double_eq_tol(v[2], -G * H * STEPS, 1e-12);
    ck_assert_double_eq(v[0], 0);
    ck_assert(w[0] == 0 && w[1] == 0 && w[2] == 0);
}
END_TEST

/* Pressed to the wall it is held: by an infinite friction for good, by a limited one against its
 * limit. Released it falls. */
START_TEST(what_is_pressed_is_held)
{
    enum { STEPS = 50 };
    double mu = limits[_i], drag = fmin(mu, 8 * G);
    set_mu(mu);
    build(dCreateSphere(space, SIDE / 2), 1e-5 * SIDE / 2);
    dWorldSetGravity(world, 0, 0, -G);
    for (int i = 0; i < STEPS; i++) {
        dBodyAddForce(body, -200, 0, 0);
        /* against the torque of the friction: without it the sphere would roll down */
        dBodyAddTorque(body, 0, -drag * SIDE / 2, 0);
        step(1);
    }
    double fallen = dBodyGetLinearVel(body)[2];
    ck_assert_double_eq_tol(fallen, -(G - drag / 8) * H * STEPS, 1e-6);
    step(1);
    ck_assert_double_eq_tol(dBodyGetLinearVel(body)[2], fallen - G * H, 1e-9);
}
END_TEST

/* A sphere that flies against the wall with infinite friction, without bounce, rolls on: 5/7 of the
 * speed along the wall are left. */
START_TEST(an_impact_rubs)
{
    set_mu(INFINITY);
    build(dCreateSphere(space, SIDE / 2), .035);
    dBodySetLinearVel(body, -1, 0, 3);
    step(10);
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    ck_assert_double_eq_tol(v[0], 0, 1e-6);
    ck_assert_double_eq_tol(v[2], 3 * 5 / 7., 1e-6);
    ck_assert_double_eq_tol(fabs(w[1]) * SIDE / 2, 3 * 5 / 7., 1e-6);
}
END_TEST

/* A rod of 1 m and 1 kg that slides at `speed` along the floor as it lands on one end: its speed .3
 * s later, m/s. tilt: rad; speed: m/s. */
static double speed_of_landed_rod(int is_box, const dSurfaceParameters *surface, double tilt,
                                  double speed)
{
    const double width = .1, length = 1;
    dReal bound[6];
    dQuaternion q;
    dMass mass;
    dGeomID rod =
        is_box ? dCreateBox(space, width, width, length) : dCreateCapsule(space, width / 2, length);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, surface), PEG_OK);
    body = dBodyCreate(world);
    dMassSetBoxTotal(&mass, 1, width, width, length);
    dBodySetMass(body, &mass);
    dGeomSetBody(rod, body);
    dQFromAxisAndAngle(q, 0, 1, 0, M_PI / 2 - tilt);
    dBodySetQuaternion(body, q);
    dGeomGetAABB(rod, bound);
    dBodySetPosition(body, 0, 0, -bound[4]);
    dBodySetLinearVel(body, speed, 0, 0);
    for (int i = 0; i < 150; i++) ck_assert_int_eq(pegWorldStep(peg, .002), PEG_OK);
    double v = dBodyGetLinearVel(body)[0];
    dGeomDestroy(rod);
    dBodyDestroy(body);
    return v;
}

/* What bears rubs: where friction without limit, or with one that no impulse reaches, would hold
 * the end of a rod from the floor, it acts as a large coefficient does. */
START_TEST(rods_slide_as_with_large_coefficients)
{
    static const dSurfaceParameters coefficient = {.mode = dContactApprox1, .mu = 1e4},
                                    without_limit[] = {{.mu = INFINITY}, {.mu = 1e5}};
    int is_box = _i % 2;
    double tilt = .61 + .14 * (_i / 2 % 5), speed = _i / 10 % 2 ? 4 : 1;
    dCreatePlane(space, 0, 0, 1, 0);
    dWorldSetGravity(world, 0, 0, -G);
    double v = speed_of_landed_rod(is_box, &without_limit[_i / 20], tilt, speed);
    double expected = speed_of_landed_rod(is_box, &coefficient, tilt, speed);
    ck_assert_double_eq_tol(v, expected, .02);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("friction-limit");
    TCase *tc = tcase_create("limits");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, nothing_holds_at_a_distance, 0, 9);
    tcase_add_loop_test(tc, what_is_pressed_is_held, 0, 3);
    tcase_add_test(tc, an_impact_rubs);
    suite_add_tcase(suite, tc);
    tc = tcase_create("rods");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, rods_slide_as_with_large_coefficients, 0, 40);
    suite_add_tcase(suite, tc);
    return suite;
}

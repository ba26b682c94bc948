/* What moves in a large island at rest goes on as in a small one: the energy that inexact answers
 * of the others gain is not its to return. */
#include "tests/runner.h"
#include "plugin/ode-peg.h"

#include <check.h>
#include <math.h>

/* Boxes in columns, and a beam on them: an island of 41 bodies. */
enum { BOXES = 40, COLUMNS = 8 };

static const double BOX = .25, BEAM = .2, GAP = 1e-5; /* heights and distances, m */

static dWorldID world;
static dSpaceID space;
static pegWorldID peg;

static dBodyID add_box(double mass, double a, double b, double c, double x, double z)
{
    dBodyID body = dBodyCreate(world);
    dMass m;
    dMassSetBoxTotal(&m, mass, a, b, c);
    dBodySetMass(body, &m);
    dBodySetPosition(body, x, 0, z);
    dGeomSetBody(dCreateBox(space, a, b, c), body);
    dBodySetAutoDisableFlag(body, 0);
    return body;
}

/* Bodies of this mass come to rest. Returns the beam. */
static dBodyID open_heap(double mass, double h)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = .5};
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    dWorldSetGravity(world, 0, 0, -9.81);
    peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
    dCreatePlane(space, 0, 0, 1, 0);
    int rows = BOXES / COLUMNS;
    for (int i = 0; i < BOXES; i++)
        add_box(mass, .5, .5, BOX, .505 * (i % COLUMNS),
                GAP + .5 * BOX + (i / COLUMNS) * (BOX + GAP));
    dBodyID beam = add_box(mass, 4.6, .5, BEAM, 2, (rows + 1) * GAP + rows * BOX + .5 * BEAM);
    for (int i = 0; i < 200; i++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
    return beam;
}

static double top_of(dBodyID beam)
{
    return dBodyGetPosition(beam)[2] + .5 * BEAM;
}

static void run(double h, double time)
{
    for (int i = 0; i < time / h; i++) ck_assert_int_eq(pegWorldStep(peg, h), PEG_OK);
}

static void close_world(void)
{
    pegWorldDestroy(peg);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

/* A ball of 1 kg along the beam. It stood still after 0.6 s. */
START_TEST(a_ball_rolls_on)
{
    double mass = _i ? 100 : 10, h = .01, radius = .1, v = .2;
    dBodyID beam = open_heap(mass, h), ball = dBodyCreate(world);
    dMass m;
    dMassSetSphereTotal(&m, 1, radius);
    dBodySetMass(ball, &m);
    dBodySetPosition(ball, .5, 0, top_of(beam) + radius + GAP);
    dBodySetLinearVel(ball, v, 0, 0);
    dBodySetAngularVel(ball, 0, v / radius, 0);
    dGeomSetBody(dCreateSphere(space, radius), ball);
    run(h, 2);
    ck_assert_double_eq_tol(dBodyGetLinearVel(ball)[0], v, .02 * v);
    close_world();
}
END_TEST

/* A flywheel on a hinge above it, which nothing drives: 10 rad/s became 2.7. */
START_TEST(a_flywheel_turns_on)
{
    double h = .01, rate = 10;
    dBodyID beam = open_heap(100, h), wheel = dBodyCreate(world);
    double z = top_of(beam) + .5;
    dMass m;
    dMassSetCylinderTotal(&m, .05, 3, .2, .05);
    dBodySetMass(wheel, &m);
    dBodySetPosition(wheel, 2, 0, z);
    dBodySetAngularVel(wheel, 0, 0, rate);
    dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, wheel, beam);
    dJointSetHingeAnchor(hinge, 2, 0, z);
    dJointSetHingeAxis(hinge, 0, 0, 1);
    run(h, 2);
    ck_assert_double_eq_tol(dBodyGetAngularVel(wheel)[2], rate, .01 * rate);
    close_world();
}
END_TEST

/* A pendulum on a hinge, without damping: its largest rate fell from 1 to 0.17 rad/s. */
START_TEST(a_pendulum_swings_on)
{
    double h = .01, rate = 1, arm = .2, largest = 0;
    dBodyID beam = open_heap(_i ? 100 : 1, h);
    double z = top_of(beam) + .8;
    dBodyID bob = add_box(.1, .05, .05, .4, 2, z - arm);
    dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, bob, beam);
    dJointSetHingeAnchor(hinge, 2, 0, z);
    dJointSetHingeAxis(hinge, 0, 1, 0);
    dBodySetAngularVel(bob, 0, rate, 0);
    dBodySetLinearVel(bob, -arm * rate, 0, 0);
    run(h, 1.5);
    for (int i = 0; i < 100; i++) {
        run(h, h);
        largest = fmax(largest, fabs(dBodyGetAngularVel(bob)[1]));
    }
    ck_assert_double_eq_tol(largest, rate, .05 * rate);
    close_world();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("heaps");
    TCase *tc = tcase_create("what moves");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_ball_rolls_on, 0, 2);
    tcase_add_test(tc, a_flywheel_turns_on);
    tcase_add_loop_test(tc, a_pendulum_swings_on, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

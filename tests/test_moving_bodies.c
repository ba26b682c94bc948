/* The list of what still moves, as peg-run, peg-lab and soak show it. */
#include "plugin/moving_bodies.h"
#include "tests/runner.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 12 };

static const double H = .01, SPIN_INERTIA = .4; /* of a sphere of mass 1 and radius 1 */

static dWorldID world;
static dSpaceID space;
static dBodyID body[MOST];
static peg_moving_watch watch;

static void set_up(void)
{
    dInitODE();
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    watch = (peg_moving_watch){0};
}

static void tear_down(void)
{
    peg_moving_free(&watch);
    dSpaceDestroy(space);
    dWorldDestroy(world);
    dCloseODE();
}

/* Of mass 1 and radius 1. */
static dBodyID add(dGeomID geom, double x, double z, double speed, double spin)
{
    dMass mass;
    dBodyID b = dBodyCreate(world);
    dMassSetSphereTotal(&mass, 1, 1);
    dBodySetMass(b, &mass);
    if (geom) dGeomSetBody(geom, b);
    dBodySetPosition(b, x, 0, z);
    dBodySetLinearVel(b, speed, 0, 0);
    dBodySetAngularVel(b, 0, spin, 0);
    return b;
}

/* Those with the most kinetic energy come first, the rest is counted; what sleeps, rests or is
 * driven does not count. */
START_TEST(lists_the_fastest)
{
    char text[4096] = "";
    peg_moving m;
    for (int i = 0; i < MOST; i++) body[i] = add(NULL, 3 * i, 0, 1 + i * 5 % MOST, 0);
    dBodySetKinematic(body[2]);
    dBodyDisable(body[4]);
    dBodySetLinearVel(body[6], 0, 0, 0);
    body[8] = NULL;
    peg_moving_list(&watch, world, NULL, body, MOST, 0, &m);
    ck_assert_int_eq(m.bodies, MOST - 2);
    ck_assert_int_eq(m.moving, MOST - 4);
    ck_assert_int_eq(m.listed, PEG_MOVING_LISTED);
    for (int i = 0; i + 1 < m.listed; i++)
        ck_assert_double_gt(m.body[i].kinetic, m.body[i + 1].kinetic);
    ck_assert_int_eq(m.body[0].number, 7);
    ck_assert_int_eq(m.body[0].geom_class, -1);
    body[8] = add(NULL, 0, 0, .01, 0);
    peg_moving_list(&watch, world, NULL, body, MOST, 0, &m);
    ck_assert_int_eq(m.moving, PEG_MOVING_LISTED + 1);
    for (int i = 0; i < m.listed; i++) ck_assert_int_ne(m.body[i].number, 8);
    FILE *file = fmemopen(text, sizeof text, "w");
    peg_moving_print(file, "> ", &m, NULL, NULL);
    fclose(file);
    ck_assert(strstr(text, "> moving bodies: 9 of 11") == text);
    ck_assert_ptr_nonnull(strstr(text, ">   body 7 at (21, 0, 0): 12 m/s, 0 rad/s, 72 J\n"));
    ck_assert_ptr_nonnull(strstr(text, ">   and 1 more\n"));
}
END_TEST

/* Energies are compared with those of 2 to 4 s before, of bodies that were there. */
START_TEST(compares_with_seconds_before)
{
    peg_moving m;
    dWorldSetGravity(world, 0, 0, -10);
    body[0] = add(NULL, 0, 5, 3, 2);
    body[1] = NULL;
    for (int step = 0; step <= 500; step++) {
        double t = step * H, speed = 3 * exp(-t);
        dBodySetLinearVel(body[0], speed, 0, 0);
        dBodySetPosition(body[0], 0, 0, 5 - .1 * t);
        ck_assert(peg_moving_note(&watch, world, body, 2, t));
        if (step == 450) body[1] = add(NULL, 9, 0, 1, 0);
    }
    peg_moving_list(&watch, world, NULL, body, 2, 5, &m);
    double before = .5 * 9 * exp(-4) + .5 * SPIN_INERTIA * 4,
           now = .5 * 9 * exp(-10) + .5 * SPIN_INERTIA * 4;
    ck_assert_double_eq_tol(m.since, 3, 1e-12);
    ck_assert_int_eq(m.body[0].number, 0);
    ck_assert_double_eq_tol(m.body[0].kinetic, now, 1e-12);
    ck_assert_double_eq_tol(m.body[0].kinetic_before, before, 1e-12);
    ck_assert_double_eq_tol(m.body[0].change, now - before - 10 * .3, 1e-12);
    ck_assert(isnan(m.body[1].change));
    /* another body at the address of one that is gone has no energy before */
    peg_moving_forget(&watch, body[0]);
    peg_moving_list(&watch, world, NULL, body, 2, 5, &m);
    ck_assert(isnan(m.body[0].change) && isnan(m.body[0].kinetic_before));
}
END_TEST

/* A ball that rolls on a box that rests on a plane. */
START_TEST(tells_what_bears_it)
{
    char text[512] = "";
    peg_moving m;
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = .5};
    dWorldSetGravity(world, 0, 0, -10);
    pegWorldID peg = pegWorldCreate(world, NULL);
    ck_assert_int_eq(pegWorldAddSpace(peg, space), PEG_OK);
    ck_assert_int_eq(pegWorldSetDefaultSurface(peg, &surface), PEG_OK);
    dCreatePlane(space, 0, 0, 1, 0);
    body[0] = add(dCreateBox(space, 8, 8, 1), 0, .5, 0, 0);
    body[1] = add(dCreateSphere(space, 1), -3, 2, .5, .5);
    for (int step = 0; step < 250; step++) {
        ck_assert(peg_moving_note(&watch, world, body, 2, step * H));
        ck_assert_int_eq(pegWorldStep(peg, H), PEG_OK);
    }
    peg_moving_list(&watch, world, peg, body, 2, 250 * H, &m);
    ck_assert_int_eq(m.bodies, 2);
    ck_assert_int_eq(m.body[0].number, 1);
    ck_assert_int_eq(m.body[0].geom_class, dSphereClass);
    ck_assert_int_eq(m.body[0].on, 0);
    ck_assert_int_eq(m.body[0].on_class, dBoxClass);
    ck_assert_double_eq_tol(m.body[0].linear, .5, 1e-6);
    ck_assert_double_eq_tol(m.body[0].change, 0, 1e-6);
    FILE *file = fmemopen(text, sizeof text, "w");
    peg_moving_print(file, "", &m, NULL, NULL);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "  sphere 1 at "));
    ck_assert_ptr_nonnull(strstr(text, ", on box 0\n"));
    pegWorldDestroy(peg);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("moving");
    TCase *tests = tcase_create("lists");
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, lists_the_fastest);
    tcase_add_test(tests, compares_with_seconds_before);
    tcase_add_test(tests, tells_what_bears_it);
    return suite;
}
